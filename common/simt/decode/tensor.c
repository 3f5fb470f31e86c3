// mma, wmma, ldmatrix, stmatrix, movmatrix (PTX ISA 9.0, "Warp Level Matrix Multiply-Accumulate Instructions").
//
// Which element of a matrix a lane's register holds depends on the bits of the lane's number and of the element's: each
// bit adds a fixed distance. So a fragment is two short lists of distances.
#include "decode/tensor.h"

#include <stdio.h>

#include "decode/decode.h"
#include "decode/families.h"

static const struct {
    const char *name;
    uint8_t type, bits;
} TYPES[] = {{"f16", TENSOR_F16, 16}, {"bf16", TENSOR_BF16, 16}, {"tf32", TENSOR_TF32, 32}, {"f64", TENSOR_F64, 64},
             {"f32", TENSOR_F32, 32}, {"e4m3", TENSOR_E4M3, 8},  {"e5m2", TENSOR_E5M2, 8},  {"s8", TENSOR_S8, 8},
             {"u8", TENSOR_U8, 8},    {"s4", TENSOR_S4, 4},      {"u4", TENSOR_U4, 4},      {"b1", TENSOR_B1, 1},
             {"s32", TENSOR_S32, 32}};

// Kinds of operands, as sets.
enum { HALF = 1, BHALF = 2, TF = 4, DOUBLE = 8, BYTE = 16, NIBBLE = 32, BIT = 64, EIGHTH = 128 };

static uint32_t kind_of(enum tensor_type t)
{
    static const uint8_t kinds[] = {
        [TENSOR_F16] = HALF,    [TENSOR_BF16] = BHALF,  [TENSOR_TF32] = TF, [TENSOR_F64] = DOUBLE,
        [TENSOR_E4M3] = EIGHTH, [TENSOR_E5M2] = EIGHTH, [TENSOR_S8] = BYTE, [TENSOR_U8] = BYTE,
        [TENSOR_S4] = NIBBLE,   [TENSOR_U4] = NIBBLE,   [TENSOR_B1] = BIT,  [TENSOR_S32] = 0};
    return kinds[t];
}

struct shape {
    const char *name;
    uint16_t m, n, k;
    uint8_t kinds;
};

static const struct shape SHAPES[] = {{"m8n8k4", 8, 8, 4, HALF | DOUBLE},
                                      {"m8n8k16", 8, 8, 16, BYTE},
                                      {"m8n8k32", 8, 8, 32, NIBBLE},
                                      {"m8n8k128", 8, 8, 128, BIT},
                                      {"m16n8k4", 16, 8, 4, TF | DOUBLE},
                                      {"m16n8k8", 16, 8, 8, HALF | BHALF | TF | DOUBLE},
                                      {"m16n8k16", 16, 8, 16, HALF | BHALF | DOUBLE | BYTE},
                                      {"m16n8k32", 16, 8, 32, BYTE | NIBBLE | EIGHTH},
                                      {"m16n8k64", 16, 8, 64, NIBBLE},
                                      {"m16n8k128", 16, 8, 128, BIT},
                                      {"m16n8k256", 16, 8, 256, BIT}};

// The shapes of wmma.
static const struct shape WHOLE_SHAPES[] = {{"m16n16k16", 16, 16, 16, HALF | BHALF | BYTE},
                                            {"m32n8k16", 32, 8, 16, HALF | BHALF | BYTE},
                                            {"m8n32k16", 8, 32, 16, HALF | BHALF | BYTE},
                                            {"m16n16k8", 16, 16, 8, TF},
                                            {"m8n8k4", 8, 8, 4, DOUBLE},
                                            {"m8n8k32", 8, 8, 32, NIBBLE},
                                            {"m8n8k128", 8, 8, 128, BIT}};

// ---- words

struct tensor_words {
    const struct shape *shape; // NULL: none
    bool column[2];            // A and B are stored by columns
    int layouts, types;
    enum tensor_type type[PARTS]; // in the order D, A, B, C
    bool saturate;
    enum tensor_bits bits;
};

static const struct shape *find_shape(const char *word, bool whole)
{
    size_t n = whole ? sizeof WHOLE_SHAPES / sizeof *WHOLE_SHAPES : sizeof SHAPES / sizeof *SHAPES;
    const struct shape *all = whole ? WHOLE_SHAPES : SHAPES;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(all[i].name, word))
            return &all[i];
    return NULL;
}

