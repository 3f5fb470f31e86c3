// Copies of tensors (cp.async.bulk.tensor, cp.reduce.async.bulk.tensor): a tensor map says where the elements lie in
// global memory, and coordinates select the box, or by im2col its pixels.
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/access.h"
#include "exec/bulk.h"
#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/tensor_box.h"
#include "exec/tensor_map.h"
#include "report/errors.h"

#define MAP_ALIGNMENT 64
#define TILE_ALIGNMENT 128
#define SWIZZLE_128 3 // of a map: spans of 128 bytes

// ---- the map

static bool refuse_as(struct warp *w, const struct insn *in, uint32_t l, const char *what, const char *why, int error)
{
    struct scene s = scene_of_lane(w, l);
    report_scene(w->block, &s, FINDING_MEMORY, ERROR, in->id, NONE - 6, "Invalid %s at %s by %s: %s", what,
                 origin_place(w->block->launch->module, in->id), thread_name(w->block, w->index * LANES + l), why);
    fail_launch(w->block->launch, error);
    return false;
}

static bool refuse_map(struct warp *w, const struct insn *in, uint32_t l, const char *why)
{
    return refuse_as(w, in, l, "tensor map", why, CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

static bool fetch_map(struct warp *w, const struct insn *in, uint32_t l, const uint32_t *list, struct tensor_map *m)
{
    uint8_t bytes[TENSOR_MAP_BYTES];
    uint64_t address = bulk_address(w, list + TENSOR_MAP, l);
    struct insn as = *in;
    as.space = (uint8_t)(list[TENSOR_MAP + 3] & ~BULK_NARROW);
    as.order = 0;
    if (as.space == PTX_GENERIC && (address & TAG_MASK) == TAG_LOCAL)
        return refuse_as(w, in, l, "tensor map",
                         "it lies in local memory; pass it as a parameter: const __grid_constant__ CUtensorMap map",
                         CUDA_ERROR_ILLEGAL_ADDRESS);
    if (as.space == PTX_GENERIC && (address & TAG_MASK) == TAG_SHARED)
        return refuse_map(w, in, l,
                          "it lies in shared memory; a copy reads it from global memory, constants, parameters");
    if (address % MAP_ALIGNMENT)
        return refuse_map(w, in, l, "its address is not a multiple of 64");
    for (uint32_t at = 0; at < TENSOR_MAP_BYTES && !block_failed(w->block); at += BULK_PIECE)
        access_lane(
            w, &(struct access){.in = &as, .kind = LOAD, .size = BULK_PIECE, .data = bytes + at, .async = BULK_MAP}, l,
            address + at, perform_read);
    if (!block_failed(w->block) && (as.space == PTX_GENERIC || as.space == PTX_GLOBAL) && !(address & TAG_MASK))
        NOTIFY(w->block->launch, map_read, w, in, l, address);
    memcpy(m, bytes, sizeof *m);
    return !block_failed(w->block);
}

static bool check_map(struct warp *w, const struct insn *in, uint32_t l, const struct tensor_map *m)
{
    char why[200] = "";
    uint32_t rank = in->sub & 7;
    bool columns = in->sub & TENSOR_COLUMNS;
    if (m->mark != TENSOR_MAP_MARK)
        return refuse_map(w, in, l, "cuTensorMapEncodeTiled has not encoded it");
    if (columns != m->columns)
        return refuse_map(w, in, l,
                          columns ? "cuTensorMapEncodeTiled encoded it, and the copy's mode is im2col"
                                  : "cuTensorMapEncodeIm2col encoded it, and the copy's mode is not im2col");
    if (in->imm && (m->type == TENSOR_TF32 || m->type == TENSOR_TF32_FTZ))
        return refuse_map(w, in, l, "its elements are tf32, which this machine copies only to shared memory");
    if (m->rank != rank) {
        snprintf(why, sizeof why, "it has %u dimensions, and the copy names %u", m->rank, rank);
        return refuse_map(w, in, l, why);
    }
    return tensor_map_valid(m, why, sizeof why) || refuse_map(w, in, l, why);
}

// ---- the box

// An H100 does not store or add boxes in this swizzle that begin elsewhere; we have not tried other swizzles.
static bool check_column(struct warp *w, const struct insn *in, uint32_t l, const struct tensor_map *m, int32_t column)
{
    char why[160];
    if (!in->imm || m->swizzle != SWIZZLE_128 || (column >= 0 && column * m->stride[0] % BULK_PIECE == 0))
        return true;
    snprintf(why, sizeof why,
             "it begins at column %d; with a 128-byte swizzle a store or sum must begin within the row, "
             "at a multiple of 16 bytes",
             column);
    return refuse_as(w, in, l, "box", why, CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

// im2col (an H200): the first pixel lies between the corners, these within the tensor if the copy stores; the channels
// begin at a multiple of 16 bytes; an offset has 16, 8 or 5 bits, depending on the rank.
static bool check_pixel(struct warp *w, const struct insn *in, uint32_t l, const struct tensor_map *m,
                        const int32_t *at, const uint16_t *offset)
{
    static const uint16_t most[] = {65535, 255, 31};
    char why[160] = "";
    if (at[0] * (int64_t)m->stride[0] % BULK_PIECE)
        snprintf(why, sizeof why, "it begins at channel %d, not a multiple of 16 bytes", at[0]);
    for (uint32_t k = 0; k + 2 < m->rank && !*why; k++) {
        int64_t high = (int64_t)m->last[k + 1] + m->high[k];
        if (in->imm && (m->low[k] < 0 || m->high[k] > 0))
            snprintf(why, sizeof why, "a store or sum by im2col needs corners within the tensor, not %d and %d",
                     m->low[k], m->high[k]);
        else if (at[k + 1] < m->low[k] || at[k + 1] > high)
            snprintf(why, sizeof why, "coordinate %u of its first pixel is %d, and the map's corners are %d and %lld",
                     k + 1, at[k + 1], m->low[k], (long long)high);
        else if (offset[k] > most[m->rank - 3])
            snprintf(why, sizeof why, "offset %u is %u; with %u dimensions a GPU uses %u at most", k, offset[k],
                     m->rank, most[m->rank - 3]);
    }
    return !*why || refuse_as(w, in, l, "box", why, CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

// ---- reductions

static enum ptx_type element_type(enum tensor_type type)
{
    static const uint8_t types[TENSOR_TYPES] = {
        [TENSOR_U32] = PTX_U32, [TENSOR_S32] = PTX_S32, [TENSOR_U64] = PTX_U64,   [TENSOR_S64] = PTX_S64,
        [TENSOR_F16] = PTX_F16, [TENSOR_F32] = PTX_F32, [TENSOR_BF16] = PTX_BF16, [TENSOR_F32_FTZ] = PTX_F32};
    return (enum ptx_type)types[type];
}

static bool reduces(enum atomic_op op, enum ptx_type type)
{
    bool real = type == PTX_F32, half = type == PTX_F16 || type == PTX_BF16;
    switch (op) {
    case ATOM_ADD: return type && type != PTX_S64;
    case ATOM_INC:
    case ATOM_DEC: return type == PTX_U32;
    case ATOM_MIN:
    case ATOM_MAX: return type && !real;
    default: return type && !real && !half;
    }
}

// ---- issuing

static bool touch_rows(struct warp *w, const struct bulk *c)
{
    bool loads = c->tile->loads;
    const struct insn as = bulk_writer(c, PTX_GLOBAL);
    for (uint32_t i = 0; i < c->tile->count; i++) {
        struct bulk_row *r = &c->tile->row[i];
        r->place =
            bulk_touch(w, c, &as, loads ? LOAD : bulk_kind(c), r->address, r->bytes, loads ? NULL : c->data + r->at);
        if (!r->place)
            return false;
    }
    return true;
}

static uint8_t *touch_tile(struct warp *w, const struct bulk *c, enum access_kind kind, uint64_t address)
{
    struct insn as = c->in;
    as.space = (uint8_t)(w->path->frame->code->lists[c->in.target + TENSOR_SHARED + 3] & ~BULK_NARROW);
    as.order = 0;
    return bulk_touch(w, c, &as, kind, address, c->bytes, c->data);
}

static bool begin_load(struct warp *w, struct bulk *c)
{
    c->to = touch_tile(w, c, STORE, c->to_address);
    return c->to;
}

static bool begin_store(struct warp *w, struct bulk *c)
{
    return touch_rows(w, c);
}

static bool is_aligned(struct warp *w, const struct bulk *c, uint64_t address)
{
    if (address % TILE_ALIGNMENT == 0)
        return true;
    bulk_refuse_place(w, c, c->tile->loads ? "__shared__ write" : "__shared__ read",
                      "a copy of a tensor takes a shared address that is a multiple of 128");
    return false;
}

static void issue_tile(struct warp *w, struct bulk *c, const uint32_t *list)
{
    bool many = list[TENSOR_RANKS] != NONE;
    uint64_t shared = bulk_address(w, list + TENSOR_SHARED, c->lane);
    c->tile->base = (uint32_t)(shared & ~PEER_MASK);
    c->tile->loads = !c->in.imm;
    c->bytes = c->tile->rows * c->tile->pitch;
    c->counted = c->tile->rows * c->tile->row_bytes;
    if (!is_aligned(w, c, shared))
        return;
    if (!c->tile->loads) {
        c->from = touch_tile(w, c, LOAD, shared);
        if (c->from)
            bulk_issue(w, c, false, 0, begin_store);
        return;
    }
    c->to_address = shared;
    c->barrier_address = bulk_address(w, list + TENSOR_BARRIER, c->lane);
    if (touch_rows(w, c))
        bulk_issue(w, c, many, many ? ((const uint16_t *)row(w, list[TENSOR_RANKS]))[c->lane] : 0, begin_load);
}

static void issue_lane(struct warp *w, const struct insn *in, uint32_t l)
{
    const uint32_t *list = w->path->frame->code->lists + in->target;
    struct bulk c = {.in = *in, .name = "copy of a tensor", .warp = w, .lane = l, .after = -1};
    struct tensor_map m;
    int32_t at[TENSOR_MAP_RANKS] = {0};
    uint16_t offset[TENSOR_MAP_RANKS - 2] = {0};
    if (!fetch_map(w, in, l, list, &m) || !check_map(w, in, l, &m) || in->sub & TENSOR_PREFETCHES)
        return;
    for (uint32_t d = 0; d < m.rank; d++)
        at[d] = ((const int32_t *)row(w, list[TENSOR_AT + d]))[l];
    for (uint32_t k = 0; m.columns && !in->imm && k + 2 < m.rank; k++)
        offset[k] = ((const uint16_t *)row(w, list[TENSOR_OFFSET + k]))[l];
    if (list[TENSOR_SUM] != NONE && !reduces((enum atomic_op)(uint8_t)list[TENSOR_SUM], element_type(m.type))) {
        refuse_map(w, in, l, "its elements are of a type that this reduction does not have");
        return;
    }
    if (m.columns ? !check_pixel(w, in, l, &m, at, offset) : !check_column(w, in, l, &m, at[0]))
        return;
    c.sum = bulk_sum(in, list[TENSOR_SUM], element_type((enum tensor_type)m.type));
    c.to_space = in->imm ? PTX_GLOBAL : PTX_SHARED;
    c.tile = m.columns ? tensor_pixels(&m, at, offset) : tensor_box(&m, at, in->imm);
    issue_tile(w, &c, list);
    free(c.tile);
}

void op_tensor_copy(struct warp *w, const struct insn *in)
{
    FOR_LANES(l, w->mask)
    issue_lane(w, in, l);
}
