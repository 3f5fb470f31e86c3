// The handlers of ROUNDED rows of decode/opcodes.def: arithmetic under a directed rounding mode of the host. Compiled
// with -frounding-math, so that the compiler neither folds nor moves it.
#include "exec/lane.h"

#include <fenv.h>

#include "exec/handlers.h"

// The lanes' arithmetic runs between two calls that the compiler cannot see through.
static __attribute__((noinline)) void use_rounding(int mode)
{
    fesetround(mode);
    __asm__ volatile("" ::: "memory");
}

#define ROUNDED_BODY(T, mode, load, expr) \
    T *d = row(w, in->dst); \
    use_rounding(mode); \
    FOR_LANES(l, w->mask) \
    { \
        load; \
        d[l] = (expr); \
    } \
    use_rounding(FE_TONEAREST);

#define ROUNDED1(id, pattern, class, T, mode, expr) \
    static void run_##id(struct warp *w, const struct insn *in) \
    { \
        const T *pa = row(w, in->a); \
        ROUNDED_BODY(T, mode, T a = pa[l], expr) \
    }
#define ROUNDED2(id, pattern, class, T, mode, expr) \
    static void run_##id(struct warp *w, const struct insn *in) \
    { \
        const T *pa = row(w, in->a); \
        const T *pb = row(w, in->b); \
        ROUNDED_BODY(T, mode, T a = pa[l]; T b = pb[l], expr) \
    }
#define ROUNDED3(id, pattern, class, T, mode, expr) \
    static void run_##id(struct warp *w, const struct insn *in) \
    { \
        const T *pa = row(w, in->a); \
        const T *pb = row(w, in->b); \
        const T *pc = row(w, in->c); \
        ROUNDED_BODY(T, mode, T a = pa[l]; T b = pb[l]; T c = pc[l], expr) \
    }
#include "decode/opcodes.def"
#define ROUNDED1(id, pattern, class, T, mode, expr) [OP_##id] = run_##id,
#define ROUNDED2(id, pattern, class, T, mode, expr) [OP_##id] = run_##id,
#define ROUNDED3(id, pattern, class, T, mode, expr) [OP_##id] = run_##id,

handler *const round_handlers[OPCODES] = {
#include "decode/opcodes.def"
};
