// The opcodes of opcodes.def as an enumeration, and as a table in which the decoder looks up mnemonics.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum opcode {
#define UNARY(id, pattern, class, D, A, expr) OP_##id,
#define BINARY(id, pattern, class, D, A, B, expr) OP_##id,
#define TERNARY(id, pattern, class, D, A, B, C, expr) OP_##id,
#define ROUNDED1(id, pattern, class, T, mode, expr) OP_##id,
#define ROUNDED2(id, pattern, class, T, mode, expr) OP_##id,
#define ROUNDED3(id, pattern, class, T, mode, expr) OP_##id,
#define COMPARE(id, pattern, A, expr) OP_compare_##id,
#define FAMILY(id, word, class, decoder) OP_##id,
#include "decode/opcodes.def"
    OPCODES
};

// What an instruction runs: its row of the table, or an action of its family. This is the number of its handler.
enum action {
    NO_ACTION = OPCODES, // below: rows of the table
#define ACTION(name) RUN_##name,
#include "decode/actions.def"
    ACTIONS
};

enum lane_type { LANE_u16 = 1, LANE_s16, LANE_u32, LANE_s32, LANE_u64, LANE_s64, LANE_f32, LANE_f64 };

static inline uint32_t lane_size(enum lane_type t)
{
    return t <= LANE_s16 ? 2 : t == LANE_u32 || t == LANE_s32 || t == LANE_f32 ? 4 : 8;
}

// What a lane's execution of the instruction adds to the counters.
enum op_class { PLAIN, INTEGER_ADD, FLOP, FLOP_TWO };

struct opcode_info {
    const char *name;    // name of the enumerator
    const char *pattern; // mnemonics; for a comparison without "setp.", for a family its first word
    enum op_class class;
    uint8_t operands; // sources; 0: a family, whose instructions families.h decodes
    bool comparison;
    enum lane_type d, a, b, c;
};

extern const struct opcode_info opcode_table[OPCODES];

static inline bool is_vote(enum opcode op)
{
    return op == OP_vote || op == OP_match || op == OP_redux || op == OP_elect;
}

// Multiplies matrices.
static inline bool is_product(enum opcode op, const char *mnemonic)
{
    return op == OP_mma || (op == OP_wmma && !strncmp(mnemonic, "wmma.mma", 8)) ||
           (op == OP_wgmma && !strncmp(mnemonic, "wgmma.mma_async", 15));
}

// The size m x n x k of one warp's part of a matrix product; of wgmma a quarter. False: the mnemonic has no shape.
bool product_shape(const char *mnemonic, unsigned *m, unsigned *n, unsigned *k);

// Needs all four warps of a warpgroup.
static inline bool is_warpgroup_wide(enum opcode op)
{
    return op == OP_wgmma || op == OP_setmaxnreg;
}

// Needs all lanes of the warp together: tensor cores, and loads and stores of their matrices.
static inline bool is_warp_wide(enum opcode op)
{
    return op == OP_mma || op == OP_wmma || op == OP_ldmatrix || op == OP_stmatrix || op == OP_movmatrix ||
           is_warpgroup_wide(op);
}

// Loads or stores through a texture or surface object.
static inline bool is_object_access(enum opcode op)
{
    return op == OP_tex || op == OP_tld4 || op == OP_suld || op == OP_sust;
}

// bar, barrier: of the whole block, or of some of its warps.
static inline bool is_block_barrier(enum opcode op, const char *mnemonic)
{
    return (op == OP_bar || op == OP_barrier) && strncmp(mnemonic, "bar.warp", 8) != 0;
}

// Elements of a load or store: 1, or 2, 4, 8 of a vector.
static inline uint32_t element_count(const char *mnemonic)
{
    return strstr(mnemonic, ".v2") ? 2 : strstr(mnemonic, ".v4") ? 4 : strstr(mnemonic, ".v8") ? 8 : 1;
}

// The opcode whose pattern names mnemonic; OPCODES if none.
enum opcode opcode_find(const char *mnemonic);
enum opcode opcode_find_comparison(const char *comparison_and_type); // "lt.ftz.f32"
enum opcode opcode_find_family(const char *mnemonic);

// Shows every mnemonic that a pattern of the table stands for.
typedef void see_opcode(const char *mnemonic, enum opcode op);
void opcodes_each(see_opcode *see);
