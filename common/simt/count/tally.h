// Tallies: what launches did, added up per instruction of their module; and how that becomes counters.
#pragma once

#include "count/memory_count.h"
#include "exec/machine.h"
#include "simt.h"

struct instruction_total {
    uint64_t warps, lanes, diverged;
    struct memory_count memory;
};

struct tally {
    const struct module *module;
    struct instruction_total *of; // per instruction
    uint32_t count;
};

// What belongs to launches as a whole.
struct launch_totals {
    uint64_t launches, blocks, warps, longest_block, barriers, waits, host_writes, host_reads, spilled;
};

// Adds what an instruction has done.
void add_reads(struct read_count *to, const struct read_count *from);
void add_memory(struct memory_count *to, const struct memory_count *from);

// Adds what the workers of a launch did. t->module is the launch's.
void tally_launch(struct tally *t, const struct launch *launch, const struct worker *workers);
void add_launch(struct launch_totals *to, const struct launch *launch, const struct worker *workers);

// Adds what instruction `id` of t counts, for every counter that has lines; barriers are shared out by the warps that
// came to them.
void read_instruction(const struct tally *t, uint32_t id, const struct launch_totals *whole, struct simt_counters *to);
void read_launches(const struct launch_totals *from, struct simt_counters *to);

// Adds all counters but maxima, of which it takes the larger one.
void add_counters(struct simt_counters *to, const struct simt_counters *from);

// The offset of the counter of that name in struct simt_counters; NO_COUNTER: there is none.
#define NO_COUNTER SIZE_MAX
size_t counter_offset(const char *name);
bool is_maximum(size_t offset); // over requests; all other counters are sums

static inline uint64_t counter_at(const struct simt_counters *c, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const uint8_t *)c + offset, sizeof value);
    return value;
}
