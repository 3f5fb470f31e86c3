// Turns the words that a wrong value was computed from into a sentence about arrays. A word belongs to the array that a
// kernel's parameter points to; PTX only numbers the parameters, so their names are read from the source.
#include "check/origin.h"

#include <ctype.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/opcodes.h"
#include "memory/memory.h"

#define POINTERS 64
#define NAME 64      // characters of an array's name
#define SENTENCE 900 // characters of the report
#define LISTED 6     // pieces of arrays that are listed
#define ONLY (-1)

// A kernel's parameter that points to an array.
struct pointer {
    uint64_t value;
    const struct module *module;
    const char *kernel; // as in PTX
    int parameter;
    int part; // number of the pointer in a struct, from 1; 0: the parameter is no struct; ONLY: there is one
};

static struct {
    struct pointer at[POINTERS];
    uint32_t count;
} pointers;

static void record_pointer(const struct pointer *p)
{
    for (uint32_t i = 0; i < pointers.count; i++)
        if (pointers.at[i].value == p->value && pointers.at[i].kernel == p->kernel)
            return;
    if (pointers.count < POINTERS)
        pointers.at[pointers.count++] = *p;
}

// Adds a pointer parameter, or the pointers in a struct.
static void note_parameter(struct pointer p, const uint8_t *from, uint64_t size)
{
    uint32_t before = pointers.count;
    for (uint64_t at = 0; at + sizeof p.value <= size; at += sizeof p.value) {
        memcpy(&p.value, from + at, sizeof p.value);
        if (!memory_find(p.value))
            continue;
        p.part += size > sizeof p.value;
        record_pointer(&p);
    }
    if (p.part == 1 && pointers.count == before + 1)
        pointers.at[before].part = ONLY;
}

void origin_record_pointers(const struct launch *l)
{
    const struct ptx_function *f = l->code->ptx;
    uint32_t at = 0;
    for (int i = 0; i < f->param_count; i++) {
        const struct pointer p = {.module = l->module, .kernel = l->code->name, .parameter = i};
        at = param_start(at, &f->params[i]);
        note_parameter(p, l->params + at, f->params[i].size);
        at += (uint32_t)f->params[i].size;
    }
}

// ---- the name of a parameter, from the source

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    size_t size = 0, got, room = 1 << 16;
    char *text = file ? alloc_zeroed(room + 1, 1) : NULL;
    while (file && (got = fread(text + size, 1, room - size, file)) > 0 && room < 1 << 22)
        if ((size += got) == room)
            text = alloc_resize(text, (room *= 2) + 1, 1);
    if (file)
        fclose(file);
    if (text)
        text[size] = 0;
    return text;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Where the parameters begin in the kernel's definition or declaration; NULL: there is neither.
static const char *find_parameters(const char *text, const char *kernel)
{
    size_t length = strlen(kernel);
    for (const char *at = strstr(text, kernel); at; at = strstr(at + 1, kernel)) {
        const char *open = at + length + strspn(at + length, " \n"), *begin = at;
        while (begin > text && begin[-1] != ';' && begin[-1] != '}')
            begin--;
        const char *global = strstr(begin, "__global__");
        if (*open == '(' && at > text && !is_letter(at[-1]) && global && global < at)
            return open + 1;
    }
    return NULL;
}

// The name of parameter number `parameter`: its last word.
static bool name_in_list(const char *at, int parameter, char out[NAME])
{
    const char *word = NULL;
    size_t length = 0;
    for (int depth = 0; *at && depth >= 0; at++) {
        bool ends = depth == 0 && (*at == ',' || *at == ')');
        if (ends && parameter-- == 0)
            break;
        depth += (*at == '(' || *at == '<' || *at == '[') - (*at == ')' || *at == '>' || *at == ']');
        if (depth == 0 && is_letter(*at) && !is_letter(at[-1])) {
            word = at;
            for (length = 0; is_letter(at[length]);)
                length++;
        }
    }
    if (parameter != -1 || !word || length >= NAME)
        return false;
    snprintf(out, NAME, "%.*s", (int)length, word);
    return true;
}

static void name_of_parameter(const struct pointer *p, char out[NAME])
{
    const struct ptx_module *m = p->module->ptx;
    char kernel[NAME];
    bool found = false;
    snprintf(kernel, sizeof kernel, "%s", kernel_name(p->kernel));
    for (int i = 1; i < m->file_count && !found; i++) {
        char *text = m->files[i] && !ptx_in_toolkit(m, (struct ptx_loc){i, 1}) ? read_text(m->files[i]) : NULL;
        const char *list = text ? find_parameters(text, kernel) : NULL;
        found = list && name_in_list(list, p->parameter, out);
        free(text);
    }
    if (!found)
        snprintf(out, NAME, "(parameter %d of %.30s)", p->parameter + 1, kernel);
}

// "1st", "12th": valid until the next call.
static const char *ordinal(int number)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    static char text[16];
    bool teens = number / 10 % 10 == 1;
    snprintf(text, sizeof text, "%d%s", number, ends[teens || number % 10 > 3 ? 0 : number % 10]);
    return text;
}

