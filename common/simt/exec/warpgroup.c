// What the four warps of a warpgroup do together, and the registers that products use.
//
// Each instruction of the whole warpgroup is one of its steps. The warps need not reach a step at the same time, but
// all execute the same steps.
#include "exec/warpgroup.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/product_registers.h"
#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/sync.h"
#include "exec/warp.h"
#include "report/errors.h"
#include "report/settings.h"

// ---- memory

static uint32_t group_count(const struct block *b)
{
    return (b->warp_count + GROUP_WARPS - 1) / GROUP_WARPS;
}

static void free_products(struct product *p)
{
    while (p) {
        struct product *next = p->next;
        free(p);
        p = next;
    }
}

void warpgroups_free(struct block *b)
{
    for (uint32_t i = 0; b->groups && i < group_count(b); i++) {
        struct warpgroup *g = &b->groups[i];
        free_products(g->products);
        free_products(g->spare);
        for (int k = 0; k < GROUP_WARPS; k++) {
            free(g->warp[k].pending);
            free(g->warp[k].followed);
        }
    }
    free(b->groups);
    b->groups = NULL;
}

static void open_groups(struct block *b)
{
    uint32_t followed = b->kernel.code->followed_count;
    b->groups = alloc_zeroed(group_count(b), sizeof *b->groups);
    for (uint32_t i = 0; i < group_count(b); i++)
        for (int k = 0; k < GROUP_WARPS && followed; k++)
            b->groups[i].warp[k].followed = alloc_zeroed(followed, sizeof(struct followed));
}

struct pending *warpgroup_add(struct warp *w)
{
    struct group_warp *g = group_warp_of(w);
    if (g->count == g->capacity) {
        g->capacity = g->capacity * 2 + 16;
        g->pending = alloc_resize(g->pending, g->capacity, sizeof *g->pending);
    }
    return &g->pending[g->count++];
}

// ---- steps

__attribute__((format(printf, 4, 5))) static void complain_of_group(struct warp *w, uint32_t id, uint32_t other,
                                                                    const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct scene s = scene_of_lane(w, 0);
    if (settings()->check_sync)
        report_scene(w->block, &s, FINDING_SYNC, ERROR, id, other, "Warpgroup error detected. %s", text);
}

static const char *place_of(const struct warp *w, uint32_t id)
{
    return origin_place(w->block->launch->module, id);
}

static bool has_group(struct warp *w, const struct insn *in)
{
    uint32_t threads = w->block->thread_count;
    if ((w->index / GROUP_WARPS + 1) * GROUP_WARPS * LANES <= threads)
        return true;
    complain_of_group(w, in->id, NONE,
                      "The instruction at %s takes all four warps of a warpgroup; warp %u has none: "
                      "the block has %u threads; it needs a multiple of 128",
                      place_of(w, in->id), w->index, threads);
    fail_launch(w->block->launch, CUDA_ERROR_ILLEGAL_INSTRUCTION);
    return false;
}

bool warpgroup_join(struct warp *w, const struct insn *in)
{
    if (!has_group(w, in))
        return false;
    if (!w->block->groups)
        open_groups(w->block);
    struct warpgroup *g = warpgroup_of(w);
    uint32_t n = group_warp_of(w)->steps++, at = n % REMEMBERED;
    if (n == g->steps) {
        g->step[at] = in->id;
        g->first_warp[at] = w->index;
        g->steps++;
    } else if (g->steps - n < REMEMBERED && g->step[at] != in->id && !g->reported) {
        g->reported = true;
        complain_of_group(w, in->id, g->step[at],
                          "Warp %u is at %s where warp %u of its warpgroup was at %s: all four must execute the same",
                          w->index, place_of(w, in->id), g->first_warp[at], place_of(w, g->step[at]));
        products_resume(w);
    }
    return true;
}

