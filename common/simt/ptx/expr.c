// Constant expressions of PTX: C's operators on 64-bit integers, signed unless an operand is unsigned.
//
// parse_binary climbs precedences: it reads a unary expression, then operators and their right sides as long as they
// bind at least as tightly as required. Nesting is limited, so that no input exhausts the stack.
#include "ptx/parser.h"

#include <string.h>

struct constant {
    uint64_t bits;
    bool is_unsigned;
};

struct binary {
    int mark;
    int precedence; // a larger one binds tighter
};

// clang-format off
static const struct binary operators[] = {
    {MARK2('|', '|'), 1}, {MARK2('&', '&'), 2}, {'|', 3}, {'^', 4}, {'&', 5}, {MARK2('=', '='), 6},
    {MARK2('!', '='), 6}, {'<', 7}, {'>', 7}, {MARK2('<', '='), 7}, {MARK2('>', '='), 7}, {MARK2('<', '<'), 8},
    {MARK2('>', '>'), 8}, {'+', 9}, {'-', 9}, {'*', 10}, {'/', 10}, {'%', 10},
};
// clang-format on

static struct constant parse_conditional(struct ptx_parser *parser, int nesting);

// Precedence of the next operator; 0 if there is none.
static int next_precedence(const struct ptx_parser *parser)
{
    if (parser->token.kind == TOKEN_MARK)
        for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
            if (operators[i].mark == parser->token.mark)
                return operators[i].precedence;
    return 0;
}

static void check_nesting(struct ptx_parser *parser, int nesting)
{
    if (nesting > PTX_MAX_NESTING)
        ptx_fail(parser, parser->token.line, "a constant expression is nested deeper than %d", PTX_MAX_NESTING);
}

// After '(': reads a cast "(.s64)x" or an expression in parentheses.
static struct constant parse_parentheses(struct ptx_parser *parser, int nesting);

static struct constant parse_unary(struct ptx_parser *parser, int nesting)
{
    struct constant value = {parser->token.value, parser->token.is_unsigned};

    check_nesting(parser, nesting);
    if (parser->token.kind == TOKEN_INT) {
        ptx_advance(parser);
        return value;
    }
    if (parser->token.kind == TOKEN_NAME && parser->token.length == 7 &&
        memcmp(parser->token.text, "WARP_SZ", 7) == 0) {
        ptx_advance(parser);
        return (struct constant){32, false};
    }
    if (ptx_accept_mark(parser, '('))
        return parse_parentheses(parser, nesting + 1);
    if (ptx_accept_mark(parser, '+'))
        return parse_unary(parser, nesting + 1);
    if (ptx_accept_mark(parser, '-')) {
        value = parse_unary(parser, nesting + 1);
        value.bits = 0 - value.bits;
    } else if (ptx_accept_mark(parser, '~')) {
        value = parse_unary(parser, nesting + 1);
        value.bits = ~value.bits;
    } else if (ptx_accept_mark(parser, '!')) {
        value.bits = !parse_unary(parser, nesting + 1).bits;
        value.is_unsigned = false;
    } else {
        ptx_expected(parser, "a constant");
    }
    return value;
}

static struct constant parse_parentheses(struct ptx_parser *parser, int nesting)
{
    struct constant value;
    bool to_signed = ptx_is_directive(parser, ".s64");

    if (to_signed || ptx_is_directive(parser, ".u64")) {
        ptx_advance(parser);
        ptx_expect_mark(parser, ')', "')' after the type");
        value = parse_unary(parser, nesting);
        value.is_unsigned = !to_signed;
        return value;
    }
    value = parse_conditional(parser, nesting);
    ptx_expect_mark(parser, ')', "')'");
    return value;
}

static uint64_t shift_right(struct constant left, uint64_t by)
{
    bool negative = !left.is_unsigned && left.bits >> 63;

    if (by > 63)
        return negative ? UINT64_MAX : 0;
    return left.bits >> by | (negative && by > 0 ? ~(UINT64_MAX >> by) : 0);
}

