// Fetches from texture objects. Each texel is an ordinary load through the read-only cache, and is checked as one. A
// filter combines the texels around a point, one load for each corner.
#include <string.h>

#include "exec/access.h"
#include "exec/half.h"
#include "exec/handlers.h"
#include "exec/object.h"

// ---- places

// One lane's request.
struct spot {
    struct axis_sample axis[3];
    uint64_t slice; // or layer, or face, of arrays: there is no filtering along it
};

// The operand after the four results.
static const void *coordinate(const struct warp *w, const struct insn *in, uint32_t k)
{
    return row(w, w->path->frame->code->lists[in->target + 4 + k]);
}

static float real(const struct warp *w, const struct insn *in, uint32_t k, uint32_t l)
{
    return ((const float *)coordinate(w, in, k))[l];
}

// A layer out of range is clamped to the edge.
static uint64_t layer_of(const struct warp *w, const struct insn *in, uint32_t l, uint64_t layers)
{
    int64_t layer = ((const int32_t *)coordinate(w, in, 0))[l];
    return layer < 0 ? 0 : (uint64_t)layer >= layers ? layers - 1 : (uint64_t)layer;
}

static bool has_layers(enum texture_shape shape)
{
    return shape == SHAPE_LAYERED_1D || shape == SHAPE_LAYERED_2D || shape == SHAPE_LAYERED_CUBE;
}

// The number of dimensions along which texels are filtered.
static uint32_t edges_of(enum texture_shape shape)
{
    return shape == SHAPE_3D ? 3 : shape == SHAPE_LINEAR || shape == SHAPE_1D || shape == SHAPE_LAYERED_1D ? 1 : 2;
}

static void sample_cube(const struct texture *t, const struct warp *w, const struct insn *in, uint32_t l,
                        struct spot *s)
{
    uint32_t first = t->shape == SHAPE_LAYERED_CUBE;
    const float v[3] = {real(w, in, first, l), real(w, in, first + 1, l), real(w, in, first + 2, l)};
    float on[2];
    uint32_t face = cube_face(v, on);
    s->slice = face + (first ? 6 * layer_of(w, in, l, t->depth / 6) : 0);
    for (uint32_t k = 0; k < 2; k++)
        s->axis[k] = sample_axis(on[k], t->width, true, EDGE_CLAMP, t->linear);
}

static struct spot sample_lane(const struct texture *t, const struct warp *w, const struct insn *in, uint32_t l,
                               bool linear)
{
    const uint64_t size[3] = {t->width, t->height, t->depth};
    struct spot s = {.slice = 0};
    uint32_t first = has_layers(t->shape);
    if (t->shape == SHAPE_LINEAR) {
        int64_t x = ((const int32_t *)coordinate(w, in, 0))[l];
        s.axis[0].at[0] = x < (int64_t)t->width ? x : -1;
    } else if (is_cube(t->shape))
        sample_cube(t, w, in, l, &s);
    else
        for (uint32_t k = 0; k < edges_of(t->shape); k++)
            s.axis[k] = sample_axis(real(w, in, first + k, l), size[k], t->normalized, t->edge[k], linear);
    if (first && !is_cube(t->shape))
        s.slice = layer_of(w, in, l, t->depth);
    return s;
}

// The texel at a corner: bit k of `corner` selects the texel along edge k. False: it lies in the border.
static bool locate(const struct texture *t, const struct spot *s, uint32_t corner, uint64_t *address)
{
    uint64_t at[3] = {0, 0, s->slice};
    for (uint32_t k = 0; k < edges_of(t->shape); k++) {
        int64_t i = s->axis[k].at[corner >> k & 1];
        if (i < 0)
            return false;
        at[k] = (uint64_t)i;
    }
    *address = t->base + (at[2] * t->height + at[1]) * t->pitch + at[0] * texel_bytes(t);
    return true;
}

static double weight(const struct texture *t, const struct spot *s, uint32_t corner)
{
    double product = 1;
    for (uint32_t k = 0; k < edges_of(t->shape); k++)
        product *= corner >> k & 1 ? s->axis[k].part : 1 - s->axis[k].part;
    return product;
}

// ---- texels

// Channels of the texels at one corner, as a fetch returns them.
struct texels {
    const struct texture *texture;
    uint32_t channel[4][LANES];
};

static uint32_t float_bits(double v)
{
    return bits_f32((float)v);
}

static uint32_t read_channel(const struct texture *t, const uint8_t *from)
{
    uint32_t v = t->bits == 8 ? *from : t->bits == 16 ? *(const uint16_t *)from : *(const uint32_t *)from;
    uint32_t shift = 32 - t->bits, most = t->kind == TEXEL_SIGNED ? (1u << (t->bits - 1)) - 1 : UINT32_MAX >> shift;
    int32_t s = (int32_t)(v << shift) >> shift;
    if (t->kind == TEXEL_FLOAT)
        return t->bits == 16 ? float_bits(f16_value((uint16_t)v)) : v;
    if (!t->to_float)
        return t->kind == TEXEL_SIGNED ? (uint32_t)s : v;
    double part = (t->kind == TEXEL_SIGNED ? (double)s : (double)v) / most;
    return float_bits(part < -1 ? -1 : part);
}

