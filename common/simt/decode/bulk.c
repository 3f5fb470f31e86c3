// Bulk copies and their groups: cp.async.bulk.
#include "decode/decode.h"
#include "decode/families.h"

// An address as four words of a list: the row, the offset, and where it lies.
static void put_address(struct address at, uint32_t *out)
{
    out[0] = at.place;
    out[1] = (uint32_t)at.imm;
    out[2] = (uint32_t)((uint64_t)at.imm >> 32);
    out[3] = (uint32_t)at.space | (at.narrow ? BULK_NARROW : 0);
}

static bool read_bulk_words(struct decoder *d)
{
    static const char *const known[] = {"async",
                                        "bulk",
                                        "global",
                                        "shared::cta",
                                        "shared::cluster",
                                        "mbarrier::complete_tx::bytes",
                                        "multicast::cluster",
                                        "bulk_group",
                                        "L2::cache_hint"};
    return refuse_other_words(d, known, sizeof known / sizeof *known);
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

// cp.async.bulk.to.from.{mbarrier,bulk_group}{.multicast}{.hint} [to], [from], bytes{, [mbarrier]}{, ranks}{, policy}
void decode_bulk(struct decoder *d)
{
    bool group = has_word(d, "bulk_group"), many = has_word(d, "multicast::cluster");
    uint32_t places[BULK_WORDS];
    if (has_word(d, "commit_group") || has_word(d, "wait_group")) {
        decode_bulk_group(d);
        return;
    }
    if (!read_bulk_words(d))
        return;
    if (d->word_count < 6) {
        refuse(d, "names no direction and no way to wait for it");
        return;
    }
    for (int k = 0; k < 2; k++)
        put_address(read_address(d, operand(d, k), bulk_space(d->words[3 + k])), places + (k ? BULK_FROM : BULK_TO));
    places[BULK_SIZE] = source(d, operand(d, 2), LANE_u32);
    places[BULK_RANKS] = many ? source(d, operand(d, 4), LANE_u16) : NONE;
    if (!group)
        put_address(read_address(d, operand(d, 3), (enum ptx_space)SPACE_CLUSTER), places + BULK_BARRIER);
    d->code->orders = d->code->bulk = true;
    uint32_t list = add_list(d, places, BULK_WORDS);
    struct insn *in = emit(d, RUN_bulk_copy);
    in->target = list;
    in->count = 1;
    in->size = 16;
    in->imm = group;
}
