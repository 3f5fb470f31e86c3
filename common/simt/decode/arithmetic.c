// Families of arithmetic, moves, predicates and conversions: the meaning of a mnemonic's words, and its handler.
#include <stdio.h>
#include <stdlib.h>

#include "decode/decode.h"
#include "decode/families.h"

static enum lane_type last_type(struct decoder *d)
{
    enum lane_type type = lane_type_of(ptx_type_parse(last_word(d), strlen(last_word(d))));
    if (!type)
        refuse(d, "has a type that this machine does not execute here");
    return type ? type : LANE_u32;
}

static enum combine combine_word(const struct decoder *d)
{
    return has_word(d, "and") ? COMBINE_AND : has_word(d, "or") ? COMBINE_OR : has_word(d, "xor") ? COMBINE_XOR : 0;
}

// setp.CMP{.BOOL}{.ftz}.type p{|q}, a, b{, {!}c}: the comparison's key is CMP{.ftz}.type.
static enum opcode comparison(struct decoder *d, const char *type)
{
    char key[64];
    snprintf(key, sizeof key, "%s%s.%s", d->words[1], has_word(d, "ftz") ? ".ftz" : "", type);
    enum opcode op = opcode_find_comparison(key);
    if (op == OPCODES)
        refuse(d, "compares in a way that this machine does not execute");
    return op;
}

// The rows of the two halves of a register, split ahead of the instruction.
static void split_halves(struct decoder *d, const struct ptx_operand *o, uint32_t places[2])
{
    uint32_t word = source(d, o, LANE_u32);
    places[0] = scratch(d, 2);
    places[1] = scratch(d, 2);
    uint32_t list = add_list(d, places, 2);
    struct insn *in = emit_helper(d, RUN_unpack);
    in->a = word;
    in->target = list;
    in->count = in->size = 2;
}

// A comparison of f16x2 or bf16x2: each half by the row of its type. results: the destination of each half's result.
static struct insn *compare_halves(struct decoder *d, enum opcode op, const uint32_t results[2])
{
    uint32_t places[6];
    split_halves(d, operand(d, 1), places);
    split_halves(d, operand(d, 2), places + 2);
    memcpy(places + 4, results, 2 * sizeof *results);
    uint32_t list = add_list(d, places, 6);
    struct insn *in = emit(d, RUN_compare_halves);
    in->b = op;
    in->target = list;
    return in;
}

static bool is_pair_type(const char *type)
{
    return !strcmp(type, "f16x2") || !strcmp(type, "bf16x2");
}

// The type of one element: "f16" for "f16x2".
static const char *single_type(const char *type)
{
    return !strcmp(type, "f16x2") ? "f16" : !strcmp(type, "bf16x2") ? "bf16" : type;
}

static void set_combine(struct decoder *d, struct insn *in, uint32_t c, bool pair)
{
    enum combine combine = combine_word(d);
    in->c = c;
    in->sub = (uint8_t)(combine ? combine : pair ? COMBINE_SECOND : COMBINE_NONE);
    if (combine && operand(d, 3)->negated)
        in->sub |= COMBINE_NOT;
}

void decode_setp(struct decoder *d)
{
    enum opcode op = comparison(d, single_type(last_word(d)));
    if (d->failed)
        return;
    const struct ptx_operand *o = operand(d, 0);
    bool pair = o->kind == PTX_OP_PAIR;
    uint32_t first = destination_predicate(d, pair ? &o->list[0] : o);
    uint32_t second = pair ? destination_predicate(d, &o->list[1]) : NONE;
    uint32_t c = combine_word(d) ? source_predicate(d, operand(d, 3)) : NONE;
    if (is_pair_type(last_word(d))) {
        if (!pair)
            second = scratch(d, 0);
        set_combine(d, compare_halves(d, op, (uint32_t[2]){first, second}), c, false);
        return;
    }
    uint32_t a = source(d, operand(d, 1), opcode_table[op].a), b = source(d, operand(d, 2), opcode_table[op].a);
    struct insn *in = emit(d, (enum action)op);
    in->dst = first;
    in->a = a;
    in->b = b;
    in->target = second;
    set_combine(d, in, c, pair);
}

