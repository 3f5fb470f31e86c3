// Counters. A basic block counts its runs and lanes once for all its instructions; memory instructions count their
// requests, sectors and wavefronts here. docs/counters.md defines every counter; the rules of sectors and banks were
// compared with Nsight Compute on an H200 (tests/hardware).
#include "count/count.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "count/profile.h"
#include "count/reach.h"
#include "count/tally.h"
#include "decode/opcodes.h"
#include "exec/access.h"
#include "memory/memory.h"

// The state of a block: which warps have executed an atomic on each shared word; NULL: none has.
struct block_counts {
    uint32_t *atomic_warps;
};

// The last strong load from global memory by each of a warp's instructions: the address of its first lane.
#define POLLED 8 // instructions; a ninth replaces the first
struct warp_polls {
    struct poll {
        uint64_t address;
        const struct insn *by;
    } at[POLLED];
    uint32_t next;
};

struct observer_state count_state = {.bytes = {[OF_WORKER] = sizeof(struct worker_counts),
                                               [OF_BLOCK] = sizeof(struct block_counts),
                                               [OF_WARP] = sizeof(struct warp_polls)}};

// ---- one request

#define SLOTS (4 * LANES) // slots of a hash table for up to 2 * LANES values

enum { PLACES = 8 * LANES, NO_PLACE = UINT8_MAX };

// The number of distinct values among the first n elements of v. Sorted input, the usual case, costs one pass.
static uint32_t distinct(const uint64_t *v, uint32_t n)
{
    uint8_t slots[PLACES]; // a hash of what has been seen: its place in v; NO_PLACE: none
    uint32_t count = 1;
    bool sorted = true;
    for (uint32_t i = 1; i < n; i++) {
        sorted &= v[i] >= v[i - 1];
        count += v[i] != v[i - 1];
    }
    if (sorted || n < 2)
        return n ? count : 0;
    count = 0;
    memset(slots, NO_PLACE, sizeof slots);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = (uint32_t)(v[i] * UINT64_C(0x9e3779b97f4a7c15) >> 56);
        while (slots[slot] != NO_PLACE && v[slots[slot]] != v[i])
            slot = (slot + 1) % PLACES;
        count += slots[slot] == NO_PLACE;
        slots[slot] = (uint8_t)i;
    }
    return count;
}

static uint32_t count_sectors(const struct access *a)
{
    uint64_t sectors[2 * LANES];
    uint32_t n = 0;
    if (a->contiguous)
        return (uint32_t)((a->high - 1) / 32 - a->low / 32 + 1);
    if (a->mask == ALL_LANES && a->size <= 16) { // such a word lies in one sector
        for (uint32_t l = 0; l < LANES; l++)
            sectors[l] = a->addr[l] / 32;
        return distinct(sectors, LANES);
    }
    FOR_LANES(l, a->mask)
    {
        uint64_t first = a->addr[l] / 32, last = (a->addr[l] + a->size - 1) / 32;
        sectors[n++] = first;
        if (last != first)
            sectors[n++] = last;
    }
    return distinct(sectors, n);
}

// Passes through 32 banks of 4 bytes for 4-byte words at the given word numbers: as many as the fullest bank has
// different words.
static uint32_t bank_passes(const uint64_t *words, uint32_t n)
{
    uint32_t held[32][2 * LANES], most = 0; // the words of every bank
    uint8_t load[32] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t word = (uint32_t)words[i], bank = word % 32, k = 0;
        while (k < load[bank] && held[bank][k] != word)
            k++;
        if (k < load[bank])
            continue;
        held[bank][k] = word;
        load[bank]++;
        most = k + 1 > most ? k + 1 : most;
    }
    return most;
}

// The number of lanes at the address that most lanes of the request share.
static uint32_t same_address(const struct access *a)
{
    uint64_t seen[SLOTS];
    uint8_t lanes[SLOTS] = {0};
    uint32_t most = 0;
    FOR_LANES(l, a->mask)
    {
        uint32_t slot = (uint32_t)((a->addr[l] >> 1) * UINT32_C(0x9e3779b1)) >> 25;
        while (lanes[slot] && seen[slot] != a->addr[l])
            slot = (slot + 1) % SLOTS;
        seen[slot] = a->addr[l];
        most = ++lanes[slot] > most ? lanes[slot] : most;
    }
    return most;
}