static int find_type(const char *word)
{
    for (int i = 0; i < (int)(sizeof TYPES / sizeof *TYPES); i++)
        if (!strcmp(TYPES[i].name, word))
            return i;
    return -1;
}

static bool read_layout(const char *word, struct tensor_words *w)
{
    if ((strcmp(word, "row") && strcmp(word, "col")) || w->layouts == 2)
        return false;
    w->column[w->layouts++] = !strcmp(word, "col");
    return true;
}

static bool read_flag(const char *word, struct tensor_words *w)
{
    if (!strcmp(word, "satfinite"))
        w->saturate = true;
    else if (!strcmp(word, "xor") || !strcmp(word, "and"))
        w->bits = !strcmp(word, "xor") ? BITS_XOR : BITS_AND;
    else
        return !strcmp(word, "sync") || !strcmp(word, "aligned") || !strcmp(word, "popc") || !strcmp(word, "rn");
    return true;
}

static void read_word(struct decoder *d, const char *word, bool whole, struct tensor_words *w)
{
    const struct shape *shape = find_shape(word, whole);
    int type = find_type(word);
    if (shape && !w->shape)
        w->shape = shape;
    else if (type >= 0 && w->types < PARTS)
        w->type[w->types++] = TYPES[type].type;
    else if (!read_layout(word, w) && !read_flag(word, w))
        refuse(d,
               "has the modifier .%s, which this machine does not know (tensor cores: "
               "the dense mma.sync and wmma of sm_90)",
               word);
}

// Reads words from number `from` on; whole: those of wmma.
static struct tensor_words read_words(struct decoder *d, int from, bool whole)
{
    struct tensor_words w = {.shape = NULL};
    for (int i = from; i < d->word_count && !d->failed; i++)
        read_word(d, d->words[i], whole, &w);
    if (!d->failed && (!has_word(d, "sync") || !has_word(d, "aligned")))
        refuse(d, "needs .sync.aligned");
    return w;
}

// ---- fragments

static uint32_t type_bits(enum tensor_type t)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (TYPES[i].type == t)
            return TYPES[i].bits;
    return 32;
}

// The number of elements in a register; a word of b1 elements counts as one.
static uint32_t per_register(enum tensor_type t)
{
    uint32_t bits = type_bits(t);
    return bits >= 32 || bits == 1 ? 1 : 32 / bits;
}

// A list of distances, one for each bit of a number, lowest first.
struct distances {
    uint16_t of[6];
    uint32_t count;
};

static void add_distance(struct distances *d, uint32_t distance)
{
    d->of[d->count++] = (uint16_t)distance;
}

static uint16_t sum_of(const struct distances *d, uint32_t bits)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < d->count; i++)
        sum += bits >> i & 1 ? d->of[i] : 0;
    return (uint16_t)sum;
}

static struct fragment make_fragment(enum tensor_type type, const struct distances *lanes,
                                     const struct distances *elements)
{
    struct fragment f = {.type = (uint8_t)type, .per_register = (uint8_t)per_register(type)};
    f.registers = (uint8_t)((1u << elements->count) / f.per_register);
    for (uint32_t l = 0; l < LANES; l++)
        f.lane_at[l] = sum_of(lanes, l);
    for (uint32_t e = 0; e < 1u << elements->count; e++)
        f.element_at[e] = sum_of(elements, e);
    return f;
}

// A and B of 8-bit floats: the hardware sums the halves of all registers separately, so these follow one another.
static struct fragment eighth_fragment(enum tensor_type type, uint32_t lines, uint32_t k)
{
    struct distances lanes = {{2, 4, (uint16_t)k, (uint16_t)(2 * k), (uint16_t)(4 * k)}, 5};
    struct distances elements = {{1, 16}, 2};
    if (lines == 16)
        add_distance(&elements, 8 * k);
    add_distance(&elements, 8);
    return make_fragment(type, &lanes, &elements);
}

