// Bulk copies and their groups: cp.async.bulk, cp.reduce.async.bulk and their forms for tensors; st.async, red.async.
#include "decode/decode.h"
#include "decode/families.h"

void put_address(struct address at, uint32_t *out)
{
    out[0] = at.place;
    out[1] = (uint32_t)at.imm;
    out[2] = (uint32_t)((uint64_t)at.imm >> 32);
    out[3] = (uint32_t)at.space | (at.narrow ? BULK_NARROW : 0);
}

static void put_operand(struct decoder *d, int k, enum ptx_space space, uint32_t *out)
{
    put_address(read_address(d, operand(d, k), space), out);
}

static enum ptx_space bulk_space(const char *word)
{
    return !strcmp(word, "global")            ? PTX_GLOBAL
           : !strcmp(word, "shared::cluster") ? (enum ptx_space)SPACE_CLUSTER
                                              : PTX_SHARED;
}

static void decode_bulk_group(struct decoder *d)
{
    if (has_word(d, "commit_group")) {
        emit(d, RUN_bulk_commit);
        return;
    }
    int64_t left = constant(d, operand(d, 0));
    struct insn *in = emit(d, RUN_bulk_wait);
    in->imm = left;
    in->sub = has_word(d, "read");
}

// ---- reductions

static bool operation_fits(uint8_t op, enum ptx_type type, bool global)
{
    bool half = type == PTX_F16 || type == PTX_BF16, real = type == PTX_F32 || type == PTX_F64;
    bool word = type == PTX_B32 || (global && type == PTX_B64);
    bool plain = type == PTX_U32 || type == PTX_S32 || type == PTX_U64, wide = type == PTX_S64;
    switch (op) {
    case ATOM_ADD: return plain || (global && (real || half));
    case ATOM_MIN:
    case ATOM_MAX: return type == PTX_U32 || type == PTX_S32 || (global && (type == PTX_U64 || wide || half));
    case ATOM_INC:
    case ATOM_DEC: return type == PTX_U32;
    default: return word;
    }
}

static bool is_reduction(const char *word, uint8_t *op)
{
    return read_operation(word, op) && *op <= ATOM_XOR;
}

// The operation and type of a reduction, as one word of a list. type PTX_NONE: the tensor map gives it.
static uint32_t read_reduction(struct decoder *d, enum ptx_type type, bool global)
{
    uint8_t op;
    for (int i = 1; i < d->word_count; i++)
        if (is_reduction(d->words[i], &op)) {
            if (type && !operation_fits(op, type, global))
                refuse(d, "reduces a type that this operation does not have");
            return (uint32_t)(op | type << 8);
        }
    refuse(d, "has no operation this machine knows");
    return 0;
}

// Like refuse_other_words, for the first words only, which may include an operation.
static bool refuse_others(struct decoder *d, const char *const known[], size_t count, int words, bool reduces)
{
    uint8_t op;
    for (int i = 1; i < words; i++)
        if (!is_one_of(d->words[i], known, count) && !(reduces && is_reduction(d->words[i], &op)))
            refuse(d, "has the modifier .%s, which this machine does not know", d->words[i]);
    return !d->failed;
}

static bool read_bulk_words(struct decoder *d, bool reduces)
{
    static const char *const known[] = {"async",
                                        "bulk",
                                        "reduce",
                                        "global",
                                        "shared::cta",
                                        "shared::cluster",
                                        "mbarrier::complete_tx::bytes",
                                        "multicast::cluster",
                                        "bulk_group",
                                        "noftz",
                                        "L2::cache_hint"};
    return refuse_others(d, known, sizeof known / sizeof *known, d->word_count - reduces, reduces); // a type comes last
}

