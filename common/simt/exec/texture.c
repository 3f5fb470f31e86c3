// Fetches from texture objects. Each is an ordinary load of the texel's bytes, checked and counted as one, through the
// cache of constant data; what lies outside reads as zero or as the texel at the edge.
#include "exec/texture.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "exec/access.h"
#include "exec/finding.h"
#include "exec/half.h"
#include "exec/handlers.h"
#include "report/errors.h"

#define TEXTURES 4096   // that exist at a time
#define MARK 0x7e000000u // no address ends like this and no handle is 0

// Slots are taken in turn, so that one that was closed stays unused for a while.
static struct {
    pthread_mutex_t lock;
    struct texture slots[TEXTURES];
    atomic_uint ages[TEXTURES]; // odd: open
    uint32_t turn;
} textures = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t make_handle(uint32_t slot, unsigned age)
{
    return (uint64_t)age << 32 | MARK | slot;
}

uint64_t texture_open(const struct texture *t)
{
    uint64_t handle = 0;
    pthread_mutex_lock(&textures.lock);
    for (uint32_t i = 0; i < TEXTURES && !handle; i++) {
        uint32_t slot = textures.turn++ % TEXTURES;
        unsigned age = atomic_load(&textures.ages[slot]);
        if (age & 1)
            continue;
        textures.slots[slot] = *t;
        atomic_store(&textures.ages[slot], age + 1);
        handle = make_handle(slot, age + 1);
    }
    pthread_mutex_unlock(&textures.lock);
    return handle;
}

static bool is_open(uint64_t handle, uint32_t *slot)
{
    *slot = (uint32_t)handle & (TEXTURES - 1);
    unsigned age = atomic_load(&textures.ages[*slot]);
    return age & 1 && make_handle(*slot, age) == handle;
}

const struct texture *texture_find(uint64_t handle)
{
    uint32_t slot;
    return is_open(handle, &slot) ? &textures.slots[slot] : NULL;
}

bool texture_close(uint64_t handle)
{
    uint32_t slot;
    pthread_mutex_lock(&textures.lock);
    bool open = is_open(handle, &slot);
    if (open)
        atomic_fetch_add(&textures.ages[slot], 1);
    pthread_mutex_unlock(&textures.lock);
    return open;
}

// ---- coordinates

// The texel that coordinate x falls on along an edge of n; -1: none, it reads as zero.
static int64_t texel_at(double x, uint64_t n, bool normalized, enum texture_edge edge)
{
    if (normalized && edge == EDGE_WRAP)
        x -= floor(x);
    if (normalized && edge == EDGE_MIRROR)
        x = fmod(floor(x), 2) == 0 ? x - floor(x) : 1 - (x - floor(x));
    x = floor(normalized ? x * (double)n : x);
    if (edge == EDGE_BORDER && !(x >= 0 && x < (double)n))
        return -1;
    return !(x > 0) ? 0 : x >= (double)n ? (int64_t)n - 1 : (int64_t)x; // what is no number is 0
}

static bool locate(const struct texture *t, const struct warp *w, const struct insn *in, uint32_t l, uint64_t *address)
{
    int64_t x, y = 0;
    if (t->dimensions == 1) {
        x = ((const int32_t *)row(w, in->b))[l];
        x = x < (int64_t)t->width ? x : -1;
    } else {
        x = texel_at(((const float *)row(w, in->b))[l], t->width, t->normalized, t->edge[0]);
        y = texel_at(((const float *)row(w, in->c))[l], t->height, t->normalized, t->edge[1]);
    }
    *address = t->base + (uint64_t)y * t->pitch + (uint64_t)x * t->channels * t->bits / 8;
    return x >= 0 && y >= 0;
}

// ---- texels

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
    const struct texture *t = (const struct texture *)(const void *)a->data;
    const uint32_t *places = w->path->frame->code->lists + a->in->target;
    for (uint32_t k = 0; k < t->channels; k++) {
        uint32_t *to = row(w, places[k]);
        FOR_LANES(l, a->mask)
        to[l] = read_channel(t, lane_place(p, a, l) + k * t->bits / 8);
    }
}

// What tex gives where no texel is.
static void clear_texels(struct warp *w, const struct insn *in, uint32_t lanes)
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t *to = row(w, places[k]);
        FOR_LANES(l, lanes)
        to[l] = 0;
    }
}

static void refuse_texture(struct warp *w, const struct insn *in, uint32_t lane, const struct texture *t)
{
    report(w->block, FINDING_MEMORY, ERROR, in->id, NONE, "Invalid texture object at %s by %s: %s",
           origin_place(w->block->launch->module, in->id), thread_name(w->block, w->index * LANES + lane),
           t ? "it has another number of dimensions" : "there is none with this handle, or it was destroyed");
    fail_launch(w->block->launch, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void fetch(struct warp *w, const struct insn *in, uint64_t handle, uint32_t lanes)
{
    const struct texture *t = texture_find(handle);
    uint64_t addr[LANES] __attribute__((aligned(64))) = {0};
    uint32_t inside = 0;
    if (!t || t->dimensions != in->sub) {
        refuse_texture(w, in, (uint32_t)__builtin_ctz(lanes), t);
        return;
    }
    FOR_LANES(l, lanes)
    inside |= (uint32_t)locate(t, w, in, l, &addr[l]) << l;
    clear_texels(w, in, lanes); // may stand where the coordinates stood
    if (inside)
        access_texels(w, in, inside, addr, t->channels * t->bits / 8, t, perform_fetch);
}

void op_texture(struct warp *w, const struct insn *in)
{
    uint64_t handles[LANES];
    memcpy(handles, row(w, in->a), sizeof handles);
    for (uint32_t left = w->mask; left;) {
        uint64_t handle = handles[__builtin_ctz(left)];
        uint32_t lanes = 0;
        FOR_LANES(l, left)
        lanes |= (uint32_t)(handles[l] == handle) << l;
        fetch(w, in, handle, lanes);
        left &= ~lanes;
    }
}