static uint64_t divide(struct ptx_parser *parser, struct constant left, struct constant right, bool remainder)
{
    int64_t a = (int64_t)left.bits, b = (int64_t)right.bits;

    if (right.bits == 0)
        ptx_fail(parser, parser->token.line, "a constant expression divides by zero");
    if (left.is_unsigned || right.is_unsigned)
        return remainder ? left.bits % right.bits : left.bits / right.bits;
    if (b == -1) // INT64_MIN / -1 wraps
        return remainder ? 0 : 0 - left.bits;
    return (uint64_t)(remainder ? a % b : a / b);
}

static bool is_less(struct constant left, struct constant right)
{
    return left.is_unsigned || right.is_unsigned ? left.bits < right.bits : (int64_t)left.bits < (int64_t)right.bits;
}

static struct constant apply(struct ptx_parser *parser, int mark, struct constant left, struct constant right)
{
    struct constant value = {0, left.is_unsigned || right.is_unsigned};
    uint64_t a = left.bits, b = right.bits;

    switch (mark) {
    case '+': value.bits = a + b; return value;
    case '-': value.bits = a - b; return value;
    case '*': value.bits = a * b; return value;
    case '/': value.bits = divide(parser, left, right, false); return value;
    case '%': value.bits = divide(parser, left, right, true); return value;
    case '&': value.bits = a & b; return value;
    case '|': value.bits = a | b; return value;
    case '^': value.bits = a ^ b; return value;
    case MARK2('<', '<'): return (struct constant){b > 63 ? 0 : a << b, left.is_unsigned};
    case MARK2('>', '>'): return (struct constant){shift_right(left, b), left.is_unsigned};
    case '<': return (struct constant){is_less(left, right), false};
    case '>': return (struct constant){is_less(right, left), false};
    case MARK2('<', '='): return (struct constant){!is_less(right, left), false};
    case MARK2('>', '='): return (struct constant){!is_less(left, right), false};
    case MARK2('=', '='): return (struct constant){a == b, false};
    case MARK2('!', '='): return (struct constant){a != b, false};
    case MARK2('&', '&'): return (struct constant){a && b, false};
    default: return (struct constant){a || b, false};
    }
}

static struct constant parse_binary(struct ptx_parser *parser, int least, int nesting)
{
    struct constant left = parse_unary(parser, nesting);

    for (int precedence; (precedence = next_precedence(parser)) >= least;) {
        int mark = parser->token.mark;

        ptx_advance(parser);
        left = apply(parser, mark, left, parse_binary(parser, precedence + 1, nesting));
    }
    return left;
}

static struct constant parse_conditional(struct ptx_parser *parser, int nesting)
{
    struct constant value = parse_binary(parser, 1, nesting);

    check_nesting(parser, nesting);
    if (!ptx_accept_mark(parser, '?'))
        return value;
    struct constant then = parse_conditional(parser, nesting + 1);

    ptx_expect_mark(parser, ':', "':' of a conditional constant");
    struct constant otherwise = parse_conditional(parser, nesting + 1);

    return value.bits ? then : otherwise;
}

uint64_t ptx_constant(struct ptx_parser *parser)
{
    return parse_conditional(parser, 0).bits;
}

bool ptx_accept_float(struct ptx_parser *parser, enum token_kind *kind, uint64_t *bits)
{
    bool sign = ptx_is_mark(parser, '-') || ptx_is_mark(parser, '+');
    bool negative = ptx_is_mark(parser, '-');
    struct lexer ahead = parser->lexer;
    struct token token = sign ? lexer_next(&ahead) : parser->token;

    if (token.kind != TOKEN_F32 && token.kind != TOKEN_F64)
        return false;
    if (sign)
        ptx_advance(parser);
    ptx_advance(parser);
    *kind = token.kind;
    *bits = token.value ^ (negative ? (uint64_t)1 << (token.kind == TOKEN_F32 ? 31 : 63) : 0);
    return true;
}
