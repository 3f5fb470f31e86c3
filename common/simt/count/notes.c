// What stands out in a kernel: one sentence for each cost, with the line that causes most of it. The thresholds are
// rough: below them the sentence would not help.
#include <stdarg.h>
#include <stdio.h>

#include "count/record.h"

struct notes {
    const struct profile_record *record;
    struct note *list;
    int count;
};

typedef uint64_t measure(const struct simt_counters *c);

// The line with the largest count; NULL: no line has any, or the line is unknown.
static const struct profile_line *heaviest_line(const struct profile_record *r, measure *of)
{
    const struct profile_line *most = NULL;
    for (uint32_t i = 0; i < r->line_count; i++)
        if (of(&r->lines[i].counters) > (most ? of(&most->counters) : 0))
            most = &r->lines[i];
    return most && most->line ? most : NULL;
}

__attribute__((format(printf, 4, 5))) static void add(struct notes *n, const char *kind,
                                                      const struct profile_line *line, const char *format, ...)
{
    va_list args;
    if (n->count == MAX_NOTES)
        return;
    struct note *note = &n->list[n->count++];
    *note = (struct note){kind, line, ""};
    va_start(args, format);
    vsnprintf(note->text, sizeof note->text, format, args);
    va_end(args);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static int percent(uint64_t part, uint64_t whole)
{
    return (int)(100 * share(part, whole) + 0.5);
}

// ---- lanes

static uint64_t diverged(const struct simt_counters *c)
{
    return c->divergent_branches;
}

static void note_lanes(struct notes *n)
{
    const struct simt_counters *c = &n->record->counters;
    const struct profile_line *line = heaviest_line(n->record, idle_lanes),
                              *branch = heaviest_line(n->record, diverged);
    uint64_t all = LANES * c->warp_instructions;
    if (share(idle_lanes(c), all) < 0.1)
        return;
    if (branch && line)
        add(n, "idle_lanes", line,
            "%d %% of the lanes are idle, most of them here (%d %% of all idle lanes); "
            "the branch at line %d went both ways %llu times",
            percent(idle_lanes(c), all), percent(idle_lanes(&line->counters), idle_lanes(c)), branch->line,
            (unsigned long long)branch->counters.divergent_branches);
    else
        add(n, "idle_lanes", line, "%d %% of the lanes are idle: warps are not full, or some of their lanes end early",
            percent(idle_lanes(c), all));
}

// ---- shared memory

static uint64_t excess(const struct simt_counters *c)
{
    return c->shared_excess;
}

static uint64_t accesses(const struct simt_counters *c)
{
    return c->shared_load_requests + c->shared_store_requests;
}

static uint64_t passes(const struct simt_counters *c)
{
    return c->shared_load_wavefronts + c->shared_store_wavefronts;
}

static void note_banks(struct notes *n)
{
    const struct simt_counters *c = &n->record->counters;
    const struct profile_line *line = heaviest_line(n->record, excess);
    uint64_t least = passes(c) - c->shared_excess;
    if (share(c->shared_excess, passes(c)) < 0.05 || !line)
        return;
    add(n, "bank_conflicts", line,
        "bank conflicts: an access to shared memory takes %.1f passes instead of %.1f; here it takes %.1f",
        share(passes(c), accesses(c)), share(least, accesses(c)),
        share(passes(&line->counters), accesses(&line->counters)));
}

// ---- global memory

// Sectors beyond those that the bytes would fill. Lanes that read one word touch fewer.
static uint64_t above(uint64_t sectors, uint64_t ideal)
{
    return sectors > ideal ? sectors - ideal : 0;
}

static uint64_t load_waste(const struct simt_counters *c)
{
    return above(c->global_load_sectors, c->global_load_sectors_ideal);
}

static uint64_t store_waste(const struct simt_counters *c)
{
    return above(c->global_store_sectors, c->global_store_sectors_ideal);
}

static uint64_t sum_of(const struct profile_record *r, measure *of)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->line_count; i++)
        sum += of(&r->lines[i].counters);
    return sum;
}

// what: "loads" or "stores"; line: where they waste most sectors.
static void note_scattered(struct notes *n, const char *kind, const char *what, const struct profile_line *line,
                           uint64_t requests, uint64_t sectors, uint64_t ideal)
{
    add(n, kind, line,
        "scattered %s: a request to global memory touches %.1f sectors here, but its bytes would fill %.1f", what,
        share(sectors, requests), share(ideal, requests));
}

// The line that wastes most sectors, if all lines together waste at least a fifth.
static const struct profile_line *wasteful(const struct profile_record *r, measure *waste, uint64_t sectors)
{
    return share(sum_of(r, waste), sectors) < 0.2 ? NULL : heaviest_line(r, waste);
}

