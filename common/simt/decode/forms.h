// The forms of instructions that share an action: the decoder writes them to `sub` and `count`, and exec/ reads them.
#pragma once

// Special registers, in the order of their table: tid first.
enum special {
#define PER_LANE(id, name, value) SPECIAL_##id,
#define PER_WARP(id, name, value) SPECIAL_##id,
#include "decode/specials.def"
};

enum vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum barrier_kind { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_AND, BARRIER_OR, BARRIER_POPC };
enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum logic { LOGIC_AND, LOGIC_OR, LOGIC_XOR, LOGIC_NOT };
enum atomic_op { ATOM_ADD, ATOM_INC, ATOM_DEC, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS };
#define NEGATE_A 0x10 // with sub: the predicate source is negated
#define NEGATE_B 0x20

// mbarrier: the operation in sub, its form in count
enum mbarrier_op {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_ARRIVE,
    MBARRIER_DROP,
    MBARRIER_TEST,
    MBARRIER_EXPECT,   // more bytes of transactions
    MBARRIER_COMPLETE, // of some
};
enum mbarrier_form {
    MBARRIER_PLAIN = 1,
    MBARRIER_PARITY,
    MBARRIER_NO_COMPLETE,
    MBARRIER_EXPECTS, // more bytes, and an arrival
};
#define COPY_IGNORES 1 // sub of op_copy_async: the source size is a predicate; if it holds, zeros are written

// Bulk copies: target lists an address of four words for each end and for the mbarrier, then the rows of the size and
// of the ranks (or NONE). imm: the copy is in a group. SUM: NONE, or a reduction's operation, with its type above the
// low 8 bits.
#define BULK_NARROW 0x100 // in the fourth word of an address: the row has 32-bit lanes
enum bulk_words { BULK_TO = 0, BULK_FROM = 4, BULK_BARRIER = 8, BULK_SIZE = 12, BULK_RANKS, BULK_SUM, BULK_WORDS };

// Tensor copies: the addresses of the map, of shared memory and of the mbarrier; AT: the rows of the coordinates;
// OFFSET: those of an im2col load's offsets. sub: the number of dimensions, whether the copy only prefetches, whether
// its mode is im2col.
#define TENSOR_PREFETCHES 0x10
#define TENSOR_COLUMNS 0x20
enum tensor_copy_words {
    TENSOR_MAP = 0,
    TENSOR_SHARED = 4,
    TENSOR_BARRIER = 8,
    TENSOR_RANKS = 12,
    TENSOR_SUM,
    TENSOR_AT,
    TENSOR_OFFSET = TENSOR_AT + 5,
    TENSOR_WORDS = TENSOR_OFFSET + 3
};

// Changes of tensor maps: the map's address, another map's address, the row of a value.
enum map_words { MAP_AT = 0, MAP_FROM = 4, MAP_VALUE = 8, MAP_WORDS };
enum map_field {
    CHANGE_ADDRESS,
    CHANGE_RANK,
    CHANGE_BOX, // from here to CHANGE_STEP: fields of the dimension in imm
    CHANGE_SIZE,
    CHANGE_STRIDE,
    CHANGE_STEP,
    CHANGE_TYPE,
    CHANGE_INTERLEAVE,
    CHANGE_SWIZZLE,
    CHANGE_FILL,
};

// st.async and red.async. sub: bytes of a register's lane; imm: how many values.
enum stored_words {
    STORED_TO = 0,
    STORED_BARRIER = 4,
    STORED_SUM = 8,
    STORED_VALUES,
    STORED_WORDS = STORED_VALUES + 4
};

// cvt: flags in order, the rounding in sub
enum { CVT_SATURATE = 1, CVT_FLUSH = 2, CVT_RELU = 4 };
enum rounding { ROUND_NONE, RN, RZ, RM, RP, RNI, RZI, RMI, RPI, RNA };

// Conversions to and from formats of tensor cores: both types.
enum narrow { NARROW_TF32, NARROW_E4M3, NARROW_E5M2, NARROW_E4M3_HALVES, NARROW_E5M2_HALVES, HALVES_E4M3, HALVES_E5M2 };

// Comparisons that do more than set one predicate: combine with predicate c, set a second one, or write a row.
enum combine { COMBINE_NONE, COMBINE_SECOND, COMBINE_AND, COMBINE_OR, COMBINE_XOR, COMBINE_ROW, COMBINE_NOT = 8 };

// How undefined values pass through an instruction, and what uses them (undefined.c).
enum spread_rule {
    SPREAD_ANY,    // the result is undefined if one source is
    SPREAD_ALL,    // only if all sources are
    SPREAD_SELECT, // if the source that predicate c selects is
    SPREAD_AND,    // of two predicates: if one is undefined and the other not false; SPREAD_OR: not true
    SPREAD_OR,
};

// For texture and surface instructions imm holds the shape, and further distinctions from bit OBJECT_FORM on.
#define OBJECT_FORM 8

// clang-format off
// The kind of memory that a fetch or surface access requires of its object. LINEAR: memory that only tex1Dfetch reads.
enum texture_shape {
    SHAPE_LINEAR, SHAPE_1D, SHAPE_2D, SHAPE_3D, SHAPE_LAYERED_1D, SHAPE_LAYERED_2D, SHAPE_CUBE, SHAPE_LAYERED_CUBE,
    SHAPE_ANY
};
// clang-format on
enum fetch_form { FETCH_TEXEL, FETCH_GATHER };
enum object_size { SIZE_WIDTH, SIZE_HEIGHT, SIZE_DEPTH, SIZE_LAYERS };
enum surface_edge { SURFACE_TRAPS, SURFACE_CLAMPS, SURFACE_ZERO }; // the effect of an access out of bounds

enum undefined_use { USE_STORED, USE_ADDRESS, USE_CONDITION, USE_OPERAND, USE_ATOMIC };
