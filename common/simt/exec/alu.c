// The handlers of UNARY, BINARY, TERNARY and COMPARE rows of decode/opcodes.def: one loop over 32 lanes each, written
// so that the compiler turns it into vector instructions.
#include "exec/compare.h"
#include "exec/half.h"
#include "exec/handlers.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

// Writes a full row of results to the lanes of w->lanes.
#define BLEND(bits) \
    static __attribute__((noinline)) void blend_##bits(const struct warp *w, void *to, const void *from) \
    { \
        u##bits *d = to; \
        const u##bits *r = from; \
        for (int l = 0; l < LANES; l++) \
            d[l] = w->lanes[l] ? r[l] : d[l]; \
    }
BLEND(16)
BLEND(32)
BLEND(64)

static inline void blend(const struct warp *w, void *to, const void *from, size_t size)
{
    if (size == 2)
        blend_16(w, to, from);
    else if (size == 4)
        blend_32(w, to, from);
    else
        blend_64(w, to, from);
}

// Packs a row of 0 and -1 into a mask.
static inline uint32_t row_to_mask(const s32 *t)
{
#if defined __AVX2__
    uint32_t m = 0; // read at the width of the writes: a wider read would wait for them to retire
    for (int i = 0; i < 4; i++)
        m |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)t + 8 * i)) << 8 * i;
    return m;
#else
    uint32_t m = 0;
    for (int l = 0; l < LANES; l++)
        m |= (uint32_t)(t[l] & 1) << l;
    return m;
#endif
}

#define ROW_ALIGNED __attribute__((aligned(64)))
#define BODY(D, load, expr) \
    D other[LANES] ROW_ALIGNED; \
    D *to = register_row(w, in->dst); \
    D *d = w->mask == ALL_LANES ? to : other; \
    const s64 imm = in->imm; \
    (void)imm; \
    _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++) \
    { \
        load; \
        d[l] = (D)(expr); \
    } \
    if (d == other) \
        blend(w, to, other, sizeof(D));

#define UNARY(id, pattern, class, D, A, expr) \
    static void run_##id(struct warp *w, const struct insn *in) \
    { \
        const A *pa = row(w, in->a); \
        BODY(D, A a = pa[l], expr) \
    }
#define BINARY(id, pattern, class, D, A, B, expr) \
    static void run_##id(struct warp *w, const struct insn *in) \
    { \
        const A *pa = row(w, in->a); \
        const B *pb = row(w, in->b); \
        BODY(D, A a = pa[l]; B b = pb[l], expr) \
    }
#define TERNARY(id, pattern, class, D, A, B, C, expr) \
    static void run_##id(struct warp *w, const struct insn *in) \
    { \
        const A *pa = row(w, in->a); \
        const B *pb = row(w, in->b); \
        const C *pc = row(w, in->c); \
        BODY(D, A a = pa[l]; B b = pb[l]; C c = pc[l], expr) \
    }
// setp d|q, a, b, c: sub is the operation that combines with predicate c (COMBINE_*), target the place of q.
#define COMPARE(id, pattern, A, expr) \
    static void run_compare_##id(struct warp *w, const struct insn *in) \
    { \
        s32 t[LANES] ROW_ALIGNED; \
        const A *pa = row(w, in->a); \
        const A *pb = row(w, in->b); \
        for (int l = 0; l < LANES; l++) { \
            A a = pa[l], b = pb[l]; \
            t[l] = -(expr); \
        } \
        set_compared(w, in, row_to_mask(t)); \
    }

static inline void set_compared(struct warp *w, const struct insn *in, uint32_t bits)
{
    if (in->sub)
        finish_compare(w, in, bits);
    else
        set_predicate(w, in->dst, bits);
}

#include "decode/opcodes.def"

#define UNARY(id, pattern, class, D, A, expr) [OP_##id] = run_##id,
#define BINARY(id, pattern, class, D, A, B, expr) [OP_##id] = run_##id,
#define TERNARY(id, pattern, class, D, A, B, C, expr) [OP_##id] = run_##id,
#define COMPARE(id, pattern, A, expr) [OP_compare_##id] = run_compare_##id,

handler *const alu_handlers[OPCODES] = {
#include "decode/opcodes.def"
};