// All four have exited: reports it if they have not executed the same steps.
void warpgroup_exit(struct warp *w)
{
    struct warpgroup *g = warpgroup_of(w);
    uint32_t first = w->index / GROUP_WARPS * GROUP_WARPS, least = UINT32_MAX, behind = 0;
    if (g)
        products_resume(w);
    for (uint32_t i = first; g && i < first + GROUP_WARPS && i < w->block->warp_count; i++) {
        uint32_t steps = g->warp[i - first].steps;
        if (w->block->warps[i].alive)
            return;
        least = steps < least ? steps : least;
        behind += steps == g->steps;
    }
    if (!g || least == g->steps || g->reported)
        return;
    uint32_t at = g->steps - least < REMEMBERED ? least % REMEMBERED : (g->steps - 1) % REMEMBERED;
    g->reported = true;
    complain_of_group(w, g->step[at], NONE, "Only %u of the four warps of a warpgroup reached %s before they exited",
                      behind, place_of(w, g->step[at]));
}

// ---- registers

static const char *register_name(const struct warp *w, uint32_t followed)
{
    const struct code *c = w->block->kernel.code;
    return c->ptx->regs[c->followed[followed]].name;
}

// The numbers of a product's registers: n for D, then those for A.
static const uint32_t *followed_by(const struct warp *w, const struct insn *in, uint32_t *sums, uint32_t *factors)
{
    const struct code *c = w->block->kernel.code;
    const struct wgmma_form *f = wgmma_form_of(c, in);
    *sums = product_registers(f);
    *factors = f->registers ? f->product.part[PART_A].registers : 0;
    return c->lists + in->target + 1 + *sums + *factors;
}

void warpgroup_follow(struct warp *w, const struct pending *p, int more)
{
    struct followed *all = group_warp_of(w)->followed;
    if (!p->product) {
        all[p->followed].writes += (uint32_t)more;
        return;
    }
    uint32_t sums, factors;
    const uint32_t *list = followed_by(w, p->in, &sums, &factors);
    for (uint32_t k = 0; k < sums + factors; k++) {
        if (list[k] == NONE)
            continue;
        struct followed *f = &all[list[k]];
        *(k < sums ? &f->writes : &f->reads) += (uint32_t)more;
        f->product = more > 0 ? p->in->id : f->product;
    }
}

void warpgroup_check_fence(struct warp *w, const struct insn *in)
{
    struct group_warp *g = group_warp_of(w);
    if (!g->fenced)
        complain_of_group(w, in->id, NONE, "No wgmma.fence precedes the first product, at %s", place_of(w, in->id));
    g->fenced = true; // one report is enough
    if (!g->followed || w->path->frame->depth)
        return;
    uint32_t sums, factors;
    const uint32_t *list = followed_by(w, in, &sums, &factors);
    for (uint32_t k = 0; k < sums + factors; k++) {
        struct followed *f = list[k] == NONE ? NULL : &g->followed[list[k]];
        if (!f || !f->touched || f->writes)
            continue;
        complain_of_group(w, in->id, f->touched - 1,
                          "The product at %s uses register %s, which was %s at %s: no wgmma.fence between",
                          place_of(w, in->id), register_name(w, list[k]), f->touch_writes ? "written" : "read",
                          place_of(w, f->touched - 1));
        f->touched = 0;
    }
}

static void complain_of_use(struct warp *w, uint32_t id, uint32_t followed, bool writes)
{
    const struct group_warp *g = group_warp_of(w);
    const struct followed *f = &g->followed[followed];
    bool open = false;
    for (uint32_t i = 0; i < g->count; i++)
        open |= g->pending[i].in && g->pending[i].in->id == f->product && g->pending[i].group == g->open;
    complain_of_group(w, id, f->product,
                      "Register %s is %s at %s by warp %u, while the product at %s is in flight: "
                      "no %swgmma.wait_group between them",
                      register_name(w, followed), writes ? "written" : "read", place_of(w, id), w->index,
                      place_of(w, f->product), open ? "wgmma.commit_group and " : "");
}

