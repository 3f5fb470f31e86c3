// Loops over lanes: arithmetic, comparisons, conversions, predicates (text.h).
#include "decode/forms.h"
#include "decode/opcodes.h"
#include "native/expressions.h"
#include "native/text.h"

// ---- rows and values

uint64_t constant_of(const struct code *c, const struct operand *o)
{
    uint64_t v = 0;
    memcpy(&v, c->constants + (o->place & ~CONSTANT_BANK), o->size ? o->size : 4);
    return v;
}

void text_bits(const struct text *t, const struct operand *o)
{
    if (o->value >= 0)
        fprintf(t->out, "q%d", o->value);
    else if (o->place & CONSTANT_BANK)
        fprintf(t->out, "0x%xu", (uint32_t)constant_of(t->plan->code, o));
    else
        fprintf(t->out, "*(const u32 *)(R + %u)", o->place);
}

void text_guard_bits(const struct text *t, const struct step *s)
{
    fprintf(t->out, "%s(", s->in->guard & GUARD_NOT ? "~" : "");
    text_bits(t, &s->guard);
    fprintf(t->out, ")");
}

void text_row(const struct text *t, const struct operand *o)
{
    if (o->value >= 0)
        fprintf(t->out, "v%d", o->value);
    else
        fprintf(t->out, "((const u%u *)(%c + %u))", 8 * o->size, o->place & CONSTANT_BANK ? 'K' : 'R',
                o->place & ~CONSTANT_BANK);
}

static void store_bits(const struct text *t, const struct value *v, int number)
{
    if (t->masked)
        fprintf(t->out, "    *(u32 *)(R + %u) = (*(u32 *)(R + %u) & ~mask) | (q%d & mask);\n", v->place, v->place,
                number);
    else
        fprintf(t->out, "    *(u32 *)(R + %u) = q%d;\n", v->place, number);
}

// The statement that writes lane l; from: the name of the variable, and after it what picks the lane.
static void store_lane(const struct text *t, const struct value *v, const char *from, int number, const char *lane)
{
    uint32_t bits = 8 * v->size;
    fprintf(t->out, "((u%u *)(R + %u))[l] = ", bits, v->place);
    if (t->masked)
        fprintf(t->out, "mask >> l & 1 ? %s%d%s : ((u%u *)(R + %u))[l];\n", from, number, lane, bits, v->place);
    else
        fprintf(t->out, "%s%d%s;\n", from, number, lane);
}

void text_flush(const struct text *t, int v)
{
    const struct value *value = &t->plan->values[v];
    if (!value->size) {
        store_bits(t, value, v);
        return;
    }
    fprintf(t->out, "    EACH_LANE ");
    store_lane(t, value, "v", v, "[l]");
}

// ---- what a loop reads

static bool in_loop(const struct text *t, const struct step *s, const struct operand *o)
{
    return o->value >= 0 && t->plan->values[o->value].group == s->group;
}

// Operand k of s in lane l, as unsigned bits; of a predicate 0 or -1.
static void text_operand(const struct text *t, const struct step *s, uint32_t k)
{
    const struct operand *o = &s->use[k];
    if (in_loop(t, s, o))
        fprintf(t->out, "x%d", o->value);
    else if (!o->size && o->value < 0 && !(o->place & CONSTANT_BANK))
        fprintf(t->out, "-(s32)(p%u_%u >> l & 1)", s->index, k);
    else if (!o->size && o->value < 0)
        fprintf(t->out, "%d", constant_of(t->plan->code, o) ? -1 : 0);
    else if (!o->size)
        fprintf(t->out, "-(s32)(q%d >> l & 1)", o->value);
    else if (o->value < 0 && o->place & CONSTANT_BANK)
        fprintf(t->out, "(u%u)0x%llxu", 8 * o->size, (unsigned long long)constant_of(t->plan->code, o));
    else {
        text_row(t, o);
        fprintf(t->out, "[l]");
    }
}

static void text_special(const struct text *t, uint32_t step, enum special which)
{
    const char *table = which >= SPECIAL_NCTAID_X ? "grid" : which >= SPECIAL_CTAID_X ? "block" : "dim";
    enum special first = which >= SPECIAL_NCTAID_X  ? SPECIAL_NCTAID_X
                         : which >= SPECIAL_CTAID_X ? SPECIAL_CTAID_X
                                                    : SPECIAL_NTID_X;
    fprintf(t->out, "    const u32 a%u_0 = s->%s[%d];\n", step, table, (int)(which - first));
}