static void name_of_pointer(const struct pointer *p, char out[NAME])
{
    char name[NAME];
    name_of_parameter(p, name);
    if (p->part == ONLY)
        snprintf(out, NAME, "(the array in %.30s)", name);
    else if (p->part)
        snprintf(out, NAME, "(%s pointer inside %.30s)", ordinal(p->part), name);
    else
        snprintf(out, NAME, "%s", name);
}

// ---- arrays

// A named part of memory: from a pointer to the next one, or to the end of the allocation.
struct array {
    uint64_t begin;
    bool known; // it is a variable, or a kernel was given it
    char name[NAME];
};

void origin_forget_pointers(void)
{
    pointers.count = 0;
}

static struct array array_of(uint64_t address, const char *kernel)
{
    const struct allocation *a = memory_find(address);
    const struct pointer *best = NULL;
    struct array array = {a ? a->base : address, a && a->name, ""};
    if (a)
        snprintf(array.name, NAME, "(an array of %" PRIu64 " bytes)", a->size);
    for (uint32_t i = 0; i < pointers.count && a; i++) {
        const struct pointer *p = &pointers.at[i];
        bool own = p->kernel == kernel, best_own = best && best->kernel == kernel;
        if (p->value > address || p->value < a->base)
            continue;
        if (!best || own > best_own || (own == best_own && p->value > best->value))
            best = p;
    }
    if (a && a->name)
        snprintf(array.name, NAME, "%s", variable_name(a->name));
    if (best && !(a && a->name)) {
        array.begin = best->value;
        array.known = true;
        name_of_pointer(best, array.name);
    }
    return array;
}

static void add_text(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_text(char *text, const char *format, ...)
{
    size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, SENTENCE - length, format, args);
    va_end(args);
}

// The leaves from first on that lie at equal distances in one array, as "in[0], [2] and so on to [254]". Returns how
// many.
static uint32_t add_piece(char *text, const struct leaf *leaves, uint32_t count, const struct array *array)
{
    uint64_t size = leaves->size, first = (leaves->address - array->begin) / size, step = 0;
    uint32_t n = 1;
    if (count > 1)
        step = leaves[1].address - leaves[0].address;
    while (n < count && leaves[n].address - leaves[n - 1].address == step && leaves[n].size == size)
        n++;
    n = n < 4 && step != size ? 1 : n;
    uint64_t last = first + (n - 1) * (step / size);
    if (n == 1)
        add_text(text, "%s[%" PRIu64 "]", array->name, first);
    else if (step == size)
        add_text(text, "%s[%" PRIu64 "..%" PRIu64 "]", array->name, first, last);
    else
        add_text(text, "%s[%" PRIu64 "], [%" PRIu64 "] and so on to [%" PRIu64 "]", array->name, first,
                 first + step / size, last);
    return n;
}

// How many of the leaves, which are sorted by address, lie in the first one's array.
static uint32_t in_one_array(const struct leaf *leaves, uint32_t count, const char *kernel, const struct array *array)
{
    uint32_t n = 1;
    while (n < count && memory_find(leaves[n].address) == memory_find(leaves->address) &&
           array_of(leaves[n].address, kernel).begin == array->begin)
        n++;
    return n;
}

static void add_leaves(char *text, const struct leaf *leaves, uint32_t count, const char *kernel)
{
    uint32_t pieces = 0, at = 0;
    for (uint32_t end = 0; at < count && pieces < LISTED; at = end) {
        struct array array = array_of(leaves[at].address, kernel);
        end = at + in_one_array(leaves + at, count - at, kernel, &array);
        for (; at < end && pieces < LISTED; pieces++) {
            add_text(text, "%s", pieces ? ", " : "");
            at += add_piece(text, leaves + at, end - at, &array);
        }
        if (at < end)
            break;
    }
    if (at < count)
        add_text(text, " and %" PRIu32 " more words", count - at);
}

// Bulk copies and reductions count their bytes, so the size of an element is unknown: words.
static uint32_t written_size(const struct origin *o)
{
    return o->op == OP_cp || !o->size ? 4 : o->size;
}

static void add_sources(char *text, const struct origin_word *word, const char *kernel)
{
    uint32_t count;
    struct leaf *leaves = graph_leaves(word->node, &count);
    add_text(text, count ? ", from " : ", from constants and indices alone: no word of the input is in it");
    add_leaves(text, leaves, count, kernel);
    free(leaves);
}

void origin_describe(const struct origin_launch *by, const struct origin_word *word, uint64_t address, bool followed)
{
    const struct origin *o = &by->module->origins[word->id];
    struct array array = array_of(address, by->kernel);
    char text[SENTENCE] = "";
    add_text(text, "%s[%" PRIu64 "] was written at %s by %s%s of %s of %s", array.name,
             (address - array.begin) / written_size(o), instr_place(by->module->ptx, instr_of(by->module, word->id)),
             o->op == OP_cp ? "the bulk copy of " : "", thread_in(by->dim, word->thread),
             block_in(by->grid, word->block), kernel_name(by->kernel));
    if (followed)
        add_sources(text, word, by->kernel);
    fprintf(stderr, "simt: origin: %s\n", text);
}

void origin_describe_unstored(uint64_t address, uint32_t size)
{
    const struct array array = array_of(address, NULL);
    if (array.known)
        fprintf(stderr, "simt: origin: no kernel has written %s[%" PRIu64 "]\n", array.name,
                (address - array.begin) / size);
}
