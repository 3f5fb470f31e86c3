// Surfaces: loads and stores by coordinates, x in bytes. Each is an ordinary access, checked as one.
#include "exec/access.h"
#include "exec/element.h"
#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/object.h"
#include "report/errors.h"

// The operand that follows the values.
static int64_t coordinate(const struct warp *w, const struct insn *in, uint32_t k, uint32_t l)
{
    return ((const int32_t *)row(w, w->path->frame->code->lists[in->target + in->count + k]))[l];
}

static bool inside(int64_t at, int64_t size)
{
    return at >= 0 && at < size;
}

static int64_t clamp(int64_t at, int64_t most)
{
    return at < 0 ? 0 : at > most ? most : at;
}

// x, y and the slice or layer of lane l.
static void read_place(const struct warp *w, const struct insn *in, uint32_t l, int64_t at[3])
{
    enum texture_shape shape = object_shape(in);
    bool layered = shape == SHAPE_LAYERED_1D || shape == SHAPE_LAYERED_2D;
    at[0] = coordinate(w, in, layered, l);
    at[1] = shape == SHAPE_1D || shape == SHAPE_LAYERED_1D ? 0 : coordinate(w, in, layered + 1u, l);
    at[2] = layered ? coordinate(w, in, 0, l) : shape == SHAPE_3D ? coordinate(w, in, 2, l) : 0;
}

// False: the coordinates are out of range and are not clamped.
static bool locate(const struct warp *w, const struct insn *in, const struct texture *t, uint32_t l, uint64_t *address)
{
    int64_t bytes = in->size * in->count,
            size[3] = {(int64_t)(t->width * texel_bytes(t)) - bytes + 1, (int64_t)t->height, (int64_t)t->depth}, at[3];
    read_place(w, in, l, at);
    for (int k = 0; k < 3 && object_form(in) == SURFACE_CLAMPS; k++)
        at[k] = clamp(at[k], k ? size[k] - 1 : (size[0] - 1) / bytes * bytes);
    if (!inside(at[0], size[0]) || !inside(at[1], size[1]) || !inside(at[2], size[2]))
        return false;
    *address = t->base + ((uint64_t)at[2] * t->height + (uint64_t)at[1]) * t->pitch + (uint64_t)at[0];
    return true;
}

static void refuse_place(struct warp *w, const struct insn *in, const struct texture *t, uint32_t l)
{
    int64_t at[3];
    read_place(w, in, l, at);
    report(w->block, FINDING_MEMORY, ERROR, in->id, NONE,
           "Invalid surface access of size %u at %s by %s: byte %lld, row %lld, slice or layer %lld of %llu bytes, "
           "%llu rows, %llu slices or layers (x is counted in bytes)",
           (uint32_t)in->size * in->count, origin_place(w->block->launch->module, in->id),
           thread_name(w->block, w->index * LANES + l), (long long)at[0], (long long)at[1], (long long)at[2],
           (unsigned long long)(t->width * texel_bytes(t)), (unsigned long long)t->height,
           (unsigned long long)t->depth);
    fail_launch(w->block->launch, CUDA_ERROR_ILLEGAL_ADDRESS);
}

// The result of a load out of bounds. The values' registers may be those of the coordinates.
static void clear_values(struct warp *w, const struct insn *in, uint32_t lanes)
{
    for (uint32_t k = 0; k < in->count; k++) {
        uint8_t *to = register_row(w, w->path->frame->code->lists[in->target + k]);
        FOR_LANES(l, lanes)
        write_lane(to, in->sub & 0x7f, l, 0);
    }
}

static void access_object(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes,
                          enum access_kind kind)
{
    uint64_t addr[LANES] __attribute__((aligned(64))) = {0};
    uint32_t right = 0;
    FOR_LANES(l, lanes)
    if (locate(w, in, t, l, &addr[l]))
        right |= 1u << l;
    else if (object_form(in) == SURFACE_TRAPS)
        refuse_place(w, in, t, l);
    if (kind == LOAD)
        clear_values(w, in, lanes);
    if (right)
        access_surface(w, in, kind, right, addr);
}

static void load(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes)
{
    access_object(w, in, t, lanes, LOAD);
}

static void store(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes)
{
    access_object(w, in, t, lanes, STORE);
}

void op_surface_load(struct warp *w, const struct insn *in)
{
    for_each_object(w, in, true, load);
}

void op_surface_store(struct warp *w, const struct insn *in)
{
    for_each_object(w, in, true, store);
}

// ---- txq, suq

static void query(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes)
{
    bool slices = t->shape == SHAPE_3D;
    uint64_t layers = slices ? 0 : t->depth, sizes[] = {[SIZE_WIDTH] = t->width,
                                                        [SIZE_HEIGHT] = t->height,
                                                        [SIZE_DEPTH] = slices ? t->depth : 0,
                                                        [SIZE_LAYERS] = layers};
    uint32_t *to = register_row(w, in->dst);
    FOR_LANES(l, lanes)
    to[l] = (uint32_t)sizes[object_form(in)];
}

void op_query_texture(struct warp *w, const struct insn *in)
{
    for_each_object(w, in, false, query);
}

void op_query_surface(struct warp *w, const struct insn *in)
{
    for_each_object(w, in, true, query);
}