// A and B of the usual shapes: lines of k elements; each group of four lanes has a line. Along the line come a
// register's elements, then the four lanes, then other registers; the registers for the line eight further come before
// or after those.
static struct fragment factor_fragment(enum tensor_type type, uint32_t lines, uint32_t k, bool lines_first)
{
    uint32_t per = per_register(type);
    if (kind_of(type) == EIGHTH)
        return eighth_fragment(type, lines, k);
    struct distances lanes = {{(uint16_t)per, (uint16_t)(2 * per), (uint16_t)k, (uint16_t)(2 * k), (uint16_t)(4 * k)},
                              5};
    struct distances elements = {.count = 0};
    for (uint32_t at = 1; at < per; at *= 2)
        add_distance(&elements, at);
    if (lines >= 16 && lines_first)
        add_distance(&elements, 8 * k);
    for (uint32_t at = 4 * per; at < k; at *= 2)
        add_distance(&elements, at);
    if (lines >= 16 && !lines_first)
        add_distance(&elements, 8 * k);
    if (lines == 32)
        add_distance(&elements, 16 * k);
    return make_fragment(type, &lanes, &elements);
}

// C and D: pairs of columns, then the line eight further, then further columns or lines. 8 x 32 is 32 x 8 transposed.
static struct fragment sum_fragment(enum tensor_type type, uint32_t m, uint32_t n)
{
    bool wide = n == 32;
    uint32_t line = wide ? 1 : n, column = wide ? n : 1;
    struct distances lanes = {
        {(uint16_t)(2 * column), (uint16_t)(4 * column), (uint16_t)line, (uint16_t)(2 * line), (uint16_t)(4 * line)},
        5};
    struct distances elements = {{(uint16_t)column}, 1};
    if (m >= 16 || wide)
        add_distance(&elements, 8 * line);
    if (m == 32 || wide)
        add_distance(&elements, 16 * line);
    if (n == 16)
        add_distance(&elements, 8);
    return make_fragment(type, &lanes, &elements);
}

// The same for wmma: factors of f16 fill eight registers, and repeat elements two or four times if they need fewer.
static struct fragment whole_factor(enum tensor_type type, uint32_t lines, uint32_t k, bool is_a)
{
    struct fragment f = factor_fragment(type, lines, k, is_a || lines == 32);
    uint32_t n = (uint32_t)f.registers * f.per_register;
    for (; type == TENSOR_F16 && f.registers < MAX_REGISTERS; f.registers *= 2, n *= 2)
        memcpy(f.element_at + n, f.element_at, n * sizeof *f.element_at);
    return f;
}

enum tensor_type tensor_type_of(const char *word)
{
    int i = find_type(word);
    return i < 0 ? TENSOR_NONE : (enum tensor_type)TYPES[i].type;
}

uint32_t tensor_type_bits(enum tensor_type t)
{
    return type_bits(t);
}

struct fragment tensor_factor(enum tensor_type type, uint32_t lines, uint32_t k)
{
    bool eighth = kind_of(type) == EIGHTH;
    struct fragment f = factor_fragment(eighth ? TENSOR_U8 : type, lines, k, true);
    f.type = (uint8_t)type;
    return f;
}

struct fragment tensor_sum(enum tensor_type type, uint32_t m, uint32_t n)
{
    return sum_fragment(type, m, n);
}

// m8n8k4 of f16: four independent products; product q uses lanes 4 q to 4 q + 3 and 16 + 4 q to 16 + 4 q + 3.
static struct fragment quad_factor(bool across) // across: a lane holds a part of a column of A, or of a row of B
{
    struct distances along = {{4, 8, 32, 64, 16}, 5}, over = {{1, 2, 32, 64, 16}, 5};
    struct distances elements = {{across ? 4 : 1, across ? 8 : 2}, 2};
    return make_fragment(TENSOR_F16, across ? &over : &along, &elements);
}

static struct fragment quad_sum(enum tensor_type type)
{
    struct distances half = {{8, 16, 64, 128, 32}, 5}, whole = {{8, 2, 64, 128, 32}, 5};
    struct distances columns = {{1, 2, 4}, 3}, both = {{1, 16, 4}, 3};
    return type == TENSOR_F16 ? make_fragment(type, &half, &columns) : make_fragment(type, &whole, &both);
}

static void set_parts(struct tensor_form *f, const struct tensor_words *w)
{
    const enum tensor_type *t = w->type;
    bool quad = f->m == 8 && t[PART_A] == TENSOR_F16;
    f->count = quad ? 4 : 1;
    f->part[PART_A] = quad ? quad_factor(w->column[0]) : factor_fragment(t[PART_A], f->m, f->k, true);
    f->part[PART_B] = quad ? quad_factor(!w->column[1]) : factor_fragment(t[PART_B], f->n, f->k, true);
    f->part[PART_C] = quad ? quad_sum(t[PART_C]) : sum_fragment(t[PART_C], f->m, f->n);
    f->part[PART_D] = quad ? quad_sum(t[PART_D]) : sum_fragment(t[PART_D], f->m, f->n);
}

