// What instructions read and write (effects.h).
#include "native/effects.h"

#include "decode/forms.h"
#include "decode/opcodes.h"

uint32_t action_of(const struct code *c, const struct insn *in)
{
    handler *const *handlers = c->module->handlers;
    handler *run = is_guarded(c, in) ? in->guarded : in->run;
    for (uint32_t k = 0; k < ACTIONS; k++)
        if (handlers[k] == run)
            return k;
    return NO_ACTION;
}

bool is_guarded(const struct code *c, const struct insn *in)
{
    return in->run == c->module->handlers[RUN_guarded];
}

static void use(struct effects *e, uint32_t place, uint32_t size)
{
    if (place != NONE && e->use_count < MOST_USES)
        e->use[e->use_count++] = (struct row_use){place, size};
}

static void define(struct effects *e, uint32_t place, uint32_t size)
{
    if (place != NONE && e->def_count < MOST_DEFS)
        e->def[e->def_count++] = (struct row_use){place, size};
}

static void row_effects(struct effects *e, const struct insn *in, const struct opcode_info *info)
{
    const enum lane_type types[] = {info->a, info->b, info->c};
    const uint32_t places[] = {in->a, in->b, in->c};
    for (int k = 0; k < info->operands; k++)
        use(e, places[k], lane_size(types[k]));
    if (!info->comparison) {
        define(e, in->dst, lane_size(info->d));
        return;
    }
    if ((in->sub & 7) >= COMBINE_AND && (in->sub & 7) <= COMBINE_XOR)
        use(e, in->c, 0);
    define(e, in->dst, in->sub == COMBINE_ROW ? in->size : 0);
    if (in->sub && in->sub != COMBINE_ROW)
        define(e, in->target, 0);
}

static const uint32_t *places_of(const struct code *c, const struct insn *in, const uint32_t *one)
{
    return in->count > 1 ? c->lists + in->target : one;
}

static void access_effects(struct effects *e, const struct code *c, const struct insn *in, bool load)
{
    const uint32_t *places = places_of(c, in, load ? &in->dst : &in->b);
    use(e, in->a, in->order & ADDRESS_32 ? 4 : 8);
    for (uint32_t k = 0; k < in->count; k++)
        if (load)
            define(e, places[k], in->sub & 0x7f);
        else
            use(e, places[k], in->sub);
}

static void pack_effects(struct effects *e, const struct code *c, const struct insn *in, bool pack)
{
    const uint32_t *places = c->lists + in->target, whole = (uint32_t)in->size * in->count;
    if (!pack)
        use(e, in->a, whole);
    for (uint32_t k = 0; k < in->count; k++)
        if (pack)
            use(e, places[k], in->size);
        else
            define(e, places[k], in->size);
    if (pack)
        define(e, in->dst, whole);
}

static void simple_effects(struct effects *e, const struct insn *in, uint32_t to, uint32_t from)
{
    use(e, in->a, from);
    define(e, in->dst, to);
}

static void select_effects(struct effects *e, const struct insn *in, uint32_t size)
{
    use(e, in->a, size);
    use(e, in->b, size);
    use(e, in->c, 0);
    define(e, in->dst, size);
}

static void predicate_effects(struct effects *e, const struct insn *in, bool two)
{
    use(e, in->a, 0);
    if (two)
        use(e, in->b, 0);
    define(e, in->dst, 0);
}

static void shuffle_effects(struct effects *e, const struct code *c, const struct insn *in)
{
    use(e, in->a, 4);
    for (int k = 0; k < 3; k++)
        use(e, c->lists[in->target + (uint32_t)k], 4);
    define(e, in->dst, 4);
    define(e, in->b, 0);
}

static void atomic_effects(struct effects *e, const struct insn *in)
{
    use(e, in->a, in->order & ADDRESS_32 ? 4 : 8);
    use(e, in->b, in->size);
    use(e, in->c, in->size);
    define(e, in->dst, in->size);
}

static void convert_effects(struct effects *e, const struct insn *in)
{
    use(e, in->a, in->size);
    use(e, in->b, in->size);
    define(e, in->dst, in->count);
}

// What an action does whose instruction is not a row. False: it is not known.
static bool family_effects(struct effects *e, const struct code *c, const struct insn *in, uint32_t action)
{
    switch (action) {
    case RUN_special:
    case RUN_frame_address:
    case RUN_dynamic_shared:
    case RUN_module_shared: define(e, in->dst, in->size); return true;
    case RUN_select_16: select_effects(e, in, 2); return true;
    case RUN_select_32: select_effects(e, in, 4); return true;
    case RUN_select_64: select_effects(e, in, 8); return true;
    case RUN_mov_predicate: predicate_effects(e, in, false); return true;
    case RUN_logic: predicate_effects(e, in, true); return true;
    case RUN_cvta: simple_effects(e, in, 8, 8); return true;
    case RUN_cvt_64_u32:
    case RUN_cvt_64_s32:
    case RUN_cvt_f64_f32: simple_effects(e, in, 8, 4); return true;
    case RUN_cvt_32_u64: simple_effects(e, in, 4, 8); return true;
    case RUN_cvt_f32_s32:
    case RUN_cvt_f32_u32: simple_effects(e, in, 4, 4); return true;
    case RUN_convert: convert_effects(e, in); return true;
    case RUN_load:
    case RUN_load_row: access_effects(e, c, in, true); return true;
    case RUN_load_param:
        access_effects(e, c, in, true);
        e->use_count = 0;
        return true;
    case RUN_store:
    case RUN_store_row: access_effects(e, c, in, false); return true;
    case RUN_atomic: atomic_effects(e, in); return true;
    case RUN_pack: pack_effects(e, c, in, true); return true;
    case RUN_unpack: pack_effects(e, c, in, false); return true;
    case RUN_shuffle: shuffle_effects(e, c, in); return !in->imm; // shadows: a check is on
    case RUN_warp_barrier: use(e, in->a, 4); return true;
    case RUN_nothing:
    case RUN_goto:
    case RUN_branch:
    case RUN_exit:
    case RUN_whole_barrier: return true;
    default: return false;
    }
}

struct effects effects_of(const struct code *c, const struct insn *in)
{
    struct effects e = {0};
    uint32_t action = action_of(c, in);
    e.known = action < OPCODES || family_effects(&e, c, in, action);
    if (action < OPCODES)
        row_effects(&e, in, &opcode_table[action]);
    if (in->guard == NONE)
        return e;
    for (uint32_t k = 0; k < e.def_count; k++)
        use(&e, e.def[k].place, e.def[k].size);
    use(&e, in->guard & ~GUARD_NOT, 0);
    return e;
}

int successors(const struct code *c, const struct basic_block *b, uint32_t *out, int most)
{
    const struct insn *in = b->last - 1;
    int n = 0;
    if (most < 2)
        return -1;
    switch (action_of(c, in)) {
    case RUN_goto: out[n++] = in->target; break;
    case RUN_branch:
        out[n++] = in->target;
        if (in->guard != NONE)
            out[n++] = in->c;
        break;
    case RUN_exit:
        if (in->guard != NONE)
            out[n++] = in->c;
        break;
    case RUN_whole_barrier:
    case RUN_barrier:
    case RUN_shuffle:
    case RUN_warp_barrier:
    case RUN_vote:
    case RUN_match:
    case RUN_redux: out[n++] = in->c; break;
    default: return -1;
    }
    return n;
}
