// The state of a launch on the virtual clock (clock.h). Times are clocks from its start.
#pragma once

#include "estimate/bound.h"
#include "estimate/recent.h"
#include "exec/machine.h"

enum { MAX_GROUPS = 32, WINDOW = 8 };

// A warp.
struct warp_time {
    double now;                // when it may next issue
    double entered, issued;    // when it entered its basic block; clocks of issue since
    double window[WINDOW];     // when its last floating-point instructions there, and all earlier ones, had issued
    uint32_t passed;           // floating-point instructions there
    double stored[2];          // when it last stored there, to global and to shared memory
    double copies;             // when its asynchronous copies arrive
    double group[MAX_GROUPS]; // the same for each group of copies
    uint32_t groups;
    const struct insn *poll; // the polling instruction, its address, when polling began
    uint64_t polled;
    double poll_began;
    double *ready; // by register of all functions
    uint8_t *why;  // stall reason of a wait for it (enum stall)
    uint32_t last; // the last instruction that it ran
    double began;
};

// The warps' requests to the multiprocessor's parts since the last barrier.
struct phase {
    double began, issues, passes, unit[UNITS];
};

struct block_time {
    struct warp_time warps[MAX_WARPS];
    struct phase phase;
    struct recent recent;
    uint32_t phases; // phases that have ended
    double began;
    double *ready;
    uint8_t *why;
    uint32_t slot;
    bool fenced; // some thread has executed a fence
    double now;  // time of the warp that ran last
    bool waits;  // it has polled these words, and they have not changed since
    uint32_t polled_stamps[LANES], polled_count;
    uint64_t polled_stamp;
};

extern struct observer_state clock_state;

static inline struct block_time *time_of(const struct block *b)
{
    return block_state(b, &clock_state);
}

// The launch, and the running instruction.
struct running {
    const struct gpu *gpu;
    struct totals totals;
    double resident;    // blocks that a multiprocessor holds at a time
    double issued_at; // when the instruction issued
    double latency;   // of the instruction's slowest access; 0: none
    double passes;    // of its accesses
    bool shared;      // it has touched shared memory
};

static inline double later(double a, double b)
{
    return a > b ? a : b;
}
