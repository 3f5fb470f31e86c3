// The decoder: turns the PTX instructions of one function into struct code. arithmetic.c, memory.c and control.c read
// the families of instructions.
#pragma once

#include "decode/cfg.h"
#include "decode/code.h"
#include "decode/forms.h"
#include "decode/opcodes.h"

#define MAX_WORDS 20
#define MAX_TEMPS 16
#define MAX_FORMS 8

#define KNOWN_CONSTANTS 512 // a lossy cache: a row may occur twice

struct known_constant {
    uint64_t value;
    uint32_t size, place;
    bool valid;
};

struct decoder {
    struct module *module;
    struct code *code;
    const struct ptx_function *f;
    const struct ptx_instr *ptx; // the instruction being decoded
    struct cfg cfg;
    char text[160];              // its mnemonic, cut into words at the dots
    const char *words[MAX_WORDS];
    int word_count;
    uint32_t *places;            // of registers
    bool *cas_starts;            // per PTX instruction (cas_start.h)
    bool *data;                  // per PTX register (flag_load.h)
    uint32_t *shadow;            // per PTX register: place of its shadow; NONE: all lanes are defined
    uint32_t *read_at;           // per PTX register with a shadow: where the undefined value was read first
    uint32_t *followed;          // per PTX register: its number among those that wgmma uses (product_registers.h)
    uint32_t *reads;             // per PTX register (maybe_unused.h)
    bool *maybe_unused;        // per PTX instruction (maybe_unused.h); NULL: none may
    uint32_t first_shadow, unwritten_count; // shadows of registers that may be read before they are written
    uint32_t first_id;           // id of the function's first PTX instruction
    uint32_t temps[3][MAX_TEMPS], temp_used[3]; // places of scratch rows: 4, 128 and 256 bytes
    struct known_constant known[KNOWN_CONSTANTS];
    uint32_t *var_offset;        // of each of f->vars, in shared memory or in the frame
    uint32_t insn_capacity, constant_bytes, constant_capacity, list_count, list_capacity;
    uint32_t forms[MAX_FORMS], form_count; // offsets of the forms of mma (tensor.h) in the lists
    uint32_t from;               // first insn of this PTX instruction
    uint32_t id;                 // of this PTX instruction
    uint32_t block;              // basic block
    bool failed;
    char *error;
    size_t error_size;
};

// Decodes function f of module. NULL and a line in error if it contains something that the machine does not execute.
struct code *decode(struct module *module, const struct ptx_function *f, char *error, size_t error_size);

// ---- for the families

// Appends an instruction; the pointer holds until the next one. A helper only fills scratch rows: it is not guarded
// and not counted.
struct insn *emit(struct decoder *d, enum action run);
struct insn *emit_helper(struct decoder *d, enum action run);

// Emits an instruction that ends its basic block and applies its guard itself.
struct insn *emit_control(struct decoder *d, enum action run);

void replace_action(struct decoder *d, struct insn *in, enum action run);

// Ends decoding with a message that names kernel, line and instruction.
__attribute__((format(printf, 2, 3))) void refuse(struct decoder *d, const char *format, ...);

const struct ptx_operand *operand(struct decoder *d, int k); // refuses where there is none
// A row with the same value in all lanes, in the bank of constants.
uint32_t constant_row(struct decoder *d, uint64_t value, uint32_t size);
uint32_t source(struct decoder *d, const struct ptx_operand *o, enum lane_type type); // place of a row
uint32_t destination(struct decoder *d, const struct ptx_operand *o, uint32_t size);  // size of a lane in bytes
uint32_t source_predicate(struct decoder *d, const struct ptx_operand *o);
uint32_t destination_predicate(struct decoder *d, const struct ptx_operand *o);
uint32_t scratch(struct decoder *d, uint32_t size); // size 0: a predicate
// What the race checker needs of an earlier access.
void note_access(struct decoder *d, const struct insn *in);
uint32_t add_list(struct decoder *d, const uint32_t *places, uint32_t count);
uint32_t register_size(struct decoder *d, const struct ptx_operand *o); // bytes; 0: a predicate or no register
bool has_word(const struct decoder *d, const char *word);
bool is_one_of(const char *word, const char *const words[], size_t count);
bool refuse_other_words(struct decoder *d, const char *const known[], size_t count); // false: it has others
bool read_operation(const char *word, uint8_t *op); // of an atomic (enum atomic_op); false: the word is no operation
enum lane_type lane_type_of(enum ptx_type type); // 0: lanes of this type need separate code
int64_t constant(struct decoder *d, const struct ptx_operand *o); // refuses operands other than integer immediates
const char *last_word(const struct decoder *d);

struct symbol find_symbol(struct decoder *d, const char *name);

// An address in brackets: [reg + imm] or [symbol + imm]; a symbol may change *space.
struct address {
    uint32_t place;
    int64_t imm;
    bool narrow; // the register has 32 bits
    enum ptx_space space;
};
struct address read_address(struct decoder *d, const struct ptx_operand *o, enum ptx_space space);

// Encodes an address as four words of a list: the row, the offset, and the width (BULK_NARROW).
void put_address(struct address at, uint32_t *out);

// The rows that a load fills or a store reads: one, or the parts of a vector. Returns the bytes of a lane.
uint32_t value_places(struct decoder *d, const struct ptx_operand *o, enum ptx_type type, int count, uint32_t *places,
                      bool load);