// ---- mma

// Whether the sum's type fits the factors' type: f32 for tf32, s32 for s8; f16 or f32 for f16.
static bool sums_fit(enum tensor_type factor, enum tensor_type sum)
{
    switch (kind_of(factor)) {
    case HALF: return sum == TENSOR_F16 || sum == TENSOR_F32;
    case BHALF:
    case TF:
    case EIGHTH: return sum == TENSOR_F32;
    case DOUBLE: return sum == TENSOR_F64;
    default: return sum == TENSOR_S32;
    }
}

bool tensor_sums_fit(enum tensor_type factor, enum tensor_type sum)
{
    return sums_fit(factor, sum) || (kind_of(factor) == EIGHTH && sum == TENSOR_F16);
}

static bool types_fit(const struct tensor_words *w)
{
    const enum tensor_type *t = w->type;
    uint32_t kind = kind_of(t[PART_A]);
    bool quad = w->shape->m == 8 && kind == HALF, whole = kind & (BYTE | NIBBLE);
    return w->types == PARTS && w->layouts == 2 && kind == kind_of(t[PART_B]) && w->shape->kinds & kind &&
           sums_fit(t[PART_A], t[PART_C]) && t[PART_C] == t[PART_D] && (quad || (!w->column[0] && w->column[1])) &&
           (!w->saturate || whole) && (w->bits != BITS_NONE) == (kind == BIT);
}

static uint32_t register_bytes(const struct fragment *f)
{
    return f->type == TENSOR_F64 ? 8 : 4;
}

// Fills in the places of a fragment's registers, which a vector operand names. Returns how many.
static uint32_t fragment_places(struct decoder *d, const struct ptx_operand *o, const struct fragment *f, bool written,
                                uint32_t *places)
{
    const struct ptx_operand *list = o->kind == PTX_OP_VECTOR ? o->list : o;
    int count = o->kind == PTX_OP_VECTOR ? o->count : 1;
    if (count != f->registers) {
        refuse(d, "has %d registers for a matrix that takes %d", count, f->registers);
        return 0;
    }
    for (int i = 0; i < count; i++)
        places[i] = written ? destination(d, &list[i], register_bytes(f))
                            : source(d, &list[i], register_bytes(f) == 8 ? LANE_u64 : LANE_u32);
    return (uint32_t)count;
}

// Finds the form in the function's lists, or appends it.
static uint32_t place_form(struct decoder *d, const struct tensor_form *f)
{
    uint32_t words = sizeof *f / sizeof(uint32_t);
    for (uint32_t i = 0; i < d->form_count; i++)
        if (!memcmp(d->code->lists + d->forms[i], f, sizeof *f))
            return d->forms[i];
    uint32_t at = add_list(d, (const uint32_t *)(const void *)f, words);
    if (d->form_count < MAX_FORMS)
        d->forms[d->form_count++] = at;
    return at;
}

static void emit_mma(struct decoder *d, const struct tensor_form *f)
{
    uint32_t places[PARTS * MAX_REGISTERS], n = 0;
    for (int part = 0; part < PARTS && !d->failed; part++)
        n += fragment_places(d, operand(d, part), &f->part[part], part == PART_D, places + n);
    if (d->failed)
        return;
    uint32_t list = add_list(d, places, n), form = place_form(d, f);
    struct insn *in = emit_control(d, RUN_mma);
    in->dst = places[0];
    in->target = list;
    in->imm = form;
}

static struct tensor_form begin_form(const struct tensor_words *w)
{
    struct tensor_form f;
    memset(&f, 0, sizeof f);
    f.m = w->shape->m;
    f.n = w->shape->n;
    f.k = (uint16_t)(w->bits ? w->shape->k / 32 : w->shape->k);
    f.block = f.k < 16 ? f.k : 16;
    f.count = 1;
    f.saturate = w->saturate;
    f.bits = (uint8_t)w->bits;
    return f;
}

static const char *const NO_SUCH_FORM = "is a shape, or a combination of types, that this machine does not execute";

// mma.sync.aligned.shape.alayout.blayout{.satfinite}.dtype.atype.btype.ctype{.op.popc} d, a, b, c
void decode_mma(struct decoder *d)
{
    struct tensor_words w = read_words(d, 1, false);
    if (!d->failed && (!w.shape || !types_fit(&w)))
        refuse(d, "%s", NO_SUCH_FORM);
    if (d->failed)
        return;
    struct tensor_form f = begin_form(&w);
    set_parts(&f, &w);
    emit_mma(d, &f);
}

