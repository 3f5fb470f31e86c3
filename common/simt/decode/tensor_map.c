// Kernels that change tensor maps, and cache policies: tensormap, fence.proxy.tensormap, createpolicy.
#include "decode/decode.h"
#include "decode/families.h"

static const char *const fields[] = {"global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
                                     "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"};

enum { FIELDS = sizeof fields / sizeof *fields };

static uint8_t read_field(struct decoder *d)
{
    for (uint8_t k = 0; k < FIELDS; k++)
        if (has_word(d, fields[k]))
            return k;
    refuse(d, "changes a field that this machine does not know");
    return 0;
}

static uint8_t read_fence_scope(const struct decoder *d)
{
    return has_word(d, "cta")       ? SCOPE_BLOCK
           : has_word(d, "cluster") ? SCOPE_CLUSTER
           : has_word(d, "gpu")     ? SCOPE_DEVICE
                                    : SCOPE_SYSTEM;
}

// tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [to], [from], 128
static void decode_map_copy(struct decoder *d)
{
    static const char *const known[] = {"cp_fenceproxy", "global", "shared::cta", "tensormap::generic",
                                        "release",       "cta",    "cluster",     "gpu",
                                        "sys",           "sync",   "aligned"};
    uint32_t places[MAP_WORDS] = {0};
    if (!refuse_other_words(d, known, sizeof known / sizeof *known))
        return;
    put_address(read_address(d, operand(d, 0), PTX_GLOBAL), places + MAP_AT);
    put_address(read_address(d, operand(d, 1), PTX_SHARED), places + MAP_FROM);
    d->code->orders = true;
    uint32_t list = add_list(d, places, MAP_WORDS);
    struct insn *in = emit(d, RUN_map_copy);
    in->target = list;
    in->count = 1;
    in->size = 16;
    in->scope = read_fence_scope(d);
}

// tensormap.replace.tile.field{.space}.b1024.type [map]{, dimension}, value
void decode_tensormap(struct decoder *d)
{
    static const char *const others[] = {"replace", "tile", "global", "shared::cta", "b1024", "b32", "b64"};
    uint32_t places[MAP_WORDS] = {0};
    if (has_word(d, "cp_fenceproxy")) {
        decode_map_copy(d);
        return;
    }
    uint8_t field = read_field(d);
    for (int i = 1; i < d->word_count; i++)
        if (!is_one_of(d->words[i], others, sizeof others / sizeof *others) && !is_one_of(d->words[i], fields, FIELDS))
            refuse(d, "has the modifier .%s, which this machine does not know", d->words[i]);
    enum ptx_space space = has_word(d, "global") ? PTX_GLOBAL : has_word(d, "shared::cta") ? PTX_SHARED : PTX_GENERIC;
    bool several = field >= CHANGE_BOX && field <= CHANGE_STEP;
    put_address(read_address(d, operand(d, 0), space), places + MAP_AT);
    int64_t dimension = several ? constant(d, operand(d, 1)) : 0;
    places[MAP_VALUE] = source(d, operand(d, 1 + several), has_word(d, "b64") ? LANE_u64 : LANE_u32);
    uint32_t list = add_list(d, places, MAP_WORDS);
    struct insn *in = emit(d, RUN_map_replace);
    in->target = list;
    in->count = 1;
    in->size = 16;
    in->sub = field;
    in->imm = dimension;
    in->scope = has_word(d, "b64");
}

// fence.proxy.tensormap::generic.{release,acquire}.scope{ [map], 128}
void decode_map_fence(struct decoder *d)
{
    static const char *const known[] = {"proxy", "tensormap::generic", "release", "acquire", "cta", "cluster", "gpu",
                                        "sys"};
    uint32_t places[MAP_WORDS] = {0};
    bool acquire = has_word(d, "acquire");
    if (!refuse_other_words(d, known, sizeof known / sizeof *known))
        return;
    if (acquire)
        put_address(read_address(d, operand(d, 0), PTX_GENERIC), places + MAP_AT);
    d->code->orders = true;
    uint32_t list = add_list(d, places, MAP_WORDS);
    struct insn *in = emit(d, RUN_map_fence);
    in->target = list;
    in->scope = read_fence_scope(d);
    in->sub = acquire;
}

// createpolicy.{fractional,range,cvt}...b64 d, ...: the machine ignores policies, whose bits mean nothing to programs.
void decode_createpolicy(struct decoder *d)
{
    static const char *const known[] = {
        "fractional",          "range", "cvt", "global", "L2", "L2::evict_last", "L2::evict_normal", "L2::evict_first",
        "L2::evict_unchanged", "b64"};
    refuse_other_words(d, known, sizeof known / sizeof *known);
    uint32_t a = constant_row(d, 1, 4), dst = destination(d, operand(d, 0), 8);
    struct insn *in = emit(d, RUN_cvt_64_u32);
    in->a = a;
    in->dst = dst;
}
