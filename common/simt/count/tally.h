// Tallies: what launches did, summed per instruction of their module, and how sums become counters.
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

// Counts that belong to a launch as a whole.
struct launch_totals {
    uint64_t launches, blocks, warps, longest_block, barriers, waits, host_writes, host_reads, spilled, mixed;
};

// Adds what an instruction has done.
void add_reads(struct read_count *to, const struct read_count *from);
void add_memory(struct memory_count *to, const struct memory_count *from);

// Adds what the workers of a launch did. t->module is the launch's.
void tally_launch(struct tally *t, const struct launch *launch, const struct worker *workers);
void add_launch(struct launch_totals *to, const struct launch *launch, const struct worker *workers);

// Adds what instruction `id` of t counts, for every counter by line; barriers are distributed by the warps that reached
// them.
void read_instruction(const struct tally *t, uint32_t id, const struct launch_totals *whole, struct simt_counters *to);
void read_launches(const struct launch_totals *from, struct simt_counters *to);

// Adds all counters; of a maximum it keeps the larger.
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