// The value that set writes where the comparison holds, by the destination's type. *size: bytes per element; 0:
// refused.
static int64_t set_value(const char *to, uint8_t *size)
{
    static const struct {
        const char *type;
        uint8_t size;
        int64_t value;
    } forms[] = {{"u32", 4, 0xffffffff}, {"s32", 4, 0xffffffff}, {"f32", 4, 0x3f800000},
                 {"u16", 2, 0xffff},     {"s16", 2, 0xffff},     {"f16", 2, 0x3c00},
                 {"bf16", 2, 0x3f80},    {"f16x2", 2, 0x3c00},   {"bf16x2", 2, 0x3f80}};
    *size = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(forms[i].type, to)) {
            *size = forms[i].size;
            return forms[i].value;
        }
    return 0;
}

// set.CMP{.ftz}.dtype.stype d, a, b: all ones or 1.0 where it holds.
void decode_set(struct decoder *d)
{
    const char *to = d->word_count > 2 ? d->words[d->word_count - 2] : "", *type = last_word(d);
    enum opcode op = comparison(d, single_type(type));
    uint8_t size;
    int64_t value = set_value(to, &size);
    if (d->failed)
        return;
    if (combine_word(d) || !size || (is_pair_type(to) && !is_pair_type(type))) {
        refuse(d, "is a form of set that this machine does not execute");
        return;
    }
    struct insn *in;
    if (is_pair_type(type)) {
        uint32_t dst = destination(d, operand(d, 0), 4), results[2] = {scratch(d, 2), scratch(d, 2)};
        in = compare_halves(d, op, results);
        in->dst = dst;
        in->size = 2;
        in->imm = value & 0xffff;
        in->sub = COMBINE_ROW;
        return;
    }
    uint32_t a = source(d, operand(d, 1), opcode_table[op].a), b = source(d, operand(d, 2), opcode_table[op].a);
    uint32_t dst = destination(d, operand(d, 0), size);
    in = emit(d, (enum action)op);
    in->dst = dst;
    in->a = a;
    in->b = b;
    in->size = size;
    in->imm = value;
    in->sub = COMBINE_ROW;
}

// lop3.{or,and}.b32 d|p, a, b, c, table, {!}q: p = (d != 0) or/and q.
void decode_lop3_bool(struct decoder *d)
{
    const struct ptx_operand *to = operand(d, 0);
    bool either = has_word(d, "or");
    if (to->kind != PTX_OP_PAIR || (!either && !has_word(d, "and")) || d->ptx->count != 6) {
        refuse(d, "is a form of lop3 that this machine does not know");
        return;
    }
    uint32_t a = source(d, operand(d, 1), LANE_u32), b = source(d, operand(d, 2), LANE_u32);
    uint32_t c = source(d, operand(d, 3), LANE_u32), dst = destination(d, &to->list[0], 4);
    uint32_t places[2] = {destination_predicate(d, &to->list[1]), source_predicate(d, operand(d, 5))};
    int64_t table = constant(d, operand(d, 4));
    uint32_t list = add_list(d, places, 2);
    struct insn *in = emit(d, RUN_lop3_bool);
    in->dst = dst;
    in->a = a;
    in->b = b;
    in->c = c;
    in->imm = table;
    in->target = list;
    in->sub = (uint8_t)((either ? LOGIC_OR : LOGIC_AND) | (operand(d, 5)->negated ? NEGATE_B : 0));
}

