// The data of a profile: a record for each kernel, or each launch, with an entry for each of its source lines. Names
// are the profile's own copies and outlive the modules.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "exec/launch.h"
#include "simt.h"

struct profile_line {
    const char *file, *function;
    int line; // 0, and file "?": unknown
    struct simt_counters counters;
};

struct profile_record {
    const char *kernel, *mangled; // "reduce_block", and as the compiler names it
    const char *file;             // where its code begins
    int line;
    uint64_t number; // number of the launch in the program; 0: all launches of the kernel
    bool later;      // it stands for the launches without their own record
    uint32_t grid[3], block[3], dynamic_shared, static_shared, registers; // of the first launch
    bool other_grids, other_blocks;                                       // there were such launches
    bool sampled, failed;
    struct residency residency;
    struct simt_counters counters;
    struct profile_line *lines; // by file, line and function
    uint32_t line_count;
};

struct profile {
    struct simt_counters counters; // the sum of all records and of what belongs to none
    struct profile_record *records;
    uint32_t count;
};

// A line of a record that stands out: which counter, and the sentence.
struct note {
    const char *kind;
    const struct profile_line *line; // NULL: none
    char text[320];
};

enum { MAX_NOTES = 16 };
int find_notes(const struct profile_record *r, struct note *notes);

// Lane slots without an active lane.
static inline uint64_t idle_lanes(const struct simt_counters *c)
{
    uint64_t all = LANES * c->warp_instructions;
    return all > c->thread_instructions ? all - c->thread_instructions : 0;
}

static inline uint64_t global_requests(const struct simt_counters *c)
{
    return c->global_load_requests + c->global_store_requests + c->global_atomic_requests;
}

static inline uint64_t global_sectors(const struct simt_counters *c)
{
    return c->global_load_sectors + c->global_store_sectors + c->global_atomic_sectors;
}

static inline uint64_t shared_requests(const struct simt_counters *c)
{
    return c->shared_load_requests + c->shared_store_requests + c->shared_atomic_requests;
}

static inline uint64_t bank_passes(const struct simt_counters *c)
{
    return c->shared_load_wavefronts + c->shared_store_wavefronts + c->shared_atomic_wavefronts;
}

static inline uint64_t barrier_waits(const struct simt_counters *c)
{
    return c->barrier_waits + c->warp_barriers;
}

// The forms of SIMT_PROFILE.
void write_profile_text(const struct profile *p, FILE *to);
void write_profile_json(const struct profile *p, FILE *to);
void write_profile_callgrind(const struct profile *p, FILE *to);