// cp.async.bulk.to.from.{mbarrier,bulk_group}{.multicast}{.hint} [to], [from], bytes{, [mbarrier]}{, ranks}{, policy}
// cp.reduce.async.bulk.to.from.{mbarrier,bulk_group}{.hint}.op{.noftz}.type likewise
void decode_bulk(struct decoder *d)
{
    bool group = has_word(d, "bulk_group"), many = has_word(d, "multicast::cluster"), reduces = has_word(d, "reduce");
    uint32_t places[BULK_WORDS] = {0};
    int to = 3 + reduces;
    if (has_word(d, "commit_group") || has_word(d, "wait_group")) {
        decode_bulk_group(d);
        return;
    }
    if (!read_bulk_words(d, reduces))
        return;
    if (d->word_count < to + 3) {
        refuse(d, "has no direction and no completion mechanism");
        return;
    }
    put_operand(d, 0, bulk_space(d->words[to]), places + BULK_TO);
    put_operand(d, 1, bulk_space(d->words[to + 1]), places + BULK_FROM);
    places[BULK_SIZE] = source(d, operand(d, 2), LANE_u32);
    places[BULK_RANKS] = many ? source(d, operand(d, 4), LANE_u16) : NONE;
    enum ptx_type type = reduces ? ptx_type_parse(last_word(d), strlen(last_word(d))) : PTX_NONE;
    places[BULK_SUM] = reduces ? read_reduction(d, type ? type : PTX_B8, !strcmp(d->words[to], "global")) : NONE;
    if (!group)
        put_operand(d, 3, (enum ptx_space)SPACE_CLUSTER, places + BULK_BARRIER);
    d->code->orders = d->code->bulk = true;
    uint32_t list = add_list(d, places, BULK_WORDS);
    struct insn *in = emit(d, RUN_bulk_copy);
    in->target = list;
    in->count = 1;
    in->size = 16;
    in->imm = group;
}

// ---- copies of tensors

static bool read_tensor_words(struct decoder *d)
{
    static const char *const known[] = {"async",
                                        "bulk",
                                        "reduce",
                                        "prefetch",
                                        "tensor",
                                        "1d",
                                        "2d",
                                        "3d",
                                        "4d",
                                        "5d",
                                        "global",
                                        "shared::cta",
                                        "L2",
                                        "tile",
                                        "im2col",
                                        "im2col_no_offs",
                                        "shared::cluster",
                                        "mbarrier::complete_tx::bytes",
                                        "multicast::cluster",
                                        "bulk_group",
                                        "L2::cache_hint"};
    return refuse_others(d, known, sizeof known / sizeof *known, d->word_count, true);
}

static uint8_t tensor_rank(struct decoder *d)
{
    for (int i = 1; i < d->word_count; i++)
        if (d->words[i][0] >= '1' && d->words[i][0] <= '5' && !strcmp(d->words[i] + 1, "d"))
            return (uint8_t)(d->words[i][0] - '0');
    refuse(d, "names no number of dimensions");
    return 0;
}

// [map, {coordinates}] is operand k.
static void put_tensor(struct decoder *d, int k, uint8_t rank, uint32_t *places)
{
    const struct ptx_operand *o = operand(d, k), *list = o->list;
    int count = o->count;
    if (o->kind != PTX_OP_ADDRESS || !count) {
        refuse(d, "needs a tensor map and coordinates in brackets");
        return;
    }
    if (count == 1 && list->kind == PTX_OP_VECTOR) {
        count = list->count;
        list = list->list;
    }
    put_operand(d, k, PTX_GENERIC, places + TENSOR_MAP);
    if (count != rank)
        refuse(d, "has %d coordinates for %u dimensions", count, rank);
    for (int i = 0; i < rank && !d->failed; i++)
        places[TENSOR_AT + i] = source(d, &list[i], LANE_u32);
}

// The offsets of an im2col load or prefetch are operand k.
static void put_offsets(struct decoder *d, int k, int count, uint32_t *places)
{
    const struct ptx_operand *o = operand(d, k);
    if (count < 1)
        refuse(d, "needs 3 to 5 dimensions for im2col");
    else if (o->kind != PTX_OP_VECTOR || o->count != count)
        refuse(d, "needs %d offsets in braces for im2col", count);
    for (int i = 0; i < count && !d->failed; i++)
        places[TENSOR_OFFSET + i] = source(d, &o->list[i], LANE_u16);
}

