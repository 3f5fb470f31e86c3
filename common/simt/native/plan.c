// Planning a block (plan.h).
#include "native/plan.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "decode/forms.h"
#include "decode/opcodes.h"
#include "native/expressions.h"

// The values that are in registers' places now.
struct current {
    int *value;
    uint32_t count;
};

static bool same_bytes(const struct value *v, struct row_use r)
{
    return v->place == r.place && v->size == r.size;
}

static bool overlap(const struct value *v, struct row_use r)
{
    uint32_t a = v->size ? v->size * LANES : 4, b = r.size ? r.size * LANES : 4;
    return v->place < r.place + b && r.place < v->place + a;
}

static void forget(struct current *now, uint32_t i)
{
    now->value[i] = now->value[--now->count];
}

static bool is_known_special(enum special which)
{
    return which <= SPECIAL_LANEID || (which >= SPECIAL_NTID_X && which <= SPECIAL_CTAID_Z) ||
           (which >= SPECIAL_NCTAID_X && which <= SPECIAL_NCTAID_Z);
}

static bool is_lane_family(const struct code *c, const struct insn *in, uint32_t action)
{
    switch (action) {
    case RUN_special: return in->size == 4 && is_known_special(in->sub);
    case RUN_load_param:
        return (in->sub & 0x7f) == in->size && in->size >= 4 && in->imm >= 0 &&
               in->imm + in->size * in->count <= c->param_bytes;
    case RUN_pack:
    case RUN_unpack: return in->size == 4 && in->count == 2;
    case RUN_select_32:
    case RUN_select_64:
    case RUN_mov_predicate:
    case RUN_logic:
    case RUN_cvta:
    case RUN_cvt_64_u32:
    case RUN_cvt_64_s32:
    case RUN_cvt_32_u64:
    case RUN_cvt_f32_s32:
    case RUN_cvt_f32_u32:
    case RUN_cvt_f64_f32: return true;
    default: return false;
    }
}

// A load or store whose elements are as wide as the rows, in memory that compiled code can look up.
static bool is_plain_access(const struct insn *in)
{
    bool known = in->space == PTX_SHARED || (in->space == PTX_GLOBAL && !(in->order & ADDRESS_32));
    return known && (in->sub & 0x7f) == in->size && in->size >= 2 && in->count <= 4 &&
           !(in->order & (ORDER_VOLATILE | ORDER_STRONG));
}

static enum step_kind kind_of(const struct code *c, const struct insn *in, uint32_t action)
{
    if (action == RUN_nothing)
        return STEP_NOTHING;
    if (action == RUN_load || action == RUN_load_row)
        return is_plain_access(in) ? STEP_LOAD : STEP_CALL;
    if (action == RUN_store || action == RUN_store_row)
        return is_plain_access(in) ? STEP_STORE : STEP_CALL;
    bool row = action < OPCODES && expression_of(action) && (in->sub & 7) != COMBINE_ROW;
    return row || (action > OPCODES && is_lane_family(c, in, action)) ? STEP_LANES : STEP_CALL;
}

static void flush(struct plan *p, struct step *s, int v)
{
    if (p->values[v].size)
        p->values[v].kept = true;
    else
        p->values[v].bits = true;
    p->flushes[p->flush_count++] = v;
    s->flush_count++;
}

static struct operand read(struct plan *p, struct current *now, const struct step *s, struct row_use r)
{
    for (uint32_t i = 0; i < now->count && !(r.place & CONSTANT_BANK); i++) {
        struct value *v = &p->values[now->value[i]];
        if (!same_bytes(v, r)) {
            p->mixed |= overlap(v, r);
            continue;
        }
        bool inside = s->kind == STEP_LANES && v->group == s->group;
        v->kept |= !inside && v->size;
        v->bits |= !inside && !v->size;
        return (struct operand){now->value[i], r.place, r.size};
    }
    return (struct operand){-1, r.place, r.size};
}

