// The scalar types of PTX, one table for parser, decoder and messages; and the first words of mnemonics.
#include "ptx/ptx.h"

#include <string.h>

struct type {
    const char *name;
    unsigned size;
};

static const struct type types[] = {
    [PTX_NONE] = {"none", 0},   [PTX_PRED] = {"pred", 0}, [PTX_B8] = {"b8", 1},         [PTX_B16] = {"b16", 2},
    [PTX_B32] = {"b32", 4},     [PTX_B64] = {"b64", 8},   [PTX_B128] = {"b128", 16},    [PTX_U8] = {"u8", 1},
    [PTX_U16] = {"u16", 2},     [PTX_U32] = {"u32", 4},   [PTX_U64] = {"u64", 8},       [PTX_S8] = {"s8", 1},
    [PTX_S16] = {"s16", 2},     [PTX_S32] = {"s32", 4},   [PTX_S64] = {"s64", 8},       [PTX_F16] = {"f16", 2},
    [PTX_F16X2] = {"f16x2", 4}, [PTX_BF16] = {"bf16", 2}, [PTX_BF16X2] = {"bf16x2", 4}, [PTX_F32] = {"f32", 4},
    [PTX_F64] = {"f64", 8},
};

#define TYPE_COUNT (sizeof types / sizeof *types)

unsigned ptx_type_size(enum ptx_type type)
{
    return (size_t)type < TYPE_COUNT ? types[type].size : 0;
}

const char *ptx_type_name(enum ptx_type type)
{
    return (size_t)type < TYPE_COUNT ? types[type].name : "none";
}

enum ptx_type ptx_type_parse(const char *text, size_t length)
{
    for (size_t type = PTX_PRED; type < TYPE_COUNT; type++)
        if (strlen(types[type].name) == length && memcmp(types[type].name, text, length) == 0)
            return (enum ptx_type)type;
    return PTX_NONE;
}

bool is_family(const char *mnemonic, const char *word)
{
    for (; *word && *mnemonic == *word; word++) // called often, and most differ in the first letter
        mnemonic++;
    return *word == 0 && (*mnemonic == 0 || *mnemonic == '.');
}

bool ends_with(const char *mnemonic, const char *part)
{
    size_t n = strlen(mnemonic), k = strlen(part);
    return n >= k && !strcmp(mnemonic + n - k, part);
}
