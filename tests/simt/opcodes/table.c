// Reading the tables of opcode tests.
#include "table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../machine.h"

static const char *current_file;
static int current_line;

static void refuse(const char *what, const char *text)
{
    printf("%s:%d: %s: '%s'\n", current_file, current_line, what, text);
    exit(1);
}

uint32_t type_bytes(const char *type)
{
    if (!strcmp(type, "pred"))
        return 4;
    if (strstr(type, "x2"))
        return 4;
    int bits = atoi(type + strcspn(type, "0123456789"));
    return bits <= 16 ? 2 : bits == 32 ? 4 : 8;
}

// ---- operands derived from a mnemonic

static bool among(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

struct words {
    char text[96];
    char *word[12];
    int count;
};

static void split(const char *mnemonic, struct words *w)
{
    w->count = 0;
    snprintf(w->text, sizeof w->text, "%s", mnemonic);
    for (char *at = strtok(w->text, "."); at && w->count < 12; at = strtok(NULL, "."))
        w->word[w->count++] = at;
}

static const char *twice(const char *type)
{
    static const char *const pairs[][2] = {{"u16", "u32"}, {"s16", "s32"}, {"u32", "u64"}, {"s32", "s64"}};
    for (int i = 0; i < 4; i++)
        if (!strcmp(pairs[i][0], type))
            return pairs[i][1];
    refuse("no wider type", type);
    return NULL;
}

// Returns the number of sources. Destination and sources have the type of the mnemonic's last word, with these
// exceptions.
static int types_of(struct words *w, const char *types[5])
{
    const char *op = w->word[0], *last = w->word[w->count - 1], *other = w->count > 2 ? w->word[w->count - 2] : last;
    int sources = among(op, "abs neg not cnot mov popc clz brev bfind rcp sqrt rsqrt ex2 lg2 sin cos tanh testp cvt")
                      ? 1
                  : among(op, "mad fma sad dp4a mad24 shf prmt bfe fns slct selp") ? 3
                                                                                   : 2;
    if (!strcmp(op, "prmt") && strcmp(last, "b32"))
        last = "b32"; // prmt.b32.f4e
    for (int i = 0; i < 5; i++)
        types[i] = last;
    if (w->count > 1 && !strcmp(w->word[1], "wide"))
        types[0] = types[3] = twice(last);
    if (among(op, "popc clz bfind"))
        types[0] = "b32";
    if (among(op, "shl shr"))
        types[2] = "b32";
    if (!strcmp(op, "bfe"))
        types[2] = types[3] = "b32";
    if (among(op, "cvt set"))
        types[0] = other;
    if (!strcmp(op, "slct"))
        types[0] = types[1] = types[2] = other;
    if (among(op, "setp testp"))
        types[0] = "pred";
    if (!strcmp(op, "selp"))
        types[3] = "pred";
    return sources;
}

static void derive(const char *mnemonic, char *out, size_t size)
{
    static const char *const names[] = {"d", "a", "b", "c", "e"};
    const char *types[5];
    struct words w;
    split(mnemonic, &w);
    int sources = types_of(&w, types);
    int n = snprintf(out, size, "%s ", mnemonic);
    for (int i = 0; i <= sources; i++)
        n += snprintf(out + n, size - (size_t)n, "%s%%%s.%s", i ? ", " : "", names[i], types[i]);
}

// ---- forms

static struct operand *find_operand(struct form *f, const char *name)
{
    for (int i = 0; i < f->count; i++)
        if (!strcmp(f->operands[i].name, name))
            return &f->operands[i];
    if (f->count == MAX_OPERANDS)
        refuse("too many operands", f->text);
    struct operand *o = &f->operands[f->count++];
    snprintf(o->name, sizeof o->name, "%s", name);
    o->output = name[0] == 'd';
    o->temporary = name[0] == 't';
    o->slot = o->output ? f->outputs++ : o->temporary ? 0 : f->inputs++;
    return o;
}

// Reads "name.type" after a % sign; returns what follows.
static const char *read_operand(struct form *f, const char *at, char *out, size_t *n)
{
    char name[8] = "", type[8] = "";
    int length = 0;
    if (sscanf(at, "%7[a-z0-9]%n", name, &length) != 1)
        refuse("no name behind %", at);
    at += length;
    if (*at == '.' && sscanf(at + 1, "%7[a-z0-9]%n", type, &length) == 1)
        at += 1 + length;
    struct operand *o = find_operand(f, name);
    if (type[0])
        snprintf(o->type, sizeof o->type, "%s", type);
    if (!o->type[0])
        refuse("an operand without a type", name);
    *n += (size_t)sprintf(out + *n, "%%%s", name);
    return at;
}

struct form table_form(const char *text)
{
    struct form f = {.count = 0};
    char whole[512];
    size_t n = 0;
    f.simple = !strchr(text, '%');
    if (f.simple)
        derive(text, whole, sizeof whole);
    else
        snprintf(whole, sizeof whole, "%s", text);
    for (const char *at = whole; *at;) {
        if (*at == '%' && at[1] != '%')
            at = read_operand(&f, at + 1, f.text, &n);
        else {
            at += *at == '%'; // %%tid.x: a special register
            f.text[n++] = *at++;
        }
        if (n > sizeof f.text - 16)
            refuse("too long", text);
    }
    return f;
}

// ---- values

static uint64_t float_value(const char *text, const char *type)
{
    uint64_t bits = 0;
    char *end;
    if (!strcmp(type, "f64")) {
        double v = strtod(text, &end);
        memcpy(&bits, &v, 8);
        return *end ? (refuse("no number", text), 0) : !strcmp(text, "nan") ? UINT64_C(0x7ff8000000000000) : bits;
    }
    if (strcmp(type, "f32"))
        refuse("a number with a point is of type f32 or f64", text);
    float v = strtof(text, &end);
    memcpy(&bits, &v, 4);
    return *end ? (refuse("no number", text), 0) : !strcmp(text, "nan") ? 0x7fffffff : bits;
}

static uint64_t read_bits(const char *text, const char *type)
{
    bool hexadecimal = !strncmp(text, "0x", 2) || !strncmp(text, "-0x", 3);
    if (!hexadecimal && (strchr(text, '.') || strstr(text, "inf") || strstr(text, "nan")))
        return float_value(text, type);
    char *end;
    uint64_t bits = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    if (*end || end == text)
        refuse("no number", text);
    uint32_t bytes = type_bytes(type);
    return bytes == 8 ? bits : bits & ((UINT64_C(1) << 8 * bytes) - 1);
}

static struct wanted read_wanted(const char *text, const char *type)
{
    if (!strcmp(text, "*"))
        return (struct wanted){WANT_ANY, 0};
    if (!strcmp(text, "nan"))
        return (struct wanted){WANT_NAN, 0};
    return (struct wanted){WANT_BITS, read_bits(text, type)};
}

static bool is_nan(const char *type, uint64_t bits)
{
    if (!strcmp(type, "f64"))
        return (bits & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff0000000000000);
    return bits == (type_bytes(type) == 4 ? 0x7fffffff : 0x7fff);
}

bool meets(const struct wanted *want, const char *type, uint64_t got)
{
    switch (want->kind) {
    case WANT_ANY: return true;
    case WANT_NAN: return is_nan(type, got);
    default: return got == want->bits;
    }
}

// ---- lines

// Reads one value of a column and advances the column's text.
static void read_value(struct example *e, const struct operand *o, char **column)
{
    char word[64];
    int length = 0;
    if (sscanf(*column, " %63[^ ,]%n", word, &length) != 1)
        refuse(o->output ? "too few outputs" : "too few inputs", *column);
    *column += length;
    if (o->output)
        e->out[o->slot] = read_wanted(word, o->type);
    else
        e->in[o->slot] = read_bits(word, o->type);
}

// Commas separate examples; both columns have the same number.
static void read_examples(struct group *g, char *inputs, char *outputs)
{
    for (;;) {
        struct example e = {.line = current_line};
        for (int i = 0; i < g->form.count; i++)
            if (!g->form.operands[i].temporary)
                read_value(&e, &g->form.operands[i], g->form.operands[i].output ? &outputs : &inputs);
        g->examples = realloc(g->examples, sizeof *g->examples * (size_t)(g->count + 1));
        g->examples[g->count++] = e;
        inputs += strspn(inputs, " ");
        outputs += strspn(outputs, " ");
        if (!*inputs && !*outputs)
            return;
        if (*outputs++ != ',' || (g->form.inputs && *inputs++ != ','))
            refuse("too many values, or not as many examples on both sides", outputs - 1);
    }
}

static char *trimmed(char *text)
{
    text += strspn(text, " ");
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);)
        text[--n] = 0;
    return text;
}

static void read_line(struct table *t, const char *text)
{
    char line[1024];
    snprintf(line, sizeof line, " %s", text); // " |" separates columns; the bar of d|p has no space before it
    line[strcspn(line, "#")] = 0;
    if (!*trimmed(line))
        return;
    char *inputs = strstr(line, " |"), *outputs = inputs ? strstr(inputs + 2, " |") : NULL;
    if (!outputs)
        refuse("not three columns", line);
    *inputs = *outputs = 0;
    if (*trimmed(line)) {
        t->groups = realloc(t->groups, sizeof *t->groups * (size_t)(t->count + 1));
        t->groups[t->count++] = (struct group){.file = current_file, .form = table_form(trimmed(line))};
    }
    if (!t->count)
        refuse("no instruction to repeat", line);
    read_examples(&t->groups[t->count - 1], trimmed(inputs + 2), trimmed(outputs + 2));
}

struct table table_read(const char *path)
{
    struct table t = {NULL, 0};
    char *text = read_text(path), *next;
    current_file = path;
    current_line = 0;
    for (char *line = text; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        current_line++;
        read_line(&t, line);
    }
    free(text);
    return t;
}
