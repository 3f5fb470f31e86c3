// wgmma: D = A B + D by a warpgroup, asynchronously (PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions").
//
// If checks follow the registers (decode/product_registers.h), a product completes as late as it may: when a warp waits
// for its group, or in a random order at any time before. Otherwise it completes at its issue. Each warp computes its
// 16 rows. The factors in shared memory are read once, for the first warp that needs them: a product belongs to the
// whole warpgroup. A wait lasts until all four warps have issued the product; then it is complete for all of them.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/handlers.h"
#include "exec/sync.h"
#include "exec/tensor.h"
#include "exec/undefined.h"
#include "exec/warp.h"
#include "exec/warpgroup.h"
#include "exec/finding.h"

// ---- computing

// The 16 rows of A that belong to w.
static void rows_of_a(struct warp *w, const struct product *p, const uint32_t *places, uint32_t *a)
{
    const struct wgmma_form *f = p->form;
    uint32_t n = 16u * f->product.k, sign = f->negated[0] ? 1u << (f->bits - 1) : 0;
    if (!f->registers) {
        memcpy(a, p->a + w->index % GROUP_WARPS * n, n * sizeof *a);
        return;
    }
    tensor_gather(w, &f->product.part[PART_A], places, a);
    for (uint32_t i = 0; i < n; i++)
        a[i] ^= sign;
}

static void compute(struct warp *w, const struct code *code, const struct pending *q)
{
    struct product *p = q->product;
    const struct tensor_form *f = &p->form->product;
    const struct fragment *sum = &f->part[PART_D];
    const uint32_t *d = code->lists + p->in->target + 1;
    uint32_t a[16 * 32], c[16 * 8], out[16 * 8];
    rows_of_a(w, p, d + product_registers(p->form), a);
    for (uint32_t j = 0; j < p->form->n / 8u; j++, d += sum->registers) {
        memset(c, 0, sizeof c);
        if (q->accumulates)
            tensor_gather(w, sum, d, c);
        tensor_multiply(f, a, p->b + (size_t)j * 8 * f->k, c, out);
        tensor_spread(w, sum, d, out);
    }
}

// Called when w has its part: frees the product after the last warp.
static void leave(struct warp *w, struct product *p)
{
    struct warpgroup *g = warpgroup_of(w);
    p->left &= ~(1u << w->index % GROUP_WARPS);
    if (p->left)
        return;
    struct product **at = &g->products;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    p->next = g->spare;
    g->spare = p;
}

static void finish(struct warp *w, const struct code *code, struct pending *q)
{
    if (!q->done && !q->product)
        memcpy(register_row(w, q->to), register_row(w, q->from), LANES * sizeof(uint32_t));
    if (!q->done && q->product) {
        product_take(w, q->product);
        compute(w, code, q);
    }
    q->done = true;
}

// Completes what w has pending in groups before `before`, in order, but at most `most` of them.
static void complete(struct warp *w, uint32_t before, uint32_t most)
{
    struct group_warp *g = group_warp_of(w);
    uint8_t *bank = w->bank[0];
    uint32_t mask = w->mask;
    w->bank[0] = w->regs; // the kernel's: a function that it calls may wait
    set_mask(w, ALL_LANES);
    for (uint32_t i = 0; i < g->count && i < most; i++)
        if (g->pending[i].group < before)
            finish(w, w->block->kernel.code, &g->pending[i]);
    w->bank[0] = bank;
    set_mask(w, mask);
}

// A warp has waited for what is pending in groups before `before`.
static void release(struct warp *w, uint32_t before)
{
    struct group_warp *g = group_warp_of(w);
    uint32_t kept = 0, newest = NONE;
    for (uint32_t i = 0; i < g->count; i++) {
        struct pending q = g->pending[i];
        if (q.group >= before) {
            g->pending[kept++] = q;
            continue;
        }
        warpgroup_follow(w, &q, -1);
        if (!q.product)
            continue;
        if (!q.product->over)
            product_notify(w, q.product, ASYNC_DONE);
        q.product->over = true;
        newest = q.product->number;
        leave(w, q.product);
    }
    g->count = kept;
    if (newest != NONE)
        NOTIFY(w->block->launch, products_done, w, newest);
}

// ---- waiting

const struct warp *products_lack(const struct warp *w)
{
    const struct warpgroup *g = warpgroup_of(w);
    const struct warp *all = &w->block->warps[w->index / GROUP_WARPS * GROUP_WARPS];
    for (uint32_t k = 0; k < GROUP_WARPS && !g->reported; k++)
        if (all[k].alive && g->warp[k].issued < group_warp_of(w)->needed)
            return &all[k];
    return NULL;
}

static void end_wait(struct warp *w)
{
    struct group_warp *g = group_warp_of(w);
    complete(w, g->before, NONE);
    release(w, g->before);
    g->needed = 0;
}

void products_resume(struct warp *w)
{
    const struct warpgroup *g = warpgroup_of(w);
    for (uint32_t k = 0; k < GROUP_WARPS; k++) {
        struct warp *other = &w->block->warps[w->index / GROUP_WARPS * GROUP_WARPS + k];
        if (!g->warp[k].needed || products_lack(other))
            continue;
        end_wait(other);
        warp_pass(other, PATH_AT_PRODUCTS);
        w->block->runnable |= 1u << other->index;
    }
}

// ---- issuing

static struct product *find_product(struct warpgroup *g, uint32_t number)
{
    struct product *p = g->products;
    while (p && p->number != number)
        p = p->next;
    return p;
}

