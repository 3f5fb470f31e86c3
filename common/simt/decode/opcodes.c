// The opcode table and its look-up: expands every pattern once into its mnemonics, in a hash table.
#include "decode/opcodes.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "ptx/ptx.h"

#define UNARY(id, pattern, class, D, A, expr) {#id, pattern, class, 1, false, LANE_##D, LANE_##A, 0, 0},
#define BINARY(id, pattern, class, D, A, B, expr) {#id, pattern, class, 2, false, LANE_##D, LANE_##A, LANE_##B, 0},
#define TERNARY(id, pattern, class, D, A, B, C, expr) \
    {#id, pattern, class, 3, false, LANE_##D, LANE_##A, LANE_##B, LANE_##C},
#define ROUNDED1(id, pattern, class, T, mode, expr) UNARY(id, pattern, class, T, T, expr)
#define ROUNDED2(id, pattern, class, T, mode, expr) BINARY(id, pattern, class, T, T, T, expr)
#define ROUNDED3(id, pattern, class, T, mode, expr) TERNARY(id, pattern, class, T, T, T, T, expr)
#define COMPARE(id, pattern, A, expr) {#id, pattern, PLAIN, 2, true, 0, LANE_##A, LANE_##A, 0},
#define FAMILY(id, word, class, decoder) {#id, word, class, 0, false, 0, 0, 0, 0},

const struct opcode_info opcode_table[OPCODES] = {
#include "decode/opcodes.def"
};

#define SLOTS 8192 // a power of two, more than twice the mnemonics
#define MNEMONIC 40

enum { HASH_PLAIN, HASH_COMPARISON, HASH_FAMILY };

static struct slot {
    char name[MNEMONIC];
    uint16_t kind, op;
} slots[SLOTS];

static struct slot *find_slot(const char *name, unsigned kind)
{
    uint32_t h = 2166136261u + kind;
    for (const char *c = name; *c; c++)
        h = (h ^ (uint8_t)*c) * 16777619u;
    for (;; h++) {
        struct slot *s = &slots[h % SLOTS];
        if (!s->name[0] || (s->kind == kind && !strcmp(s->name, name)))
            return s;
    }
}

static void insert(const char *name, unsigned kind, unsigned op)
{
    struct slot *s = find_slot(name, kind);
    if (s->name[0])
        return; // an earlier row has it
    memcpy(s->name, name, strnlen(name, MNEMONIC - 1));
    s->kind = (uint16_t)kind;
    s->op = (uint16_t)op;
}

// Appends to done[0..length-1] every expansion of pattern and shows the results.
static void expand(char *done, size_t length, const char *pattern, enum opcode op, see_opcode *see)
{
    while (*pattern && *pattern != '{' && *pattern != '[')
        done[length++] = *pattern++;
    done[length] = 0;
    if (!*pattern) {
        see(done, op);
        return;
    }
    char close = *pattern == '{' ? '}' : ']';
    const char *rest = strchr(pattern, close) + 1;
    if (close == ']')
        expand(done, length, rest, op, see);
    for (const char *choice = pattern + 1; choice < rest;) {
        size_t n = strcspn(choice, close == '}' ? ",}" : "]");
        memcpy(done + length, choice, n);
        expand(done, length + n, rest, op, see);
        choice += n + 1;
    }
}

void opcodes_each(see_opcode *see)
{
    char done[256];
    for (unsigned op = 0; op < OPCODES; op++)
        expand(done, 0, opcode_table[op].pattern, op, see);
}

static void enter(const char *mnemonic, enum opcode op)
{
    const struct opcode_info *info = &opcode_table[op];
    insert(mnemonic, info->comparison ? HASH_COMPARISON : info->operands ? HASH_PLAIN : HASH_FAMILY, op);
}

static void fill(void)
{
    opcodes_each(enter);
}

static enum opcode find(const char *name, unsigned kind)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
    if (strlen(name) >= MNEMONIC)
        return OPCODES;
    struct slot *s = find_slot(name, kind);
    return s->name[0] ? s->op : OPCODES;
}

enum opcode opcode_find(const char *mnemonic)
{
    return find(mnemonic, HASH_PLAIN);
}

enum opcode opcode_find_comparison(const char *comparison_and_type)
{
    return find(comparison_and_type, HASH_COMPARISON);
}

enum opcode opcode_find_family(const char *mnemonic)
{
    char word[MNEMONIC];
    size_t n = strcspn(mnemonic, ".");
    if (n >= sizeof word)
        return OPCODES;
    memcpy(word, mnemonic, n);
    word[n] = 0;
    return find(word, HASH_FAMILY);
}

bool product_shape(const char *mnemonic, unsigned *m, unsigned *n, unsigned *k)
{
    const char *shape = strstr(mnemonic, ".m");
    while (shape && sscanf(shape, ".m%un%uk%u", m, n, k) != 3)
        shape = strstr(shape + 1, ".m");
    if (shape && is_family(mnemonic, "wgmma"))
        *m /= 4;
    return shape != NULL;
}