void decode_selp(struct decoder *d)
{
    enum lane_type type = last_type(d);
    uint32_t size = lane_size(type);
    uint32_t a = source(d, operand(d, 1), type), b = source(d, operand(d, 2), type);
    uint32_t c = source_predicate(d, operand(d, 3)), dst = destination(d, operand(d, 0), size);
    struct insn *in = emit(d, size == 2 ? RUN_select_16 : size == 4 ? RUN_select_32 : RUN_select_64);
    in->dst = dst;
    in->a = a;
    in->b = b;
    in->c = c;
}

// slct{.ftz}.dtype.{s32,f32} d, a, b, c: c >= 0 ? a : b.
void decode_slct(struct decoder *d)
{
    const char *word = d->words[d->word_count - 2];
    enum lane_type type = lane_type_of(ptx_type_parse(word, strlen(word)));
    if (!type) {
        refuse(d, "selects a type that this machine does not execute");
        return;
    }
    bool real = !strcmp(last_word(d), "f32");
    uint32_t a = source(d, operand(d, 1), type), b = source(d, operand(d, 2), type);
    uint32_t c = source(d, operand(d, 3), real ? LANE_f32 : LANE_s32);
    uint32_t dst = destination(d, operand(d, 0), lane_size(type));
    struct insn *in = emit(d, RUN_slct);
    in->dst = dst;
    in->a = a;
    in->b = b;
    in->c = c;
    in->size = (uint8_t)lane_size(type);
    in->sub = (uint8_t)(real + (real && has_word(d, "ftz")));
}

