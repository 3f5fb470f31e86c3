// Variables of PTX: their type, shape, attributes and initialiser; parameters are variables as well (parser.h).
//
// The shape is read before the initialiser, so the latter is written straight into the variable's bytes. Inner braces
// may be omitted or given per dimension: a cursor counts elements, and an inner '{' spans one step of the outer
// dimension.
#include "ptx/parser.h"

#include <string.h>

#define MAX_DIMENSIONS 8
#define MAX_ALIGN 65536

struct shape {
    uint64_t extent[MAX_DIMENSIONS];
    int dimensions;
    bool open; // the first extent is []
};

enum ptx_space ptx_directive_space(const struct ptx_parser *parser)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {{".global", PTX_GLOBAL}, {".shared", PTX_SHARED}, {".const", PTX_CONST},
                  {".local", PTX_LOCAL},   {".param", PTX_PARAM},   {".reg", PTX_REG}};

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_is_directive(parser, spaces[i].name))
            return spaces[i].space;
    return PTX_GENERIC;
}

enum ptx_type ptx_expect_type(struct ptx_parser *parser)
{
    const struct token *token = &parser->token;
    enum ptx_type type = PTX_NONE;

    if (ptx_is_directive(parser, ".texref") || ptx_is_directive(parser, ".surfref") ||
        ptx_is_directive(parser, ".samplerref"))
        ptx_fail(parser, token->line, "'%.*s': textures and surfaces are not supported; read global memory instead",
                 (int)token->length, token->text);
    if (token->kind == TOKEN_DIRECTIVE)
        type = ptx_type_parse(token->text + 1, token->length - 1);
    if (type == PTX_NONE)
        ptx_expected(parser, "a type");
    ptx_advance(parser);
    return type;
}

bool ptx_attribute(struct ptx_parser *parser)
{
    bool managed = false;

    ptx_expect_mark(parser, '(', "'(' after .attribute");
    do {
        if (ptx_accept_directive(parser, ".managed")) {
            managed = true;
        } else if (ptx_accept_directive(parser, ".unified")) {
            ptx_expect_mark(parser, '(', "'(' after .unified");
            ptx_expect_int(parser, UINT64_MAX, "a number");
            ptx_expect_mark(parser, ',', "','");
            ptx_expect_int(parser, UINT64_MAX, "a number");
            ptx_expect_mark(parser, ')', "')'");
        } else {
            ptx_expected(parser, ".managed or .unified");
        }
    } while (ptx_accept_mark(parser, ','));
    ptx_expect_mark(parser, ')', "')' after .attribute");
    return managed;
}

void ptx_pragma(struct ptx_parser *parser)
{
    do {
        if (parser->token.kind != TOKEN_STRING)
            ptx_expected(parser, "a string after .pragma");
        ptx_advance(parser);
    } while (ptx_accept_mark(parser, ','));
    ptx_expect_mark(parser, ';', "';' after .pragma");
}

static unsigned expect_align(struct ptx_parser *parser)
{
    uint64_t align = ptx_expect_int(parser, MAX_ALIGN, "an alignment");

    if (align == 0 || (align & (align - 1)) != 0)
        ptx_fail(parser, parser->token.line, "alignment %llu is not a power of two", (unsigned long long)align);
    return (unsigned)align;
}

// Skips ".ptr .global .align 4", which describes the target of a kernel's pointer parameter.
static void skip_pointer_attributes(struct ptx_parser *parser)
{
    enum ptx_space space = ptx_directive_space(parser);

    if (space != PTX_GENERIC && space != PTX_REG && space != PTX_PARAM)
        ptx_advance(parser);
    if (ptx_accept_directive(parser, ".align"))
        expect_align(parser);
}

