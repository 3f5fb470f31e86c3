// wgmma, setmaxnreg (PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions").
#include <stdio.h>

#include "decode/decode.h"
#include "decode/families.h"
#include "decode/tensor.h"

// The words of wgmma.mma_async after .sync.aligned: .shape{.satfinite}.dtype.atype.btype{.and.popc}
struct wgmma_words {
    unsigned m, n, k;
    enum tensor_type type[3]; // D, A, B
    int types;
    bool saturate, and;
};

static bool read_word(const char *word, struct wgmma_words *w)
{
    enum tensor_type type = tensor_type_of(word);
    if (!w->m && sscanf(word, "m%un%uk%u", &w->m, &w->n, &w->k) == 3)
        return true;
    if (type != TENSOR_NONE && w->types < 3) {
        w->type[w->types++] = type;
        return true;
    }
    w->saturate |= !strcmp(word, "satfinite");
    w->and |= !strcmp(word, "and");
    return !strcmp(word, "satfinite") || !strcmp(word, "and") || !strcmp(word, "popc");
}

static struct wgmma_words read_words(struct decoder *d)
{
    struct wgmma_words w = {.m = 0};
    if (has_word(d, "sp"))
        refuse(d, "is a product with a sparse matrix: this machine executes dense wgmma.mma_async");
    for (int i = 4; i < d->word_count && !d->failed; i++)
        if (!read_word(d->words[i], &w))
            refuse(d, "has the modifier .%s, which this machine does not know", d->words[i]);
    return w;
}

static bool is_half(enum tensor_type t)
{
    return t == TENSOR_F16 || t == TENSOR_BF16;
}

static bool is_byte(enum tensor_type t)
{
    return t == TENSOR_S8 || t == TENSOR_U8;
}

// Every multiple of 8 for floats; for integers without 40, 56, 72 and so on.
static bool columns_fit(const struct wgmma_words *w)
{
    bool whole = w->type[0] == TENSOR_S32;
    return w->n >= 8 && w->n <= 256 && w->n % 8 == 0 && (!whole || w->n == 8 || w->n == 24 || w->n % 16 == 0);
}

static bool types_fit(const struct wgmma_words *w)
{
    enum tensor_type a = w->type[1], b = w->type[2];
    bool pair = a == b || (is_byte(a) && is_byte(b)) || (tensor_is_eighth(a) && tensor_is_eighth(b));
    bool factor = is_half(a) || is_byte(a) || tensor_is_eighth(a) || a == TENSOR_TF32 || a == TENSOR_B1;
    return w->types == 3 && pair && factor && tensor_sums_fit(a, w->type[0]) && (!w->saturate || is_byte(a)) && w->and
           == (a == TENSOR_B1) && w->m == 64 && w->k * tensor_type_bits(a) == 256 && columns_fit(w);
}

static struct wgmma_form make_form(const struct wgmma_words *w, bool registers)
{
    struct wgmma_form f;
    bool bits = w->type[1] == TENSOR_B1;
    uint32_t k = bits ? w->k / 32 : w->k;
    memset(&f, 0, sizeof f);
    f.n = (uint16_t)w->n;
    f.bits = (uint8_t)(bits ? 32 : tensor_type_bits(w->type[1]));
    f.registers = registers;
    f.product.m = 16;
    f.product.n = 8;
    f.product.k = f.product.block = (uint16_t)k;
    f.product.count = 1;
    f.product.saturate = w->saturate;
    f.product.bits = w->and ? BITS_AND : BITS_NONE;
    f.product.places = tensor_is_eighth(w->type[1]) ? 13 : 0;
    f.product.part[PART_A] = tensor_factor(w->type[1], 16, k);
    f.product.part[PART_B].type = (uint8_t)w->type[2];
    f.product.part[PART_C] = f.product.part[PART_D] = tensor_sum(w->type[0], 16, 8);
    return f;
}

// Reads an immediate operand that has one of two values.
static bool choice(struct decoder *d, int k, int64_t first, int64_t second)
{
    int64_t value = constant(d, operand(d, k));
    if (value != first && value != second)
        refuse(d, "has %lld as operand %d, which is %lld or %lld", (long long)value, k, (long long)first,
               (long long)second);
    return value == second;
}

// Reads the operands after scale-d: imm-scale-a and -b for floats; with 16 bits also imm-trans-a, if A is in memory,
// and -b.
static void read_immediates(struct decoder *d, struct wgmma_form *f)
{
    enum tensor_type a = (enum tensor_type)f->product.part[PART_A].type;
    bool whole = is_byte(a) || a == TENSOR_B1;
    int count = whole ? 4 : !is_half(a) ? 6 : f->registers ? 7 : 8;
    if (d->ptx->count != count) {
        refuse(d, "has %d operands; these types need %d", d->ptx->count, count);
        return;
    }
    for (int k = 0; k < 2 && !whole; k++)
        f->negated[k] = choice(d, 4 + k, 1, -1);
    if (is_half(a) && !f->registers)
        f->transposed[0] = choice(d, 6, 0, 1);
    if (is_half(a))
        f->transposed[1] = choice(d, count - 1, 0, 1);
}