void decode_testp(struct decoder *d)
{
    static const char *const kinds[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    enum lane_type type = last_type(d);
    uint32_t a = source(d, operand(d, 1), type), dst = destination_predicate(d, operand(d, 0));
    struct insn *in = emit(d, RUN_testp);
    in->dst = dst;
    in->a = a;
    in->size = (uint8_t)lane_size(type);
    for (int k = 0; k < 6; k++)
        if (has_word(d, kinds[k])) {
            in->sub = (uint8_t)k;
            return;
        }
    refuse(d, "tests a property that this machine does not know");
}

// and, or, xor, not of predicates.
void decode_logic(struct decoder *d)
{
    if (strcmp(last_word(d), "pred")) {
        refuse(d, "has a type that this machine does not execute");
        return;
    }
    const char *word = d->words[0];
    enum logic sub = !strcmp(word, "and") ? LOGIC_AND : !strcmp(word, "or") ? LOGIC_OR : LOGIC_XOR;
    bool unary = !strcmp(word, "not");
    uint32_t a = source_predicate(d, operand(d, 1)), b = unary ? a : source_predicate(d, operand(d, 2));
    uint32_t dst = destination_predicate(d, operand(d, 0));
    struct insn *in = emit(d, RUN_logic);
    in->dst = dst;
    in->a = a;
    in->b = b;
    in->sub = (uint8_t)(unary ? LOGIC_NOT : sub);
    if (operand(d, 1)->negated)
        in->sub |= NEGATE_A;
    if (!unary && operand(d, 2)->negated)
        in->sub |= NEGATE_B;
}

// mov.b64 {a, b}, r and the reverse: the rows of the parts are a list.
static void decode_pack(struct decoder *d, const struct ptx_operand *parts, const struct ptx_operand *whole, bool pack)
{
    enum lane_type type = last_type(d);
    uint32_t part = lane_size(type) / (uint32_t)(parts->count ? parts->count : 1), places[8];
    if (parts->count > 4 || part < 2 || part * (uint32_t)parts->count != lane_size(type)) {
        refuse(d, "packs %d parts into %u bytes", parts->count, lane_size(type));
        return;
    }
    for (int k = 0; k < parts->count; k++)
        places[k] =
            pack ? source(d, &parts->list[k], part == 2 ? LANE_u16 : LANE_u32) : destination(d, &parts->list[k], part);
    uint32_t place = pack ? destination(d, whole, lane_size(type)) : source(d, whole, type);
    uint32_t list = add_list(d, places, (uint32_t)parts->count);
    struct insn *in = emit(d, pack ? RUN_pack : RUN_unpack);
    in->dst = in->a = place;
    in->target = list;
    in->count = (uint8_t)parts->count;
    in->size = (uint8_t)part;
}

void decode_mov(struct decoder *d)
{
    const struct ptx_operand *to = operand(d, 0), *from = operand(d, 1);
    if (to->kind == PTX_OP_VECTOR)
        decode_pack(d, to, from, false);
    else if (from->kind == PTX_OP_VECTOR)
        decode_pack(d, from, to, true);
    else if (!strcmp(last_word(d), "pred")) {
        uint32_t a = source_predicate(d, from), dst = destination_predicate(d, to);
        struct insn *in = emit(d, RUN_mov_predicate);
        in->dst = dst;
        in->a = a;
        in->sub = from->negated ? NEGATE_A : 0;
    } else
        refuse(d, "moves a type that this machine does not execute");
}

void decode_bfi(struct decoder *d)
{
    enum lane_type type = last_type(d);
    uint32_t places[2] = {source(d, operand(d, 3), LANE_u32), source(d, operand(d, 4), LANE_u32)};
    uint32_t a = source(d, operand(d, 1), type), b = source(d, operand(d, 2), type);
    uint32_t dst = destination(d, operand(d, 0), lane_size(type)), list = add_list(d, places, 2);
    struct insn *in = emit(d, RUN_bfi);
    in->dst = dst;
    in->a = a;
    in->b = b;
    in->target = list;
    in->size = (uint8_t)lane_size(type);
}

// {add,addc,sub,subc,mad,madc}{.lo,.hi}{.cc}.{u32,s32,u64,s64}: the carry is the predicate at place 0.
void decode_carry(struct decoder *d)
{
    enum lane_type type = last_type(d);
    const char *word = d->words[0];
    bool mad = word[0] == 'm', takes = word[3] == 'c', gives = has_word(d, "cc");
    if ((!takes && !gives) || type >= LANE_f32 || lane_size(type) < 4) {
        refuse(d, "is not an instruction this machine executes");
        return;
    }
    uint32_t a = source(d, operand(d, 1), type), b = source(d, operand(d, 2), type);
    uint32_t c = mad ? source(d, operand(d, 3), type) : NONE, dst = destination(d, operand(d, 0), lane_size(type));
    struct insn *in = emit(d, RUN_carry);
    in->dst = dst;
    in->a = a;
    in->b = b;
    in->c = c;
    in->size = (uint8_t)lane_size(type);
    in->sub = (uint8_t)(word[0] == 's' ? 1 : mad ? has_word(d, "hi") ? 3 : 2 : 0);
    in->order = (uint8_t)(takes | gives << 1);
    in->scope = type == LANE_s32 || type == LANE_s64;
}

void decode_nothing(struct decoder *d)
{
    emit(d, RUN_nothing);
}

// ---- conversions

struct cvt_form {
    const char *name;
    enum action run;
};

static enum action fast_conversion(struct decoder *d)
{
    static const struct cvt_form forms[] = {
        {"cvt.u64.u32", RUN_cvt_64_u32},  {"cvt.s64.u32", RUN_cvt_64_u32},     {"cvt.s64.s32", RUN_cvt_64_s32},
        {"cvt.u64.s32", RUN_cvt_64_s32},  {"cvt.u32.u64", RUN_cvt_32_u64},     {"cvt.s32.s64", RUN_cvt_32_u64},
        {"cvt.u32.s64", RUN_cvt_32_u64},  {"cvt.rn.f32.s32", RUN_cvt_f32_s32}, {"cvt.rn.f32.u32", RUN_cvt_f32_u32},
        {"cvt.f64.f32", RUN_cvt_f64_f32},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(forms[i].name, d->ptx->op))
            return forms[i].run;
    return NO_ACTION;
}

static const char *const rounding_words[] = {[RN] = "rn",   [RZ] = "rz",   [RM] = "rm",   [RP] = "rp",  [RNI] = "rni",
                                             [RZI] = "rzi", [RMI] = "rmi", [RPI] = "rpi", [RNA] = "rna"};

// cvt.round{.satfinite}{.relu}.dtype.stype d, a{, b}: tf32 of f32; two e4m3 or e5m2 of two f32 or of f16x2, and
// back.
static bool decode_narrow_cvt(struct decoder *d)
{
    static const struct {
        const char *types;
        enum narrow kind;
        uint8_t to, from, sources;
    } forms[] = {{".tf32.f32", NARROW_TF32, 4, 4, 1},
                 {".e4m3x2.f32", NARROW_E4M3, 2, 4, 2},
                 {".e5m2x2.f32", NARROW_E5M2, 2, 4, 2},
                 {".e4m3x2.f16x2", NARROW_E4M3_HALVES, 2, 4, 1},
                 {".e5m2x2.f16x2", NARROW_E5M2_HALVES, 2, 4, 1},
                 {".f16x2.e4m3x2", HALVES_E4M3, 4, 2, 1},
                 {".f16x2.e5m2x2", HALVES_E5M2, 4, 2, 1}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t length = strlen(d->ptx->op), end = strlen(forms[i].types);
        if (length < end || strcmp(d->ptx->op + length - end, forms[i].types))
            continue;
        enum lane_type from = forms[i].from == 2 ? LANE_u16 : LANE_u32;
        uint32_t a = source(d, operand(d, 1), from), b = NONE;
        if (forms[i].sources == 2)
            b = source(d, operand(d, 2), from);
        uint32_t dst = destination(d, operand(d, 0), forms[i].to);
        struct insn *in = emit(d, RUN_convert_narrow);
        in->dst = dst;
        in->a = a;
        in->b = b;
        in->sub = (uint8_t)forms[i].kind;
        in->scope = (uint8_t)(has_word(d, "rna") ? RNA : has_word(d, "rz") ? RZ : RN);
        in->order = (uint8_t)((has_word(d, "satfinite") ? CVT_SATURATE : 0) | (has_word(d, "relu") ? CVT_RELU : 0));
        return true;
    }
    return false;
}

// cvt{.round}{.ftz}{.sat}.dtype.stype d, a: registers may be wider than the types. Into a pair: d, high, low.
void decode_cvt(struct decoder *d)
{
    if (decode_narrow_cvt(d))
        return;
    const char *from = last_word(d), *to = d->word_count > 2 ? d->words[d->word_count - 2] : "";
    enum ptx_type stype = ptx_type_parse(from, strlen(from)), dtype = ptx_type_parse(to, strlen(to));
    const struct ptx_operand *o = operand(d, 1);
    uint32_t dst_size = register_size(d, operand(d, 0)), src_size = register_size(d, o);
    bool pair = dtype == PTX_F16X2 || dtype == PTX_BF16X2;
    if (stype < PTX_U8 || dtype < PTX_U8 || stype == PTX_F16X2 || stype == PTX_BF16X2 || (pair && stype != PTX_F32) ||
        d->ptx->count != (pair ? 3 : 2)) {
        refuse(d, "converts between types that this machine does not support");
        return;
    }
    if (!src_size) // an immediate
        src_size = ptx_type_size(stype) < 2 ? 2 : ptx_type_size(stype);
    enum lane_type lane = src_size == 2 ? LANE_u16 : src_size == 4 ? LANE_u32 : LANE_u64;
    if (o->kind == PTX_OP_F32 || o->kind == PTX_OP_F64)
        lane = lane_type_of(stype);
    uint32_t a = source(d, o, lane), dst = destination(d, operand(d, 0), dst_size);
    uint32_t low = pair ? source(d, operand(d, 2), LANE_f32) : NONE;
    if (pair)
        dtype = dtype == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    enum action fast =
        dst_size == ptx_type_size(dtype) && src_size == ptx_type_size(stype) ? fast_conversion(d) : NO_ACTION;
    struct insn *in = emit(d, fast != NO_ACTION ? fast : RUN_convert);
    in->dst = dst;
    in->a = a;
    in->b = low;
    in->size = (uint8_t)src_size;
    in->count = (uint8_t)dst_size;
    in->space = (uint8_t)stype;
    in->scope = (uint8_t)dtype;
    in->order = (uint8_t)((has_word(d, "sat") ? CVT_SATURATE : 0) | (has_word(d, "ftz") ? CVT_FLUSH : 0) |
                          (has_word(d, "relu") ? CVT_RELU : 0));
    for (enum rounding r = RN; r <= RNA; r++)
        if (has_word(d, rounding_words[r]))
            in->sub = (uint8_t)r;
}

// cvta{.to}.space.u64 d, a
void decode_cvta(struct decoder *d)
{
    bool shared = has_word(d, "shared") || has_word(d, "shared::cta") || has_word(d, "shared::cluster");
    uint64_t tag = shared                                                ? TAG_SHARED
                   : has_word(d, "local")                                ? TAG_LOCAL
                   : has_word(d, "param") || has_word(d, "param::entry") ? TAG_PARAM
                                                                         : 0;
    if (!tag && !has_word(d, "global") && !has_word(d, "const")) {
        refuse(d, "names an address space that this machine does not have");
        return;
    }
    uint32_t a = source(d, operand(d, 1), LANE_u64), dst = destination(d, operand(d, 0), 8);
    struct insn *in = emit(d, tag ? RUN_cvta : (enum action)OP_mov_64); // global addresses have no tag
    in->dst = dst;
    in->a = a;
    in->imm = (int64_t)tag;
    in->sub = has_word(d, "to");
}

void decode_isspacep(struct decoder *d)
{
    static const char *const spaces[] = {"global", "shared", "shared::cta",    "local",
                                         "const",  "param",  "shared::cluster"};
    static const uint8_t codes[] = {PTX_GLOBAL, PTX_SHARED, PTX_SHARED, PTX_LOCAL, PTX_CONST, PTX_PARAM, SPACE_CLUSTER};
    uint32_t a = source(d, operand(d, 1), LANE_u64), dst = destination_predicate(d, operand(d, 0));
    struct insn *in = emit(d, RUN_isspacep);
    in->dst = dst;
    in->a = a;
    for (int k = 0; k < 7; k++)
        if (has_word(d, spaces[k])) {
            in->space = codes[k];
            return;
        }
    refuse(d, "names an address space that this machine does not have");
}

// ---- addresses in a cluster

// Whether the addresses are generic; otherwise they are shared-memory addresses.
static bool is_generic_here(const struct decoder *d)
{
    return !has_word(d, "shared::cluster");
}

// mapa{.shared::cluster}.{u32,u64} d, a, rank
void decode_mapa(struct decoder *d)
{
    bool wide = !strcmp(last_word(d), "u64");
    uint32_t a = source(d, operand(d, 1), wide ? LANE_u64 : LANE_u32), rank = source(d, operand(d, 2), LANE_u32);
    uint32_t dst = destination(d, operand(d, 0), wide ? 8 : 4);
    struct insn *in = emit(d, RUN_map_rank);
    in->dst = dst;
    in->a = a;
    in->b = rank;
    in->size = wide ? 8 : 4;
    in->sub = is_generic_here(d);
}

// getctarank{.shared::cluster}.{u32,u64} d, a
void decode_getctarank(struct decoder *d)
{
    bool wide = !strcmp(last_word(d), "u64");
    uint32_t a = source(d, operand(d, 1), wide ? LANE_u64 : LANE_u32), dst = destination(d, operand(d, 0), 4);
    struct insn *in = emit(d, RUN_rank_of);
    in->dst = dst;
    in->a = a;
    in->size = wide ? 8 : 4;
    in->sub = is_generic_here(d);
}