// What the machine's handler of s reads of values goes to the registers before; what it may write is there after.
static void plan_call(struct plan *p, struct current *now, struct step *s)
{
    s->first_flush = p->flush_count;
    for (uint32_t i = now->count; i-- > 0;) {
        bool reads = !s->e.known, writes = !s->e.known;
        for (uint32_t k = 0; k < s->e.use_count; k++)
            reads |= overlap(&p->values[now->value[i]], s->e.use[k]);
        for (uint32_t k = 0; k < s->e.def_count; k++)
            writes |= overlap(&p->values[now->value[i]], s->e.def[k]);
        if (reads)
            flush(p, s, now->value[i]);
        if (reads || writes)
            forget(now, i);
    }
    for (uint32_t k = 0; k < s->e.def_count; k++)
        s->def[k] = -1;
}

static void define(struct plan *p, struct current *now, struct step *s, uint32_t k)
{
    struct row_use r = s->e.def[k];
    for (uint32_t i = now->count; i-- > 0;)
        if (overlap(&p->values[now->value[i]], r))
            forget(now, i);
    s->def[k] = p->value_count++;
    p->values[s->def[k]] = (struct value){.place = r.place,
                                          .size = r.size,
                                          .group = s->kind == STEP_LANES ? s->group : NONE,
                                          .step = (uint32_t)(s - p->steps),
                                          .kept = s->kind == STEP_LOAD};
    now->value[now->count++] = s->def[k];
}

static void read_all(struct plan *p, struct current *now, struct step *s)
{
    for (uint32_t k = 0; k < s->e.use_count; k++)
        s->use[k] = read(p, now, s, s->e.use[k]);
    s->guard.value = -1;
    if (s->in->guard != NONE)
        s->guard = s->use[s->e.use_count - 1];
    if (s->guard.value >= 0) // lanes that pass are counted
        p->values[s->guard.value].bits = true;
}

static void plan_step(struct plan *p, struct current *now, struct step *s)
{
    read_all(p, now, s); // its guard is counted in any case
    if (s->kind == STEP_NOTHING)
        return;
    if (s->kind == STEP_CALL) {
        plan_call(p, now, s);
        return;
    }
    for (uint32_t k = 0; k < s->e.def_count; k++)
        define(p, now, s, k);
}

static struct step step_of(const struct code *c, const struct insn *in)
{
    struct step s = {.in = in, .action = action_of(c, in), .index = (uint32_t)(in - c->insns), .e = effects_of(c, in)};
    s.kind = s.e.known ? kind_of(c, in, s.action) : STEP_CALL;
    return s;
}

static void plan_steps(struct plan *p, struct current *now, bool calls)
{
    const struct code *c = p->code;
    const struct basic_block *b = &c->blocks[p->block];
    uint32_t group = 0, called = 0;
    p->value_count = 0;
    p->flush_count = now->count = 0;
    p->mixed = false;
    for (uint32_t k = 0; k < p->step_count; k++) {
        struct step *s = &p->steps[k];
        *s = step_of(c, b->first + k);
        s->kind = calls && s->kind != STEP_NOTHING ? STEP_CALL : s->kind;
        group += s->kind != STEP_LANES;
        s->group = group;
        s->calls = called;
        called += s->kind == STEP_CALL;
        plan_step(p, now, s);
    }
    p->last = step_of(c, b->last - 1);
    p->last.kind = STEP_CALL;
    read_all(p, now, &p->last);
}

void plan_open(struct plan *p, const struct code *c, const struct liveness *l, uint32_t block)
{
    size_t n = (size_t)(c->blocks[block].last - c->blocks[block].first);
    *p = (struct plan){.code = c, .block = block, .step_count = (uint32_t)n - 1};
    p->steps = alloc_zeroed(n, sizeof *p->steps);
    p->values = alloc_zeroed(n * MOST_DEFS, sizeof *p->values);
    p->flushes = alloc_zeroed(n * MOST_DEFS, sizeof *p->flushes);
    struct current now = {alloc_zeroed(n * MOST_DEFS, sizeof *now.value), 0};
    uint64_t *live = alloc_zeroed(l->words, sizeof *live);
    plan_steps(p, &now, false);
    if (p->mixed)
        plan_steps(p, &now, true);
    live_at_end(l, c, block, live);
    for (uint32_t i = 0; i < now.count; i++) {
        struct value *v = &p->values[now.value[i]];
        v->live = is_live(live, (struct row_use){v->place, v->size});
        v->bits |= v->live && !v->size;
    }
    free(live);
    free(now.value);
}

void plan_close(struct plan *p)
{
    free(p->steps);
    free(p->values);
    free(p->flushes);
}
