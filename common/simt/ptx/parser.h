// What the files of the PTX parser share. Read in this order:
//
//   parse.c  the module: directives, functions' heads, ptx_parse itself
//   decl.c   variables: types, arrays, initialisers, parameters
//   body.c   statements of a function: scopes, registers, labels, instructions, operands
//   expr.c   constant expressions
//   scope.c  names and what they are bound to; errors; growing lists
//   loc.c    .loc lines: from PTX to the user's source
//
// Every function either succeeds or leaves by ptx_fail (longjmp): there are no error returns. This is sound because all
// memory belongs to the arena.
#pragma once

#include "ptx/arena.h"
#include "ptx/lex.h"
#include "ptx/ptx.h"

#include <setjmp.h>

#define PTX_MAX_DEPTH 128                    // maximum of nested blocks
#define PTX_MAX_NESTING 64                   // maximum nesting in expressions and initialisers
#define PTX_MAX_SIZE ((uint64_t)1 << 40)     // bytes of a variable
#define PTX_MAX_INIT ((uint64_t)1 << 28)     // bytes of all initialised variables of a module
#define PTX_MAX_TEXT ((size_t)1 << 26)       // bytes of PTX
#define PTX_MAX_FILES 65536                  // largest number of a .file

// A growing array: count items of item_size bytes.
struct ptx_list {
    void *items;
    size_t item_size;
    int count, capacity;
};

enum ptx_binding_kind { BIND_REG, BIND_RANGE, BIND_VAR, BIND_LABEL, BIND_TARGETS, BIND_PROTOTYPE };

// The meaning of a name from its declaration to the end of its block.
struct ptx_binding {
    enum ptx_binding_kind kind;
    int depth;                  // depth of the block
    struct ptx_name *name;
    struct ptx_binding *outer;  // the binding that it shadows
    struct ptx_binding *next;   // the next binding of the same block
    enum ptx_type type;         // type of a register or range
    int index;                  // BIND_REG: in regs, -1 before its first use; BIND_LABEL: in instrs
    uint64_t range;             // BIND_RANGE: number of registers
    const char *symbol;         // BIND_VAR: its unique name
    struct ptx_operand *list;   // BIND_TARGETS: the labels
    int count;
};

// An interned string. Equal strings have the same ptx_name.
struct ptx_name {
    const char *text;
    size_t length;
    uint64_t hash;
    struct ptx_name *next;       // next name in its bucket
    struct ptx_binding *binding; // innermost, NULL outside functions
    int var, func;               // 1 + index in the module's lists, 0: none
    int used_in;                 // number of the last function that has a variable of this name
    unsigned copies;             // how many new names were derived from it
    struct ptx_place *place;     // next in the table of places
};

struct ptx_names {
    struct ptx_name **buckets;
    size_t bucket_count, count;
};

// An operand that names a label, which may be defined later.
struct ptx_reference {
    struct ptx_operand *operand; // symbol is the label's name
    const char *op;
    int line;
    struct ptx_reference *next;
};

struct ptx_scope {
    struct ptx_binding *bindings;
    struct ptx_reference *references;
};

// A .loc line. Instructions hold its index in places until loc.c resolves them.
struct ptx_place {
    int file, line, column;
    int function;             // number of its function
    struct ptx_place *caller; // the place where it was inlined, or NULL
    bool resolved;
    struct ptx_loc loc;
    const struct ptx_call *call;
};

struct ptx_parser {
    struct lexer lexer;
    struct token token; // the next place to try
    struct ptx_arena *arena;
    struct ptx_module *module;
    struct ptx_names names, positions; // positions: "file:line:column" of .loc
    struct ptx_list vars, funcs, files, places; // lists of the module; places: struct ptx_place *
    uint64_t init_bytes;

    // The function being read.
    struct ptx_function *function;
    int function_number; // counts from 1
    int depth;           // 0: module
    struct ptx_scope scopes[PTX_MAX_DEPTH + 1];
    struct ptx_list instrs, operands, regs, locals;
    int place;           // index of the last .loc, 0: none