// Passes for `lanes` only.
static uint32_t passes_of(const struct access *a, uint32_t lanes)
{
    if (a->high - a->low <= 128 && a->low % 4 == 0)
        return (lanes & a->mask) != 0; // distinct words this close to each other lie in different banks
    uint64_t words[64];
    uint32_t n = 0, width = a->size < 4 ? 1 : a->size / 4;
    FOR_LANES(l, lanes & a->mask)
    for (uint32_t k = 0; k < width; k++)
        words[n++] = a->addr[l] / 4 + k;
    return bank_passes(words, n);
}

// What one access to shared memory costs: passes, the parts of the warp that are served separately, and the minimum of
// passes for the bytes.
struct passes {
    uint32_t passes, parts, ideal;
};

static void add_part(struct passes *to, const struct access *a, uint32_t lanes)
{
    to->passes += passes_of(a, lanes);
    to->parts += (lanes & a->mask) != 0;
}

// 64 bits: the halves of the warp one after the other; together if each lane has the address of its neighbour lane ^ 1,
// even an inactive one.
static void load_64(struct passes *to, const struct access *a)
{
    bool pairs = true;
    for (uint32_t l = 0; l < LANES; l += 2)
        pairs &= a->addr[l] == a->addr[l + 1];
    add_part(to, a, pairs ? ALL_LANES : 0xffff);
    if (!pairs)
        add_part(to, a, 0xffff0000);
}

// 128 bits: the quarters one after the other; the two quarters of a half together if active lanes come in pairs lane,
// lane ^ 1 with one address, or if at most eight lanes are active and none conflict.
static void load_128(struct passes *to, const struct access *a)
{
    for (uint32_t first = 0; first < LANES; first += 16) {
        bool pairs = true;
        for (uint32_t l = first; l < first + 16; l += 2) {
            uint32_t active = a->mask >> l & 3;
            pairs &= active == 0 || (active == 3 && a->addr[l] == a->addr[l + 1]);
        }
        uint32_t half = UINT32_C(0xffff) << first, lanes = (uint32_t)__builtin_popcount(half & a->mask);
        if (pairs || (lanes <= 8 && passes_of(a, half) == 1)) {
            add_part(to, a, half);
        } else {
            add_part(to, a, UINT32_C(0xff) << first);
            add_part(to, a, UINT32_C(0xff00) << first);
        }
    }
}

// The rules for loads and stores, tested against an H200's tests/hardware/h200-patterns.csv.
static struct passes shared_passes(const struct access *a)
{
    struct passes p = {0};
    uint32_t lanes = (uint32_t)__builtin_popcount(a->mask), parts = a->size <= 4 ? 1 : a->size / 4;
    if (a->kind == LOAD && parts > 1 && same_address(a) == lanes)
        p.passes = p.parts = (lanes * parts + 63) / 64;
    else if (a->kind == LOAD && parts == 2)
        load_64(&p, a);
    else if (a->kind == LOAD && parts > 2)
        load_128(&p, a);
    else
        for (uint32_t i = 0; i < parts; i++)
            add_part(&p, a, (parts == 1 ? ALL_LANES : (1u << LANES / parts) - 1) << i * LANES / parts);
    uint32_t full = (lanes * a->size + 127) / 128; // passes that the bytes fill
    p.ideal = a->kind != LOAD || full < p.parts ? full : p.parts;
    return p;
}

// ldmatrix and stmatrix: each matrix's eight rows in turn.
static struct passes matrix_passes(const struct access *a)
{
    struct passes p = {0};
    for (uint32_t first = 0; first < LANES; first += 8)
        add_part(&p, a, UINT32_C(0xff) << first);
    p.ideal = p.parts;
    return p;
}

// Whether the atomic's result is used. If not, the assembler makes it a reduction.
static bool is_result_used(const struct origin *origin)
{
    return origin->op == OP_atom && origin->result_read;
}

// An increment by a constant 1 whose result is unused: the assembler has an instruction for it that combines the lanes
// of one word.
static bool counts_up(const struct origin *origin)
{
    const struct ptx_instr *ptx = origin->ptx;
    const struct ptx_operand *added = &ptx->operands[ptx->count - 1];
    return strstr(ptx->op, ".add.") && added->kind == PTX_OP_INT && added->value == 1 && !is_result_used(origin);
}

