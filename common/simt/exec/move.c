// Moves, selections and predicates that are not one expression per lane.
#include <stdlib.h>

#include "decode/forms.h"
#include "exec/lane.h"
#include "exec/handlers.h"
#include "exec/rows.h"

// Runs an instruction for the lanes that its guard enables.
void op_guarded(struct warp *w, const struct insn *in)
{
    uint32_t whole = w->mask, pass = guard_lanes(w, in);
    w->block->worker->guard_lanes[in->id] += (uint64_t)__builtin_popcount(pass);
    if (!pass)
        return;
    set_mask(w, pass);
    in->guarded(w, in);
    set_mask(w, whole);
}

void op_frame_address(struct warp *w, const struct insn *in)
{
    write_all(w, in, w->path->frame->local_base + (uint64_t)in->imm);
}

void op_dynamic_shared(struct warp *w, const struct insn *in)
{
    write_all(w, in, w->block->launch->dynamic_start + (uint64_t)in->imm);
}

void op_module_shared(struct warp *w, const struct insn *in)
{
    write_all(w, in, w->block->launch->code->shared_offsets[in->target] + (uint64_t)in->imm);
}

#define SELECT(bits) \
    void op_select_##bits(struct warp *w, const struct insn *in) \
    { \
        u##bits *d = row(w, in->dst); \
        const u##bits *a = row(w, in->a), *b = row(w, in->b); \
        uint32_t p = predicate(w, in->c), m = w->mask; \
        _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++) \
        { \
            u##bits r = p >> l & 1 ? a[l] : b[l]; \
            d[l] = m >> l & 1 ? r : d[l]; \
        } \
    }
SELECT(16)
SELECT(32)
SELECT(64)

// sub: 0, c is s32; 1, f32; 2, f32 with subnormals flushed.
void op_slct(struct warp *w, const struct insn *in)
{
    const uint8_t *a = row(w, in->a), *b = row(w, in->b);
    uint8_t *d = row(w, in->dst);
    const uint32_t *c = row(w, in->c);
    FOR_LANES(l, w->mask)
    {
        f32 real = in->sub == 2 ? flush_f32(f32_bits(c[l])) : f32_bits(c[l]);
        bool first = in->sub ? real >= 0 : (int32_t)c[l] >= 0;
        memmove(d + (size_t)l * in->size, (first ? a : b) + (size_t)l * in->size, in->size);
    }
}

void op_pack(struct warp *w, const struct insn *in)
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    uint32_t part = in->size, n = in->count;
    uint64_t values[LANES] = {0};
    for (uint32_t k = 0; k < n; k++) {
        const uint8_t *from = row(w, places[k]);
        for (uint32_t l = 0; l < LANES; l++)
            memcpy((uint8_t *)&values[l] + k * part, from + l * part, part);
    }
    write_row(w, in->dst, part * n, values);
}

void op_unpack(struct warp *w, const struct insn *in)
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    uint32_t part = in->size, whole = part * in->count;
    const uint8_t *from = row(w, in->a);
    uint8_t copy[LANES * 8];
    memcpy(copy, from, LANES * whole); // the destination may be one of the parts
    for (uint32_t k = 0; k < in->count; k++)
        FOR_LANES(l, w->mask)
    memcpy((uint8_t *)row(w, places[k]) + l * part, copy + l * whole + k * part, part);
}

void op_bfi(struct warp *w, const struct insn *in)
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    const uint32_t *start = row(w, places[0]), *length = row(w, places[1]);
    const void *a = row(w, in->a), *b = row(w, in->b);
    uint64_t values[LANES];
    if (in->size == 4)
        for (uint32_t l = 0; l < LANES; l++)
            values[l] = bfi(((const uint32_t *)a)[l], ((const uint32_t *)b)[l], start[l], length[l], 32);
    else
        for (uint32_t l = 0; l < LANES; l++)
            values[l] = bfi(((const uint64_t *)a)[l], ((const uint64_t *)b)[l], start[l], length[l], 64);
    write_row(w, in->dst, in->size, values);
}

void op_nothing(struct warp *w, const struct insn *in)
{
    (void)w;
    (void)in;
}

// ---- addresses

void op_cvta(struct warp *w, const struct insn *in)
{
    uint64_t *d = row(w, in->dst), values[LANES], tag = (uint64_t)in->imm;
    const uint64_t *a = row(w, in->a);
    uint64_t *to = w->mask == ALL_LANES ? d : values, keep = in->sub ? ~tag : ~UINT64_C(0), set = in->sub ? 0 : tag;
    for (int l = 0; l < LANES; l++)
        to[l] = (a[l] & keep) | set;
    if (to == values)
        FOR_LANES(l, w->mask)
    d[l] = values[l];
}

void op_isspacep(struct warp *w, const struct insn *in)
{
    const uint64_t *a = row(w, in->a);
    bool shared = in->space == PTX_SHARED || in->space == SPACE_CLUSTER;
    uint64_t want = shared                   ? TAG_SHARED
                    : in->space == PTX_LOCAL ? TAG_LOCAL
                    : in->space == PTX_PARAM ? TAG_PARAM
                                             : 0,
             mask = in->space == PTX_SHARED ? PEER_MASK : TAG_MASK;
    uint32_t bits = 0;
    for (uint32_t l = 0; l < LANES; l++)
        bits |= (uint32_t)((a[l] & mask) == want) << l;
    set_predicate(w, in->dst, bits);
}

