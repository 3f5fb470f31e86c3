// What bulk copies do to memory: bytes from one place to another, rows of tensors from and to tiles, sums.
//
// A tile lies in shared memory row by row. A swizzle permutes the 16-byte units of a row: it xors bits 7 to 9 of an
// address into bits 4 to 6, as many as the span has.
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/access.h"
#include "exec/bulk.h"
#include "exec/tensor_map.h"

// ---- places

static uint32_t swizzled(const struct bulk_tile *t, uint32_t at)
{
    uint32_t address = t->base + at;
    return (address ^ (address >> 7 & t->swizzle) << 4) - t->base;
}

bool bulk_overlaps(const struct bulk *c, bool writes, const uint8_t *at, uint32_t size)
{
    const uint8_t *begin = writes ? c->to : c->from;
    uint64_t address = (uint64_t)(uintptr_t)at;
    if (begin)
        return at < begin + c->bytes && begin < at + size;
    if (!c->tile || writes == c->tile->loads || address >= c->tile->high || address + size <= c->tile->low)
        return false;
    for (uint32_t i = 0; i < c->tile->count; i++)
        if (address < c->tile->row[i].address + c->tile->row[i].bytes && c->tile->row[i].address < address + size)
            return true;
    return false;
}

// ---- tensors

// The fill for elements out of bounds: NaN has these bits in every type (an H100).
static void fill(const struct bulk_tile *t, uint8_t *data, uint32_t bytes)
{
    const uint16_t nan = 0x7ff7;
    memset(data, 0, bytes);
    for (uint32_t at = 0; t->nan && at < bytes; at += sizeof nan)
        memcpy(data + at, &nan, sizeof nan);
}

// tf32 has 10 fraction bits: round to nearest even; NaN becomes 0x7fffe000, as on an H100.
static uint32_t to_tf32(uint32_t word)
{
    if ((word & 0x7fffffff) > 0x7f800000)
        return 0x7fffe000;
    return (word + 0xfff + (word >> 13 & 1)) & 0xffffe000;
}

static void round_words(uint8_t *data, uint32_t bytes)
{
    for (uint32_t at = 0, word; at < bytes; at += 4) {
        memcpy(&word, data + at, 4);
        word = to_tf32(word);
        memcpy(data + at, &word, 4);
    }
}

static void read_rows(struct bulk *c)
{
    const struct bulk_tile *t = c->tile;
    fill(t, c->data, c->bytes);
    for (uint32_t i = 0; i < t->count; i++) {
        memcpy(c->data + t->row[i].at, t->row[i].place, t->row[i].bytes);
        if (t->type == TENSOR_TF32 || t->type == TENSOR_TF32_FTZ) // f32.ftz keeps subnormals (an H100)
            round_words(c->data + t->row[i].at, t->row[i].bytes);
    }
}

// Copies from the tile in shared memory, or to it.
static void copy_tile(const struct bulk *c, bool to)
{
    const struct bulk_tile *t = c->tile;
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t at = r * t->pitch; at < r * t->pitch + t->row_bytes; at += BULK_PIECE)
            if (to)
                memcpy(c->to + swizzled(t, at), c->data + at, BULK_PIECE);
            else
                memcpy(c->data + at, c->from + swizzled(t, at), BULK_PIECE);
}

// ---- reading and writing

void bulk_read(struct bulk *c)
{
    if (c->data)
        return;
    c->data = alloc_resize(NULL, 1, c->bytes);
    if (!c->tile)
        memcpy(c->data, c->from, c->bytes);
    else if (c->tile->loads)
        read_rows(c);
    else
        copy_tile(c, false);
}

static void put(const struct bulk *c, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    bool global = c->to_space == PTX_GLOBAL, flushes = global && c->sum.count != PTX_F32; // an H100: subnormals stay
    if (!c->sum.size)
        memcpy(to, from, bytes);
    for (uint32_t at = 0; c->sum.size && at < bytes; at += c->sum.size) {
        uint64_t address = (uint64_t)(uintptr_t)(to + at);
        if (global)
            lock_address(address);
        atomic_apply(&c->sum, to + at, from + at, flushes);
        if (global)
            unlock_address(address);
    }
}

void bulk_write(const struct bulk *c)
{
    const struct bulk_tile *t = c->tile;
    if (t && t->loads)
        copy_tile(c, true);
    else if (!t)
        put(c, c->to, c->data, c->bytes);
    for (uint32_t i = 0; t && !t->loads && i < t->count; i++)
        put(c, t->row[i].place, c->data + t->row[i].at, t->row[i].bytes);
}

// ---- observers

static void tell(const struct bulk *c, uint64_t address, const uint8_t *data, uint32_t bytes)
{
    const struct insn in = bulk_writer(c, PTX_GLOBAL);
    for (uint32_t at = 0, size; at < bytes; at += size) {
        size = bulk_piece(&c->sum, address + at, bytes - at);
        struct access a = {.in = &in, .kind = bulk_kind(c), .size = size, .data = data + at, .async = BULK_DONE};
        access_lane(c->warp, &a, c->lane, address + at, access_nothing);
    }
}

void bulk_notify_written(const struct bulk *c)
{
    const struct bulk_tile *t = c->tile;
    if (!t)
        tell(c, c->to_address, c->data, c->bytes);
    for (uint32_t i = 0; t && i < t->count; i++)
        tell(c, t->row[i].address, c->data + t->row[i].at, t->row[i].bytes);
}
