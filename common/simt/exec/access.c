// Loads and stores. The addresses of all lanes are computed, checked and reported to the observers together. Lanes with
// invalid addresses drop out, and the others continue. Strong and atomic accesses lock their address, since blocks run
// on several host threads.
#include "exec/access.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "decode/load_dependence.h"
#include "exec/bounds.h"
#include "exec/cluster.h"
#include "exec/direct.h"
#include "exec/element.h"
#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/launch_progress.h"
#include "exec/rows.h"
#include "exec/warp.h"
#include "memory/memory.h"
#include "report/errors.h"
#include "report/settings.h"

// ---- locks

#define LOCKS 1024

static struct {
    atomic_flag flag;
    char padding[63];
} locks[LOCKS];

void lock_address(uint64_t address)
{
    atomic_flag *flag = &locks[(address >> LOCK_SPAN) % LOCKS].flag;
    for (int spins = 0; atomic_flag_test_and_set_explicit(flag, memory_order_acquire); spins++)
        if (spins > 64)
            sched_yield();
}

void unlock_address(uint64_t address)
{
    atomic_flag_clear_explicit(&locks[(address >> LOCK_SPAN) % LOCKS].flag, memory_order_release);
}

// ---- addresses

static void describe(struct access *a, uint64_t *addr)
{
    uint64_t expected = addr[0], wrong = 0, size = a->size;
    a->contiguous = false;
    if (a->mask == ALL_LANES) {
        for (uint64_t l = 0; l < LANES; l++)
            wrong |= addr[l] ^ (expected + l * size);
        a->contiguous = !wrong && (expected & (size - 1)) == 0;
    }
    if (a->contiguous) {
        a->low = expected;
        a->high = expected + LANES * size;
        return;
    }
    if (a->mask == ALL_LANES) {
        int64_t low = INT64_MAX, high = INT64_MIN; // with the top bit inverted: hosts compare signed words faster
        for (uint32_t l = 0; l < LANES; l++) {
            int64_t address = (int64_t)(addr[l] ^ (uint64_t)INT64_MIN);
            low = address < low ? address : low;
            high = address > high ? address : high;
        }
        a->low = (uint64_t)low ^ (uint64_t)INT64_MIN;
        a->high = ((uint64_t)high ^ (uint64_t)INT64_MIN) + size;
        return;
    }
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t active = -(uint64_t)(a->mask >> l & 1);
        low = (addr[l] | ~active) < low ? addr[l] | ~active : low;
        high = (addr[l] & active) > high ? addr[l] & active : high;
    }
    a->low = low;
    a->high = high + size;
}

// ---- wrong addresses

// Of what the address must be a multiple: the size of the access, or of the vector that begins with it.
static uint32_t alignment(const struct access *a)
{
    return a->kind == ATOMIC && a->in->align ? a->in->align : a->size;
}

// Reported even with all checks off: the access is skipped, and the launch ends.
static void refuse_lane(struct warp *w, const struct access *a, uint32_t lane, bool misaligned)
{
    struct block *b = w->block;
    char why[240];
    bool surface = a->in->op == OP_suld || a->in->op == OP_sust;
    if (misaligned)
        snprintf(why, sizeof why, "the address is not a multiple of %u%s", alignment(a),
                 surface ? ": x of a surface is counted in bytes, so multiply it by the size of an element" : "");
    else if (a->space == PTX_GLOBAL || a->space == PTX_CONST)
        describe_global(b->launch, a->addr[lane], a->size, why, sizeof why);
    else if (a->space == PTX_SHARED)
        describe_shared(b->launch, a->addr[lane], a->size, why, sizeof why);
    else
        describe_window(a->addr[lane], a->space == PTX_PARAM ? b->launch->code->param_bytes : b->launch->local_stride,
                        why, sizeof why);
    struct scene s = scene_of_access(w, a, lane);
    report_scene(b, &s, FINDING_MEMORY, ERROR, a->in->id, NONE - 1 - misaligned,
                 "%s %s %s of size %u at %s by %s: %s%s%s", misaligned ? "Misaligned" : "Invalid", space_name(a->space),
                 access_word(a->kind), a->size, origin_place(b->launch->module, a->in->id),
                 thread_name(b, w->index * LANES + lane), why, a->peer ? ", in shared memory of " : "",
                 a->peer ? block_name(b->launch, a->peer->number) : "");
    fail_launch(b->launch, misaligned ? CUDA_ERROR_MISALIGNED_ADDRESS : CUDA_ERROR_ILLEGAL_ADDRESS);
}

