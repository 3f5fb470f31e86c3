// Follows values. Each register, lane by lane, and each word of a block's own memory has the node of its value in the
// graph (origin_graph.h). Only while this check is on do instructions that move values get other handlers, so no other
// run pays for it.
#include "check/origin.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "decode/forms.h"
#include "decode/opcodes.h"
#include "decode/slots.h"
#include "exec/replace.h"
#include "exec/sync.h"
#include "exec/warp.h"
#include "memory/memory.h"

#define BYTES UINT64_C(0x8000000000000000) // in the key of a read narrower than a word

// The node in the graph for each register and each word of the block's own memory. A register, or a word of local
// memory, has one for each lane.
struct shadow {
    uint32_t *shared, *regs, *local;
};

static struct observer_state origin_state = {.bytes = {[OF_BLOCK] = sizeof(struct shadow)}};

static struct {
    struct replaced *handlers;
    uint32_t reg_count, local_words, shared_words;
    struct origin_launch *launches;
    uint32_t launch_count;
    bool incomplete; // some value was not followed; who stored a word is known all the same
} origin;

static struct shadow *shadow_of(const struct block *b)
{
    return block_state(b, &origin_state);
}

static uint32_t *register_nodes(const struct shadow *s, const struct warp *w, int reg)
{
    return s->regs + ((size_t)w->index * origin.reg_count + (uint32_t)reg) * LANES;
}

// ---- memory

// The node of a word of the block's own memory; NULL: there is none.
static uint32_t *own_word(const struct shadow *s, const struct warp *w, const struct access *a, uint32_t l, uint64_t at)
{
    if (a->peer)
        return NULL;
    if (a->space == PTX_SHARED)
        return at / 4 < origin.shared_words ? &s->shared[at / 4] : NULL;
    bool inside = a->space == PTX_LOCAL && at / 4 < origin.local_words;
    return inside ? &s->local[((size_t)w->index * origin.local_words + at / 4) * LANES + l] : NULL;
}

static uint32_t global_node(uint64_t at, uint32_t size)
{
    uint32_t node = 0;
    for (uint64_t word = at & ~UINT64_C(3); word < at + size; word += 4) {
        const struct origin_word *w = graph_find(word);
        if (w && w->launch)
            node = graph_join(node, w->node);
        else if (word <= at) {
            struct origin_word *own = graph_word(size < 4 ? at | BYTES : word);
            if (!own->node)
                own->node = graph_leaf(at, size);
            node = graph_join(node, own->node);
        }
    }
    return node;
}

static uint32_t load_node(const struct shadow *s, const struct warp *w, const struct access *a, uint32_t l, uint64_t at)
{
    uint32_t node = 0, *own;
    if (a->space == PTX_GLOBAL || a->space == PTX_CONST)
        return global_node(at, a->in->size);
    for (uint64_t word = at & ~UINT64_C(3); word < at + a->in->size; word += 4)
        if ((own = own_word(s, w, a, l, word)))
            node = graph_join(node, *own);
    return node;
}

static void store_global(const struct warp *w, const struct access *a, uint32_t l, uint64_t at, uint32_t node)
{
    struct origin_word *word = graph_word(at);
    bool part = a->in->size < 4 && word->launch;
    word->node = part ? graph_join(word->node, node) : node;
    word->launch = origin.launch_count;
    word->id = a->in->id;
    word->block = w->block->number;
    word->thread = w->index * LANES + l;
}

static void store_node(const struct shadow *s, const struct warp *w, const struct access *a, uint32_t l, uint64_t at,
                       uint32_t node)
{
    uint32_t *own;
    for (uint64_t word = at & ~UINT64_C(3); word < at + a->in->size; word += 4)
        if (a->space == PTX_GLOBAL)
            store_global(w, a, l, word, node);
        else if ((own = own_word(s, w, a, l, word)))
            *own = a->in->size < 4 ? graph_join(*own, node) : node;
}

// The register of element k of an operand; -1: it is no register.
static int element_register(const struct ptx_operand *o, uint32_t k)
{
    if (o->kind == PTX_OP_VECTOR)
        return (int)k < o->count && o->list[k].kind == PTX_OP_REG ? o->list[k].reg : -1;
    return o->kind == PTX_OP_REG && k == 0 ? o->reg : -1;
}

