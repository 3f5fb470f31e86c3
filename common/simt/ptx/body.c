// A function's body: blocks, declarations, labels and instructions (parser.h).
//
// The first token of a statement determines its kind. Operands are read by shape alone; three opcodes are known by
// name, because their operands are not values: bra (a label), brx.idx (a list of labels) and call (lists in
// parentheses). As ptx.h promises, call always gets its two lists.
#include "ptx/parser.h"

#include <string.h>

#define MAX_OP_LENGTH 256

// The kinds of names among operands.
enum names { NAMES_VALUES, NAMES_LABELS, NAMES_CALL };

static struct ptx_operand parse_operand(struct ptx_parser *parser, enum names names, int nesting);

static const char *const special_parts[] = {"tid",       "ntid",       "ctaid",         "nctaid",
                                            "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"};

// clang-format off
static const char *const specials[] = {
    "laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "is_explicit_cluster", "cluster_ctarank",
    "cluster_nctarank", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt", "clock",
    "clock_hi", "clock64", "globaltimer", "globaltimer_lo", "globaltimer_hi", "reserved_smem_offset_begin",
    "reserved_smem_offset_end", "reserved_smem_offset_cap", "total_smem_size", "aggr_smem_size",
    "dynamic_smem_size", "current_graph_exec"};

// Names that end in a number: %pm0, %pm0_64, %envreg31, %reserved_smem_offset_0.
static const char *const numbered_specials[] = {"pm", "envreg", "reserved_smem_offset_"};
// clang-format on

