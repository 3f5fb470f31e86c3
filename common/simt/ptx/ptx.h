// A PTX module as a tree: what the parser (lex.c, parse.c) makes and the decoder (decode/decode.c) reads.
//
// The parser knows the grammar of PTX and nothing of execution: an instruction is its mnemonic with all modifiers as
// text ("shfl.sync.down.b32"), a guard, and operands. Register names are resolved to indices of the function's
// register table, symbols stay names. All memory of a module belongs to its arena and is freed by ptx_free.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// clang-format off
enum ptx_type {
    PTX_NONE,
    PTX_PRED,
    PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_B128,
    PTX_U8, PTX_U16, PTX_U32, PTX_U64,
    PTX_S8, PTX_S16, PTX_S32, PTX_S64,
    PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2, PTX_F32, PTX_F64,
};
// clang-format on

enum ptx_space { PTX_GENERIC, PTX_REG, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, PTX_PARAM };

// Which other modules know a name of the module: none, all that it is linked with; .extern: it is defined elsewhere,
// .weak and .common: other modules may define it, too.
enum ptx_linkage { LINK_NONE, LINK_VISIBLE, LINK_EXTERN, LINK_WEAK, LINK_COMMON };

// Where an instruction comes from: the innermost place in the user's own source. Where nvcc inlined a function of the
// toolkit's headers this is the line of the call; where it inlined the user's own function, a line of that function.
// Code of which every place lies in the toolkit (a kernel of CUB) has the innermost of them.
struct ptx_loc {
    int file; // number of the .file directive, which is in files; 0: unknown, or made by the compiler
    int line; // 0 exactly when file is 0
};

// A line of the user's that calls the function of an instruction, or of the call inside it.
struct ptx_call {
    struct ptx_loc at;
    const struct ptx_call *outer; // NULL: it is in the kernel itself
    struct ptx_call *next;        // of the module
};

// A symbol's address stored in an initialised variable at byte offset: the low size bytes (1 to 8) of
// (symbol + addend) >> shift. The symbol is a variable or function of the module.
struct ptx_reloc {
    uint64_t offset;
    uint64_t addend;
    unsigned size;
    unsigned shift; // 0, except for a byte of an address: 0xFF00(sym)
    bool generic;   // generic(sym): the generic address; otherwise the one in the symbol's state space
    const char *symbol;
    struct ptx_reloc *next;
};

struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    unsigned align;
    uint64_t size; // bytes; 0 for `extern .shared x[]`
    uint8_t *init; // size bytes, or NULL: zero for .global and .const
    struct ptx_reloc *relocs;
    enum ptx_linkage linkage;
    bool external; // linkage is LINK_EXTERN
    bool managed;  // .attribute(.managed)
    int line;      // of the PTX text
};

struct ptx_reg {
    const char *name;
    enum ptx_type type;
};

enum ptx_operand_kind {
    PTX_OP_REG,     // reg
    PTX_OP_INT,     // value: integer immediate, sign-extended to 64 bits
    PTX_OP_F32,     // value: bits of a 0f immediate
    PTX_OP_F64,     // value: bits of a 0d or decimal floating immediate
    PTX_OP_SYMBOL,  // symbol + value: variable, function or parameter
    PTX_OP_ADDRESS, // [reg + value], [symbol + value] or [value]: reg is -1 or symbol NULL when absent; further
                    // operands inside the brackets (tensor copies, textures) are in list
    PTX_OP_LABEL,   // value: index of the instruction that the label stands before (instr_count: at the end)
    PTX_OP_SPECIAL, // symbol: special register with its part, "%tid.x", "%laneid", "%clock64"
    PTX_OP_VECTOR,  // {list[0], ... list[count-1]}; also the lists of call and brx.idx, see ptx_instr
    PTX_OP_PAIR,    // list[0] | list[1]: destination and predicate
    PTX_OP_SINK,    // _
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated; // !p
    int reg;      // index into the function's regs; -1 when the operand has none
    int64_t value;
    const char *symbol;
    struct ptx_operand *list;
    int count;
};

// Operands stand as in the text, but for two instructions:
//   call     [0] VECTOR of results, [1] SYMBOL or REG called, [2] VECTOR of arguments (both maybe with count 0),
//            [3] SYMBOL of the .callprototype or .calltargets, if one is given
//   brx.idx  [0] index, [1] VECTOR of LABELs: the .branchtargets list itself
struct ptx_instr {
    const char *op; // mnemonic with modifiers, without guard; equal ones of a module share one pointer
    int guard;      // register index of the guard predicate, -1: none
    bool guard_negated;
    struct ptx_operand *operands;
    int count;
    int line; // of the PTX text
    struct ptx_loc loc;
    const struct ptx_call *call; // where the user's code calls the function of loc, innermost first; NULL: nowhere
};

struct ptx_function {
    const char *name;
    enum ptx_linkage linkage;
    bool entry;   // .entry; otherwise .func
    bool defined; // has a body
    bool noreturn;
    bool cluster; // must run as a thread block cluster (.reqnctapercluster, .explicitcluster)
    bool blocks_are_clusters; // its grid counts clusters
    struct ptx_variable *params, *rets;
    int param_count, ret_count;
    struct ptx_reg *regs; // those used, in the order of their first use; blocks may use one name for several
    int reg_count;
    // .local, .shared and .param variables declared in the body. Names are unique within the function: the parser
    // renames one that an inner { } block declares again ("param0" of each call sequence).
    struct ptx_variable *vars;
    int var_count;
    struct ptx_instr *instrs;
    int instr_count;
    unsigned max_threads[3], required_threads[3], min_blocks; // 0: not given
    unsigned cluster_blocks[3], max_cluster;                  // .reqnctapercluster, .maxclusterrank; 0: not given
    int line;
};

struct ptx_module {
    int version_major, version_minor;
    const char *target; // "sm_75"
    struct ptx_variable *vars;
    int var_count;
    struct ptx_function *funcs;
    int func_count;
    const char **files; // files[number], NULL where unused
    int file_count;
    struct ptx_call *calls; // all of them
    struct ptx_arena *arena;
};

// Parses length bytes of text. On failure returns NULL and writes one line into error: "PTX line 12: got 'x', expected
// ...". Never reads past length; any input ends with a module or an error.
struct ptx_module *ptx_parse(const char *text, size_t length, char *error, size_t error_size);
void ptx_free(struct ptx_module *module);

// Links count (1 or more) modules that were compiled apart, as nvlink does: one module with the variables and
// functions of all, each name that others know defined once. A local name that stands in several modules gets a number
// in all but the first. Takes the modules: they are freed with the result, or at once where it fails: NULL, and a line
// in error that names what is defined twice or nowhere.
struct ptx_module *ptx_link(struct ptx_module **modules, int count, char *error, size_t error_size);

// Writes an instruction of f as one line of PTX. A label is written as the line it stands before: "bra line_57".
void ptx_print(FILE *to, const struct ptx_function *f, const struct ptx_instr *in);

// Whether the place lies in a header of the toolkit: then all code around it does, as in a kernel of CUB.
bool ptx_in_toolkit(const struct ptx_module *module, struct ptx_loc loc);

unsigned ptx_type_size(enum ptx_type type);    // bytes; 0 for PTX_NONE and PTX_PRED
const char *ptx_type_name(enum ptx_type type); // "u32"

// Reads a type suffix ("u32", "f16x2"); PTX_NONE when it is none.
enum ptx_type ptx_type_parse(const char *text, size_t length);

// Whether mnemonic is word or begins with word and a dot.
bool is_family(const char *mnemonic, const char *word);
bool ends_with(const char *mnemonic, const char *part);