static uint64_t space_limit(const struct warp *w, enum ptx_space space)
{
    const struct launch *launch = w->block->launch;
    return space == PTX_PARAM ? (launch->code->param_bytes + 3u) & ~3u : launch->local_stride;
}

// The last byte of static shared memory may be padding: the declared size counts unless dynamic memory follows.
static bool lane_fits(const struct warp *w, const struct access *a, uint32_t l)
{
    uint64_t address = a->addr[l];
    if (a->space == PTX_GLOBAL || a->space == PTX_CONST)
        return launch_holds(w->block->launch, address, a->size);
    if (a->space == PTX_SHARED)
        return shared_holds(w->block->launch, address, address + a->size);
    uint64_t limit = space_limit(w, a->space);
    return address <= limit && a->size <= limit - address;
}

static bool all_fit(const struct warp *w, const struct access *a)
{
    if (a->space == PTX_GLOBAL || a->space == PTX_CONST)
        return launch_holds(w->block->launch, a->low, a->high - a->low);
    if (a->space == PTX_SHARED)
        return shared_holds(w->block->launch, a->low, a->high);
    return a->high <= space_limit(w, a->space) && a->low < a->high;
}

bool access_unknown(const struct launch *launch, uint32_t id)
{
    return launch->partial && id < launch->module->origin_count && address_is_loaded(&launch->module->origins[id]);
}

// Whether the address may be one that no whole launch has.
static bool may_be_absent(const struct launch *l, uint32_t id)
{
    return access_unknown(l, id) && (!l->known_tickets || address_is_unknown(&l->module->origins[id]));
}

// Reports lanes whose address is wrong and takes them out of the mask.
static void drop_wrong_lanes(struct warp *w, struct access *a)
{
    FOR_LANES(l, a->mask)
    {
        bool misaligned = a->addr[l] % alignment(a) != 0;
        if (misaligned || !lane_fits(w, a, l)) {
            if (!may_be_absent(w->block->launch, a->in->id))
                refuse_lane(w, a, l, misaligned);
            a->mask &= ~(1u << l);
        }
    }
}

static bool aligned(const struct access *a)
{
    uint64_t bits = 0;
    if (a->contiguous && alignment(a) == a->size)
        return true;
    for (uint32_t l = 0; l < LANES; l++)
        bits |= a->addr[l] & -(uint64_t)(a->mask >> l & 1);
    return (bits & (alignment(a) - 1)) == 0;
}

// peer: the block whose shared memory is accessed; NULL: the warp's own block
static struct place host_place(struct warp *w, enum ptx_space space, const struct block *peer)
{
    switch (space) {
    case PTX_SHARED: return (struct place){peer ? peer->shared : w->block->shared, 0};
    case PTX_PARAM: return (struct place){(uint8_t *)w->block->launch->params, 0};
    case PTX_LOCAL:
    case SPACE_FRAME: return (struct place){w->local, w->block->launch->local_stride};
    default: return (struct place){NULL, 0};
    }
}

// Performs an access whose fields are filled in and whose addresses are valid.
static void access_right(struct warp *w, struct access *a, perform_access *perform)
{
    if (a->space <= PTX_LOCAL)
        NOTIFY(w->block->launch, access, w, a);
    if (a->space == PTX_CONST)
        NOTIFY(w->block->launch, constant_access, w, a);
    struct place p = host_place(w, a->space, a->peer);
    if (is_ordered(a))
        access_ordered(w, a, &p, perform);
    else
        perform(w, a, &p);
}