// ---- predicates

void op_mov_predicate(struct warp *w, const struct insn *in)
{
    set_predicate(w, in->dst, predicate_maybe_not(w, in->a, in->sub & NEGATE_A));
}

void op_logic(struct warp *w, const struct insn *in)
{
    uint32_t a = predicate_maybe_not(w, in->a, in->sub & NEGATE_A);
    uint32_t b = predicate_maybe_not(w, in->b, in->sub & NEGATE_B);
    switch ((enum logic)(in->sub & 15)) {
    case LOGIC_AND: a &= b; break;
    case LOGIC_OR: a |= b; break;
    case LOGIC_XOR: a ^= b; break;
    case LOGIC_NOT: a = ~a; break;
    }
    set_predicate(w, in->dst, a);
}

// Compares the halves of words with the operation in->b; target lists operands: halves of a, of b, results.
void op_compare_halves(struct warp *w, const struct insn *in)
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    for (int k = 0; k < 2; k++) {
        struct insn half = *in;
        half.a = places[k];
        half.b = places[2 + k];
        half.dst = places[4 + k];
        half.target = NONE;
        alu_handlers[in->b](w, &half);
    }
    if (in->sub != COMBINE_ROW)
        return;
    const uint16_t *low = row(w, places[4]), *high = row(w, places[5]);
    uint32_t *d = row(w, in->dst);
    FOR_LANES(l, w->mask)
    d[l] = low[l] | (uint32_t)high[l] << 16;
}

void op_lop3_bool(struct warp *w, const struct insn *in)
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    const uint32_t *a = row(w, in->a), *b = row(w, in->b), *c = row(w, in->c);
    uint32_t *d = row(w, in->dst), some = 0, q = predicate_maybe_not(w, places[1], in->sub & NEGATE_B);
    FOR_LANES(l, w->mask)
    {
        d[l] = lop3(a[l], b[l], c[l], (uint32_t)in->imm);
        some |= (uint32_t)(d[l] != 0) << l;
    }
    set_predicate(w, places[0], (in->sub & 15) == LOGIC_OR ? some | q : some & q);
}

static bool has_property(uint32_t property, uint64_t bits, uint32_t size)
{
    uint64_t exponent = size == 4 ? bits >> 23 & 0xff : bits >> 52 & 0x7ff, full = size == 4 ? 0xff : 0x7ff;
    uint64_t fraction = size == 4 ? bits & 0x7fffff : bits & 0xfffffffffffff;
    switch (property) {
    case 0: return exponent != full;                            // finite
    case 1: return exponent == full && !fraction;               // infinite
    case 2: return exponent != full || !fraction;               // number
    case 3: return exponent == full && fraction;                // notanumber
    case 4: return exponent != full && (exponent || !fraction); // normal; zero counts as normal
    default: return !exponent && fraction;                      // subnormal
    }
}

void op_testp(struct warp *w, const struct insn *in)
{
    const uint8_t *a = row(w, in->a);
    uint32_t bits = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t value = 0;
        memcpy(&value, a + l * in->size, in->size);
        bits |= (uint32_t)has_property(in->sub, value, in->size) << l;
    }
    set_predicate(w, in->dst, bits);
}

// ---- extended precision

// One lane of add, sub, mad.lo, mad.hi of size bytes, with carry in and out.
static uint64_t with_carry(const struct insn *in, uint64_t a, uint64_t b, uint64_t c, bool *carry)
{
    uint32_t bits = in->size * 8u;
    unsigned __int128 product = (unsigned __int128)a * b;
    if (in->scope)
        product = in->size == 4 ? (unsigned __int128)(uint64_t)((int64_t)(int32_t)a * (int32_t)b)
                                : (unsigned __int128)((__int128)(int64_t)a * (int64_t)b);
    uint64_t mask = bits == 64 ? ~UINT64_C(0) : UINT64_C(0xffffffff);
    uint64_t x = in->sub < 2 ? a : (uint64_t)(in->sub == 3 ? product >> bits : product) & mask;
    uint64_t y = in->sub < 2 ? b : c;
    uint64_t into = in->order & 1 ? *carry : 0;
    unsigned __int128 r = in->sub == 1 ? (unsigned __int128)x - y - into : (unsigned __int128)x + y + into;
    *carry = (r >> bits) & 1;
    return (uint64_t)r & mask;
}

void op_carry(struct warp *w, const struct insn *in)
{
    const uint8_t *pa = row(w, in->a), *pb = row(w, in->b), *pc = in->c == NONE ? pa : row(w, in->c);
    uint64_t values[LANES] = {0};
    uint32_t before = predicate(w, 0), after = 0;
    FOR_LANES(l, w->mask)
    {
        uint64_t a = 0, b = 0, c = 0;
        memcpy(&a, pa + l * in->size, in->size);
        memcpy(&b, pb + l * in->size, in->size);
        memcpy(&c, pc + l * in->size, in->size);
        bool carry = before >> l & 1;
        values[l] = with_carry(in, a, b, c, &carry);
        after |= (uint32_t)carry << l;
    }
    write_row(w, in->dst, in->size, values);
    if (in->order & 2)
        set_predicate(w, 0, after);
}
