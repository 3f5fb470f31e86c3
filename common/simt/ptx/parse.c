// The PTX parser, from the outside in: ptx_parse, the directives of a module, the heads of its functions. parser.h
// lists the files of the parser. Its grammar: PTX ISA, chapters 4, 5, 7 and 11 ("PTX ISA" of CUDA 13).
#include "ptx/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads "9.0" from the token's text, since the lexer takes it for a number.
static void parse_version(struct ptx_parser *parser)
{
    const struct token *token = &parser->token;
    int numbers[2] = {0, 0}, part = 0;

    if (token->kind != TOKEN_F64 || token->length > 8)
        ptx_expected(parser, "a version as in 9.0");
    for (size_t i = 0; i < token->length; i++) {
        if (token->text[i] == '.' && part == 0)
            part = 1;
        else if (token->text[i] >= '0' && token->text[i] <= '9')
            numbers[part] = numbers[part] * 10 + token->text[i] - '0';
        else
            ptx_expected(parser, "a version as in 9.0");
    }
    parser->module->version_major = numbers[0];
    parser->module->version_minor = numbers[1];
    ptx_advance(parser);
}

// "sm_75, debug"
static void parse_target(struct ptx_parser *parser)
{
    do {
        struct ptx_name *name = ptx_expect_name(parser, "a target such as sm_75");

        if (strncmp(name->text, "sm_", 3) == 0)
            parser->module->target = name->text;
        else if (strcmp(name->text, "debug") != 0 && strcmp(name->text, "texmode_unified") != 0 &&
                 strcmp(name->text, "texmode_independent") != 0)
            ptx_fail(parser, parser->token.line, "got '%.60s', expected a target such as sm_75", name->text);
    } while (ptx_accept_mark(parser, ','));
}

static void parse_address_size(struct ptx_parser *parser)
{
    int line = parser->token.line;

    if (ptx_expect_int(parser, 64, "32 or 64") != 64)
        ptx_fail(parser, line, "addresses of 32 bits are not supported; compile with nvcc -m64");
}

// Skips a section of debug information up to its '}'. Other sections are refused.
static void parse_section(struct ptx_parser *parser)
{
    const struct token *token = &parser->token;

    if (token->kind != TOKEN_DIRECTIVE || token->length < 6 ||
        (memcmp(token->text, ".debug", 6) != 0 && memcmp(token->text, ".nv_de", 6) != 0))
        ptx_expected(parser, "a section of debug information");
    ptx_advance(parser);
    ptx_expect_mark(parser, '{', "'{' after the name of a section");
    while (!ptx_is_mark(parser, '}')) {
        if (parser->token.kind == TOKEN_END || ptx_is_mark(parser, '{'))
            ptx_expected(parser, "'}' after a section");
        ptx_advance(parser);
    }
    ptx_advance(parser);
}

// ".maxntid 256, 1, 1": one to three numbers.
static void parse_dimensions(struct ptx_parser *parser, unsigned dimensions[3])
{
    int i = 0;

    dimensions[0] = dimensions[1] = dimensions[2] = 1;
    do {
        if (i == 3)
            ptx_expected(parser, "at most three dimensions");
        dimensions[i++] = (unsigned)ptx_expect_int(parser, INT32_MAX, "a dimension");
    } while (ptx_accept_mark(parser, ','));
}

// Reads a directive between a function's parameters and its body.
static void parse_function_directive(struct ptx_parser *parser, struct ptx_function *function)
{
    if (ptx_accept_directive(parser, ".maxntid"))
        parse_dimensions(parser, function->max_threads);
    else if (ptx_accept_directive(parser, ".reqntid"))
        parse_dimensions(parser, function->required_threads);
    else if (ptx_accept_directive(parser, ".minnctapersm"))
        function->min_blocks = (unsigned)ptx_expect_int(parser, INT32_MAX, "a number of blocks");
    else if (ptx_accept_directive(parser, ".maxclusterrank"))
        function->max_cluster = (unsigned)ptx_expect_int(parser, INT32_MAX, "a number of blocks");
    else if (ptx_accept_directive(parser, ".noreturn"))
        function->noreturn = true;
    else if (ptx_accept_directive(parser, ".explicitcluster"))
        function->cluster = true;
    else if (ptx_accept_directive(parser, ".blocksareclusters"))
        function->cluster = function->blocks_are_clusters = true;
    else if (ptx_accept_directive(parser, ".reqnctapercluster")) {
        parse_dimensions(parser, function->cluster_blocks);
        function->cluster = true;
    } else if (ptx_accept_directive(parser, ".pragma"))
        ptx_pragma(parser);
    else if (ptx_accept_directive(parser, ".attribute"))
        ptx_attribute(parser);
    else if (ptx_accept_directive(parser, ".maxnctapersm") || ptx_accept_directive(parser, ".maxnreg") ||
             ptx_accept_directive(parser, ".abi_preserve") || ptx_accept_directive(parser, ".abi_preserve_control"))
        ptx_expect_int(parser, UINT32_MAX, "a number"); // hints to the assembler
    else
        ptx_expected(parser, "'{', ';' or a directive of a function");
}