// ---- wmma

static bool whole_types_fit(const struct tensor_words *w)
{
    const enum tensor_type *t = w->type;
    uint32_t kind = kind_of(t[PART_A]), whole = BYTE | NIBBLE;
    return w->layouts == 2 && t[PART_A] == t[PART_B] && w->shape->kinds & kind && sums_fit(t[PART_A], t[PART_C]) &&
           sums_fit(t[PART_A], t[PART_D]) && (!w->saturate || kind & whole) && (w->bits != BITS_NONE) == (kind == BIT);
}

// wmma.mma{.op.popc}.sync.aligned.alayout.blayout.shape.dtype{.atype.btype}.ctype{.rn}{.satfinite} d, a, b, c
static void decode_whole_mma(struct decoder *d)
{
    struct tensor_words w = read_words(d, 2, true);
    if (w.types == 2) { // of f16: types of D and C
        w.type[PART_C] = w.type[1];
        w.type[PART_A] = w.type[PART_B] = TENSOR_F16;
        w.types = PARTS;
    }
    if (!d->failed && (!w.shape || w.types != PARTS || !whole_types_fit(&w)))
        refuse(d, "%s", NO_SUCH_FORM);
    if (d->failed)
        return;
    struct tensor_form f = begin_form(&w);
    f.block = w.type[PART_A] == TENSOR_TF32 ? 4 : f.block;
    f.part[PART_A] = whole_factor(w.type[PART_A], f.m, f.k, true);
    f.part[PART_B] = whole_factor(w.type[PART_B], f.n, f.k, false);
    f.part[PART_C] = sum_fragment(w.type[PART_C], f.m, f.n);
    f.part[PART_D] = sum_fragment(w.type[PART_D], f.m, f.n);
    emit_mma(d, &f);
}

// Whether the shape allows this type of factor or sum.
static bool matrix_fits(const struct tensor_words *w, char which)
{
    enum tensor_type t = w->type[0];
    uint32_t kinds = w->shape->kinds;
    if (which == 'a' || which == 'b')
        return kinds & kind_of(t);
    return (t == TENSOR_F16 && kinds & HALF) || (t == TENSOR_F32 && kinds & (HALF | BHALF | TF)) ||
           (t == TENSOR_F64 && kinds & DOUBLE) || (t == TENSOR_S32 && kinds & (BYTE | NIBBLE | BIT));
}

static struct matrix_form make_matrix_form(const struct tensor_words *w, char which)
{
    struct matrix_form f;
    enum tensor_type t = w->type[0];
    uint32_t k = t == TENSOR_B1 ? w->shape->k / 32u : w->shape->k, m = w->shape->m, n = w->shape->n;
    bool factor = which == 'a' || which == 'b';
    memset(&f, 0, sizeof f);
    f.fragment = !factor ? sum_fragment(t, m, n) : whole_factor(t, which == 'a' ? m : n, k, which == 'a');
    f.length = (uint16_t)(factor ? k : n);
    f.along = w->column[0] == (which == 'b');
    f.bits = (uint8_t)type_bits(t);
    f.unit = t == TENSOR_B1 ? 32 : f.bits;
    return f;
}

static void emit_matrix(struct decoder *d, const struct matrix_form *f, bool load, enum ptx_space space)
{
    static const struct ptx_operand none = {.kind = PTX_OP_INT, .reg = -1};
    uint32_t places[MAX_REGISTERS];
    struct address at = read_address(d, operand(d, load), space);
    uint32_t stride = source(d, d->ptx->count > 2 ? operand(d, 2) : &none, LANE_u32);
    uint32_t n = fragment_places(d, operand(d, !load), &f->fragment, load, places);
    uint32_t list = add_list(d, places, n);
    add_list(d, (const uint32_t *)(const void *)f, sizeof *f / sizeof(uint32_t));
    if (d->failed)
        return;
    struct insn *in = emit_control(d, load ? RUN_load_fragment : RUN_store_fragment);
    in->dst = load ? places[0] : NONE;
    in->a = at.place;
    in->b = stride;
    in->target = list;
    in->imm = at.imm;
    in->space = (uint8_t)at.space;
    in->order = at.narrow ? ADDRESS_32 : 0;
    in->size = f->fragment.type == TENSOR_F64 ? 8 : 4;
    in->count = 1;
    in->sub = (uint8_t)n;
    note_access(d, in);
}

