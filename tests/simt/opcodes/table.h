// Tables of opcode tests (*.txt). A line is
//
//     instruction | inputs | outputs        # comment
//
// An instruction is a mnemonic alone ("add.s32"), from which the operands and their types follow, or is written out
// with operands "%name.type": a name that begins with d is an output, with t a temporary, every other one an input, in
// the order of their first mention; the type is given once. Several instructions are separated by ';'. An empty first
// column repeats the instruction of the line above.
//
// Inputs are integers (decimal, hexadecimal) or, for f32 and f64, numbers with a point, inf, -inf, nan. The output nan
// is a NaN: for f32 and narrower the canonical one, as PTX says; for f64 any. The output * is anything.
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
    bool simple; // one instruction whose last operand may be a constant
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

// Ends the test with a message that names file and line where the table is not understood.
struct table table_read(const char *path);

// One instruction, as it stands in a table's first column.
struct form table_form(const char *text);

uint32_t type_bytes(const char *type); // 4 for pred
bool meets(const struct wanted *want, const char *type, uint64_t got);

// Runs the group's instruction for every example, all 32 lanes at once and some of them, held back by a guard and by a
// branch; with a constant as its last operand; and with one register as source and destination. Reports what differs.
enum variant { PLAIN_RUN, GUARDED, BRANCHED, IMMEDIATE, IN_PLACE, VARIANTS };
void table_run(const struct group *g);