static struct product *new_product(struct warpgroup *g)
{
    struct product *p = g->spare, **end = &g->products;
    if (p)
        g->spare = p->next;
    else
        p = alloc_zeroed(1, sizeof *p);
    while (*end)
        end = &(*end)->next;
    *end = p;
    p->next = NULL;
    return p;
}

static void read_descriptors(const struct warp *w, const struct insn *in, uint64_t *to)
{
    to[0] = in->a == NONE ? 0 : *(const uint64_t *)row(w, in->a);
    to[1] = *(const uint64_t *)row(w, in->b);
}

// The first warp that reaches a product starts it. NULL: its factors do not lie within shared memory.
static struct product *begin_product(struct warp *w, const struct insn *in, uint32_t number)
{
    struct product *p = new_product(warpgroup_of(w));
    p->in = in;
    p->form = wgmma_form_of(w->path->frame->code, in);
    p->number = number;
    p->left = (1u << GROUP_WARPS) - 1;
    p->taken = p->over = false;
    read_descriptors(w, in, p->descriptor);
    if (!product_find(w, p)) {
        p->operand[0].count = p->operand[1].count = 0;
        return NULL;
    }
    product_notify(w, p, ASYNC_ISSUED);
    return p;
}

static void report_disagreement(struct warp *w, const struct insn *in)
{
    const struct scene s = scene_of_lane(w, 0);
    report_scene(w->block, &s, FINDING_SYNC, ERROR, in->id, NONE,
                 "Warpgroup error detected. The product at %s by warp %u has other descriptors than its warpgroup: "
                 "all four warps must pass the same",
                 origin_place(w->block->launch->module, in->id), w->index);
}

static struct product *join_product(struct warp *w, const struct insn *in)
{
    uint32_t number = group_warp_of(w)->issued++;
    struct product *p = find_product(warpgroup_of(w), number);
    uint64_t mine[2];
    if (!p)
        return begin_product(w, in, number);
    read_descriptors(w, in, mine);
    if (p->in == in && memcmp(mine, p->descriptor, sizeof mine) && settings()->check_sync)
        report_disagreement(w, in);
    return p->in == in ? p : NULL;
}

// A product that adds to D needs defined values there; after the product D is defined.
static void define_sums(struct warp *w, const struct insn *in, const struct wgmma_form *f, bool accumulates)
{
    uint32_t n = product_registers(f), factors = f->registers ? f->product.part[PART_A].registers : 0;
    const uint32_t *shadow = w->path->frame->code->lists + in->target + 1 + 2 * (n + factors);
    struct insn check = {.imm = in->id, .b = NONE, .sub = USE_OPERAND};
    for (uint32_t k = 0; k < n; k++) {
        if (shadow[k] == NONE)
            continue;
        uint32_t *lanes = register_row(w, shadow[k]);
        if (accumulates && *lanes)
            report_undefined(w, &check, *lanes);
        *lanes = 0;
    }
}

static bool is_late(const struct warp *w)
{
    return w->path->frame->code->followed_count && !w->path->frame->depth;
}

static void issue(struct warp *w, const struct insn *in)
{
    const struct code *code = w->path->frame->code;
    const struct wgmma_form *form = wgmma_form_of(code, in);
    bool accumulates = predicate(w, code->lists[in->target]) & 1;
    warpgroup_check_fence(w, in);
    define_sums(w, in, form, accumulates);
    w->block->products += 16u * form->n * form->product.k;
    struct product *p = join_product(w, in);
    if (!p)
        return;
    if (!is_late(w)) {
        struct pending q = {.product = p, .in = in, .accumulates = accumulates};
        finish(w, code, &q);
        leave(w, p);
        NOTIFY(w->block->launch, products_done, w, p->number);
        return;
    }
    struct group_warp *g = group_warp_of(w);
    *warpgroup_add(w) = (struct pending){.product = p, .in = in, .group = g->open, .accumulates = accumulates};
    warpgroup_follow(w, &g->pending[g->count - 1], 1);
}

// In a random order products may complete at any time.
static void complete_some(struct warp *w)
{
    struct group_warp *g = group_warp_of(w);
    if (w->block->launch->schedule == SCHEDULE_RANDOM && g->count && random_bits(w->block->worker) & 1)
        complete(w, NONE, random_bits(w->block->worker) % (g->count + 1));
}

void op_product_async(struct warp *w, const struct insn *in)
{
    if (!meet_warp(w, in))
        return;
    if (warpgroup_join(w, in)) {
        w->multiplies = true;
        issue(w, in);
        complete_some(w);
        products_resume(w);
    }
    finish_meeting(w, in);
}

void op_product_commit(struct warp *w, const struct insn *in)
{
    if (!meet_warp(w, in))
        return;
    if (warpgroup_join(w, in)) {
        struct group_warp *g = group_warp_of(w);
        g->committed[g->open++ % LEFT_GROUPS] = g->issued;
        complete_some(w);
    }
    finish_meeting(w, in);
}

void op_product_wait(struct warp *w, const struct insn *in)
{
    if (!meet_warp(w, in))
        return;
    if (warpgroup_join(w, in)) {
        struct group_warp *g = group_warp_of(w);
        uint32_t left = (uint32_t)in->imm;
        g->before = g->open > left ? g->open - left : 0;
        g->needed = g->before ? g->committed[(g->before - 1) % LEFT_GROUPS] : 0;
        if (products_lack(w)) {
            wait_after_meeting(w, in, PATH_AT_PRODUCTS);
            return;
        }
        end_wait(w);
    }
    finish_meeting(w, in);
}

void op_proxy_fence(struct warp *w, const struct insn *in)
{
    (void)in;
    NOTIFY(w->block->launch, proxy_fence, w);
}
