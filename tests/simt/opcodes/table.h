// Tables of opcode tests (*.txt). A line is
//
//     instruction | inputs | outputs        # comment
//
// An instruction is a mnemonic alone ("add.s32"), from which the operands and their types follow, or is written out
// with operands "%name.type": a name that begins with d is an output, with t a temporary, every other one an input, in
// the order of their first mention; the type is given once. Several instructions are separated by ';'. An empty first
// column repeats the instruction of the line above.
//
// Inputs are integers (decimal, hexadecimal) or, for f32 and f64, numbers with a point, inf, -inf, nan. Outputs may
// also be
//
//     nan       a NaN: for f32 and narrower the canonical one, as PTX says; for f64 any
//     X~N       within N units in the last place of X
//     X~e-N     within 2^-N of X
//     *         anything
#ifndef OPCODE_TABLE_H
#define OPCODE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_OPERANDS 12

struct operand {
    char name[8], type[8];
    bool output, temporary;
    int slot; // among the outputs or among the inputs
};

struct form {
    char text[512]; // "add.s32 %d, %a, %b"
    struct operand operands[MAX_OPERANDS];
    int count, inputs, outputs;
    bool derived; // from a mnemonic alone
};

struct wanted {
    enum { WANT_BITS, WANT_NAN, WANT_ULPS, WANT_NEAR, WANT_ANY } kind;
    uint64_t bits;
    double bound; // in units in the last place, or absolute
};

struct example {
    int line;
    uint64_t in[MAX_OPERANDS];
    struct wanted out[MAX_OPERANDS];
};

struct group {
    const char *file;
    struct form form;
    struct example *examples;
    int count;
};

struct table {
    struct group *groups;
    int count;
};

// Ends the test with a message that names file and line where the table is not understood.
struct table table_read(const char *path);

// One instruction, as it stands in a table's first column.
struct form table_form(const char *text);

uint32_t type_bytes(const char *type); // 4 for pred
bool meets(const struct wanted *want, const char *type, uint64_t got);

// The module with kernel "k" that executes the group's instruction in VARIANTS ways for every example.
// Parameters: u64 inputs (8 bytes each), u64 outputs (8 bytes each, [example][variant][output]), u32 mask of the lanes
// at work in the variants GUARDED and BRANCHED.
enum variant { PLAIN_RUN, GUARDED, BRANCHED, IMMEDIATE, IN_PLACE, VARIANTS };
char *table_kernel(const struct group *g);
bool has_variant(const struct group *g, enum variant v);

// What an output holds before the instruction, in lane l.
uint64_t before(const char *type, uint32_t lane);

#endif