// Atomics: a bank serves one lane at a time, except for increments; compare-and-swap takes two rounds.
static struct passes atomic_passes(struct memory_count *c, const struct access *a, const struct origin *origin)
{
    uint32_t load[32] = {0}, most = 0, rounds = strstr(origin->ptx->op, ".cas.") ? 2 : 1;
    if (!c->joins)
        c->joins = counts_up(origin) ? 1 : -1;
    if (c->joins > 0)
        return (struct passes){passes_of(a, ALL_LANES), 1, 1};
    FOR_LANES(l, a->mask)
    if (++load[a->addr[l] / 4 % 32] > most)
        most = load[a->addr[l] / 4 % 32];
    return (struct passes){rounds * most, rounds, rounds};
}

// Sectors of a global atomic: a sector counts once for each lane at its most contended word.
static uint32_t atomic_sectors(const struct access *a)
{
    uint32_t total = 0, left = a->mask;
    while (left) {
        uint64_t sector = a->addr[__builtin_ctz(left)] / 32;
        uint32_t load[8] = {0}, most = 0;
        FOR_LANES(l, left)
        if (a->addr[l] / 32 == sector) {
            uint32_t n = ++load[a->addr[l] % 32 / 4];
            most = n > most ? n : most;
            left &= ~(1u << l);
        }
        total += most;
    }
    return total;
}

static void count_shared(struct warp *w, struct memory_count *c, const struct access *a)
{
    if (a->contiguous && a->size >= 4 && a->kind != ATOMIC) {
        c->wavefronts += a->size / 4;
        c->wavefronts_ideal += a->size / 4;
        return;
    }
    const struct origin *origin = &w->block->launch->module->origins[a->in->id];
    struct passes p = a->kind == ATOMIC                           ? atomic_passes(c, a, origin)
                      : a->size == 16 && is_warp_wide(origin->op) ? matrix_passes(a)
                                                                  : shared_passes(a);
    c->wavefronts += p.passes;
    c->wavefronts_ideal += p.ideal;
    c->conflicts += p.passes - p.parts;
}

static size_t atomic_bytes(const struct block *b)
{
    return (shared_size(b->launch) / sizeof(uint32_t) + 1) * sizeof(uint32_t);
}

// The maximum number of the block's warps that have executed an atomic on one of these shared words.
static uint32_t warps_at(struct warp *w, const struct access *a)
{
    struct block_counts *b = block_state(w->block, &count_state);
    uint32_t most = 0;
    if (!b->atomic_warps)
        b->atomic_warps = alloc_zeroed(1, atomic_bytes(w->block));
    FOR_LANES(l, a->mask)
    {
        uint32_t warps = (uint32_t)__builtin_popcount(b->atomic_warps[a->addr[l] / 4] |= 1u << w->index);
        most = warps > most ? warps : most;
    }
    return most;
}

// The warp repeats a volatile, relaxed or acquire load, or one by an atomic, from the address where the same
// instruction loaded last: one round of a polling loop, which may poll several words in turn.
static bool is_poll(struct warp *w, const struct access *a)
{
    uint64_t address = a->addr[__builtin_ctz(a->mask)];
    struct warp_polls *last = warp_state(w, &count_state);
    struct poll *slot = last->at;
    while (slot < last->at + POLLED && slot->by != a->in)
        slot++;
    if (slot == last->at + POLLED)
        slot = &last->at[last->next++ % POLLED];
    bool again = slot->by == a->in && slot->address == address;
    *slot = (struct poll){address, a->in};
    return again;
}

// Lanes whose atomic reads a word without changing it count as a load. If it is a single lane, it polls a flag.
static void count_reading_lanes(struct warp *w, struct memory_count *c, const struct access *a)
{
    struct access read = *a;
    read.mask = 0;
    FOR_LANES(l, a->mask)
    read.mask |= (uint32_t)atomic_only_reads(w, a->in, l) << l;
    if (!(read.mask & (read.mask - 1)))
        return;
    read.kind = LOAD;
    read.contiguous &= read.mask == a->mask;
    if (a->space == PTX_SHARED) {
        struct passes p = shared_passes(&read);
        add_reads(&c->shared_reads, &(struct read_count){1, p.passes, p.ideal, p.passes - p.parts});
    } else {
        uint32_t ideal = ((uint32_t)__builtin_popcount(read.mask) * read.size + 31) / 32;
        add_reads(&c->reads, &(struct read_count){1, count_sectors(&read), ideal, 0});
        c->polls += is_poll(w, &read);
    }
}