static bool equals(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

// Whether the length characters after '%' name a special register of PTX, possibly with its component.
static bool is_special(const char *text, size_t length)
{
    size_t stem = length > 2 && text[length - 2] == '.' && strchr("xyzw", text[length - 1]) ? length - 2 : length;

    for (size_t i = 0; i < sizeof special_parts / sizeof *special_parts; i++)
        if (equals(text, stem, special_parts[i]))
            return true;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (equals(text, length, specials[i]))
            return true;
    for (size_t i = 0; i < sizeof numbered_specials / sizeof *numbered_specials; i++) {
        size_t prefix = strlen(numbered_specials[i]);
        size_t end = length > 3 && memcmp(text + length - 3, "_64", 3) == 0 ? length - 3 : length;

        if (end > prefix && end <= prefix + 2 && memcmp(text, numbered_specials[i], prefix) == 0 &&
            strspn(text + prefix, "0123456789") >= end - prefix)
            return true;
    }
    return false;
}

// Whether name is a variable or function in sight; if so sets the operand's symbol.
static bool find_symbol(const struct ptx_name *name, struct ptx_operand *operand)
{
    if (name->binding && name->binding->kind == BIND_VAR)
        operand->symbol = name->binding->symbol;
    else if (name->var || name->func)
        operand->symbol = name->text;
    return operand->symbol != NULL;
}

// An operand that is one name: a register, special register, label, variable or function.
static struct ptx_operand named_operand(struct ptx_parser *parser, enum names names)
{
    struct ptx_operand operand = {.kind = PTX_OP_SYMBOL, .reg = -1};
    const struct token token = parser->token;
    struct ptx_name *name = ptx_intern(parser, &parser->names, token.text, token.length);
    bool value = names != NAMES_LABELS;

    ptx_advance(parser);
    if (equals(token.text, token.length, "_")) {
        operand.kind = PTX_OP_SINK;
    } else if (value && (operand.reg = ptx_find_register(parser, name)) >= 0) {
        operand.kind = PTX_OP_REG;
    } else if (value && find_symbol(name, &operand)) {
        operand.kind = PTX_OP_SYMBOL;
    } else {
        operand.symbol = name->text;
        if (value && token.text[0] == '%' && is_special(name->text + 1, token.length - 1))
            operand.kind = PTX_OP_SPECIAL;
        else if (names != NAMES_VALUES && !memchr(token.text, '.', token.length))
            operand.kind = PTX_OP_LABEL; // resolved by ptx_refer
        else
            ptx_fail(parser, token.line, "'%.60s' is not declared", name->text);
    }
    return operand;
}

// Reads items up to and including close, and copies them to separate memory.
static void parse_list(struct ptx_parser *parser, struct ptx_operand *operand, int close, enum names names, int nesting)
{
    int first = parser->operands.count;

    if (!ptx_is_mark(parser, close)) {
        do {
            struct ptx_operand item = parse_operand(parser, names, nesting + 1);

            *(struct ptx_operand *)ptx_push(parser, &parser->operands) = item;
        } while (ptx_accept_mark(parser, ','));
    }
    ptx_expect_mark(parser, close,
                    close == ')'   ? "',' or ')' in a list"
                    : close == ']' ? "',' or ']' in an address"
                    : close == ';' ? "';' after labels"
                                   : "',' or '}' in a list");
    operand->count = parser->operands.count - first;
    operand->list = ptx_take(parser, &parser->operands, first);
}

// After '[': reads "reg+4]", "symbol+4]" or "4]"; further operands, as in tensor copies and textures, go to the list.
static struct ptx_operand parse_address(struct ptx_parser *parser, int nesting)
{
    struct ptx_operand address = {.kind = PTX_OP_ADDRESS, .reg = -1};
    bool named = parser->token.kind == TOKEN_NAME;

    if (named) {
        int line = parser->token.line;
        struct ptx_operand base = named_operand(parser, NAMES_VALUES);

        if (base.kind != PTX_OP_REG && base.kind != PTX_OP_SYMBOL)
            ptx_fail(parser, line, "an address must start with a register, a variable or a number");
        address.reg = base.reg;
        address.symbol = base.symbol;
    }
    if (ptx_is_mark(parser, ']') || ptx_is_mark(parser, ',')) {
        if (!named)
            ptx_expected(parser, "an address");
    } else {
        if (named && !ptx_is_mark(parser, '+') && !ptx_is_mark(parser, '-'))
            ptx_expected(parser, "'+' or ']' in an address");
        address.value = (int64_t)ptx_constant(parser);
    }
    bool more = ptx_accept_mark(parser, ',');

    if (more == ptx_is_mark(parser, ']'))
        ptx_expected(parser, more ? "an operand" : "',' or ']' in an address");
    parse_list(parser, &address, ']', NAMES_VALUES, nesting);
    return address;
}

// A number, or an expression of numbers.
static struct ptx_operand parse_immediate(struct ptx_parser *parser)
{
    struct ptx_operand operand = {.kind = PTX_OP_INT, .reg = -1};
    enum token_kind kind;
    uint64_t bits;

    if (ptx_accept_float(parser, &kind, &bits))
        operand.kind = kind == TOKEN_F32 ? PTX_OP_F32 : PTX_OP_F64;
    else
        bits = ptx_constant(parser);
    operand.value = (int64_t)bits;
    return operand;
}

// After a name: reads "+4" of a symbol or "|q" of a pair.
static struct ptx_operand parse_suffix(struct ptx_parser *parser, struct ptx_operand operand, enum names names,
                                       int nesting)
{
    if (operand.kind == PTX_OP_SYMBOL && (ptx_is_mark(parser, '+') || ptx_is_mark(parser, '-')))
        operand.value = (int64_t)ptx_constant(parser);
    if (!ptx_accept_mark(parser, '|'))
        return operand;
    struct ptx_operand *pair = ptx_alloc(parser, 2 * sizeof *pair);

    pair[0] = operand;
    pair[1] = parse_operand(parser, names, nesting + 1);
    if ((pair[0].kind != PTX_OP_REG && pair[0].kind != PTX_OP_SINK) ||
        (pair[1].kind != PTX_OP_REG && pair[1].kind != PTX_OP_SINK))
        ptx_fail(parser, parser->token.line, "both sides of '|' must be registers or '_'");
    return (struct ptx_operand){.kind = PTX_OP_PAIR, .reg = -1, .list = pair, .count = 2};
}

static bool is_warp_size(const struct token *token)
{
    return token->kind == TOKEN_NAME && equals(token->text, token->length, "WARP_SZ");
}

// Reads "!p", if a name and not a number follows the '!'.
static struct ptx_operand parse_negated(struct ptx_parser *parser)
{
    struct lexer ahead = parser->lexer;
    struct token next = lexer_next(&ahead);

    if (next.kind != TOKEN_NAME || is_warp_size(&next))
        return parse_immediate(parser);
    ptx_advance(parser);
    struct ptx_operand operand = named_operand(parser, NAMES_VALUES);

    if (operand.kind != PTX_OP_REG)
        ptx_fail(parser, parser->token.line, "'!' must stand before a register or a number");
    operand.negated = true;
    return operand;
}

static struct ptx_operand parse_operand(struct ptx_parser *parser, enum names names, int nesting)
{
    struct ptx_operand operand = {.kind = PTX_OP_VECTOR, .reg = -1};

    if (nesting > PTX_MAX_NESTING)
        ptx_fail(parser, parser->token.line, "operands are nested deeper than %d", PTX_MAX_NESTING);
    if (parser->token.kind == TOKEN_NAME && !is_warp_size(&parser->token))
        return parse_suffix(parser, named_operand(parser, names), names, nesting);
    if (ptx_accept_mark(parser, '[')) {
        return parse_address(parser, nesting);
    } else if (ptx_accept_mark(parser, '{')) {
        parse_list(parser, &operand, '}', NAMES_VALUES, nesting);
        return operand;
    } else if (names == NAMES_CALL && ptx_accept_mark(parser, '(')) {
        parse_list(parser, &operand, ')', NAMES_VALUES, nesting);
        return operand;
    } else if (ptx_is_mark(parser, '!')) {
        return parse_negated(parser);
    } else if (parser->token.kind == TOKEN_INT || parser->token.kind == TOKEN_F32 || parser->token.kind == TOKEN_F64 ||
               parser->token.kind == TOKEN_NAME || ptx_is_mark(parser, '-') || ptx_is_mark(parser, '~') ||
               ptx_is_mark(parser, '(') || ptx_is_mark(parser, '+')) {
        return parse_immediate(parser);
    }
    ptx_expected(parser, "an operand");
}

// Converts the operands of a call, from index first on, to the form of ptx.h: results, callee, arguments, prototype.
static void arrange_call(struct ptx_parser *parser, int first, int line)
{
    const struct ptx_operand empty = {.kind = PTX_OP_VECTOR, .reg = -1};
    struct ptx_operand arranged[4] = {empty, empty, empty, empty};
    int count = parser->operands.count - first, at = 0;
    struct ptx_operand *given = count > 0 ? (struct ptx_operand *)parser->operands.items + first : NULL;

    if (at < count && given[at].kind == PTX_OP_VECTOR)
        arranged[0] = given[at++];
    if (at == count || (given[at].kind != PTX_OP_SYMBOL && given[at].kind != PTX_OP_REG))
        ptx_fail(parser, line, "call: no function of this name is declared, nor is it a register");
    arranged[1] = given[at++];
    if (at < count && given[at].kind == PTX_OP_VECTOR)
        arranged[2] = given[at++];
    bool prototype = at < count && given[at].kind == PTX_OP_LABEL;

    if (prototype)
        arranged[3] = given[at++];
    if (at != count)
        ptx_fail(parser, line, "call: expected (results), function, (arguments), prototype");
    parser->operands.count = first;
    for (int i = 0; i < 3 + prototype; i++)
        *(struct ptx_operand *)ptx_push(parser, &parser->operands) = arranged[i];
}

// Reads the mnemonic with its modifiers; some texts have a space before a modifier.
static const char *parse_op(struct ptx_parser *parser, const struct token *first)
{
    char text[MAX_OP_LENGTH];
    size_t length = first->length;

    if (parser->token.kind != TOKEN_DIRECTIVE && length < sizeof text)
        return ptx_intern(parser, &parser->names, first->text, length)->text;
    if (length < sizeof text)
        memcpy(text, first->text, length);
    for (; parser->token.kind == TOKEN_DIRECTIVE && length < sizeof text; ptx_advance(parser)) {
        if (length + parser->token.length < sizeof text)
            memcpy(text + length, parser->token.text, parser->token.length);
        length += parser->token.length;
    }
    if (length >= sizeof text)
        ptx_fail(parser, first->line, "an instruction's name is longer than %d", MAX_OP_LENGTH);
    return ptx_intern(parser, &parser->names, text, length)->text;
}

// Checks that a branch has count operands, the last of which is a label.
static void check_branch(struct ptx_parser *parser, const struct ptx_instr *instr, int first, int count)
{
    const struct ptx_operand *operands = parser->operands.items;

    if (parser->operands.count - first != count || operands[first + count - 1].kind != PTX_OP_LABEL)
        ptx_fail(parser, instr->line, "%s: expected %s", instr->op, count == 1 ? "one label" : "an index and a list");
}

static bool starts_with(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncmp(text, word, length) == 0 && (text[length] == 0 || text[length] == '.');
}

// Reads the operands up to and including the ';'.
static void parse_operands(struct ptx_parser *parser, struct ptx_instr *instr)
{
    bool call = starts_with(instr->op, "call"), indexed = starts_with(instr->op, "brx");
    enum names names = call ? NAMES_CALL : starts_with(instr->op, "bra") ? NAMES_LABELS : NAMES_VALUES;
    int first = parser->operands.count;

    if (!ptx_is_mark(parser, ';')) {
        do {
            bool targets = indexed && parser->operands.count == first + 1;
            struct ptx_operand operand = parse_operand(parser, targets ? NAMES_LABELS : names, 0);

            *(struct ptx_operand *)ptx_push(parser, &parser->operands) = operand;
        } while (ptx_accept_mark(parser, ','));
    }
    ptx_expect_mark(parser, ';', "';' after operand");
    if (call)
        arrange_call(parser, first, instr->line);
    else if (names == NAMES_LABELS || indexed)
        check_branch(parser, instr, first, indexed ? 2 : 1);
    instr->count = parser->operands.count - first;
    instr->operands = ptx_take(parser, &parser->operands, first);
    for (int i = 0; i < instr->count; i++)
        if (instr->operands[i].kind == PTX_OP_LABEL)
            ptx_refer(parser, &instr->operands[i], instr->op, instr->line);
}

// "@p" or "@!p"
static void parse_guard(struct ptx_parser *parser, struct ptx_instr *instr)
{
    instr->guard_negated = ptx_accept_mark(parser, '!');
    if (parser->token.kind != TOKEN_NAME)
        ptx_expected(parser, "a predicate after '@'");
    int line = parser->token.line;
    struct ptx_operand guard = named_operand(parser, NAMES_VALUES);

    if (guard.kind != PTX_OP_REG || ((struct ptx_reg *)parser->regs.items)[guard.reg].type != PTX_PRED)
        ptx_fail(parser, line, "a guard must be a register of type .pred");
    instr->guard = guard.reg;
    if (parser->token.kind != TOKEN_NAME)
        ptx_expected(parser, "an instruction after its guard");
}

// Reads the instruction whose mnemonic is first; the token after it is the next one.
static void parse_instruction(struct ptx_parser *parser, struct ptx_instr instr, const struct token *first)
{
    if (first->text[0] == '%')
        ptx_fail(parser, first->line, "got '%.*s', expected an instruction",
                 first->length < 60 ? (int)first->length : 60, first->text);
    instr.line = first->line;
    instr.loc.line = parser->place;
    instr.op = parse_op(parser, first);
    parse_operands(parser, &instr);
    *(struct ptx_instr *)ptx_push(parser, &parser->instrs) = instr;
}

// ".reg .b32 %r<48>, x;" after ".reg"
static void parse_registers(struct ptx_parser *parser)
{
    if (ptx_is_directive(parser, ".v2") || ptx_is_directive(parser, ".v4"))
        ptx_fail(parser, parser->token.line, "'%.3s': vector registers are not supported", parser->token.text);
    enum ptx_type type = ptx_expect_type(parser);

    do {
        int line = parser->token.line;
        struct ptx_name *name = ptx_expect_name(parser, "the name of a register");
        bool range = ptx_accept_mark(parser, '<');
        struct ptx_binding *binding = ptx_bind(parser, name, range ? BIND_RANGE : BIND_REG, line);

        binding->type = type;
        if (range) {
            binding->range = ptx_expect_int(parser, INT32_MAX, "a number of registers below 2^31");
            ptx_expect_mark(parser, '>', "'>' after the number of registers");
        }
    } while (ptx_accept_mark(parser, ','));
    ptx_expect_mark(parser, ';', "';' after registers");
}

// ".branchtargets L1, L2;" after the directive
static void parse_targets(struct ptx_parser *parser, struct ptx_binding *binding, int line)
{
    struct ptx_operand targets = {.kind = PTX_OP_VECTOR};

    parse_list(parser, &targets, ';', NAMES_LABELS, 0);
    if (targets.count == 0)
        ptx_fail(parser, line, ".branchtargets: expected labels");
    for (int i = 0; i < targets.count; i++) {
        if (targets.list[i].kind != PTX_OP_LABEL)
            ptx_fail(parser, line, ".branchtargets: expected labels");
        ptx_refer(parser, &targets.list[i], ".branchtargets", line);
    }
    binding->kind = BIND_TARGETS;
    binding->list = targets.list;
    binding->count = targets.count;
}

// ".callprototype (rets) _ (params);" after the directive. It repeats the callee's declaration, so it is only checked.
static void parse_prototype(struct ptx_parser *parser)
{
    int count;

    if (ptx_is_mark(parser, '('))
        ptx_params(parser, false, &count);
    ptx_expect_name(parser, "'_' in .callprototype");
    if (ptx_is_mark(parser, '('))
        ptx_params(parser, false, &count);
    while (!ptx_is_mark(parser, ';')) {
        if (ptx_accept_directive(parser, ".noreturn"))
            continue;
        if (!ptx_accept_directive(parser, ".abi_preserve") && !ptx_accept_directive(parser, ".abi_preserve_control"))
            ptx_expected(parser, "';' after .callprototype");
        ptx_expect_int(parser, UINT32_MAX, "a number of registers");
    }
    ptx_advance(parser);
}

// ".calltargets f, g;" after the directive
static void parse_call_targets(struct ptx_parser *parser)
{
    do {
        int line = parser->token.line;
        struct ptx_name *name = ptx_expect_name(parser, "the name of a function");

        if (!name->func)
            ptx_fail(parser, line, "function '%.60s' is not declared", name->text);
    } while (ptx_accept_mark(parser, ','));
    ptx_expect_mark(parser, ';', "';' after .calltargets");
}

// Binds a label after "name:" was read.
static void parse_label(struct ptx_parser *parser, const struct token *token)
{
    struct ptx_name *name = ptx_intern(parser, &parser->names, token->text, token->length);

    if (memchr(token->text, '.', token->length))
        ptx_fail(parser, token->line, "'%.60s' cannot be a label", name->text);
    struct ptx_binding *binding = ptx_bind(parser, name, BIND_LABEL, token->line);

    binding->index = parser->instrs.count;
    if (ptx_accept_directive(parser, ".branchtargets")) {
        parse_targets(parser, binding, token->line);
    } else if (ptx_accept_directive(parser, ".callprototype")) {
        binding->kind = BIND_PROTOTYPE;
        parse_prototype(parser);
    } else if (ptx_accept_directive(parser, ".calltargets")) {
        binding->kind = BIND_PROTOTYPE;
        parse_call_targets(parser);
    }
}

static void parse_directive(struct ptx_parser *parser)
{
    enum ptx_space space = ptx_directive_space(parser);

    if (space == PTX_REG) {
        ptx_advance(parser);
        parse_registers(parser);
    } else if (space == PTX_LOCAL || space == PTX_SHARED || space == PTX_PARAM) {
        ptx_variables(parser, LINK_NONE);
    } else if (ptx_accept_directive(parser, ".loc")) {
        ptx_loc_directive(parser);
    } else if (ptx_accept_directive(parser, ".pragma")) {
        ptx_pragma(parser);
    } else {
        ptx_expected(parser, "an instruction or a directive that may stand in a function");
    }
}

static void parse_statement(struct ptx_parser *parser)
{
    struct ptx_instr instr = {.guard = -1};
    struct token token = parser->token;

    if (token.kind == TOKEN_DIRECTIVE) {
        parse_directive(parser);
    } else if (ptx_accept_mark(parser, '@')) {
        parse_guard(parser, &instr);
        token = parser->token;
        ptx_advance(parser);
        parse_instruction(parser, instr, &token);
    } else if (token.kind == TOKEN_NAME) {
        ptx_advance(parser);
        if (ptx_accept_mark(parser, ':'))
            parse_label(parser, &token);
        else
            parse_instruction(parser, instr, &token);
    } else if (!ptx_accept_mark(parser, ';')) { // an empty statement
        ptx_expected(parser, "an instruction");
    }
}

void ptx_body(struct ptx_parser *parser)
{
    struct ptx_function *function = parser->function;
    int outside = parser->depth;

    ptx_expect_mark(parser, '{', "'{' before a function's body");
    ptx_open_scope(parser, parser->token.line);
    while (parser->depth > outside) {
        int line = parser->token.line;

        if (ptx_accept_mark(parser, '{'))
            ptx_open_scope(parser, line);
        else if (ptx_accept_mark(parser, '}'))
            ptx_close_scope(parser);
        else
            parse_statement(parser);
    }
    function->reg_count = parser->regs.count;
    function->regs = ptx_take(parser, &parser->regs, 0);
    function->var_count = parser->locals.count;
    function->vars = ptx_take(parser, &parser->locals, 0);
    function->instr_count = parser->instrs.count;
    function->instrs = ptx_take(parser, &parser->instrs, 0);
    function->defined = true;
}