// Reads ".attribute(.managed) .align 8 .b8" in any order into variable.
static void read_type(struct ptx_parser *parser, struct ptx_variable *variable)
{
    while (variable->type == PTX_NONE) {
        if (ptx_accept_directive(parser, ".align"))
            variable->align = expect_align(parser);
        else if (ptx_accept_directive(parser, ".attribute"))
            variable->managed |= ptx_attribute(parser);
        else if (ptx_is_directive(parser, ".v2") || ptx_is_directive(parser, ".v4"))
            ptx_fail(parser, parser->token.line, "'%.3s': vector variables are not supported", parser->token.text);
        else
            variable->type = ptx_expect_type(parser);
    }
    if (variable->type == PTX_PRED)
        ptx_fail(parser, parser->token.line, "a variable in memory cannot have type .pred");
    while (variable->space == PTX_PARAM) { // here it follows the type: ".param .u64 .ptr .align 1 x"
        if (ptx_accept_directive(parser, ".ptr"))
            skip_pointer_attributes(parser);
        else if (ptx_accept_directive(parser, ".align"))
            variable->align = expect_align(parser);
        else
            break;
    }
    if (variable->align == 0)
        variable->align = ptx_type_size(variable->type);
}

// Reads "[3][4]" and sets the variable's size.
static struct shape read_shape(struct ptx_parser *parser, struct ptx_variable *variable)
{
    struct shape shape = {.dimensions = 0};
    int line = parser->token.line;

    variable->size = ptx_type_size(variable->type);
    while (ptx_accept_mark(parser, '[')) {
        if (shape.dimensions == MAX_DIMENSIONS)
            ptx_fail(parser, line, "'%.60s' has more than %d dimensions", variable->name, MAX_DIMENSIONS);
        uint64_t extent = 0;

        if (ptx_is_mark(parser, ']') && shape.dimensions == 0)
            shape.open = true;
        else
            extent = ptx_constant(parser);
        ptx_expect_mark(parser, ']', "']' after the size of an array");
        if (extent > PTX_MAX_SIZE || (extent > 0 && variable->size > PTX_MAX_SIZE / extent))
            ptx_fail(parser, line, "'%.60s' is larger than %llu bytes", variable->name,
                     (unsigned long long)PTX_MAX_SIZE);
        variable->size *= extent;
        shape.extent[shape.dimensions++] = extent;
    }
    return shape;
}

// Reads an address in an initialiser: "sym", "sym+4", "generic(sym)" or "generic(sym)+4".
static void read_address(struct ptx_parser *parser, struct ptx_reloc *reloc)
{
    struct ptx_name *name = ptx_expect_name(parser, "the name of a variable or function");

    if (strcmp(name->text, "generic") == 0 && ptx_accept_mark(parser, '(')) {
        reloc->generic = true;
        name = ptx_expect_name(parser, "the name of a variable");
        if (ptx_is_mark(parser, '+') || ptx_is_mark(parser, '-'))
            reloc->addend += ptx_constant(parser);
        ptx_expect_mark(parser, ')', "')' after generic");
    }
    reloc->symbol = name->text;
    if (ptx_is_mark(parser, '+') || ptx_is_mark(parser, '-'))
        reloc->addend += ptx_constant(parser);
}

// Reads "0xFF00(sym)": the bytes of the address that the mask covers.
static void apply_mask(struct ptx_parser *parser, struct ptx_reloc *reloc, uint64_t mask, int line)
{
    unsigned shift = 0;

    while (shift < 64 && (mask >> shift & 0xFF) != 0xFF)
        shift += 8;
    if (shift == 64 || mask >> shift != UINT64_MAX >> (64 - 8 * reloc->size) ||
        (mask & (((uint64_t)1 << shift) - 1)) != 0)
        ptx_fail(parser, line, "mask 0x%llx does not select %u whole bytes of an address", (unsigned long long)mask,
                 reloc->size);
    reloc->shift = shift;
}

static void add_reloc(struct ptx_parser *parser, struct ptx_variable *variable, uint64_t offset, const uint64_t *mask)
{
    struct ptx_reloc *reloc = ptx_alloc(parser, sizeof *reloc);
    int line = parser->token.line;

    reloc->offset = offset;
    reloc->size = ptx_type_size(variable->type);
    read_address(parser, reloc);
    if (mask)
        apply_mask(parser, reloc, *mask, line);
    else if (reloc->size != 4 && reloc->size != 8)
        ptx_fail(parser, line, "the address of '%.60s' does not fit an element of type .%s", reloc->symbol,
                 ptx_type_name(variable->type));
    reloc->next = variable->relocs;
    variable->relocs = reloc;
}