// Adds the function to the module; a body replaces an earlier declaration, a later declaration changes nothing.
static void add_function(struct ptx_parser *parser, struct ptx_name *name, const struct ptx_function *function)
{
    struct ptx_function *old = (struct ptx_function *)parser->funcs.items + name->func - 1;

    if (function->defined && old->defined)
        ptx_fail(parser, function->line, "function '%.60s' has two bodies", name->text);
    if (function->entry != old->entry || function->param_count != old->param_count ||
        function->ret_count != old->ret_count)
        ptx_fail(parser, function->line, "function '%.60s' was declared differently in line %d", name->text, old->line);
    if (function->defined || !old->defined)
        *old = *function;
}

// Declares name before its body, which may call it.
static void declare_function(struct ptx_parser *parser, struct ptx_name *name, const struct ptx_function *function)
{
    if (name->var)
        ptx_fail(parser, function->line, "'%.60s' is declared twice", name->text);
    if (!name->func) {
        struct ptx_function *entry = ptx_push(parser, &parser->funcs);

        *entry = *function;
        entry->defined = false;
        name->func = parser->funcs.count;
    }
}

static void parse_function(struct ptx_parser *parser, enum ptx_linkage linkage)
{
    struct ptx_function function = {
        .linkage = linkage, .entry = ptx_is_directive(parser, ".entry"), .line = parser->token.line};

    ptx_advance(parser);
    parser->function = &function;
    parser->function_number++;
    parser->place = 0;
    ptx_open_scope(parser, function.line);
    if (ptx_accept_directive(parser, ".attribute"))
        ptx_attribute(parser);
    if (!function.entry && ptx_is_mark(parser, '('))
        function.rets = ptx_params(parser, true, &function.ret_count);
    struct ptx_name *name = ptx_expect_name(parser, "the name of a function");

    function.name = name->text;
    if (ptx_is_mark(parser, '('))
        function.params = ptx_params(parser, true, &function.param_count);
    while (parser->token.kind == TOKEN_DIRECTIVE)
        parse_function_directive(parser, &function);
    declare_function(parser, name, &function);
    if (!ptx_accept_mark(parser, ';')) {
        if (linkage == LINK_EXTERN)
            ptx_expected(parser, "';' after an .extern function");
        ptx_body(parser);
    }
    ptx_close_scope(parser);
    add_function(parser, name, &function);
}

static enum ptx_linkage parse_linkage(struct ptx_parser *parser)
{
    static const struct {
        const char *name;
        enum ptx_linkage linkage;
    } linkages[] = {
        {".visible", LINK_VISIBLE}, {".extern", LINK_EXTERN}, {".weak", LINK_WEAK}, {".common", LINK_COMMON}};

    for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
        if (ptx_accept_directive(parser, linkages[i].name))
            return linkages[i].linkage;
    return LINK_NONE;
}