static void access_space(struct warp *w, struct access *a, uint64_t *addr, perform_access *perform)
{
    describe(a, addr);
    if (!all_fit(w, a) || !aligned(a)) {
        drop_wrong_lanes(w, a);
        if (!a->mask)
            return;
        describe(a, addr);
    }
    access_right(w, a, perform);
}

static enum ptx_space tagged_space(uint64_t address)
{
    switch (address & TAG_MASK) {
    case TAG_SHARED: return PTX_SHARED;
    case TAG_LOCAL: return PTX_LOCAL;
    case TAG_PARAM: return PTX_PARAM;
    default: return PTX_GLOBAL;
    }
}

// Finds the data that the lanes store: one register's row, or the elements of a vector gathered into buffer.
static void gather_data(struct warp *w, const struct insn *in, struct access *a, uint8_t *buffer)
{
    if (a->kind == ATOMIC || in->count == 1) {
        a->data = row(w, in->b);
        a->stride = a->kind == ATOMIC ? in->size : in->sub;
        return;
    }
    const uint32_t *places = w->path->frame->code->lists + in->target;
    a->data = buffer;
    a->stride = a->size;
    for (uint32_t k = 0; k < in->count; k++) {
        const uint8_t *from = row(w, places[k]);
        for (uint32_t l = 0; l < LANES; l++)
            memcpy(buffer + l * a->size + k * in->size, from + l * in->sub, in->size);
    }
}

// Whether the addresses of all 32 lanes are contiguous and aligned; then *first is lane 0's address. size: a power of
// 2.
static inline bool neighbours(struct warp *w, const struct insn *in, uint32_t size, uint64_t *first)
{
    uint32_t shift = (uint32_t)__builtin_ctz(size);
    if (in->order & ADDRESS_32) {
        const uint32_t *a = row(w, in->a);
        uint32_t wrong = 0, base = a[0] + (uint32_t)in->imm;
        for (uint32_t l = 0; l < LANES; l++)
            wrong |= a[l] ^ (a[0] + (l << shift));
        *first = base;
        return !wrong && (base & (size - 1)) == 0 && base <= UINT32_MAX - LANES * size;
    }
    const uint64_t *a = row(w, in->a);
    uint64_t wrong = 0, base = a[0] + (uint64_t)in->imm;
    for (uint64_t l = 0; l < LANES; l++)
        wrong |= a[l] ^ (a[0] + (l << shift));
    *first = base;
    return !wrong && (base & (size - 1)) == 0;
}

// Fast path: all 32 lanes are active and their addresses contiguous and within bounds. False: nothing was done.
static bool access_neighbours(struct warp *w, struct access *a, perform_access *perform)
{
    const struct insn *in = a->in;
    uint64_t addr[LANES] __attribute__((aligned(64))), first;
    if (w->mask != ALL_LANES || in->a == NONE || !neighbours(w, in, a->size, &first))
        return false;
    a->space = in->space == SPACE_CLUSTER ? PTX_SHARED : in->space;
    if (a->space == PTX_GENERIC) {
        a->space = tagged_space(first);
        first = a->space == PTX_GLOBAL ? first : first & ~TAG_MASK;
    }
    a->mask = ALL_LANES;
    a->contiguous = true;
    a->low = first;
    a->high = first + LANES * a->size;
    if (!all_fit(w, a))
        return false;
    for (uint64_t l = 0; l < LANES; l++)
        addr[l] = first + l * a->size;
    a->addr = addr;
    access_right(w, a, perform);
    return true;
}

// The bits of a generic address that name its space: for shared memory, also the block.
static uint64_t tag_mask(const struct warp *w, uint64_t address)
{
    bool shared = (address & TAG_MASK) == TAG_SHARED && w->block->launch->cluster_size > 1;
    return shared ? PEER_MASK : TAG_MASK;
}

