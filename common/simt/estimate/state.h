// What is known of a launch while it runs on the virtual clock (clock.h). Times are clocks from its start.
#pragma once

#include "estimate/bound.h"
#include "estimate/recent.h"
#include "exec/machine.h"

enum { MAX_GROUPS = 32, WINDOW = 8 };

// A warp.
struct warp_time {
    double now;                // it may issue
    double entered, issued;    // the basic block that it is in: when, and clocks of issue since
    double window[WINDOW];     // when its last floating-point instructions there had issued, and all before them
    uint32_t passed;           // floating-point instructions there
    double stored[2];          // its last store there to global memory, to shared memory
    double copies;             // its asynchronous copies are there
    double group[MAX_GROUPS]; // the same of each group of them
    uint32_t groups;
    const struct insn *poll; // what it polls with, where, since when
    uint64_t polled;
    double poll_began;
    double *ready; // by register of all functions
    uint8_t *why;  // and what a wait for it is (enum stall)
    uint32_t last; // the instruction that it ran last
    double began;
};

// What warps have asked of the multiprocessor's parts since the last barrier.
struct phase {
    double began, issues, passes, unit[UNITS];
};

struct block_time {
    struct warp_time warps[MAX_WARPS];
    struct phase phase;
    struct recent recent;
    uint32_t phases; // that have ended
    double began;
    double *ready;
    uint8_t *why;
    uint32_t slot;
    bool fenced; // some thread has executed a fence
    double now;  // of the warp that ran last
    bool waits;  // it has polled these words in vain, and they were not written since
    uint32_t polled_stamps[LANES], polled_count;
    uint64_t polled_stamp;
};

extern struct observer_state clock_state;

static inline struct block_time *time_of(const struct block *b)
{
    return block_state(b, &clock_state);
}

// The launch, and the instruction that runs.
struct running {
    const struct gpu *gpu;
    struct totals totals;
    double resident;    // blocks that a multiprocessor holds at a time
    double issued_at; // the instruction
    double latency;   // of its slowest access; 0: none
    double passes;    // of its accesses
    bool shared;      // it has touched shared memory
};

static inline double later(double a, double b)
{
    return a > b ? a : b;
}
