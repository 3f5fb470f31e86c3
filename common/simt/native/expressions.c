// Expressions of opcodes.def as text (expressions.h).
#include "native/expressions.h"

#include <stddef.h>

#define UNARY(id, pattern, class, D, A, expr) [OP_##id] = {#expr, #D, #A, NULL, NULL},
#define BINARY(id, pattern, class, D, A, B, expr) [OP_##id] = {#expr, #D, #A, #B, NULL},
#define TERNARY(id, pattern, class, D, A, B, C, expr) [OP_##id] = {#expr, #D, #A, #B, #C},
#define COMPARE(id, pattern, A, expr) [OP_compare_##id] = {#expr, NULL, #A, #A, NULL},

static const struct expression expressions[OPCODES] = {
#include "decode/opcodes.def"
};

// One row that does not become vector instructions makes a whole loop slow: these do.
#define INTEGERS(U, S) OP_add_##U, OP_sub_##U, OP_mul_lo_##U, OP_mad_lo_##U, OP_abs_##S, OP_neg_##S, OP_min_##U, \
                       OP_min_##S, OP_max_##U, OP_max_##S
#define BITS(N) OP_and_##N, OP_or_##N, OP_xor_##N, OP_not_##N, OP_shl_##N, OP_shr_u##N, OP_shr_s##N, OP_mov_##N
#define WIDE(T) OP_mul_wide_##T, OP_mad_wide_##T
#define FLOATS(Z) OP_add##Z, OP_sub##Z, OP_mul##Z, OP_fma##Z, OP_div##Z, OP_rcp##Z, OP_sqrt##Z, OP_rsqrt##Z, \
                  OP_abs##Z, OP_neg##Z, OP_min##Z, OP_max##Z
#define COMPARED(N) OP_compare_eq_##N, OP_compare_ne_##N, OP_compare_lt_u##N, OP_compare_le_u##N, OP_compare_gt_u##N, \
                    OP_compare_ge_u##N, OP_compare_lt_s##N, OP_compare_le_s##N, OP_compare_gt_s##N, OP_compare_ge_s##N
#define COMPARED_FLOATS(T) OP_compare_eq##T, OP_compare_ne##T, OP_compare_lt##T, OP_compare_le##T, OP_compare_gt##T, \
                           OP_compare_ge##T, OP_compare_equ##T, OP_compare_neu##T, OP_compare_ltu##T, \
                           OP_compare_leu##T, OP_compare_gtu##T, OP_compare_geu##T, OP_compare_num##T, \
                           OP_compare_nan##T

static const uint16_t vectorized[] = {
    INTEGERS(u32, s32), INTEGERS(u64, s64), BITS(32), BITS(64), WIDE(u32), WIDE(s32),
    OP_mul_hi_u32, OP_mul_hi_s32, OP_mad_hi_u32, OP_mad_hi_s32,
    OP_shf_l_wrap, OP_shf_l_clamp, OP_shf_r_wrap, OP_shf_r_clamp, OP_lop3,
    FLOATS(f32keep_), FLOATS(f32flush_), FLOATS(f64keep_), COMPARED(32), COMPARED(64),
    COMPARED_FLOATS(f32keep_), COMPARED_FLOATS(f32flush_), COMPARED_FLOATS(f64keep_),
};

const struct expression *expression_of(uint32_t action)
{
    for (size_t i = 0; i < sizeof vectorized / sizeof *vectorized; i++)
        if (vectorized[i] == action)
            return &expressions[action];
    return NULL;
}