// Whether a->peer, the block that this tag names, exists and has not exited. If not, reports the access, and the launch
// ends.
static bool peer_is_live(struct warp *w, struct access *a, uint64_t tag)
{
    struct block *b = w->block;
    uint32_t lane = (uint32_t)__builtin_ctz(a->mask);
    char why[160];
    if (a->peer && a->peer->live)
        return true;
    if (a->peer && a->peer->cut_off)
        return false;
    if (a->peer)
        snprintf(why, sizeof why, "%s of the cluster has exited: no cluster barrier after it",
                 block_name(b->launch, a->peer->number));
    else
        snprintf(why, sizeof why, "rank %u in a cluster of %u blocks", (uint32_t)((tag & RANK_MASK) >> RANK_SHIFT) - 1,
                 b->cluster->size);
    struct scene s = scene_of_access(w, a, lane);
    report_scene(b, &s, FINDING_MEMORY, ERROR, a->in->id, NONE - 3, "Invalid __shared__ %s of size %u at %s by %s: %s",
                 access_word(a->kind), a->size, origin_place(b->launch->module, a->in->id),
                 thread_name(b, w->index * LANES + lane), why);
    fail_launch(b->launch, CUDA_ERROR_ILLEGAL_ADDRESS);
    return false;
}

// Performs the access once for every space that these addresses lie in; fills in mask and space.
static void access_addresses(struct warp *w, struct access *a, uint64_t *addr, perform_access *perform)
{
    uint64_t plain[LANES] __attribute__((aligned(64)));
    uint32_t left = w->mask;
    if (a->in->space != PTX_GENERIC && a->in->space != SPACE_CLUSTER) {
        a->addr = addr;
        a->space = a->in->space;
        a->mask = left;
        access_space(w, a, addr, perform);
        return;
    }
    for (int l = 0; l < LANES && a->in->space == SPACE_CLUSTER; l++)
        addr[l] |= TAG_SHARED;
    while (left) { // one space after the other, and one block's shared memory
        uint64_t first = addr[__builtin_ctz(left)], mask = tag_mask(w, first), tag = first & mask;
        struct access part = *a;
        part.addr = plain;
        part.mask = 0;
        part.space = tagged_space(tag);
        part.peer = tag & RANK_MASK ? cluster_peer(w, tag) : NULL;
        FOR_LANES(l, left)
        part.mask |= (uint32_t)((addr[l] & mask) == tag) << l;
        for (int l = 0; l < LANES; l++)
            plain[l] = part.space == PTX_GLOBAL ? addr[l] : addr[l] & ~mask;
        left &= ~part.mask;
        if (!(tag & RANK_MASK) || peer_is_live(w, &part, tag))
            access_space(w, &part, plain, perform);
    }
}

// The same for addresses that the instruction computes.
static void access_spaces(struct warp *w, struct access *a, perform_access *perform)
{
    uint64_t addr[LANES] __attribute__((aligned(64)));
    if (access_neighbours(w, a, perform))
        return;
    compute_addresses(w, a->in, addr);
    access_addresses(w, a, addr, perform);
}

// Whether a thread may be polling the word with this access: a load, compare-and-swap, exchange or atomicAdd(word, 0).
static bool polls(const struct access *a)
{
    static const uint64_t zero;
    uint8_t op = a->in->sub;
    if (a->kind != ATOMIC)
        return a->kind == LOAD;
    return op == ATOM_CAS || op == ATOM_EXCH || memcmp(a->data, &zero, a->in->size) == 0;
}

