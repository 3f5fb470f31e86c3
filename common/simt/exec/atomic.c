// Atomic operations: lane after lane, under the lock of the address where the memory is global.
#include "exec/access.h"
#include "exec/element.h"
#include "exec/half.h"
#include "exec/handlers.h"
#include "exec/sample.h"

// In global memory sums of f32 flush subnormals (PTX: atom), and a NaN of f64 stays as it is (an H200).
static uint32_t atomic_f32(uint32_t old, uint32_t b, bool global)
{
    f32 x = f32_bits(old), y = f32_bits(b);
    return bits_f32(global ? flush_f32(flush_f32(x) + flush_f32(y)) : keep_f32(x + y));
}

static uint64_t atomic_f64(uint64_t old, uint64_t b, bool global)
{
    f64 x = f64_bits(old), y = f64_bits(b);
    if (global && (x != x || y != y))
        return y != y ? b : old;
    return bits_f64(keep_two_f64(x + y, 1, y, x));
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

static uint16_t new_value_16(const struct insn *in, uint16_t old, uint16_t b, uint16_t c, bool global)
{
    (void)global;
    uint8_t op = in->sub;
    switch (in->count) { // only bulk copies have min and max of 16-bit floats
    case PTX_F16:
    case PTX_F16X2:
        return op == ATOM_ADD   ? f16_add_keep_plain(old, b)
               : op == ATOM_MIN ? f16_min_keep(old, b)
                                : f16_max_keep(old, b);
    case PTX_BF16:
    case PTX_BF16X2:
        return op == ATOM_ADD   ? bf16_add_keep_plain(old, b)
               : op == ATOM_MIN ? bf16_min_keep(old, b)
                                : bf16_max_keep(old, b);
    default: return (uint16_t)atomic_integer(in->sub, old, b, c, false);
    }
}

static uint32_t new_value_32(const struct insn *in, uint32_t old, uint32_t b, uint32_t c, bool global)
{
    switch (in->count) {
    case PTX_F32: return in->sub == ATOM_EXCH ? b : atomic_f32(old, b, global);
    case PTX_S32:
        return (uint32_t)atomic_integer(in->sub, (uint64_t)(int32_t)old, (uint64_t)(int32_t)b, (uint64_t)(int32_t)c,
                                        true);
    case PTX_F16X2:
    case PTX_BF16X2:
        return halves(new_value_16(in, (uint16_t)old, (uint16_t)b, 0, global),
                      new_value_16(in, (uint16_t)(old >> 16), (uint16_t)(b >> 16), 0, global));
    default: return (uint32_t)atomic_integer(in->sub, old, b, c, false);
    }
}

static uint64_t new_value_64(const struct insn *in, uint64_t old, uint64_t b, uint64_t c, bool global)
{
    if (in->count == PTX_F64 && in->sub == ATOM_ADD)
        return atomic_f64(old, b, global);
    return atomic_integer(in->sub, old, b, c, in->count == PTX_S64);
}

// Whether the highest lane executes an atomic first: the order within a warp is undefined.
static bool highest_first(const struct warp *w)
{
    enum schedule s = w->block->launch->schedule;
    return s == SCHEDULE_REVERSE || (s == SCHEDULE_RANDOM && random_bits(w->block->worker) & 1);
}

// Whether one lane takes a ticket: adds to this word and uses the old value. It adds one, or any number at ticket_at.
static bool takes_ticket(const struct launch *l, const struct access *a, const void *word, uint64_t operand)
{
    const struct insn *in = a->in;
    bool by_one = (operand == 1 || in->sub == ATOM_INC) && (a->mask & (a->mask - 1)) == 0;
    bool counts = (in->sub == ATOM_INC || in->sub == ATOM_ADD) && in->dst != NONE && a->space == PTX_GLOBAL;
    return counts && (l->ticket_at ? word == l->ticket_at : by_one);
}

// put: replaces a word that holds *seen. False: the host has changed it meanwhile, and *seen is what it holds now. Only
// atomics of the system's scope are atomic with respect to the host.
#define PERFORM(bits) \
    static bool put_##bits(const struct insn *in, u##bits *to, u##bits *seen, u##bits value) \
    { \
        if (in->scope == SCOPE_SYSTEM) \
            return __atomic_compare_exchange_n(to, seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        __atomic_store_n(to, value, __ATOMIC_RELAXED); \
        return true; \
    } \
    static void perform_##bits(struct warp *w, struct access *a, const struct place *p) \
    { \
        bool down = highest_first(w); \
        const struct insn *in = a->in; \
        bool global = a->space == PTX_GLOBAL; \
        struct launch *launch = w->block->launch; \
        const u##bits *b = row(w, in->b), *c = in->c == NONE ? b : row(w, in->c); \
        u##bits *d = in->dst == NONE ? NULL : row(w, in->dst), changed = 0; \
        for (uint32_t left = a->mask, l; left; left &= ~(1u << l)) { \
            l = (uint32_t)(down ? 31 - __builtin_clz(left) : __builtin_ctz(left)); \
            u##bits *to = (u##bits *)lane_place(p, a, l), seen = __atomic_load_n(to, __ATOMIC_RELAXED), old, value; \
            u##bits operand = b[l], third = c[l]; /* d may be the same row */ \
            uint64_t before = 0; \
            if (launch->partial && takes_ticket(launch, a, to, operand)) \
                before = sample_ticket(w->block, in, to, seen); \
            do { \
                old = (u##bits)(seen + before); \
                value = new_value_##bits(in, old, operand, third, global); \
            } while (value != seen && !put_##bits(in, to, &seen, value)); \
            changed |= old ^ value; \
            if (d) \
                d[l] = old; \
        } \
        w->block->worker->changes += changed != 0; \
    }
PERFORM(16)
PERFORM(32)
PERFORM(64)

void atomic_apply(const struct insn *in, uint8_t *to, const uint8_t *from, bool global)
{
    uint64_t old = read_element(to, in->size), b = read_element(from, in->size);
    uint64_t value = in->size == 2   ? new_value_16(in, (uint16_t)old, (uint16_t)b, 0, global)
                     : in->size == 4 ? new_value_32(in, (uint32_t)old, (uint32_t)b, 0, global)
                                     : new_value_64(in, old, b, 0, global);
    memcpy(to, &value, in->size);
}

bool atomic_only_reads(const struct warp *w, const struct insn *in, uint32_t l)
{
    if (in->b == NONE) // its operand came with a bulk copy
        return false;
    uint64_t b = read_element(row(w, in->b) + l * in->size, in->size), ones = UINT64_MAX >> (64 - 8 * in->size);
    switch (in->sub) {
    case ATOM_ADD:
    case ATOM_OR:
    case ATOM_XOR: return b == 0;
    case ATOM_AND: return b == ones;
    case ATOM_MIN: return b == ones || b == ones >> 1;       // the largest number, unsigned or signed
    case ATOM_MAX: return b == 0 || b == ones - (ones >> 1); // the smallest, likewise
    case ATOM_CAS: return true;
    default: return false;
    }
}

void op_atomic(struct warp *w, const struct insn *in)
{
    access_memory(w, in, ATOMIC, in->size == 2 ? perform_16 : in->size == 4 ? perform_32 : perform_64);
}