// A generic atomic may have lanes in both memories: then each memory has its own access.
static void count_atomic(struct warp *w, struct memory_count *c, const struct access *a, uint32_t lanes)
{
    uint32_t same = same_address(a);
    if (!c->taken)
        c->taken = is_result_used(&w->block->launch->module->origins[a->in->id]) ? 1 : -1;
    if (c->taken > 0)
        count_reading_lanes(w, c, a);
    if (a->space != PTX_SHARED) {
        c->requests++;
        c->lanes += lanes;
        c->same = same > c->same ? same : c->same;
        if (a->space == PTX_GLOBAL)
            c->sectors += atomic_sectors(a);
        return;
    }
    uint32_t warps = warps_at(w, a);
    c->shared_requests++;
    c->shared_lanes += lanes;
    c->shared_same = same > c->shared_same ? same : c->shared_same;
    c->warps = warps > c->warps ? warps : c->warps;
    if (a->size == 4)
        count_shared(w, c, a);
}

// Each end of a bulk copy is reported in pieces. Its accesses to shared memory are not requests of a warp.
static void count_bulk(struct memory_count *c, const struct access *a)
{
    if (a->space == PTX_GLOBAL)
        *(a->kind == LOAD ? &c->bulk_loaded : &c->bulk_stored) += a->size;
}

static void count_access(struct warp *w, const struct access *a)
{
    struct worker_counts *k = counts_of(w->block->worker);
    struct memory_count *c = &k->memory[a->in->id];
    uint32_t lanes = (uint32_t)__builtin_popcount(a->mask);
    if (is_warpgroup_wide(a->in->op))
        return; // the tensor cores read it, not the warp
    if (a->async == ASYNC_ISSUED)
        count_shared(w, c, a);
    if (a->async == BULK_ISSUED)
        count_bulk(c, a);
    if (a->async)
        return; // its source makes the request
    if (a->space == PTX_GLOBAL && memory_is_shared(a->low))
        *(a->kind == LOAD ? &k->host_loads : &k->host_stores) = true;
    if (a->peer) {
        c->peers += lanes;
        c->peer_requests++;
        c->peer_lanes += a->kind == ATOMIC ? lanes : 0;
    }
    if (a->kind == ATOMIC) {
        count_atomic(w, c, a, lanes);
        return;
    }
    c->requests++;
    c->lanes += lanes;
    if (a->space == PTX_GLOBAL) {
        c->sectors += count_sectors(a);
        c->polls += a->kind == LOAD && (a->in->order & (ORDER_VOLATILE | ORDER_STRONG)) && is_poll(w, a);
        c->sectors_ideal += (lanes * a->size + 31) / 32;
    } else if (a->space == PTX_SHARED)
        count_shared(w, c, a);
}

// Constant memory broadcasts one word per pass; lanes with another word wait for a later pass.
static void count_constant(struct warp *w, const struct access *a)
{
    uint64_t at[LANES];
    uint32_t n = 0;
    if (a->high - a->low == a->size) {
        at[n++] = a->low;
    } else {
        FOR_LANES(l, a->mask)
        at[n++] = a->addr[l];
    }
    counts_of(w->block->worker)->memory[a->in->id].constant += distinct(at, n);
}

const struct observer count_accesses = {
    .state = &count_state, .access = count_access, .constant_access = count_constant};

// ---- totals

struct module_total {
    struct tally tally;
    struct module_total *next;
};

#define MAX_GRIDS 32 // number of kernels whose grids are remembered

// Since the last reset.
static struct {
    pthread_mutex_t lock;
    struct module_total *modules;
    struct simt_grid grids[MAX_GRIDS];
    int grid_count;
    struct launch_totals launches;
    uint64_t host_writes, host_reads, copied_sectors, graph_launches, nested_launches, overlaps;
    double whole_loads; // of sampled launches, skipped blocks included
    bool cut_off;       // a block of one was stopped before its end
} totals = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct tally *tally_of(const struct module *m)
{
    struct module_total *t = totals.modules;
    while (t && t->tally.module != m)
        t = t->next;
    if (!t) {
        t = alloc_zeroed(1, sizeof *t);
        t->tally.module = m;
        t->next = totals.modules;
        totals.modules = t;
    }
    return &t->tally;
}

