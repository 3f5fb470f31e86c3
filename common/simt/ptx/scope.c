// Names, blocks and utilities of the PTX parser (parser.h): errors, tokens, lists.
//
// Every string is interned once. A name has a stack of bindings, innermost first, so that a look-up costs one hash, and
// the end of a block pops the block's bindings. `.reg .b32 %r<48>` binds only the prefix "%r": a register of the range
// is created, and gets its index, when it is first used.
#include "ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define QUOTED_LENGTH 60

_Noreturn void ptx_fail(struct ptx_parser *parser, int line, const char *format, ...)
{
    char message[512];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    if (parser->error_size > 0)
        snprintf(parser->error, parser->error_size, "PTX line %d: %s", line, message);
    longjmp(parser->failed, 1);
}

_Noreturn void ptx_expected(struct ptx_parser *parser, const char *what)
{
    const struct token *token = &parser->token;
    int length = token->length < QUOTED_LENGTH ? (int)token->length : QUOTED_LENGTH;

    if (token->kind == TOKEN_END)
        ptx_fail(parser, token->line, "the text ends, expected %s", what);
    ptx_fail(parser, token->line, "got '%.*s', expected %s", length, token->text, what);
}

void *ptx_alloc(struct ptx_parser *parser, size_t size)
{
    void *memory = ptx_arena_alloc(parser->arena, size);

    if (!memory)
        ptx_fail(parser, parser->token.line, "out of memory");
    return memory;
}

// Returns a terminated copy.
static const char *ptx_string(struct ptx_parser *parser, const char *text, size_t length)
{
    char *copy = ptx_alloc(parser, length + 1);

    memcpy(copy, text, length);
    return copy;
}

void *ptx_push(struct ptx_parser *parser, struct ptx_list *list)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity ? list->capacity * 2 : 8;
        void *items = ptx_alloc(parser, (size_t)capacity * list->item_size);

        if (list->count)
            memcpy(items, list->items, (size_t)list->count * list->item_size);
        list->items = items;
        list->capacity = capacity;
    }
    void *item = (char *)list->items + (size_t)list->count++ * list->item_size;

    return memset(item, 0, list->item_size);
}

void *ptx_take(struct ptx_parser *parser, struct ptx_list *list, int first)
{
    size_t size = (size_t)(list->count - first) * list->item_size;

    if (size == 0)
        return NULL;
    void *items = ptx_alloc(parser, size);

    memcpy(items, (char *)list->items + (size_t)first * list->item_size, size);
    list->count = first;
    return items;
}

// FNV-1a. The arena's address is the seed, so names that all collide cannot be prepared.
static uint64_t hash_text(const struct ptx_parser *parser, const char *text, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325 ^ (uint64_t)(uintptr_t)parser->arena;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    return hash ^ hash >> 32;
}

static void grow_names(struct ptx_parser *parser, struct ptx_names *names)
{
    size_t count = names->bucket_count ? names->bucket_count * 2 : 1024;
    struct ptx_name **buckets = ptx_alloc(parser, count * sizeof(struct ptx_name *));

    for (size_t i = 0; i < names->bucket_count; i++) {
        for (struct ptx_name *name = names->buckets[i], *next; name; name = next) {
            next = name->next;
            name->next = buckets[name->hash % count];
            buckets[name->hash % count] = name;
        }
    }
    names->buckets = buckets;
    names->bucket_count = count;
}

struct ptx_name *ptx_intern(struct ptx_parser *parser, struct ptx_names *names, const char *text, size_t length)
{
    uint64_t hash = hash_text(parser, text, length);

    if (names->count >= names->bucket_count)
        grow_names(parser, names);
    struct ptx_name **bucket = &names->buckets[hash % names->bucket_count];

    for (struct ptx_name *name = *bucket; name; name = name->next)
        if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0)
            return name;
    struct ptx_name *name = ptx_alloc(parser, sizeof *name);

    name->text = ptx_string(parser, text, length);
    name->length = length;
    name->hash = hash;
    name->next = *bucket;
    *bucket = name;
    names->count++;
    return name;
}