static void parse_directive(struct ptx_parser *parser)
{
    int line = parser->token.line;
    enum ptx_linkage linkage = parse_linkage(parser);
    enum ptx_space space = ptx_directive_space(parser);

    if (ptx_is_directive(parser, ".entry") || ptx_is_directive(parser, ".func"))
        parse_function(parser, linkage);
    else if (space == PTX_GLOBAL || space == PTX_SHARED || space == PTX_CONST)
        ptx_variables(parser, linkage);
    else if (linkage != LINK_NONE)
        ptx_expected(parser, ".entry, .func, .global, .const or .shared");
    else if (ptx_accept_directive(parser, ".version"))
        parse_version(parser);
    else if (ptx_accept_directive(parser, ".target"))
        parse_target(parser);
    else if (ptx_accept_directive(parser, ".address_size"))
        parse_address_size(parser);
    else if (ptx_accept_directive(parser, ".file"))
        ptx_file_directive(parser);
    else if (ptx_accept_directive(parser, ".section"))
        parse_section(parser);
    else if (ptx_accept_directive(parser, ".pragma"))
        ptx_pragma(parser);
    else if (ptx_is_directive(parser, ".alias"))
        ptx_fail(parser, line, "'.alias' is not supported; call the function by its own name");
    else
        ptx_expected(parser, "a directive of a PTX module");
}

// Initialisers may name symbols that are declared later: checks the names when all are known.
static void check_relocs(struct ptx_parser *parser)
{
    const struct ptx_module *module = parser->module;

    for (int i = 0; i < module->var_count; i++) {
        for (struct ptx_reloc *reloc = module->vars[i].relocs; reloc; reloc = reloc->next) {
            const struct ptx_name *name = ptx_intern(parser, &parser->names, reloc->symbol, strlen(reloc->symbol));

            if (!name->var && !name->func)
                ptx_fail(parser, module->vars[i].line,
                         "the initialiser of '%.60s' names '%.60s', which is not declared", module->vars[i].name,
                         reloc->symbol);
        }
    }
}

static void parse_module(struct ptx_parser *parser)
{
    struct ptx_module *module = parser->module;

    ptx_advance(parser);
    if (!ptx_is_directive(parser, ".version"))
        ptx_expected(parser, ".version at the start of PTX");
    while (parser->token.kind != TOKEN_END) {
        if (parser->token.kind == TOKEN_DIRECTIVE)
            parse_directive(parser);
        else if (!ptx_accept_mark(parser, ';'))
            ptx_expected(parser, "a directive of a PTX module");
    }
    if (!module->target)
        ptx_fail(parser, parser->token.line, "the text has no .target");
    module->vars = parser->vars.items;
    module->var_count = parser->vars.count;
    module->funcs = parser->funcs.items;
    module->func_count = parser->funcs.count;
    module->files = parser->files.items;
    module->file_count = parser->files.count;
    check_relocs(parser);
    ptx_resolve_locs(parser);
}

static void set_up(struct ptx_parser *parser, struct ptx_arena *arena)
{
    parser->arena = arena;
    parser->vars.item_size = sizeof(struct ptx_variable);
    parser->funcs.item_size = sizeof(struct ptx_function);
    parser->files.item_size = sizeof(const char *);
    parser->places.item_size = sizeof(struct ptx_place *);
    parser->instrs.item_size = sizeof(struct ptx_instr);
    parser->operands.item_size = sizeof(struct ptx_operand);
    parser->regs.item_size = sizeof(struct ptx_reg);
    parser->locals.item_size = sizeof(struct ptx_variable);
}

struct ptx_module *ptx_parse(const char *text, size_t length, char *error, size_t error_size)
{
    struct ptx_arena *arena = ptx_arena_new();
    struct ptx_parser *parser = arena ? ptx_arena_alloc(arena, sizeof *parser) : NULL;
    struct ptx_module *module = parser ? ptx_arena_alloc(arena, sizeof *module) : NULL;

    if (!module || length > PTX_MAX_TEXT) {
        if (error_size > 0)
            snprintf(error, error_size, "PTX line 1: %s", module ? "the text is larger than 64 MB" : "out of memory");
        ptx_arena_free(arena);
        return NULL;
    }
    set_up(parser, arena);
    parser->error = error;
    parser->error_size = error_size;
    parser->module = module;
    module->arena = arena;
    while (length > 0 && text[length - 1] == 0) // containers pad with zeroes
        length--;
    lexer_start(&parser->lexer, text, length);
    if (setjmp(parser->failed)) {
        ptx_arena_free(arena);
        return NULL;
    }
    parse_module(parser);
    return module;
}

void ptx_free(struct ptx_module *module)
{
    if (module)
        ptx_arena_free(module->arena);
}