// wmma.load.{a,b,c}.sync.aligned.layout.shape{.space}.type r, [p]{, stride}; wmma.store.d [p], r{, stride}
static void decode_matrix(struct decoder *d, bool load)
{
    struct tensor_words w = {.shape = NULL};
    char which = d->word_count > 2 ? d->words[2][0] : 0;
    bool shared = has_word(d, "shared") || has_word(d, "shared::cta"), global = has_word(d, "global");
    for (int i = 3; i < d->word_count && !d->failed; i++)
        if (strcmp(d->words[i], "global") && strcmp(d->words[i], "shared") && strcmp(d->words[i], "shared::cta"))
            read_word(d, d->words[i], true, &w);
    if (!d->failed &&
        (!w.shape || w.types != 1 || w.layouts != 1 || !strchr(load ? "abc" : "d", which) || !matrix_fits(&w, which)))
        refuse(d, "%s", NO_SUCH_FORM);
    if (d->failed)
        return;
    struct matrix_form f = make_matrix_form(&w, which);
    emit_matrix(d, &f, load, shared ? PTX_SHARED : global ? PTX_GLOBAL : PTX_GENERIC);
}

void decode_wmma(struct decoder *d)
{
    if (has_word(d, "mma"))
        decode_whole_mma(d);
    else if (has_word(d, "load") || has_word(d, "store"))
        decode_matrix(d, has_word(d, "load"));
    else
        refuse(d, "is a form that this machine does not know");
}

// ---- matrices of 8 x 8 elements of 16 bits

static bool read_matrix_words(struct decoder *d, struct insn *form)
{
    static const char *const known[] = {"sync", "aligned", "m8n8", "shared", "shared::cta", "b16"};
    form->space = has_word(d, "shared") || has_word(d, "shared::cta") ? PTX_SHARED : PTX_GENERIC;
    for (int i = 1; i < d->word_count; i++) {
        const char *word = d->words[i];
        if (!strcmp(word, "trans"))
            form->sub = 1;
        else if (word[0] == 'x' && strlen(word) == 2 && strchr("124", word[1]))
            form->count = (uint8_t)(word[1] - '0');
        else if (!is_one_of(word, known, sizeof known / sizeof *known)) {
            refuse(d, "has the modifier .%s, which this machine does not know (it knows 8 x 8 matrices of .b16)", word);
            return false;
        }
    }
    if (!form->count)
        refuse(d, "does not say how many matrices: .x1, .x2 or .x4");
    return !d->failed;
}

// ldmatrix.sync.aligned.m8n8.xN{.trans}{.shared}.b16 {r, ...}, [a]; stmatrix [a], {r, ...}: lane 8 i + j has the
// address of row j of matrix i.
static void decode_matrices(struct decoder *d, bool load)
{
    struct insn form = {.count = 0};
    uint32_t places[4];
    if (!read_matrix_words(d, &form))
        return;
    struct fragment rows = {.type = TENSOR_F16, .registers = form.count};
    struct address at = read_address(d, operand(d, load), (enum ptx_space)form.space);
    if (!fragment_places(d, operand(d, !load), &rows, load, places))
        return;
    uint32_t list = add_list(d, places, form.count);
    struct insn *in = emit_control(d, load ? RUN_load_matrices : RUN_store_matrices);
    in->dst = load ? places[0] : NONE;
    in->target = list;
    in->a = at.place;
    in->imm = at.imm;
    in->space = (uint8_t)at.space;
    in->order = at.narrow ? ADDRESS_32 : 0;
    in->size = 16;
    in->count = form.count;
    in->sub = form.sub;
    note_access(d, in);
}

void decode_load_matrices(struct decoder *d)
{
    decode_matrices(d, true);
}

void decode_store_matrices(struct decoder *d)
{
    decode_matrices(d, false);
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a
void decode_move_matrix(struct decoder *d)
{
    if (strcmp(d->ptx->op, "movmatrix.sync.aligned.m8n8.trans.b16"))
        refuse(d, "is a form that this machine does not know");
    uint32_t a = source(d, operand(d, 1), LANE_u32), dst = destination(d, operand(d, 0), 4);
    struct insn *in = emit_control(d, RUN_move_matrix);
    in->a = a;
    in->dst = dst;
}