// Predicates in registers, and parameters: the same in all rounds of the loop.
static void text_before(const struct text *t, const struct step *s)
{
    for (uint32_t k = 0; k < s->e.use_count; k++)
        if (!s->use[k].size && s->use[k].value < 0 && !(s->use[k].place & CONSTANT_BANK))
            fprintf(t->out, "    const u32 p%u_%u = *(const u32 *)(R + %u);\n", s->index, k, s->use[k].place);
    if (s->action == RUN_load_param)
        for (uint32_t k = 0; k < s->e.def_count; k++)
            fprintf(t->out, "    const u%u a%u_%u = *(const u%u *)(P + %llu);\n", 8 * s->in->size, s->index, k,
                    8 * s->in->size, (unsigned long long)s->in->imm + k * s->in->size);
    if (s->action == RUN_special && s->in->sub > SPECIAL_LANEID)
        text_special(t, s->index, s->in->sub);
    for (uint32_t k = 0; k < s->e.def_count; k++) {
        const struct value *v = &t->plan->values[s->def[k]];
        if (v->kept)
            fprintf(t->out, "    u%u v%d[32] ROW;\n", 8 * v->size, s->def[k]);
        else if (!v->size && v->bits)
            fprintf(t->out, "    s32 v%d[32] ROW;\n", s->def[k]);
    }
}

// ---- what it computes

// A lane's bits as a value of a type, and back.
static const char *value_of_bits(const char *type)
{
    return !strcmp(type, "f32") ? "f32_bits" : !strcmp(type, "f64") ? "f64_bits" : type[0] == 's' ? type : "";
}

static void text_expression(const struct text *t, const struct step *s)
{
    const struct expression *e = expression_of(s->action);
    const char *types[] = {e->a, e->b, e->c};
    fprintf(t->out, "{ const s64 imm = %lldll; (void)imm; ", (long long)s->in->imm);
    for (uint32_t k = 0; k < 3 && types[k]; k++) {
        const char *convert = value_of_bits(types[k]);
        bool cast = types[k][0] == 's';
        fprintf(t->out, "const %s %c = %s%s%s(", types[k], 'a' + (char)k, cast ? "(" : "", convert, cast ? ")" : "");
        text_operand(t, s, k);
        fprintf(t->out, "); ");
    }
    if (!e->d)
        fprintf(t->out, "t = -(%s); }", e->text);
    else if (e->d[0] == 'f')
        fprintf(t->out, "t = bits_%s((%s)(%s)); }", e->d, e->d, e->text);
    else
        fprintf(t->out, "t = (u%s)(%s)(%s); }", e->d + 1, e->d, e->text);
}

// The second predicate of a comparison, and what combines with a third one.
static void text_combined(const struct text *t, const struct step *s)
{
    enum combine how = s->in->sub & 7;
    static const char *const signs[] = {[COMBINE_AND] = "&", [COMBINE_OR] = "|", [COMBINE_XOR] = "^"};
    fprintf(t->out, " s32 o = ~t;");
    if (how != COMBINE_SECOND) {
        fprintf(t->out, " { const s32 c = %s(", s->in->sub & COMBINE_NOT ? "~" : "");
        text_operand(t, s, 2);
        fprintf(t->out, "); t = t %s c; o = o %s c; }", signs[how], signs[how]);
    }
    fprintf(t->out, " (void)o;");
}

static void text_logic(const struct text *t, const struct step *s)
{
    static const char *const signs[] = {[LOGIC_AND] = "&", [LOGIC_OR] = "|", [LOGIC_XOR] = "^"};
    enum logic how = s->in->sub & 15;
    bool moves = s->action == RUN_mov_predicate, inverts = !moves && how == LOGIC_NOT;
    fprintf(t->out, "t = %s%s(", inverts ? "~" : "", s->in->sub & NEGATE_A ? "~" : "");
    text_operand(t, s, 0);
    fprintf(t->out, ")");
    if (!moves && !inverts) {
        fprintf(t->out, " %s %s(", signs[how], s->in->sub & NEGATE_B ? "~" : "");
        text_operand(t, s, 1);
        fprintf(t->out, ")");
    }
    fprintf(t->out, ";");
}

static void text_select(const struct text *t, const struct step *s)
{
    fprintf(t->out, "t = ");
    text_operand(t, s, 2);
    fprintf(t->out, " ? ");
    text_operand(t, s, 0);
    fprintf(t->out, " : ");
    text_operand(t, s, 1);
    fprintf(t->out, ";");
}

// t = before operand after;
static void text_unary(const struct text *t, const struct step *s, const char *before, const char *after)
{
    fprintf(t->out, "t = %s", before);
    text_operand(t, s, 0);
    fprintf(t->out, "%s;", after);
}

static void text_pack(const struct text *t, const struct step *s)
{
    fprintf(t->out, "t = (u64)(");
    text_operand(t, s, 1);
    fprintf(t->out, ") << 32 | ");
    text_operand(t, s, 0);
    fprintf(t->out, ";");
}

static void text_cvta(const struct text *t, const struct step *s)
{
    char after[60];
    unsigned long long tag = (unsigned long long)s->in->imm;
    snprintf(after, sizeof after, s->in->sub ? " & ~0x%llxull" : " | 0x%llxull", tag);
    text_unary(t, s, "", after);
}