// Stores a floating-point constant in the element's type.
static void store_float(struct ptx_parser *parser, struct ptx_variable *variable, uint64_t offset, enum token_kind kind,
                        uint64_t bits)
{
    uint32_t single_bits = (uint32_t)bits;
    float single;
    double value;

    if (kind == TOKEN_F32) {
        memcpy(&single, &single_bits, 4);
        value = (double)single;
    } else {
        memcpy(&value, &bits, 8);
        single = (float)value;
    }
    if (variable->type == PTX_F32 || (kind == TOKEN_F32 && variable->type == PTX_B32))
        memcpy(variable->init + offset, kind == TOKEN_F32 ? (void *)&single_bits : (void *)&single, 4);
    else if (variable->type == PTX_F64 || (kind == TOKEN_F64 && variable->type == PTX_B64))
        memcpy(variable->init + offset, kind == TOKEN_F64 ? (void *)&bits : (void *)&value, 8);
    else
        ptx_fail(parser, parser->token.line, "a floating-point constant for '%.60s', whose type is .%s", variable->name,
                 ptx_type_name(variable->type));
}

// Whether an address follows rather than a number.
static bool is_address(const struct ptx_parser *parser)
{
    return parser->token.kind == TOKEN_NAME &&
           !(parser->token.length == 7 && memcmp(parser->token.text, "WARP_SZ", 7) == 0);
}

// Reads one element's value into the bytes at offset.
static void read_element(struct ptx_parser *parser, struct ptx_variable *variable, uint64_t offset)
{
    unsigned size = ptx_type_size(variable->type);
    enum token_kind kind;
    uint64_t bits;

    if (is_address(parser)) {
        add_reloc(parser, variable, offset, NULL);
        return;
    }
    if (ptx_accept_float(parser, &kind, &bits)) {
        store_float(parser, variable, offset, kind, bits);
        return;
    }
    bits = ptx_constant(parser);
    if (ptx_accept_mark(parser, '(')) {
        add_reloc(parser, variable, offset, &bits);
        ptx_expect_mark(parser, ')', "')' after the masked address");
        return;
    }
    if (variable->type == PTX_F32 || variable->type == PTX_F64) {
        double value = (double)(int64_t)bits;

        memcpy(&bits, &value, sizeof bits);
        store_float(parser, variable, offset, TOKEN_F64, bits);
        return;
    }
    for (unsigned i = 0; i < size; i++) // PTX is little-endian
        variable->init[offset + i] = i < 8 ? (uint8_t)(bits >> 8 * i) : bits >> 63 ? 0xFF : 0;
}

// After '{': reads elements of the block that starts at element first and spans the dimensions from level on.
static void read_elements(struct ptx_parser *parser, struct ptx_variable *variable, const struct shape *shape,
                          int level, uint64_t first)
{
    unsigned size = ptx_type_size(variable->type);
    uint64_t step = 1, at = first;

    for (int i = level + 1; i < shape->dimensions; i++)
        step *= shape->extent[i];
    uint64_t end = first + step * shape->extent[level];

    do {
        if (at >= end)
            ptx_fail(parser, parser->token.line, "more values than '%.60s' has elements", variable->name);
        if (ptx_is_mark(parser, '{')) {
            if (level + 1 >= shape->dimensions || (at - first) % step != 0)
                ptx_expected(parser, "a value");
            ptx_advance(parser);
            read_elements(parser, variable, shape, level + 1, at);
            at += step;
        } else {
            read_element(parser, variable, at++ * size);
        }
    } while (ptx_accept_mark(parser, ','));
    ptx_expect_mark(parser, '}', "',' or '}' after a value");
}