// The copy of a register in flight is in flight, too.
static void copy_later(struct warp *w, const struct insn *in, uint32_t from, uint32_t to)
{
    struct group_warp *g = group_warp_of(w);
    uint32_t group = 0;
    for (uint32_t i = 0; i < g->count; i++) // the latest pending one
        group = g->pending[i].group > group ? g->pending[i].group : group;
    *warpgroup_add(w) = (struct pending){.group = group, .from = in->a, .to = in->dst, .followed = to};
    g->followed[to].writes++;
    g->followed[to].product = g->followed[from].product;
}

static void touch(struct warp *w, const struct insn *in, uint32_t touched)
{
    struct followed *f = &group_warp_of(w)->followed[touched >> TOUCH_BITS];
    bool writes = touched & TOUCH_WRITES;
    if (f->writes || (f->reads && writes))
        complain_of_use(w, (uint32_t)in->imm, touched >> TOUCH_BITS, writes);
    if (in->sub) // compilers move register copies past a fence
        return;
    f->touched = (uint32_t)in->imm + 1;
    f->touch_writes = writes;
}

// Runs before an instruction that uses registers of products (decode/product_registers.c).
void op_touch_registers(struct warp *w, const struct insn *in)
{
    const uint32_t *list = w->block->kernel.code->lists + in->target;
    if (!w->block->groups || (in->guard != NONE && !guard_lanes(w, in)))
        return;
    const struct followed *all = group_warp_of(w)->followed;
    uint32_t from = list[1] >> TOUCH_BITS;
    bool copies = in->a != NONE && list[0] == 2 && all[from].writes && !all[list[2] >> TOUCH_BITS].writes;
    for (uint32_t k = 1; k <= list[0] && !copies; k++)
        touch(w, in, list[k]);
    if (copies)
        copy_later(w, in, from, list[2] >> TOUCH_BITS);
}

void op_product_fence(struct warp *w, const struct insn *in)
{
    if (!meet_warp(w, in))
        return;
    if (warpgroup_join(w, in)) {
        struct group_warp *g = group_warp_of(w);
        g->fenced = true;
        for (uint32_t k = 0; g->followed && k < w->block->kernel.code->followed_count; k++)
            g->followed[k].touched = 0;
    }
    finish_meeting(w, in);
}

// ---- setmaxnreg

#define REGISTER_UNIT 8 // of a thread's registers

static uint32_t registers_of(const struct warp *w)
{
    uint32_t launched = w->block->kernel.code->registers, now = group_warp_of(w)->registers;
    return now ? now : (launched + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
}

uint32_t registers_taken(const struct warp *w, uint32_t *has)
{
    *has = registers_of(w);
    return group_warp_of(w)->wanted > *has ? group_warp_of(w)->wanted - *has : 0;
}

// The warp takes the registers that it wants, if that many are spare.
static bool take_registers(struct warp *w)
{
    struct group_warp *g = group_warp_of(w);
    uint32_t has, more = registers_taken(w, &has) * LANES;
    if (more > w->block->spare_registers)
        return false;
    w->block->spare_registers -= more;
    g->registers = g->wanted;
    g->wanted = 0;
    return true;
}

static void give_registers(struct warp *w, uint32_t kept)
{
    struct block *b = w->block;
    uint32_t has = registers_of(w);
    b->spare_registers += has > kept ? (has - kept) * LANES : 0;
    group_warp_of(w)->registers = has > kept ? kept : has;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *other = &b->warps[i];
        if (!group_warp_of(other)->wanted || !take_registers(other))
            continue;
        warp_pass(other, PATH_AT_REGISTERS);
        b->runnable |= 1u << i;
    }
}

// The block has the registers of its launch. A warp that takes more waits until others have given as many back. If the
// number at the launch is not known, no warp waits.
void op_set_registers(struct warp *w, const struct insn *in)
{
    if (!meet_warp(w, in))
        return;
    if (warpgroup_join(w, in) && w->block->kernel.code->registers) {
        group_warp_of(w)->wanted = in->sub ? (uint32_t)in->imm : 0;
        if (!in->sub)
            give_registers(w, (uint32_t)in->imm);
        else if (!take_registers(w)) {
            wait_after_meeting(w, in, PATH_AT_REGISTERS);
            return;
        }
    }
    finish_meeting(w, in);
}