struct places {
    uint32_t of[1 + 3 * MAX_PRODUCT_REGISTERS + 2 * MAX_REGISTERS], count;
};

static const struct ptx_operand *register_operand(struct decoder *d, int part, uint32_t k, uint32_t count)
{
    const struct ptx_operand *o = operand(d, part);
    if (o->kind != PTX_OP_VECTOR || (uint32_t)o->count != count)
        refuse(d, "has %d registers for a matrix that takes %u", o->kind == PTX_OP_VECTOR ? o->count : 1, count);
    return d->failed ? operand(d, d->ptx->count) : &o->list[k];
}

static void add_place(struct places *p, uint32_t place)
{
    p->of[p->count++] = place;
}

// Builds the list in the order that tensor.h defines.
static void find_places(struct decoder *d, const struct wgmma_form *f, struct places *p)
{
    uint32_t sums = product_registers(f), factors = f->registers ? f->product.part[PART_A].registers : 0;
    for (uint32_t k = 0; k < sums && !d->failed; k++)
        add_place(p, destination(d, register_operand(d, 0, k, sums), 4));
    for (uint32_t k = 0; k < factors && !d->failed; k++)
        add_place(p, source(d, register_operand(d, 1, k, factors), LANE_u32));
    for (uint32_t k = 0; k < sums + factors && !d->failed; k++) {
        bool sum = k < sums;
        const struct ptx_operand *o = register_operand(d, !sum, sum ? k : k - sums, sum ? sums : factors);
        add_place(p, d->followed && o->kind == PTX_OP_REG ? d->followed[o->reg] : NONE);
    }
    for (uint32_t k = 0; k < sums && !d->failed; k++) {
        const struct ptx_operand *o = register_operand(d, 0, k, sums);
        add_place(p, undefined_place(d, o->kind == PTX_OP_REG ? o->reg : -1));
    }
}

// wgmma.mma_async ... d, a, b, scale-d, ...
static void decode_product(struct decoder *d)
{
    struct wgmma_words w = read_words(d);
    if (!d->failed && !types_fit(&w))
        refuse(d, "has a shape, or a combination of types, that wgmma does not support");
    struct places p = {.count = 0};
    struct wgmma_form f = make_form(&w, operand(d, 1)->kind == PTX_OP_VECTOR);
    if (!d->failed)
        read_immediates(d, &f);
    if (d->failed)
        return;
    add_place(&p, source_predicate(d, operand(d, 3)));
    uint32_t a = f.registers ? NONE : source(d, operand(d, 1), LANE_u64), b = source(d, operand(d, 2), LANE_u64);
    find_places(d, &f, &p);
    if (d->failed)
        return;
    uint32_t list = add_list(d, p.of, p.count);
    uint32_t form = add_list(d, (const uint32_t *)(const void *)&f, sizeof f / sizeof(uint32_t));
    struct insn *in = emit_control(d, RUN_product_async);
    in->a = a;
    in->b = b;
    in->target = list;
    in->imm = form;
}

// wgmma.wait_group N: all groups but the N latest are complete after it.
static void decode_wait(struct decoder *d)
{
    int64_t groups = constant(d, operand(d, 0));
    if (groups < 0 || groups > 7)
        refuse(d, "waits for all but %lld groups; it may leave 0 to 7 of them", (long long)groups);
    if (!d->failed)
        emit_control(d, RUN_product_wait)->imm = groups;
}

void decode_wgmma(struct decoder *d)
{
    if (d->word_count < 4 || !has_word(d, "sync") || !has_word(d, "aligned"))
        refuse(d, "needs .sync.aligned");
    else if (!strcmp(d->words[1], "mma_async"))
        decode_product(d);
    else if (!strcmp(d->words[1], "fence"))
        emit_control(d, RUN_product_fence);
    else if (!strcmp(d->words[1], "commit_group"))
        emit_control(d, RUN_product_commit);
    else if (!strcmp(d->words[1], "wait_group"))
        decode_wait(d);
    else
        refuse(d, "is a form that this machine does not know");
}

// setmaxnreg.{inc,dec}.sync.aligned.u32 N: sub is whether it takes registers.
void decode_set_registers(struct decoder *d)
{
    int64_t n = constant(d, operand(d, 0));
    if (strcmp(d->ptx->op, "setmaxnreg.inc.sync.aligned.u32") && strcmp(d->ptx->op, "setmaxnreg.dec.sync.aligned.u32"))
        refuse(d, "is a form that this machine does not know");
    else if (n < 24 || n > 256 || n % 8)
        refuse(d, "asks for %lld registers; their number is a multiple of 8 from 24 to 256", (long long)n);
    else {
        struct insn *in = emit_control(d, RUN_set_registers);
        in->imm = n;
        in->sub = has_word(d, "inc");
    }
}

// fence.proxy.async{.space}: the threads' stores become visible to asynchronous readers.
void decode_proxy_fence(struct decoder *d)
{
    static const char *const known[] = {"proxy", "async", "global", "shared", "shared::cta", "shared::cluster"};
    if (has_word(d, "tensormap::generic")) {
        decode_map_fence(d);
        return;
    }
    refuse_other_words(d, known, sizeof known / sizeof *known);
    emit(d, RUN_proxy_fence);
}
