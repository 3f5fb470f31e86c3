// cp.async with its groups, and mbarrier: the forms without bulk copies.
#include "decode/decode.h"
#include "decode/families.h"

static const char *const ELSEWHERE = "is a form that this machine does not execute; "
                                     "use plain cp.async or cp.async.bulk, or a GPU";

static void decode_group(struct decoder *d)
{
    if (has_word(d, "commit_group"))
        emit(d, RUN_commit_group);
    else {
        int64_t left = has_word(d, "wait_all") ? -1 : constant(d, operand(d, 0));
        emit(d, RUN_wait_group)->imm = left;
    }
}

static void decode_arrive_behind_copies(struct decoder *d)
{
    static const struct ptx_operand one = {.kind = PTX_OP_INT, .value = 1, .reg = -1};
    struct address at = read_address(
        d, operand(d, 0),
        has_word(d, "b64") && d->word_count > 3 && (has_word(d, "shared") || has_word(d, "shared::cta")) ? PTX_SHARED
                                                                                                         : PTX_GENERIC);
    uint32_t b = source(d, &one, LANE_u64);
    d->code->orders = true;
    struct insn *in = emit(d, RUN_copies_arrive);
    in->a = at.place;
    in->b = b;
    in->dst = NONE;
    in->space = (uint8_t)at.space;
    in->order = (uint8_t)(ORDER_STRONG | ORDER_RELEASE | (at.narrow ? ADDRESS_32 : 0));
    in->size = 8;
    in->sub = MBARRIER_ARRIVE;
    in->count = MBARRIER_PLAIN;
    in->imm = at.imm;
    in->scope = has_word(d, "noinc"); // without .noinc: one more arrival is expected, and arrives
}

// cp.async.{ca,cg}.shared.global [to], [from], size{, bytes of the source | predicate that ignores it}{, policy}
static void decode_copy(struct decoder *d)
{
    for (int i = 2; i < d->word_count; i++)
        if (strcmp(d->words[i], "ca") && strcmp(d->words[i], "cg") && strcmp(d->words[i], "shared") &&
            strcmp(d->words[i], "shared::cta") && strcmp(d->words[i], "global") && strncmp(d->words[i], "L2::", 4))
            refuse(d, "has the modifier .%s, which this machine does not know", d->words[i]);
    int64_t size = constant(d, operand(d, 2));
    if (size != 4 && size != 8 && size != 16)
        refuse(d, "copies %lld bytes; it can copy 4, 8 or 16", (long long)size);
    if (d->failed)
        return;
    struct address to = read_address(d, operand(d, 0), PTX_SHARED), from = read_address(d, operand(d, 1), PTX_GLOBAL);
    uint32_t places[4] = {to.place, NONE, (uint32_t)to.imm, to.narrow ? ADDRESS_32 : 0};
    const struct ptx_operand *less = d->ptx->count > 3 ? operand(d, 3) : NULL;
    bool hint = has_word(d, "L2::cache_hint") && d->ptx->count == 4;
    bool ignores = less && !hint && less->kind == PTX_OP_REG && !register_size(d, less);
    if (less && !hint)
        places[1] = ignores ? source_predicate(d, less) : source(d, less, LANE_u32);
    uint32_t list = add_list(d, places, 4);
    struct insn *in = emit(d, RUN_copy_async);
    in->a = from.place;
    in->imm = from.imm;
    in->space = PTX_GLOBAL;
    in->order = from.narrow ? ADDRESS_32 : 0;
    in->target = list;
    in->size = (uint8_t)size;
    in->count = 1;
    in->sub = ignores ? COPY_IGNORES : 0;
}

void decode_cp(struct decoder *d)
{
    if (has_word(d, "bulk") && has_word(d, "prefetch") && !has_word(d, "tensor"))
        decode_nothing(d);
    else if (has_word(d, "bulk") && has_word(d, "tensor"))
        decode_bulk_tensor(d);
    else if (has_word(d, "bulk"))
        decode_bulk(d);
    else if (!has_word(d, "async") || has_word(d, "bulk") || has_word(d, "reduce") || has_word(d, "shared::cluster"))
        refuse(d, "%s", ELSEWHERE);
    else if (has_word(d, "mbarrier"))
        decode_arrive_behind_copies(d);
    else if (has_word(d, "commit_group") || has_word(d, "wait_group") || has_word(d, "wait_all"))
        decode_group(d);
    else
        decode_copy(d);
}

// ---- mbarrier

// A 64-bit row from an operand of 32 or 64 bits.
static uint32_t wide_source(struct decoder *d, const struct ptx_operand *o)
{
    if (o->kind == PTX_OP_INT || register_size(d, o) == 8)
        return source(d, o, LANE_u64);
    uint32_t narrow = source(d, o, LANE_u32), wide = scratch(d, 8);
    struct insn *in = emit_helper(d, RUN_cvt_64_u32);
    in->a = narrow;
    in->dst = wide;
    return wide;
}