// cp.async.bulk.tensor.Nd.to.global{.tile}.mbarrier{.multicast}{.hint} [to], [map, {at}], [mbarrier]{, ranks}{, policy}
// cp{.reduce}.async.bulk.tensor.Nd.global.shared::cta{.op}{.tile}.bulk_group{.hint} [map, {at}], [from]{, policy}
// cp.async.bulk.prefetch.tensor.Nd.L2.global{.tile}{.hint} [map, {at}]{, policy}
// In place of .tile: .im2col, and offsets after the mbarrier, or the map of a prefetch; .im2col_no_offs to global
// memory.
void decode_bulk_tensor(struct decoder *d)
{
    bool group = has_word(d, "bulk_group"), many = has_word(d, "multicast::cluster"), reduces = has_word(d, "reduce");
    bool prefetch = has_word(d, "prefetch"), load = !group && !prefetch;
    bool columns = has_word(d, group ? "im2col_no_offs" : "im2col");
    uint32_t places[TENSOR_WORDS] = {0};
    if (!read_tensor_words(d))
        return;
    uint8_t rank = tensor_rank(d);
    if (load && !has_word(d, "mbarrier::complete_tx::bytes"))
        refuse(d, "names no completion mechanism");
    put_tensor(d, load, rank, places);
    if (load)
        put_operand(d, 0, (enum ptx_space)(has_word(d, "shared::cta") ? PTX_SHARED : SPACE_CLUSTER),
                    places + TENSOR_SHARED);
    if (load)
        put_operand(d, 2, (enum ptx_space)SPACE_CLUSTER, places + TENSOR_BARRIER);
    if (group)
        put_operand(d, 1, PTX_SHARED, places + TENSOR_SHARED);
    else if (columns)
        put_offsets(d, load ? 3 : 1, rank - 2, places);
    if (many && columns)
        refuse(d, "copies by im2col to several blocks, which an H200 does not execute, either; copy to one");
    places[TENSOR_RANKS] = many ? source(d, operand(d, 3), LANE_u16) : NONE;
    places[TENSOR_SUM] = reduces ? read_reduction(d, PTX_NONE, true) : NONE;
    d->code->orders = d->code->bulk = true;
    uint32_t list = add_list(d, places, TENSOR_WORDS);
    struct insn *in = emit(d, RUN_tensor_copy);
    in->target = list;
    in->count = 1;
    in->size = 16;
    in->imm = group;
    in->sub = (uint8_t)(rank | (prefetch ? TENSOR_PREFETCHES : 0) | (columns ? TENSOR_COLUMNS : 0));
}

// ---- st.async, red.async

// st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.v2,.v4}.type [to], values, [mbarrier]
// red.async{.relaxed.cluster}.shared::cluster.mbarrier::complete_tx::bytes.op.type [to], value, [mbarrier]
void decode_store_async(struct decoder *d)
{
    static const char *const known[] = {"async",           "weak", "relaxed", "cluster",
                                        "shared::cluster", "v2",   "v4",      "mbarrier::complete_tx::bytes"};
    bool reduces = !strcmp(d->words[0], "red");
    uint32_t places[STORED_WORDS] = {0};
    enum ptx_type type = ptx_type_parse(last_word(d), strlen(last_word(d)));
    int count = has_word(d, "v2") ? 2 : has_word(d, "v4") ? 4 : 1;
    refuse_others(d, known, sizeof known / sizeof *known, d->word_count - 1, true); // a type comes last
    if (!has_word(d, "shared::cluster") || !has_word(d, "mbarrier::complete_tx::bytes") || ptx_type_size(type) < 4)
        refuse(d, "is a form that this machine does not execute; use .shared::cluster and an mbarrier");
    if (d->failed)
        return;
    put_operand(d, 0, (enum ptx_space)SPACE_CLUSTER, places + STORED_TO);
    put_operand(d, 2, (enum ptx_space)SPACE_CLUSTER, places + STORED_BARRIER);
    uint32_t width = value_places(d, operand(d, 1), type, count, places + STORED_VALUES, false);
    places[STORED_SUM] = reduces ? read_reduction(d, type, false) : NONE;
    d->code->orders = d->code->bulk = true;
    uint32_t list = add_list(d, places, STORED_WORDS);
    struct insn *in = emit(d, RUN_store_async);
    in->target = list;
    in->count = 1;
    in->size = (uint8_t)ptx_type_size(type);
    in->sub = (uint8_t)width;
    in->imm = count;
}