static uint32_t operand_node(const struct shadow *s, const struct warp *w, const struct ptx_instr *in, int operand,
                             uint32_t k, uint32_t l)
{
    int reg = operand < in->count ? element_register(&in->operands[operand], k) : -1;
    return reg < 0 ? 0 : register_nodes(s, w, reg)[l];
}

static void move_element(const struct shadow *s, const struct warp *w, const struct access *a,
                         const struct ptx_instr *in, uint32_t k, uint32_t l)
{
    uint64_t at = a->addr[l] + (uint64_t)k * a->in->size;
    bool returns = a->kind == LOAD || (a->kind == ATOMIC && is_family(in->op, "atom"));
    uint32_t old = a->kind == STORE ? 0 : load_node(s, w, a, l, at), node;
    int to = returns ? element_register(&in->operands[0], k) : -1, value = is_family(in->op, "atom") ? 2 : 1;
    if (a->kind != LOAD) {
        node = operand_node(s, w, in, value, k, l);
        node = graph_join(node, a->in->sub == ATOM_CAS ? operand_node(s, w, in, value + 1, k, l) : 0);
        store_node(s, w, a, l, at, a->kind == STORE || a->in->sub == ATOM_EXCH ? node : graph_join(old, node));
    }
    if (to >= 0)
        register_nodes(s, w, to)[l] = old;
}

// Values are no longer followed: remembers only which instruction and thread wrote the words of global memory.
static void note_writer(const struct warp *w, const struct access *a)
{
    if (a->space != PTX_GLOBAL || a->kind == LOAD)
        return;
    FOR_LANES(l, a->mask)
    for (uint64_t word = a->addr[l] & ~UINT64_C(3); word < a->addr[l] + a->size; word += 4)
        store_global(w, a, l, word, 0);
}

static void origin_access(struct warp *w, const struct access *a)
{
    const struct shadow *s = shadow_of(w->block);
    const struct ptx_instr *in = instr_of(w->block->launch->module, a->in->id);
    origin.incomplete |= a->async || !a->in->size;
    if (!in || a->space == SPACE_FRAME)
        return;
    if (origin.incomplete) {
        note_writer(w, a);
        return;
    }
    for (uint32_t k = 0; k < a->size / a->in->size; k++)
        FOR_LANES(l, a->mask)
    move_element(s, w, a, in, k, l);
}

// ---- registers

// Calls see for every register of the operand that is not a predicate.
static void each_register(const struct code *c, const struct ptx_operand *o, void (*see)(int reg, void *data),
                          void *data)
{
    if (o->kind == PTX_OP_REG && c->ptx->regs[o->reg].type != PTX_PRED)
        see(o->reg, data);
    if (o->kind == PTX_OP_VECTOR || o->kind == PTX_OP_PAIR)
        for (int k = 0; k < o->count; k++)
            each_register(c, &o->list[k], see, data);
}

struct row_of_nodes {
    const struct shadow *s;
    const struct warp *w;
    uint32_t lanes, nodes[LANES];
};

static void gather_nodes(int reg, void *data)
{
    struct row_of_nodes *r = data;
    const uint32_t *from = register_nodes(r->s, r->w, reg);
    FOR_LANES(l, r->lanes)
    r->nodes[l] = graph_join(r->nodes[l], from[l]);
}

static void scatter_nodes(int reg, void *data)
{
    struct row_of_nodes *r = data;
    uint32_t *to = register_nodes(r->s, r->w, reg);
    FOR_LANES(l, r->lanes)
    to[l] = r->nodes[l];
}

static uint32_t waiting_lanes(const struct warp *w, const struct insn *in)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->path_count; i++)
        if (w->paths[i].waits_at == in && w->paths[i].state == PATH_AT_WARP_SYNC)
            lanes |= w->paths[i].mask;
    return lanes;
}