static bool read_mbarrier_words(struct decoder *d, struct insn *form)
{
    static const char *const known[] = {
        "shared", "shared::cta", "shared::cluster", "b64",      "cta",       "cluster",     "init",    "inval",
        "arrive", "arrive_drop", "test_wait",       "try_wait", "expect_tx", "complete_tx", "acquire", "release"};
    for (int i = 1; i < d->word_count; i++) {
        const char *word = d->words[i];
        if (!strcmp(word, "parity"))
            form->count = MBARRIER_PARITY;
        else if (!strcmp(word, "noComplete"))
            form->count = MBARRIER_NO_COMPLETE;
        else if (!strcmp(word, "relaxed"))
            form->order = ORDER_STRONG;
        else if (!is_one_of(word, known, sizeof known / sizeof *known)) {
            refuse(d, "%s", ELSEWHERE);
            return false;
        }
    }
    return true;
}

static void decode_pending_count(struct decoder *d)
{
    uint32_t a = source(d, operand(d, 1), LANE_u64), dst = destination(d, operand(d, 0), 4);
    struct insn *in = emit(d, RUN_pending_count);
    in->a = a;
    in->dst = dst;
}

// Whether the mbarrier may be another block's; an arrival there returns no state.
static enum ptx_space mbarrier_space(const struct decoder *d)
{
    return has_word(d, "shared::cluster")                        ? (enum ptx_space)SPACE_CLUSTER
           : has_word(d, "shared") || has_word(d, "shared::cta") ? PTX_SHARED
                                                                 : PTX_GENERIC;
}

static enum mbarrier_op mbarrier_operation(const struct decoder *d)
{
    return has_word(d, "init")                                   ? MBARRIER_INIT
           : has_word(d, "inval")                                ? MBARRIER_INVAL
           : has_word(d, "test_wait") || has_word(d, "try_wait") ? MBARRIER_TEST
           : has_word(d, "arrive_drop")                          ? MBARRIER_DROP
           : has_word(d, "arrive")                               ? MBARRIER_ARRIVE
           : has_word(d, "expect_tx")                            ? MBARRIER_EXPECT
                                                                 : MBARRIER_COMPLETE;
}

static uint8_t mbarrier_order(enum mbarrier_op op)
{
    return op == MBARRIER_INIT || op == MBARRIER_INVAL        ? 0
           : op == MBARRIER_TEST                              ? ORDER_STRONG | ORDER_ACQUIRE
           : op == MBARRIER_EXPECT || op == MBARRIER_COMPLETE ? ORDER_STRONG
                                                              : ORDER_STRONG | ORDER_RELEASE;
}

// init [a], count; inval [a]; arrive{_drop}{.noComplete} state, [a]{, count}; {test,try}_wait{.parity} p, [a], state;
// {expect,complete}_tx [a], bytes; arrive{_drop}.expect_tx state, [a], bytes.
void decode_mbarrier(struct decoder *d)
{
    static const struct ptx_operand one = {.kind = PTX_OP_INT, .value = 1, .reg = -1};
    if (has_word(d, "pending_count")) {
        decode_pending_count(d);
        return;
    }
    struct insn form = {.count = MBARRIER_PLAIN, .sub = mbarrier_operation(d)};
    bool test = form.sub == MBARRIER_TEST, arrives = form.sub == MBARRIER_ARRIVE || form.sub == MBARRIER_DROP;
    bool none = !test && !arrives;
    form.order = mbarrier_order(form.sub);
    if (!read_mbarrier_words(d, &form))
        return;
    if (arrives && has_word(d, "expect_tx"))
        form.count = MBARRIER_EXPECTS;
    if (test && has_word(d, "shared::cluster"))
        refuse(d, "waits at an mbarrier of another block: a thread waits at those of its own block only");
    struct address at = read_address(d, operand(d, !none), mbarrier_space(d));
    int value = none ? 1 : 2;
    uint32_t b = wide_source(d, d->ptx->count > value ? operand(d, value) : &one);
    uint32_t dst = none ? NONE : test ? destination_predicate(d, operand(d, 0)) : destination(d, operand(d, 0), 8);
    d->code->orders = true;
    struct insn *in = emit(d, RUN_mbarrier);
    in->dst = dst;
    in->a = at.place;
    in->b = b;
    in->imm = at.imm;
    in->space = (uint8_t)at.space;
    in->order = (uint8_t)(form.order | (at.narrow ? ADDRESS_32 : 0));
    in->scope = SCOPE_CLUSTER; // in hardware it orders the cluster's blocks at any scope
    in->size = 8;
    in->count = form.count;
    in->sub = form.sub;
}