static void perform_fetch(struct warp *w, struct access *a, const struct place *p)
{
    struct texels *texels = (struct texels *)(uintptr_t)a->data;
    const struct texture *t = texels->texture;
    (void)w;
    if (t->channels == 1 && t->bits == 32) {
        FOR_LANES(l, a->mask)
        texels->channel[0][l] = *(const uint32_t *)lane_place(p, a, l);
        return;
    }
    FOR_LANES(l, a->mask)
    for (uint32_t k = 0; k < t->channels; k++)
        texels->channel[k][l] = read_channel(t, lane_place(p, a, l) + k * t->bits / 8);
}

static bool gives_float(const struct texture *t)
{
    return t->to_float || t->kind == TEXEL_FLOAT;
}

static void set_border(const struct texture *t, struct texels *to)
{
    to->texture = t;
    memset(to->channel, 0, sizeof to->channel);
    for (uint32_t k = 0; k < t->channels && gives_float(t); k++)
        for (uint32_t l = 0; l < LANES; l++)
            to->channel[k][l] = bits_f32(t->border[k]);
}

// Reads one corner of the lanes' samples.
static void fetch_corner(struct warp *w, const struct insn *in, const struct spot *s, uint32_t lanes, uint32_t corner,
                         struct texels *to)
{
    uint64_t addr[LANES] __attribute__((aligned(64))) = {0};
    uint32_t inside = 0;
    FOR_LANES(l, lanes)
    inside |= (uint32_t)locate(to->texture, &s[l], corner, &addr[l]) << l;
    if (inside)
        access_texels(w, in, inside, addr, texel_bytes(to->texture), to, perform_fetch);
}

static void write_results(struct warp *w, const struct insn *in, uint32_t lanes, uint32_t results[4][LANES])
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t *to = register_row(w, places[k]);
        FOR_LANES(l, lanes)
        to[l] = results[k][l];
    }
}

// ---- fetches

static void fetch_point(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes,
                        const struct spot *s)
{
    struct texels texels;
    set_border(t, &texels);
    fetch_corner(w, in, s, lanes, 0, &texels);
    write_results(w, in, lanes, texels.channel);
}

// Fast path: one, two or three dimensions, without layers or filter.
static void fetch_row(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes)
{
    const uint64_t size[3] = {t->width, t->height, t->depth}, bytes = texel_bytes(t);
    int32_t at[3][LANES] = {{0}};
    uint64_t addr[LANES] __attribute__((aligned(64)));
    uint32_t inside = 0;
    struct texels texels;
    for (uint32_t k = 0; k < edges_of(t->shape); k++)
        sample_row(coordinate(w, in, k), size[k], t->normalized, t->edge[k], at[k]);
    for (uint32_t l = 0; l < LANES; l++) {
        inside |= (uint32_t)((at[0][l] | at[1][l] | at[2][l]) >= 0) << l;
        uint64_t line = (uint64_t)at[2][l] * t->height + (uint64_t)at[1][l];
        addr[l] = t->base + line * t->pitch + (uint64_t)at[0][l] * bytes;
    }
    set_border(t, &texels);
    if (inside & lanes)
        access_texels(w, in, inside & lanes, addr, (uint32_t)bytes, &texels, perform_fetch);
    write_results(w, in, lanes, texels.channel);
}

// The weighted sum of the texels around the point; a texel of weight 0 is not read.
static void fetch_linear(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes,
                         const struct spot *s)
{
    double sum[4][LANES] = {{0}};
    uint32_t results[4][LANES] = {{0}};
    for (uint32_t corner = 0; corner < 1u << edges_of(t->shape); corner++) {
        struct texels texels;
        uint32_t some = 0;
        FOR_LANES(l, lanes)
        some |= (uint32_t)(weight(t, &s[l], corner) > 0) << l;
        set_border(t, &texels);
        fetch_corner(w, in, s, some, corner, &texels);
        for (uint32_t k = 0; k < t->channels; k++)
            FOR_LANES(l, some)
        sum[k][l] += weight(t, &s[l], corner) * (double)f32_bits(texels.channel[k][l]);
    }
    for (uint32_t k = 0; k < t->channels; k++)
        FOR_LANES(l, lanes)
    results[k][l] = float_bits(sum[k][l]);
    write_results(w, in, lanes, results);
}

// tld4: one channel of the four texels that a filter would combine, counterclockwise from the lower left.
static void fetch_gather(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes,
                         const struct spot *s)
{
    static const uint32_t corners[4] = {2, 3, 1, 0};
    uint32_t results[4][LANES];
    for (uint32_t k = 0; k < 4; k++) {
        struct texels texels;
        set_border(t, &texels);
        fetch_corner(w, in, s, lanes, corners[k], &texels);
        memcpy(results[k], texels.channel[in->count], sizeof results[k]);
    }
    write_results(w, in, lanes, results);
}

static void fetch_spots(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes, bool gather)
{
    struct spot samples[LANES];
    for (uint32_t l = 0; l < LANES; l++)
        samples[l] = sample_lane(t, w, in, l, t->linear || gather);
    if (gather)
        fetch_gather(w, in, t, lanes, samples);
    else if (t->linear)
        fetch_linear(w, in, t, lanes, samples);
    else
        fetch_point(w, in, t, lanes, samples);
}

static void fetch(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes)
{
    bool gather = object_form(in) == FETCH_GATHER;
    if (!gather && !t->linear && (t->shape == SHAPE_1D || t->shape == SHAPE_2D || t->shape == SHAPE_3D))
        fetch_row(w, in, t, lanes);
    else
        fetch_spots(w, in, t, lanes, gather);
}

void op_texture(struct warp *w, const struct insn *in)
{
    for_each_object(w, in, false, fetch);
}
