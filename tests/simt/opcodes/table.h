// Tables of opcode tests (*.txt). A line is
//
//     instruction | inputs | outputs        # comment
//
// An instruction is a mnemonic alone ("add.s32"), from which the operands and their types are derived, or is written
// with operands "%name.type". A name that begins with d is an output, one with t a temporary, every other one an input,
// in the order of first occurrence; the type is given once. Several instructions are separated by ';'. An empty first
// column repeats the instruction of the line above.
//
// Inputs are integers (decimal, hexadecimal) or, for f32 and f64, numbers with a point, inf, -inf, nan. The output nan
// is a NaN: for f32 and narrower the canonical one, as PTX requires; for f64 any. The output * is any value.
#pragma once

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
    bool simple; // it is one instruction whose last operand may be a constant
};

struct wanted {
    enum { WANT_BITS, WANT_NAN, WANT_ANY } kind;
    uint64_t bits;
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

// Reads a table. If it is malformed, ends the test with a message that names file and line.
struct table table_read(const char *path);

// Parses one instruction, as in a table's first column.
struct form table_form(const char *text);

uint32_t type_bytes(const char *type); // 4 for pred
bool meets(const struct wanted *want, const char *type, uint64_t got);

// Runs the group's instruction for every example: in all 32 lanes, and in some of them under a guard and after a
// branch; with a constant as its last operand; and with one register as source and destination. Reports differences.
enum variant { PLAIN_RUN, GUARDED, BRANCHED, IMMEDIATE, IN_PLACE, VARIANTS };
void table_run(const struct group *g);