static void read_initialiser(struct ptx_parser *parser, struct ptx_variable *variable, const struct shape *shape)
{
    if (variable->space != PTX_GLOBAL && variable->space != PTX_CONST)
        ptx_fail(parser, parser->token.line, "'%.60s' cannot be initialised in its state space", variable->name);
    if (shape->open)
        ptx_fail(parser, parser->token.line, "'%.60s' is initialised but has no size", variable->name);
    if (variable->size > PTX_MAX_INIT - parser->init_bytes)
        ptx_fail(parser, parser->token.line, "more than %llu bytes of initialised variables",
                 (unsigned long long)PTX_MAX_INIT);
    parser->init_bytes += variable->size;
    variable->init = ptx_alloc(parser, (size_t)variable->size);
    if (shape->dimensions == 0) {
        bool braces = ptx_accept_mark(parser, '{');

        read_element(parser, variable, 0);
        if (braces)
            ptx_expect_mark(parser, '}', "'}' after a value");
    } else {
        ptx_expect_mark(parser, '{', "'{' before the values of an array");
        read_elements(parser, variable, shape, 0, 0);
    }
}

// Adds a variable of the module: a definition replaces an earlier declaration of the same name.
static void add_module_variable(struct ptx_parser *parser, struct ptx_name *name, const struct ptx_variable *variable)
{
    struct ptx_variable *old = name->var ? (struct ptx_variable *)parser->vars.items + name->var - 1 : NULL;

    if (name->func || (old && !old->external && !variable->external))
        ptx_fail(parser, variable->line, "'%.60s' is declared twice", name->text);
    if (!old) {
        *(struct ptx_variable *)ptx_push(parser, &parser->vars) = *variable;
        name->var = parser->vars.count;
    } else if (old->external) {
        *old = *variable;
    }
}

static void read_variable(struct ptx_parser *parser, struct ptx_variable variable)
{
    struct ptx_name *name = ptx_expect_name(parser, "the name of a variable");

    variable.name = name->text;
    struct shape shape = read_shape(parser, &variable);

    if (ptx_accept_mark(parser, '='))
        read_initialiser(parser, &variable, &shape);
    else if (shape.open && !variable.external)
        ptx_fail(parser, variable.line, "'%.60s' has no size and is not .extern", name->text);
    if (parser->depth == 0) {
        add_module_variable(parser, name, &variable);
    } else {
        variable.name = ptx_bind_variable(parser, name, variable.line);
        *(struct ptx_variable *)ptx_push(parser, &parser->locals) = variable;
    }
}

void ptx_variables(struct ptx_parser *parser, enum ptx_linkage linkage)
{
    struct ptx_variable variable = {.linkage = linkage, .external = linkage == LINK_EXTERN, .line = parser->token.line};

    variable.space = ptx_directive_space(parser);
    ptx_advance(parser);
    if (variable.space == PTX_CONST && ptx_is_mark(parser, '['))
        ptx_fail(parser, variable.line, "numbered constant banks are not supported");
    read_type(parser, &variable);
    do
        read_variable(parser, variable);
    while (ptx_accept_mark(parser, ','));
    ptx_expect_mark(parser, ';', "';' after a declaration");
}

static struct ptx_variable read_param(struct ptx_parser *parser)
{
    struct ptx_variable param = {.space = PTX_PARAM, .line = parser->token.line};

    if (ptx_is_directive(parser, ".reg"))
        ptx_fail(parser, param.line, "parameters in registers are not supported");
    if (!ptx_accept_directive(parser, ".param"))
        ptx_expected(parser, "a parameter: .param");
    read_type(parser, &param);
    struct ptx_name *name = ptx_expect_name(parser, "the name of a parameter");

    param.name = name->text;
    read_shape(parser, &param);
    return param;
}

struct ptx_variable *ptx_params(struct ptx_parser *parser, bool bind, int *count)
{
    struct ptx_list params = {.item_size = sizeof(struct ptx_variable)};

    ptx_expect_mark(parser, '(', "'(' before parameters");
    bool more = !ptx_is_mark(parser, ')');

    while (more) {
        struct ptx_variable param = read_param(parser);

        if (bind && strcmp(param.name, "_") != 0)
            param.name = ptx_bind_variable(parser, ptx_intern(parser, &parser->names, param.name, strlen(param.name)),
                                           param.line);
        *(struct ptx_variable *)ptx_push(parser, &params) = param;
        more = ptx_accept_mark(parser, ',');
    }
    ptx_expect_mark(parser, ')', "',' or ')' after a parameter");
    *count = params.count;
    return params.items;
}
