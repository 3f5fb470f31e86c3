// The rows of a tile: of a box, or of pixels.
#include "exec/tensor_box.h"

#include "base/alloc.h"

#define STORED_BYTES 16 // a store or sum writes all of these bytes or none

static struct bulk_tile *make_tile(const struct tensor_map *m, uint64_t rows)
{
    struct bulk_tile *t = alloc_zeroed(1, sizeof *t + rows * sizeof *t->row);
    t->rows = (uint32_t)rows;
    t->row_bytes = tensor_map_row(m);
    t->pitch = tensor_map_pitch(m);
    t->swizzle = (1u << m->swizzle) - 1;
    t->type = m->type;
    t->nan = m->nan;
    t->low = UINT64_MAX;
    return t;
}

// The number of elements of a row that a copy may reach.
static int64_t row_limit(const struct tensor_map *m, bool stores)
{
    int64_t size = (int64_t)m->stride[0], bytes = ((int64_t)m->last[0] + 1) * size;
    return (stores ? (bytes + STORED_BYTES - 1) / STORED_BYTES * STORED_BYTES : bytes) / size;
}

// Adds row `number` of the tile, from these coordinates on, if it has elements within bounds: where they begin, and how
// many the copy reaches.
static void add_row(struct bulk_tile *t, const struct tensor_map *m, const int64_t *at, uint32_t number,
                    int64_t columns)
{
    uint32_t size = (uint32_t)m->stride[0];
    int64_t first = at[0] < 0 ? 0 : at[0], end = at[0] + m->box[0];
    uint64_t address = m->address;
    for (uint32_t d = 1; d < m->rank; d++) {
        if (at[d] < 0 || at[d] > m->last[d])
            return;
        address += (uint64_t)at[d] * m->stride[d];
    }
    end = end < columns ? end : columns;
    if (first >= end)
        return;
    struct bulk_row *r = &t->row[t->count++];
    r->address = address + (uint64_t)first * size;
    r->at = number * t->pitch + (uint32_t)(first - at[0]) * size;
    r->bytes = (uint32_t)(end - first) * size;
    t->low = r->address < t->low ? r->address : t->low;
    t->high = r->address + r->bytes > t->high ? r->address + r->bytes : t->high;
}

struct bulk_tile *tensor_box(const struct tensor_map *m, const int32_t *at, bool stores)
{
    uint64_t rows = 1;
    for (uint32_t d = 1; d < m->rank; d++)
        rows *= tensor_map_steps(m, d);
    struct bulk_tile *t = make_tile(m, rows);
    int64_t columns = row_limit(m, stores);
    for (uint32_t i = 0; i < rows; i++) {
        int64_t x[TENSOR_MAP_RANKS] = {at[0]};
        uint32_t left = i;
        for (uint32_t d = 1; d < m->rank; left /= tensor_map_steps(m, d), d++)
            x[d] = at[d] + (int64_t)(left % tensor_map_steps(m, d)) * m->step[d];
        add_row(t, m, x, i, columns);
    }
    return t;
}

static void next_pixel(const struct tensor_map *m, int64_t *at)
{
    for (uint32_t d = 1; d < m->rank; d++) {
        at[d] += m->step[d];
        if (d == m->rank - 1u || at[d] <= (int64_t)m->last[d] + m->high[d - 1])
            return;
        at[d] = m->low[d - 1];
    }
}

struct bulk_tile *tensor_pixels(const struct tensor_map *m, const int32_t *at, const uint16_t *offset)
{
    struct bulk_tile *t = make_tile(m, m->box[1]);
    int64_t pixel[TENSOR_MAP_RANKS], channels = row_limit(m, false);
    for (uint32_t d = 0; d < TENSOR_MAP_RANKS; d++)
        pixel[d] = at[d];
    for (uint32_t i = 0; i < t->rows; i++) {
        int64_t x[TENSOR_MAP_RANKS];
        for (uint32_t d = 0; d < TENSOR_MAP_RANKS; d++)
            x[d] = pixel[d] + (d >= 1 && d + 1 < m->rank ? offset[d - 1] : 0);
        add_row(t, m, x, i, channels);
        next_pixel(m, pixel);
    }
    return t;
}