void ptx_open_scope(struct ptx_parser *parser, int line)
{
    if (parser->depth == PTX_MAX_DEPTH)
        ptx_fail(parser, line, "more than %d nested blocks", PTX_MAX_DEPTH);
    parser->scopes[++parser->depth] = (struct ptx_scope){0};
}

// Fills in a label operand from the binding of its name.
static void resolve_reference(struct ptx_parser *parser, const struct ptx_reference *reference,
                              const struct ptx_binding *binding)
{
    struct ptx_operand *operand = reference->operand;
    bool branch = strncmp(reference->op, "bra", 3) == 0;
    bool indexed = strncmp(reference->op, "brx", 3) == 0;
    bool call = strncmp(reference->op, "call", 4) == 0;

    if (binding->kind == BIND_LABEL && (branch || reference->op[0] == '.')) {
        operand->value = binding->index;
    } else if (binding->kind == BIND_TARGETS && indexed) {
        *operand =
            (struct ptx_operand){.kind = PTX_OP_VECTOR, .reg = -1, .list = binding->list, .count = binding->count};
    } else if (binding->kind == BIND_PROTOTYPE && call) {
        operand->kind = PTX_OP_SYMBOL;
    } else {
        ptx_fail(parser, reference->line, "'%s' is not what '%s' can name here", operand->symbol, reference->op);
    }
}

static void close_references(struct ptx_parser *parser, struct ptx_scope *scope)
{
    for (struct ptx_reference *reference = scope->references, *next; reference; reference = next) {
        const char *symbol = reference->operand->symbol;
        struct ptx_binding *binding = ptx_intern(parser, &parser->names, symbol, strlen(symbol))->binding;

        next = reference->next;
        if (binding && binding->depth == parser->depth && binding->kind >= BIND_LABEL) {
            resolve_reference(parser, reference, binding);
        } else if (parser->depth == 1) {
            ptx_fail(parser, reference->line, "label '%s' is not defined in this function", symbol);
        } else {
            reference->next = scope[-1].references;
            scope[-1].references = reference;
        }
    }
}

void ptx_close_scope(struct ptx_parser *parser)
{
    struct ptx_scope *scope = &parser->scopes[parser->depth];

    close_references(parser, scope);
    for (struct ptx_binding *binding = scope->bindings; binding; binding = binding->next)
        binding->name->binding = binding->outer;
    parser->depth--;
}

// Pushes a binding on name's stack, for the block at depth.
static struct ptx_binding *add_binding(struct ptx_parser *parser, struct ptx_name *name, enum ptx_binding_kind kind,
                                       int depth)
{
    struct ptx_binding *binding = ptx_alloc(parser, sizeof *binding);

    binding->kind = kind;
    binding->depth = depth;
    binding->name = name;
    binding->index = -1;
    binding->outer = name->binding;
    binding->next = parser->scopes[depth].bindings;
    parser->scopes[depth].bindings = binding;
    name->binding = binding;
    return binding;
}

struct ptx_binding *ptx_bind(struct ptx_parser *parser, struct ptx_name *name, enum ptx_binding_kind kind, int line)
{
    if (name->binding && name->binding->depth == parser->depth)
        ptx_fail(parser, line, "'%s' is declared twice in this block", name->text);
    return add_binding(parser, name, kind, parser->depth);
}

const char *ptx_bind_variable(struct ptx_parser *parser, struct ptx_name *name, int line)
{
    struct ptx_binding *binding = ptx_bind(parser, name, BIND_VAR, line);
    struct ptx_name *unique = name;

    while (unique->used_in == parser->function_number || unique->var || unique->func) {
        char suffix[16];
        int length = snprintf(suffix, sizeof suffix, "$%u", ++name->copies);
        char *text = ptx_alloc(parser, name->length + sizeof suffix);

        memcpy(text, name->text, name->length);
        memcpy(text + name->length, suffix, (size_t)length);
        unique = ptx_intern(parser, &parser->names, text, name->length + (size_t)length);
    }
    unique->used_in = parser->function_number;
    return binding->symbol = unique->text;
}