// Each lane gets the node of the lane that it reads; a reduction has one node for all lanes.
static void exchange_nodes(struct row_of_nodes *r, const struct insn *in, bool shuffles)
{
    uint32_t from[LANES], all = 0;
    const uint32_t *places = r->w->path->frame->code->lists + in->target;
    memcpy(from, r->nodes, sizeof from);
    FOR_LANES(l, r->lanes)
    all = shuffles ? 0 : graph_join(all, from[l]);
    FOR_LANES(l, r->lanes)
    {
        bool inside;
        uint32_t source = shuffles ? source_lane(in->sub, l, ((const uint32_t *)row(r->w, places[0]))[l],
                                                 ((const uint32_t *)row(r->w, places[1]))[l], &inside)
                                   : 0;
        r->nodes[l] = shuffles ? from[source] : all;
    }
}

// A shuffle passes on the source lane's node; a reduction joins the nodes of all lanes that take part.
static void run_exchange(struct row_of_nodes *r, const struct origin *o, struct warp *w, const struct insn *in,
                         handler *run)
{
    const struct code *c = w->path->frame->code;
    uint32_t here = r->lanes | waiting_lanes(w, in);
    r->lanes = here;
    each_register(c, &o->ptx->operands[1], gather_nodes, r);
    exchange_nodes(r, in, o->op == OP_shfl);
    run(w, in);
    r->lanes = here & ~waiting_lanes(w, in);
    each_register(c, &o->ptx->operands[0], scatter_nodes, r);
}

static void origin_step(struct warp *w, const struct insn *in)
{
    handler *run = replaced_handler(origin.handlers, w, in);
    const struct shadow *s = shadow_of(w->block);
    if (in->id == NONE || origin.incomplete) {
        run(w, in);
        return;
    }
    const struct origin *o = &w->block->launch->module->origins[in->id];
    bool all = in->guard == NONE || o->op == OP_bra; // whose guard is its condition
    struct row_of_nodes r = {.s = s, .w = w, .lanes = all ? w->mask : guard_lanes(w, in)};
    if (o->op == OP_shfl || o->op == OP_redux) {
        run_exchange(&r, o, w, in, run);
        return;
    }
    bool loads = o->op == OP_ld || o->op == OP_ldu || o->op == OP_atom;
    for (int k = 1; k < o->ptx->count && !loads && !is_vote(o->op); k++)
        each_register(o->code, &o->ptx->operands[k], gather_nodes, &r);
    if (o->ptx->count && defines_first(o->ptx)) // for a load none at first, then the result of origin_access
        each_register(o->code, &o->ptx->operands[0], scatter_nodes, &r);
    run(w, in);
    origin.incomplete |= graph_full();
}

// ---- blocks and launches

static void close_shadow(struct block *b)
{
    struct shadow *s = shadow_of(b);
    free(s->shared);
    free(s->regs);
    free(s->local);
    *s = (struct shadow){0};
}

static void origin_block_start(struct block *b)
{
    size_t threads = (size_t)b->warp_count * LANES;
    close_shadow(b); // for a block that a failure has stopped
    *shadow_of(b) = (struct shadow){.shared = alloc_zeroed(origin.shared_words + 1, sizeof(uint32_t)),
                                    .regs = alloc_zeroed(threads * origin.reg_count + 1, sizeof(uint32_t)),
                                    .local = alloc_zeroed(threads * origin.local_words + 1, sizeof(uint32_t))};
}

// Whether the launch's code contains an instruction that is not followed.
static bool is_untracked(const struct launch *l)
{
    const struct module *m = l->module;
    bool untracked = l->code->calls;
    for (uint32_t id = 0; id < m->origin_count; id++)
        if (m->origins[id].code == l->code)
            untracked |= is_warp_wide(m->origins[id].op) || is_object_access(m->origins[id].op) ||
                         m->origins[id].op == OP_cp || m->origins[id].op == OP_mbarrier;
    return untracked;
}

static void origin_launch_start(struct launch *l)
{
    origin.incomplete |= is_untracked(l);
    origin.reg_count = (uint32_t)l->code->ptx->reg_count;
    origin.local_words = (l->local_stride + 3) / 4;
    origin.shared_words = (shared_size(l) + 3) / 4;
    origin.launches = alloc_resize(origin.launches, origin.launch_count + 1, sizeof *origin.launches);
    struct origin_launch *to = &origin.launches[origin.launch_count++];
    *to = (struct origin_launch){.module = l->module, .kernel = l->code->name, .number = l->number};
    memcpy(to->grid, l->grid, sizeof to->grid);
    memcpy(to->dim, l->dim, sizeof to->dim);
    origin_record_pointers(l);
    origin.handlers = handlers_replace(l->module, origin_step);
}