static void note_grid(const char *kernel, uint64_t blocks)
{
    int i = 0;
    while (i < totals.grid_count && totals.grids[i].kernel != kernel)
        i++;
    if (i == MAX_GRIDS)
        return;
    struct simt_grid *g = &totals.grids[i];
    if (i == totals.grid_count)
        *g = (struct simt_grid){kernel, 0}, totals.grid_count++;
    g->blocks = blocks > g->blocks ? blocks : g->blocks;
}

int count_grids(struct simt_grid *out, int max)
{
    pthread_mutex_lock(&totals.lock);
    int n = totals.grid_count < max ? totals.grid_count : max;
    memcpy(out, totals.grids, (size_t)n * sizeof *out);
    pthread_mutex_unlock(&totals.lock);
    return n;
}

// The blocks that a sampled launch skips are assumed to load as much as those that it executes.
static void count_whole_loads(const struct launch *launch, const struct worker *workers)
{
    struct tally t = {.module = launch->module};
    struct launch_totals none = {0};
    struct simt_counters c = {0};
    tally_launch(&t, launch, workers);
    for (uint32_t id = 0; id < t.count; id++)
        read_instruction(&t, id, &none, &c);
    free(t.of);
    double loads = (double)c.global_load_sectors + (double)c.bulk_load_bytes / 32;
    totals.whole_loads += loads * (double)launch->block_count / (double)executed_blocks(launch);
    totals.cut_off |= launch->cut_off;
}

double count_loads_of_all(void)
{
    pthread_mutex_lock(&totals.lock);
    double loads = totals.launches.launches > 0 && !totals.cut_off ? totals.whole_loads : -1;
    pthread_mutex_unlock(&totals.lock);
    return loads;
}

static void count_launch(struct launch *launch, const struct worker *workers)
{
    pthread_mutex_lock(&totals.lock);
    note_grid(launch->code->name, launch->block_count);
    tally_launch(tally_of(launch->module), launch, workers);
    add_launch(&totals.launches, launch, workers);
    if (launch->partial && launch->run_count > 0)
        count_whole_loads(launch, workers);
    pthread_mutex_unlock(&totals.lock);
    profile_launch(launch, workers);
    for (uint32_t i = 0; i < launch->worker_count; i++)
        free(counts_of(&workers[i])->memory);
}

static void count_block(struct block *b)
{
    struct block_counts *counts = block_state(b, &count_state);
    struct worker_counts *k = counts_of(b->worker);
    if (!k->memory)
        k->memory = alloc_padded(b->launch->module->origin_count, sizeof *k->memory);
    if (counts->atomic_warps)
        memset(counts->atomic_warps, 0, atomic_bytes(b));
    for (uint32_t i = 0; i < b->warp_count; i++)
        *(struct warp_polls *)warp_state(&b->warps[i], &count_state) = (struct warp_polls){0};
}

static void count_end(struct block *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        counts_of(b->worker)->mixed += b->warps[i].copies && b->warps[i].multiplies;
}

static void count_close(struct block *b)
{
    struct block_counts *counts = block_state(b, &count_state);
    free(counts->atomic_warps);
}

const struct observer count_runs = {.state = &count_state,
                                    .block_start = count_block,
                                    .block_end = count_end,
                                    .block_close = count_close,
                                    .launch_end = count_launch};

void count_copy(bool from_host, bool to_host)
{
    pthread_mutex_lock(&totals.lock);
    totals.host_writes += from_host && !to_host;
    totals.host_reads += to_host && !from_host;
    pthread_mutex_unlock(&totals.lock);
    profile_host(&(struct simt_counters){.host_writes = from_host && !to_host, .host_reads = to_host && !from_host});
}

void count_copied(uint64_t sectors)
{
    pthread_mutex_lock(&totals.lock);
    totals.copied_sectors += sectors;
    pthread_mutex_unlock(&totals.lock);
    profile_host(&(struct simt_counters){.copied_sectors = sectors});
}

void count_graph_launch(void)
{
    pthread_mutex_lock(&totals.lock);
    totals.graph_launches++;
    pthread_mutex_unlock(&totals.lock);
    profile_host(&(struct simt_counters){.graph_launches = 1});
}

