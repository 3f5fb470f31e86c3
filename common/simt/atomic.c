// Atomic operations: lane after lane, under the lock of the address where the memory is global.
#include "access.h"
#include "alu.h"
#include "handlers.h"
#include "opcodes.h"

static uint32_t atomic_f32(enum atomic_op op, uint32_t old, uint32_t b)
{
    f32 x = f32_bits(old), y = f32_bits(b);
    switch (op) {
    case ATOM_ADD: return bits_f32(keep_f32(x + y));
    case ATOM_MIN: return bits_f32(min_f32(x, y));
    case ATOM_MAX: return bits_f32(max_f32(x, y));
    default: return b;
    }
}

static uint64_t atomic_f64(enum atomic_op op, uint64_t old, uint64_t b)
{
    f64 x = f64_bits(old), y = f64_bits(b);
    switch (op) {
    case ATOM_ADD: return bits_f64(x + y);
    case ATOM_MIN: return bits_f64(min_f64(x, y));
    case ATOM_MAX: return bits_f64(max_f64(x, y));
    default: return b;
    }
}

static uint64_t atomic_integer(enum atomic_op op, uint64_t old, uint64_t b, uint64_t c, bool is_signed)
{
    switch (op) {
    case ATOM_ADD: return old + b;
    case ATOM_INC: return old >= b ? 0 : old + 1;
    case ATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case ATOM_MIN: return (is_signed ? (int64_t)old < (int64_t)b : old < b) ? old : b;
    case ATOM_MAX: return (is_signed ? (int64_t)old > (int64_t)b : old > b) ? old : b;
    case ATOM_AND: return old & b;
    case ATOM_OR: return old | b;
    case ATOM_XOR: return old ^ b;
    case ATOM_EXCH: return b;
    case ATOM_CAS: return old == b ? c : old;
    }
    return old;
}

static uint32_t new_value_32(const struct insn *in, uint32_t old, uint32_t b, uint32_t c)
{
    if (in->count == LANE_f32)
        return atomic_f32(in->sub, old, b);
    if (in->count == LANE_s32)
        return (uint32_t)atomic_integer(in->sub, (uint64_t)(int32_t)old, (uint64_t)(int32_t)b, (uint64_t)(int32_t)c,
                                        true);
    return (uint32_t)atomic_integer(in->sub, old, b, c, false);
}

static uint64_t new_value_64(const struct insn *in, uint64_t old, uint64_t b, uint64_t c)
{
    if (in->count == LANE_f64)
        return atomic_f64(in->sub, old, b);
    return atomic_integer(in->sub, old, b, c, in->count == LANE_s64);
}

static void perform_32(struct warp *w, struct access *a, const struct place *p)
{
    const struct insn *in = a->in;
    const uint32_t *b = row(w, in->b), *c = in->c == NONE ? b : row(w, in->c);
    uint32_t *d = in->dst == NONE ? NULL : row(w, in->dst);
    FOR_LANES(l, a->mask)
    {
        uint32_t *to = (uint32_t *)lane_place(p, a, l), old = __atomic_load_n(to, __ATOMIC_RELAXED);
        __atomic_store_n(to, new_value_32(in, old, b[l], c[l]), __ATOMIC_RELAXED);
        if (d)
            d[l] = old;
    }
}

static void perform_64(struct warp *w, struct access *a, const struct place *p)
{
    const struct insn *in = a->in;
    const uint64_t *b = row(w, in->b), *c = in->c == NONE ? b : row(w, in->c);
    uint64_t *d = in->dst == NONE ? NULL : row(w, in->dst);
    FOR_LANES(l, a->mask)
    {
        uint64_t *to = (uint64_t *)lane_place(p, a, l), old = __atomic_load_n(to, __ATOMIC_RELAXED);
        __atomic_store_n(to, new_value_64(in, old, b[l], c[l]), __ATOMIC_RELAXED);
        if (d)
            d[l] = old;
    }
}

void op_atomic(struct warp *w, const struct insn *in)
{
    access_memory(w, in, ATOMIC, in->size == 4 ? perform_32 : perform_64);
}