static void origin_launch_end(struct launch *l, const struct worker *workers)
{
    (void)workers;
    handlers_restore(l->module, origin.handlers);
}

const struct observer origin_observer = {
    .state = &origin_state,
    .launch_start = origin_launch_start,
    .block_start = origin_block_start,
    .access = origin_access,
    .constant_access = origin_access,
    .block_end = close_shadow,
    .block_close = close_shadow,
    .launch_end = origin_launch_end,
    .alone = true,
};

// ---- the host

// The place of an address in a region: its slice, its row, and the byte of the row.
struct place {
    uint64_t z, y, x;
};

static struct place place_in(const struct region *r, uint64_t address)
{
    uint64_t offset = address - r->base, slice = r->pitch * r->rows;
    uint64_t z = r->depth > 1 && slice ? offset / slice : 0;
    uint64_t y = r->height > 1 && r->pitch ? (offset - z * slice) / r->pitch : 0;
    return (struct place){z, y, offset - z * slice - y * r->pitch};
}

static bool holds(const struct region *r, uint64_t address)
{
    struct place p = place_in(r, address);
    return r->width && address >= r->base && p.x < r->width && p.y < r->height && p.z < r->depth;
}

static void forget_word(struct origin_word *w, void *data)
{
    const struct operation *op = data;
    if (holds(&op->writes, w->key & ~BYTES))
        *w = (struct origin_word){.key = w->key};
}

struct moved {
    const struct operation *op;
    struct origin_word *words;
    uint32_t count;
};

// A copy within the device, from one region of memory to another of the same width, height and depth.
static void take_word(struct origin_word *w, void *data)
{
    struct moved *m = data;
    const struct region *to = &m->op->writes;
    struct place p = place_in(&m->op->reads, w->key);
    if (!w->launch || !holds(&m->op->reads, w->key))
        return;
    m->words = alloc_resize(m->words, m->count + 1, sizeof *m->words);
    m->words[m->count] = *w;
    m->words[m->count++].key = to->base + (p.z * to->rows + p.y) * to->pitch + p.x;
}

void origin_moved(const struct operation *op)
{
    struct moved m = {.op = op};
    if (!settings()->check_origin || op->module || !op->writes.width)
        return;
    graph_each(take_word, &m);
    graph_each(forget_word, (void *)op);
    for (uint32_t i = 0; i < m.count; i++)
        *graph_word(m.words[i].key) = m.words[i];
    free(m.words);
}

void origin_reset(void)
{
    if (!settings()->check_origin)
        return;
    graph_reset();
    origin_forget_pointers();
    free(origin.launches);
    origin.launches = NULL;
    origin.launch_count = 0;
    origin.incomplete = false;
}

struct near {
    const struct allocation *in;
    uint32_t size;
};

static void take_size(struct origin_word *w, void *data)
{
    struct near *n = data;
    uint64_t at = w->key & ~BYTES;
    if (n->size || memory_find(at) != n->in)
        return;
    if (w->launch)
        n->size = origin.launches[w->launch - 1].module->origins[w->id].size;
    else if (w->key & BYTES)
        n->size = 1;
}

// The bytes of an element of the array at this address, as threads have accessed it; 4 if none has.
static uint32_t element_size(uint64_t address)
{
    struct near n = {.in = memory_find(address)};
    graph_each(take_size, &n);
    return n.size ? n.size : 4;
}

void origin_wrong(uint64_t address, uint64_t before)
{
    const struct origin_word *w = graph_find(address & ~UINT64_C(3));
    const struct origin_launch *by = w && w->launch ? &origin.launches[w->launch - 1] : NULL;
    if (graph_full() || (by && by->number > before))
        return;
    if (by)
        origin_describe(by, w, address, !origin.incomplete);
    else if (origin.launch_count && !origin.incomplete)
        origin_describe_unstored(address, element_size(address));
}