void count_nested_launch(void)
{
    pthread_mutex_lock(&totals.lock);
    totals.nested_launches++;
    pthread_mutex_unlock(&totals.lock);
    profile_host(&(struct simt_counters){.nested_launches = 1});
}

void count_overlap(void)
{
    pthread_mutex_lock(&totals.lock);
    totals.overlaps++;
    pthread_mutex_unlock(&totals.lock);
    profile_host(&(struct simt_counters){.overlaps = 1});
}

void count_forget(const struct module *m)
{
    profile_forget(m);
    reach_reset();
    pthread_mutex_lock(&totals.lock);
    totals.grid_count = 0; // their names may be the module's
    for (struct module_total **p = &totals.modules; *p; p = &(*p)->next)
        if ((*p)->tally.module == m) {
            struct module_total *gone = *p;
            *p = gone->next;
            free(gone->tally.of);
            free(gone);
            break;
        }
    pthread_mutex_unlock(&totals.lock);
}

// ---- the public counters

void count_read(struct simt_counters *out)
{
    memset(out, 0, sizeof *out);
    pthread_mutex_lock(&totals.lock);
    for (const struct module_total *t = totals.modules; t; t = t->next)
        for (uint32_t id = 0; id < t->tally.count; id++)
            read_instruction(&t->tally, id, &totals.launches, out);
    out->barriers = 0; // distributed over lines, which may leave a remainder
    read_launches(&totals.launches, out);
    out->host_writes += totals.host_writes;
    out->host_reads += totals.host_reads;
    out->copied_sectors = totals.copied_sectors;
    out->graph_launches = totals.graph_launches;
    out->nested_launches = totals.nested_launches;
    out->overlaps = totals.overlaps;
    pthread_mutex_unlock(&totals.lock);
}

static uint64_t share(const struct tally *t, uint32_t id, size_t offset)
{
    struct simt_counters one = {0};
    read_instruction(t, id, &totals.launches, &one);
    return counter_at(&one, offset);
}

// Adds count to the line's entry of list (n entries, room for one more); returns the new n.
static int join_line(struct simt_line *list, int n, const struct simt_line *line, bool maximum)
{
    for (int i = 0; i < n; i++)
        if (list[i].line == line->line && !strcmp(list[i].file, line->file)) {
            uint64_t sum = list[i].count + line->count,
                     most = list[i].count > line->count ? list[i].count : line->count;
            list[i].count = maximum ? most : sum;
            return n;
        }
    list[n] = *line;
    return n + 1;
}

static int by_count(const void *a, const void *b)
{
    const struct simt_line *x = a, *y = b;
    return x->count < y->count ? 1 : x->count > y->count ? -1 : x->line - y->line;
}

int count_lines(const char *name, struct simt_line *out, int max)
{
    size_t offset = counter_offset(name);
    uint32_t room = 1;
    int n = 0;
    if (offset == NO_COUNTER || max < 1)
        return 0;
    pthread_mutex_lock(&totals.lock);
    for (const struct module_total *t = totals.modules; t; t = t->next)
        room += t->tally.count;
    struct simt_line *list = alloc_resize(NULL, room, sizeof *list);
    for (const struct module_total *t = totals.modules; t; t = t->next)
        for (uint32_t id = 0; id < t->tally.count; id++) {
            const struct module *m = t->tally.module;
            struct ptx_loc loc = m->origins[id].ptx->loc;
            struct simt_line line = {source_path(m->ptx, loc.file), loc.line, share(&t->tally, id, offset)};
            if (line.count)
                n = join_line(list, n, &line, is_maximum(offset));
        }
    pthread_mutex_unlock(&totals.lock);
    qsort(list, (size_t)n, sizeof *list, by_count);
    n = n < max ? n : max;
    memcpy(out, list, (size_t)n * sizeof *out);
    free(list);
    return n;
}

void count_reset(void)
{
    pthread_mutex_lock(&totals.lock);
    for (struct module_total *t = totals.modules; t; t = t->next)
        memset(t->tally.of, 0, t->tally.count * sizeof *t->tally.of);
    totals.launches = (struct launch_totals){0};
    totals.host_writes = totals.host_reads = totals.copied_sectors = 0;
    totals.graph_launches = totals.nested_launches = totals.overlaps = 0;
    totals.grid_count = 0;
    totals.whole_loads = 0;
    totals.cut_off = false;
    pthread_mutex_unlock(&totals.lock);
}