static void note_sectors(struct notes *n)
{
    const struct simt_counters *all = &n->record->counters, *c;
    const struct profile_line *loads = wasteful(n->record, load_waste, all->global_load_sectors);
    const struct profile_line *stores = wasteful(n->record, store_waste, all->global_store_sectors);
    if (loads && (c = &loads->counters))
        note_scattered(n, "load_sectors", "loads", loads, c->global_load_requests, c->global_load_sectors,
                       c->global_load_sectors_ideal);
    if (stores && (c = &stores->counters))
        note_scattered(n, "store_sectors", "stores", stores, c->global_store_requests, c->global_store_sectors,
                       c->global_store_sectors_ideal);
}

static uint64_t local(const struct simt_counters *c)
{
    return c->local_bytes;
}

static void note_local(struct notes *n)
{
    const struct simt_counters *c = &n->record->counters;
    if (c->local_bytes)
        add(n, "local_memory", heaviest_line(n->record, local),
            "local memory: %llu bytes are moved to and from arrays or variables that are not in registers",
            (unsigned long long)c->local_bytes);
}

// ---- atomics

static uint64_t global_atomics(const struct simt_counters *c)
{
    return c->global_atomic_same > 1 ? c->global_atomics : 0;
}

static uint64_t shared_atomics(const struct simt_counters *c)
{
    return c->shared_atomic_same > 1 || c->shared_atomic_wavefronts > c->shared_atomic_wavefronts_ideal
               ? c->shared_atomics
               : 0;
}

static void note_atomics(struct notes *n)
{
    const struct simt_counters *c = &n->record->counters;
    if (c->global_atomic_same > 3)
        add(n, "global_atomics", heaviest_line(n->record, global_atomics),
            "contention: up to %llu lanes of a warp access one address in global memory at once, "
            "and are served one after another; an atomic request has %.1f active lanes",
            (unsigned long long)c->global_atomic_same, share(c->global_atomics, c->global_atomic_requests));
    if (share(c->shared_atomic_wavefronts, c->shared_atomic_wavefronts_ideal) > 1.5)
        add(n, "shared_atomics", heaviest_line(n->record, shared_atomics),
            "contention: an atomic in shared memory takes %.1f passes instead of %.1f; "
            "up to %llu lanes of a warp and %llu warps of a block access one word",
            share(c->shared_atomic_wavefronts, c->shared_atomic_requests),
            share(c->shared_atomic_wavefronts_ideal, c->shared_atomic_requests),
            (unsigned long long)c->shared_atomic_same, (unsigned long long)c->shared_atomic_warps);
}

// ---- waiting, occupancy

static void note_waits(struct notes *n)
{
    const struct simt_counters *c = &n->record->counters;
    const struct profile_line *line = heaviest_line(n->record, barrier_waits);
    if (share(barrier_waits(c), c->warp_instructions) < 0.05 || !line)
        return;
    add(n, "barrier_waits", line,
        "barriers: one instruction in %.0f waits at one, %.1f for each warp; %.1f of them are here",
        1 / share(barrier_waits(c), c->warp_instructions), share(barrier_waits(c), c->warps),
        share(barrier_waits(&line->counters), c->warps));
}

static void note_occupancy(struct notes *n)
{
    const struct profile_record *r = n->record;
    uint32_t threads = r->block[0] * r->block[1] * r->block[2], warps = (threads + LANES - 1) / LANES;
    uint32_t held = r->residency.blocks * warps, all = MAX_THREADS_PER_MULTIPROCESSOR / LANES;
    char why[96] = "that is its limit of blocks";
    if (held * 2 > all)
        return;
    if (r->residency.limit == LIMIT_SHARED)
        snprintf(why, sizeof why, "its %u bytes of shared memory are the limit", r->static_shared + r->dynamic_shared);
    if (r->residency.limit == LIMIT_REGISTERS)
        snprintf(why, sizeof why, "its %u registers a thread are the limit", r->registers);
    if (r->residency.limit == LIMIT_THREADS)
        snprintf(why, sizeof why, "another block of %u threads does not fit", threads);
    add(n, "occupancy", NULL, "occupancy: a multiprocessor holds %u block%s of this kernel, %u of %u warps; %s",
        r->residency.blocks, r->residency.blocks == 1 ? "" : "s", held, all, why);
}

static void note_blocks(struct notes *n)
{
    const struct simt_counters *c = &n->record->counters;
    uint32_t processors = settings()->multiprocessors;
    double blocks = share(c->blocks, c->launches);
    if (!n->record->sampled && blocks > 0 && blocks < processors)
        add(n, "few_blocks", NULL, "few blocks: %.4g a launch, while this device has %u multiprocessors", blocks,
            processors);
}

static void note_end(struct notes *n)
{
    if (n->record->failed)
        add(n, "failed", NULL, "a launch failed: the counts end where it failed");
    if (n->record->sampled)
        add(n, "sampled", NULL, "sampled: only some blocks of each launch were executed, and are counted");
}

int find_notes(const struct profile_record *r, struct note *notes)
{
    struct notes n = {r, notes, 0};
    note_end(&n);
    note_lanes(&n);
    note_banks(&n);
    note_sectors(&n);
    note_local(&n);
    note_atomics(&n);
    note_waits(&n);
    note_occupancy(&n);
    note_blocks(&n);
    return n.count;
}