// Sets the lane's t to the result of the step; a second result is o.
static void text_result(const struct text *t, const struct step *s)
{
    switch (s->action) {
    case RUN_special:
        if (s->in->sub == SPECIAL_LANEID)
            fprintf(t->out, "t = (u32)l;");
        else if (s->in->sub <= SPECIAL_TID_Z)
            fprintf(t->out, "t = T%u[l];", s->in->sub);
        else
            fprintf(t->out, "t = a%u_0;", s->index);
        break;
    case RUN_load_param: fprintf(t->out, "t = a%u_0;", s->index); break;
    case RUN_pack: text_pack(t, s); break;
    case RUN_unpack: text_unary(t, s, "(u32)(", ")"); break;
    case RUN_select_32:
    case RUN_select_64: text_select(t, s); break;
    case RUN_mov_predicate:
    case RUN_logic: text_logic(t, s); break;
    case RUN_cvta: text_cvta(t, s); break;
    case RUN_cvt_64_u32: text_unary(t, s, "(u64)(", ")"); break;
    case RUN_cvt_64_s32: text_unary(t, s, "(u64)(s64)(s32)(", ")"); break;
    case RUN_cvt_32_u64: text_unary(t, s, "(u32)(", ")"); break;
    case RUN_cvt_f32_s32: text_unary(t, s, "bits_f32((f32)(s32)(", "))"); break;
    case RUN_cvt_f32_u32: text_unary(t, s, "bits_f32((f32)(", "))"); break;
    case RUN_cvt_f64_f32: text_unary(t, s, "bits_f64((f64)f32_bits(", "))"); break;
    default:
        text_expression(t, s);
        if (opcode_table[s->action].comparison && s->in->sub)
            text_combined(t, s);
    }
}

// Further results: of a comparison, of what a word is taken apart into, of parameters.
static void text_other_result(const struct text *t, const struct step *s, uint32_t k)
{
    if (s->action == RUN_load_param)
        fprintf(t->out, "a%u_%u", s->index, k);
    else if (s->action == RUN_unpack) {
        fprintf(t->out, "(u32)((");
        text_operand(t, s, 0);
        fprintf(t->out, ") >> %u)", 32 * k);
    } else
        fprintf(t->out, "o");
}

static const char *lane_word(uint32_t size)
{
    return size == 8 ? "u64" : size ? "u32" : "s32";
}

// The step's values for lane l: where its guard holds lanes back these keep what they have.
static void text_step(const struct text *t, const struct step *s)
{
    for (uint32_t k = 0; k < s->e.def_count; k++)
        fprintf(t->out, "        %s x%d;\n", lane_word(s->e.def[k].size), s->def[k]);
    fprintf(t->out, "        { %s t; ", lane_word(s->e.def[0].size));
    text_result(t, s);
    for (uint32_t k = 0; k < s->e.def_count; k++) {
        fprintf(t->out, " x%d = ", s->def[k]);
        if (s->in->guard != NONE) {
            fprintf(t->out, "%s(", s->in->guard & GUARD_NOT ? "~" : "");
            text_operand(t, s, s->e.use_count - 1);
            fprintf(t->out, ") ? ");
        }
        if (k)
            text_other_result(t, s, k);
        else
            fprintf(t->out, "t");
        if (s->in->guard != NONE) {
            fprintf(t->out, " : ");
            text_operand(t, s, s->e.use_count - 1 - s->e.def_count + k);
        }
        fprintf(t->out, ";");
    }
    fprintf(t->out, " }\n");
}

// ---- what it leaves

static void text_kept(const struct text *t, const struct step *s)
{
    for (uint32_t k = 0; k < s->e.def_count; k++) {
        const struct value *v = &t->plan->values[s->def[k]];
        if (v->kept || (!v->size && v->bits))
            fprintf(t->out, "        v%d[l] = x%d;\n", s->def[k], s->def[k]);
        if (!v->size || !v->live)
            continue;
        fprintf(t->out, "        ");
        store_lane(t, v, "x", s->def[k], "");
    }
}

static void text_after(const struct text *t, const struct step *s)
{
    for (uint32_t k = 0; k < s->e.def_count; k++) {
        const struct value *v = &t->plan->values[s->def[k]];
        if (v->size || !v->bits)
            continue;
        fprintf(t->out, "    const u32 q%d = row_bits(v%d);\n", s->def[k], s->def[k]);
        if (v->live)
            store_bits(t, v, s->def[k]);
    }
}

void text_count(const struct text *t, const struct step *s)
{
    if (s->in->guard == NONE)
        return;
    fprintf(t->out, "    G[%u] += (u64)__builtin_popcount(", s->in->id);
    text_guard_bits(t, s);
    fprintf(t->out, "%s);\n", t->masked ? " & mask" : "");
}

uint32_t text_lanes(const struct text *t, uint32_t first)
{
    const struct step *steps = t->plan->steps;
    uint32_t end = first;
    while (end < t->plan->step_count && steps[end].kind == STEP_LANES)
        end++;
    for (uint32_t k = first; k < end; k++)
        text_before(t, &steps[k]);
    fprintf(t->out, "    EACH_LANE {\n");
    for (uint32_t k = first; k < end; k++)
        text_step(t, &steps[k]);
    for (uint32_t k = first; k < end; k++)
        text_kept(t, &steps[k]);
    fprintf(t->out, "    }\n");
    for (uint32_t k = first; k < end; k++)
        text_after(t, &steps[k]);
    for (uint32_t k = first; k < end; k++)
        text_count(t, &steps[k]);
    return end;
}
