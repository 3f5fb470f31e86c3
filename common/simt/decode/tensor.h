// Instructions of the tensor cores: their forms, and which registers of a warp hold which elements of a matrix.
#pragma once

#include "decode/code.h"

// clang-format off
enum tensor_type {
    TENSOR_NONE, TENSOR_F16, TENSOR_BF16, TENSOR_TF32, TENSOR_F64, TENSOR_F32, TENSOR_E4M3, TENSOR_E5M2, TENSOR_S8,
    TENSOR_U8, TENSOR_S4, TENSOR_U4, TENSOR_B1, TENSOR_S32
};

static inline bool tensor_is_eighth(enum tensor_type t)
{
    return t == TENSOR_E4M3 || t == TENSOR_E5M2;
}
// clang-format on

enum tensor_bits { BITS_NONE, BITS_XOR, BITS_AND }; // how b1 elements are multiplied
enum tensor_part { PART_D, PART_A, PART_B, PART_C, PARTS };

#define MAX_REGISTERS 8 // of a fragment
#define MAX_ELEMENTS 32 // maximum of a lane's fragment

// Element e of lane l lies at lane_at[l] + element_at[e] of its matrix: A by rows, B by columns, C and D by rows.
// Sixteen or more b1 elements count as one, a 32-bit word.
struct fragment {
    uint8_t type; // enum tensor_type
    uint8_t registers, per_register;
    uint8_t unused;
    uint16_t lane_at[LANES], element_at[MAX_ELEMENTS];
};

// D = A B + C: `count` products of m x k and k x n matrices in sequence.
struct tensor_form {
    uint16_t m, n, k; // k: of b1 in words
    uint16_t block;   // number of float products that are added at once
    uint8_t count;
    uint8_t saturate, bits;
    uint8_t places; // binary places of a sum of floats that are kept; 0: as of mma.sync (exec/tensor_sum.c)
    struct fragment part[PARTS];
};
_Static_assert(sizeof(struct tensor_form) % sizeof(uint32_t) == 0, "it lies in a list of words");

// A fragment of a matrix in memory with lines of `length` elements; along: a line's elements are contiguous there.
// bits: size of an element; unit: size of what counts as an element in the fragment.
struct matrix_form {
    struct fragment fragment;
    uint16_t length;
    uint8_t along, bits, unit;
    uint8_t unused[3];
};
_Static_assert(sizeof(struct matrix_form) % sizeof(uint32_t) == 0, "it lies in a list of words");

// wgmma.mma_async: D = A B + D by the four warps of a warpgroup, 16 of the 64 rows each. `product` is one warp's part
// of D's first 8 columns; other columns repeat it. Descriptors locate the factors in memory (exec/wgmma_operand.c).
struct wgmma_form {
    struct tensor_form product;
    uint16_t n;
    uint8_t bits;          // of a factor's element; for b1, of what counts as one
    uint8_t registers;     // A is in registers
    uint8_t transposed[2]; // A, B: lines lie along m or n, not along k
    uint8_t negated[2];
};
_Static_assert(sizeof(struct wgmma_form) % sizeof(uint32_t) == 0, "it lies in a list of words");

#define MAX_PRODUCT_REGISTERS 128 // of D

// The lists of wgmma.mma_async begin with the place of its predicate; then the places of D and A, their numbers among
// the code's followed registers, and the places of D's shadows (decode/undefined.c).
static inline uint32_t product_registers(const struct wgmma_form *f)
{
    return f->n / 8u * f->product.part[PART_D].registers;
}

static inline const struct wgmma_form *wgmma_form_of(const struct code *c, const struct insn *in)
{
    return (const struct wgmma_form *)(const void *)(c->lists + in->imm);
}

// ---- tensor.c, for the decoder

enum tensor_type tensor_type_of(const char *word); // TENSOR_NONE: not a type
uint32_t tensor_type_bits(enum tensor_type t);
bool tensor_sums_fit(enum tensor_type factor, enum tensor_type sum);
struct fragment tensor_factor(enum tensor_type type, uint32_t lines, uint32_t k); // in the order of k, for every type
struct fragment tensor_sum(enum tensor_type type, uint32_t m, uint32_t n);

// The form of a load or store of a fragment. It follows the places of the registers, sub of them at lists + target.
static inline const struct matrix_form *matrix_form_of(const struct code *c, const struct insn *in)
{
    return (const struct matrix_form *)(const void *)(c->lists + in->target + in->sub);
}

// The form of an mma: at lists + imm; the places of its registers, part by part, at lists + target.
static inline const struct tensor_form *tensor_form_of(const struct code *c, const struct insn *in)
{
    return (const struct tensor_form *)(const void *)(c->lists + in->imm);
}