// The range that "%r17" belongs to: a binding of "%r" with more than 17 registers. NULL if there is none.
static struct ptx_binding *find_range(struct ptx_parser *parser, const struct ptx_name *name)
{
    size_t prefix = name->length;
    uint64_t number = 0;

    while (prefix > 0 && name->text[prefix - 1] >= '0' && name->text[prefix - 1] <= '9')
        prefix--;
    size_t digits = name->length - prefix;

    if (digits == 0 || digits > 10 || prefix == 0 || (digits > 1 && name->text[prefix] == '0'))
        return NULL;
    for (size_t i = prefix; i < name->length; i++)
        number = number * 10 + (uint64_t)(name->text[i] - '0');
    struct ptx_binding *binding = ptx_intern(parser, &parser->names, name->text, prefix)->binding;

    while (binding && !(binding->kind == BIND_RANGE && number < binding->range))
        binding = binding->outer;
    return binding;
}

int ptx_find_register(struct ptx_parser *parser, struct ptx_name *name)
{
    struct ptx_binding *binding = name->binding;

    if (!binding || binding->depth < parser->depth) {
        struct ptx_binding *range = find_range(parser, name);

        if (range && (!binding || range->depth > binding->depth)) {
            binding = add_binding(parser, name, BIND_REG, range->depth);
            binding->type = range->type;
        }
    }
    if (!binding || binding->kind != BIND_REG)
        return -1;
    if (binding->index < 0) {
        struct ptx_reg *reg = ptx_push(parser, &parser->regs);

        *reg = (struct ptx_reg){.name = name->text, .type = binding->type};
        binding->index = parser->regs.count - 1;
    }
    return binding->index;
}

void ptx_refer(struct ptx_parser *parser, struct ptx_operand *operand, const char *op, int line)
{
    struct ptx_reference *reference = ptx_alloc(parser, sizeof *reference);
    struct ptx_scope *scope = &parser->scopes[parser->depth];

    *reference = (struct ptx_reference){.operand = operand, .op = op, .line = line, .next = scope->references};
    scope->references = reference;
}

void ptx_advance(struct ptx_parser *parser)
{
    parser->token = lexer_next(&parser->lexer);
    if (parser->token.kind == TOKEN_BAD)
        ptx_fail(parser, parser->token.line, "got '%.*s': %s", (int)(parser->token.length > 0), parser->token.text,
                 parser->token.problem);
}

bool ptx_is_mark(const struct ptx_parser *parser, int mark)
{
    return parser->token.kind == TOKEN_MARK && parser->token.mark == mark;
}

bool ptx_is_directive(const struct ptx_parser *parser, const char *name)
{
    const struct token *token = &parser->token;

    return token->kind == TOKEN_DIRECTIVE && strlen(name) == token->length &&
           memcmp(token->text, name, token->length) == 0;
}

bool ptx_accept_mark(struct ptx_parser *parser, int mark)
{
    if (!ptx_is_mark(parser, mark))
        return false;
    ptx_advance(parser);
    return true;
}

bool ptx_accept_directive(struct ptx_parser *parser, const char *name)
{
    if (!ptx_is_directive(parser, name))
        return false;
    ptx_advance(parser);
    return true;
}

void ptx_expect_mark(struct ptx_parser *parser, int mark, const char *what)
{
    if (!ptx_accept_mark(parser, mark))
        ptx_expected(parser, what);
}

struct ptx_name *ptx_expect_name(struct ptx_parser *parser, const char *what)
{
    const struct token *token = &parser->token;

    if (token->kind != TOKEN_NAME || memchr(token->text, '.', token->length))
        ptx_expected(parser, what);
    struct ptx_name *name = ptx_intern(parser, &parser->names, token->text, token->length);

    ptx_advance(parser);
    return name;
}

uint64_t ptx_expect_int(struct ptx_parser *parser, uint64_t largest, const char *what)
{
    uint64_t value = parser->token.value;

    if (parser->token.kind != TOKEN_INT || value > largest)
        ptx_expected(parser, what);
    ptx_advance(parser);
    return value;
}