// Used while a block is stalled. A look-back over many tiles loads as often as a poll, but from different addresses:
// only repeated loads count as waiting. The set of bits fills up in the end, so polling does not count as progress
// forever.
static void note_look_back(struct warp *w, const struct insn *in)
{
    uint64_t addr[LANES] __attribute__((aligned(64))), hash = 0;
    compute_addresses(w, in, addr);
    FOR_LANES(l, w->mask)
    hash += (addr[l] ^ addr[l] >> 17) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t bit = (uint32_t)(hash >> 53);
    w->polled_new |= !(w->polled_set[bit / 64] >> bit % 64 & 1);
    w->polled_set[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void note_strong(struct warp *w, const struct insn *in, const struct access *a)
{
    bool poll = polls(a);
    warp_spins(w, poll);
    if (poll && w->block->launch->schedule == SCHEDULE_STALL)
        note_look_back(w, in);
}

void access_memory(struct warp *w, const struct insn *in, enum access_kind kind, perform_access *perform)
{
    struct access a = {.in = in, .kind = kind, .size = (uint32_t)in->size * in->count};
    uint8_t buffer[LANES * 32] __attribute__((aligned(64)));
    if (kind == ATOMIC)
        a.size = in->size;
    if (kind != LOAD)
        gather_data(w, in, &a, buffer);
    if (kind == ATOMIC || in->order & (ORDER_VOLATILE | ORDER_STRONG))
        note_strong(w, in, &a);
    access_spaces(w, &a, perform);
}

void access_async(struct warp *w, const struct insn *in, enum async_part part, const void *data, uint32_t stride,
                  perform_access *perform)
{
    struct access a = {.in = in, .kind = STORE, .size = in->size, .data = data, .stride = stride, .async = part};
    access_spaces(w, &a, perform);
}

void access_texels(struct warp *w, const struct insn *in, uint32_t lanes, uint64_t *addr, uint32_t size,
                   const void *data, perform_access *perform)
{
    struct access a = {.in = in, .kind = LOAD, .size = size, .addr = addr, .data = data, .mask = lanes};
    a.space = PTX_GLOBAL;
    access_space(w, &a, addr, perform);
}

void perform_read(struct warp *w, struct access *a, const struct place *p)
{
    uint8_t *to = (uint8_t *)(uintptr_t)a->data;
    (void)w;
    FOR_LANES(l, a->mask)
    memcpy(to + l * a->stride, lane_place(p, a, l), a->size);
}

void perform_write(struct warp *w, struct access *a, const struct place *p)
{
    (void)w;
    FOR_LANES(l, a->mask)
    memcpy(lane_place(p, a, l), a->data + l * a->stride, a->size);
}

void access_rows(struct warp *w, const struct insn *in, enum access_kind kind, uint32_t lanes, void *rows,
                 perform_access *perform)
{
    struct access a = {.in = in, .kind = kind, .size = 16, .data = rows, .stride = 16};
    uint32_t whole = w->mask;
    set_mask(w, whole & lanes);
    if (w->mask)
        access_spaces(w, &a, perform);
    set_mask(w, whole);
}

void access_at(struct warp *w, const struct insn *in, enum access_kind kind, uint64_t *addr, uint32_t size, void *data,
               perform_access *perform)
{
    struct access a = {.in = in, .kind = kind, .size = size, .data = data, .stride = 8};
    access_addresses(w, &a, addr, perform);
}

void access_nothing(struct warp *w, struct access *a, const struct place *p)
{
    (void)w;
    (void)a;
    (void)p;
}

void access_lane(struct warp *w, struct access *a, uint32_t lane, uint64_t address, perform_access *perform)
{
    uint64_t addr[LANES] __attribute__((aligned(64))) = {0};
    uint32_t whole = w->mask;
    addr[lane] = address;
    set_mask(w, 1u << lane);
    access_addresses(w, a, addr, perform);
    set_mask(w, whole);
}

void repeat_access(struct warp *w, struct access *a, perform_access *perform)
{
    struct place p = host_place(w, a->space, a->peer);
    describe(a, (uint64_t *)a->addr);
    NOTIFY(w->block->launch, access, w, a);
    perform(w, a, &p);
}

void access_ordered(struct warp *w, struct access *a, const struct place *p, perform_access *perform)
{
    uint32_t left = a->mask;
    while (left) {
        struct access part = *a;
        uint64_t address = a->addr[__builtin_ctz(left)];
        part.mask = 0;
        part.contiguous = false;
        FOR_LANES(l, left)
        {
            if ((a->addr[l] ^ address) >> LOCK_SPAN)
                break; // lanes keep their order
            part.mask |= 1u << l;
        }
        left &= ~part.mask;
        w->polled_address = address;
        lock_address(address);
        NOTIFY(w->block->launch, ordered_access, w, &part);
        perform(w, &part, p);
        unlock_address(address);
    }
}

// ---- loads

// What a strong load returns if memory is weak: an observer chooses. newest: the value in memory.
static uint64_t weak_element(const struct warp *w, uint32_t l, uint32_t k, uint64_t newest)
{
    const struct observers *o = &w->block->launch->observers;
    uint32_t i = 0;
    while (!o->list[i]->loaded)
        i++;
    uint64_t value = o->list[i]->loaded(w, l, k);
    w->block->worker->older += value != newest;
    return value;
}

// Fast if size is a constant or 4: then each copy is a few wide instructions.
static inline void copy_row(uint32_t mask, uint32_t size, uint8_t *to, const uint8_t *from)
{
    if (mask == ALL_LANES)
        memcpy(to, from, LANES * (size_t)size);
    else
        FOR_LANES(l, mask)
    memcpy(to + l * size, from + l * size, size);
}

static void perform_load(struct warp *w, struct access *a, const struct place *p)
{
    const struct insn *in = a->in;
    uint32_t width = in->sub & 0x7f;
    bool extend = in->sub & 0x80, weak = w->block->launch->weak && in->order & (ORDER_VOLATILE | ORDER_STRONG);
    weak &= a->space == PTX_GLOBAL || (a->space == PTX_SHARED && !w->block->launch->clustered);
    if (!weak && !p->lane_stride) {
        if (a->contiguous && in->count == 1 && width == 4 && in->size == 4)
            copy_row(ALL_LANES, 4, row(w, in->dst), p->origin + a->low);
        else
            load_lanes(w, in, a->mask, p->origin, a->addr, a->high - a->low == a->size);
        return;
    }
    const uint32_t *places = in->count > 1 ? w->path->frame->code->lists + in->target : &in->dst;
    for (uint32_t k = 0; k < in->count; k++) {
        uint8_t *d = row(w, places[k]);
        FOR_LANES(l, a->mask)
        {
            uint64_t v = read_element(lane_place(p, a, l) + k * in->size, in->size);
            v = weak ? weak_element(w, l, k, v) : v;
            write_lane(d, width, l, extend_element(v, in->size, extend));
        }
    }
}

void op_load(struct warp *w, const struct insn *in)
{
    if (!direct_load(w, in))
        access_memory(w, in, LOAD, perform_load);
}

// Host address of lane 0's element. NULL: the lanes' addresses are not contiguous or not within bounds, or an observer
// is on.
static inline uint8_t *row_in_memory(struct warp *w, const struct insn *in, uint32_t size)
{
    uint64_t first;
    if (w->block->launch->watched || !neighbours(w, in, size, &first))
        return NULL;
    uint64_t low = first, bytes = (uint64_t)LANES * size;
    if (w->mask != ALL_LANES) {
        low += (uint64_t)__builtin_ctz(w->mask) * size;
        bytes = (LANES - (uint64_t)__builtin_clz(w->mask)) * size - (low - first);
    }
    if (in->space == PTX_GLOBAL)
        return launch_holds(w->block->launch, low, bytes) ? (uint8_t *)(uintptr_t)first : NULL;
    return shared_holds(w->block->launch, low, low + bytes) ? w->block->shared + first : NULL;
}

// Takes one size, so that each copy is a few wide instructions. False: nothing was done.
static inline bool load_row(struct warp *w, const struct insn *in, uint32_t size)
{
    const uint8_t *from = row_in_memory(w, in, size);
    if (from)
        copy_row(w->mask, size, register_row(w, in->dst), from);
    return from != NULL;
}

static inline bool store_row(struct warp *w, const struct insn *in, uint32_t size)
{
    uint8_t *to = w->block->worker->compares ? NULL : row_in_memory(w, in, size);
    if (to) {
        copy_row(w->mask, size, to, row(w, in->b));
        note_reach(w, in->space, (uint64_t)(uintptr_t)to);
    }
    return to != NULL;
}

void op_load_row(struct warp *w, const struct insn *in)
{
    if (!(in->size == 4 ? load_row(w, in, 4) : load_row(w, in, in->size)))
        op_load(w, in);
}

// A kernel's parameter: the same for all lanes, always within bounds.
void op_load_param(struct warp *w, const struct insn *in)
{
    const struct launch *launch = w->block->launch;
    uint32_t width = in->sub & 0x7f;
    const uint32_t *places = in->count > 1 ? w->path->frame->code->lists + in->target : &in->dst;
    for (uint32_t k = 0; k < in->count; k++) {
        uint64_t at = (uint64_t)in->imm + k * in->size;
        uint64_t v = at + in->size <= launch->code->param_bytes + 3u
                         ? extend_element(read_element(launch->params + at, in->size), in->size, in->sub & 0x80)
                         : 0;
        uint8_t *d = register_row(w, places[k]);
        if (w->mask == ALL_LANES)
            for (uint32_t l = 0; l < LANES; l++)
                write_lane(d, width, l, v);
        else
            FOR_LANES(l, w->mask)
        write_lane(d, width, l, v);
    }
}

// ---- stores

// Stores size bytes at once. Returns whether they changed.
static bool exchange(uint8_t *to, const uint8_t *from, uint32_t size)
{
    const int order = __ATOMIC_RELAXED;
    switch (size) {
    case 1: return __atomic_exchange_n(to, *from, order) != *from;
    case 2: return __atomic_exchange_n((uint16_t *)to, *(const uint16_t *)from, order) != *(const uint16_t *)from;
    case 4: return __atomic_exchange_n((uint32_t *)to, *(const uint32_t *)from, order) != *(const uint32_t *)from;
    default: return __atomic_exchange_n((uint64_t *)to, *(const uint64_t *)from, order) != *(const uint64_t *)from;
    }
}

// A store during a check for endless loops, which must know whether memory changes.
static void compare_store(struct warp *w, const struct access *a, const struct place *p)
{
    bool changes = false;
    uint32_t size = a->size < 8 ? a->size : a->in->size;
    FOR_LANES(l, a->mask)
    for (uint32_t at = 0; at < a->size; at += size)
        changes |= exchange(lane_place(p, a, l) + at, a->data + l * a->stride + at, size);
    w->block->worker->stored += changes;
    w->block->worker->compares = !changes;
}

static void perform_store(struct warp *w, struct access *a, const struct place *p)
{
    note_reach(w, a->space, a->low);
    if (w->block->worker->compares && !p->lane_stride) {
        compare_store(w, a, p);
        return;
    }
    if (a->contiguous && !p->lane_stride && a->stride == a->size) {
        if (a->size == 4)
            memcpy(p->origin + a->low, a->data, LANES * 4);
        else
            memcpy(p->origin + a->low, a->data, LANES * (size_t)a->size);
        return;
    }
    FOR_LANES(l, a->mask)
    {
        uint8_t *to = lane_place(p, a, l);
        const uint8_t *from = a->data + l * a->stride;
        switch (a->size) {
        case 4: *(uint32_t *)to = *(const uint32_t *)from; break;
        case 8: *(uint64_t *)to = *(const uint64_t *)from; break;
        default: memcpy(to, from, a->size);
        }
    }
}

void op_store(struct warp *w, const struct insn *in)
{
    if (!direct_store(w, in))
        access_memory(w, in, STORE, perform_store);
}

void op_store_row(struct warp *w, const struct insn *in)
{
    if (!(in->size == 4 ? store_row(w, in, 4) : store_row(w, in, in->size)))
        op_store(w, in);
}

void access_surface(struct warp *w, const struct insn *in, enum access_kind kind, uint32_t lanes, uint64_t *addr)
{
    struct access a = {.in = in, .kind = kind, .size = (uint32_t)in->size * in->count, .addr = addr, .mask = lanes};
    uint8_t buffer[LANES * 16] __attribute__((aligned(64)));
    a.space = PTX_GLOBAL;
    if (kind == STORE)
        gather_data(w, in, &a, buffer);
    access_space(w, &a, addr, kind == STORE ? perform_store : perform_load);
}