    jmp_buf failed;
    char *error;
    size_t error_size;
};

// scope.c

// Writes "PTX line L: message" and leaves the parser.
_Noreturn void ptx_fail(struct ptx_parser *parser, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// "PTX line L: got 'token', expected what".
_Noreturn void ptx_expected(struct ptx_parser *parser, const char *what);

void *ptx_alloc(struct ptx_parser *parser, size_t size); // never NULL

// A new zeroed item at the end of list; valid until the next push.
void *ptx_push(struct ptx_parser *parser, struct ptx_list *list);
// Moves the items from index first on to separate memory and returns it (NULL if there are none).
void *ptx_take(struct ptx_parser *parser, struct ptx_list *list, int first);

struct ptx_name *ptx_intern(struct ptx_parser *parser, struct ptx_names *names, const char *text, size_t length);
void ptx_open_scope(struct ptx_parser *parser, int line);
// Ends the innermost block: resolves its labels, and passes unknown names to the enclosing block.
void ptx_close_scope(struct ptx_parser *parser);
struct ptx_binding *ptx_bind(struct ptx_parser *parser, struct ptx_name *name, enum ptx_binding_kind kind, int line);
// Binds name to a variable of the function and returns the unique name that the variable gets.
const char *ptx_bind_variable(struct ptx_parser *parser, struct ptx_name *name, int line);
// Index of the register with this name; -1: it is no register. Registers get an index when they are first used.
int ptx_find_register(struct ptx_parser *parser, struct ptx_name *name);
// Records that operand (PTX_OP_LABEL, symbol set) of instruction op is resolved when its label is known.
void ptx_refer(struct ptx_parser *parser, struct ptx_operand *operand, const char *op, int line);

// Tokens, in scope.c

void ptx_advance(struct ptx_parser *parser);
bool ptx_is_mark(const struct ptx_parser *parser, int mark);
bool ptx_is_directive(const struct ptx_parser *parser, const char *name);
bool ptx_accept_mark(struct ptx_parser *parser, int mark);
bool ptx_accept_directive(struct ptx_parser *parser, const char *name);
// what completes "expected": "';' after operand".
void ptx_expect_mark(struct ptx_parser *parser, int mark, const char *what);
// A name without dots.
struct ptx_name *ptx_expect_name(struct ptx_parser *parser, const char *what);
uint64_t ptx_expect_int(struct ptx_parser *parser, uint64_t largest, const char *what);

// expr.c

// Reads a constant expression; the result is its 64 bits.
uint64_t ptx_constant(struct ptx_parser *parser);
// Reads a floating-point constant, with or without a sign; false: none comes next.
bool ptx_accept_float(struct ptx_parser *parser, enum token_kind *kind, uint64_t *bits);

// decl.c

// Reads from the state space (".global") to the ';'. Outside functions the variables go to vars, inside to locals.
void ptx_variables(struct ptx_parser *parser, enum ptx_linkage linkage);
// The space that a directive names; PTX_GENERIC: none.
enum ptx_space ptx_directive_space(const struct ptx_parser *parser);
// Reads "( .param .b32 x, ... )" and binds the names if bind is set. *count: how many.
struct ptx_variable *ptx_params(struct ptx_parser *parser, bool bind, int *count);
enum ptx_type ptx_expect_type(struct ptx_parser *parser);
// Skips "(...)" of .attribute; true when it says .managed.
bool ptx_attribute(struct ptx_parser *parser);
// After ".pragma": skips the strings, which are hints, and the semicolon.
void ptx_pragma(struct ptx_parser *parser);

// body.c

// Reads from '{' to the matching '}' and fills regs, vars and instrs of the parser's function.
void ptx_body(struct ptx_parser *parser);

// loc.c

void ptx_loc_directive(struct ptx_parser *parser);  // after ".loc"
void ptx_file_directive(struct ptx_parser *parser); // after ".file"
// Once all .file lines are known: gives every instruction its loc.
void ptx_resolve_locs(struct ptx_parser *parser);
