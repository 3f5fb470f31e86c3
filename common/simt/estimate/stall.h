// Where warps wait on the virtual clock: clocks by source line and reason, in the words of Nsight Compute.
#pragma once

#include <stdio.h>

#include "estimate/state.h"

#define STALLS(X) \
    X(LONG, "long scoreboard")   /* a load from global or local memory */ \
    X(SHORT, "short scoreboard") /* shared memory, a shuffle, a special function */ \
    X(WAIT, "wait")              /* a result that takes a fixed time */ \
    X(BARRIER, "barrier") \
    X(MEMBAR, "membar") \
    X(BRANCH, "branch resolving") \
    X(MIO, "MIO throttle") /* these three of no line: a part of the multiprocessor is busy */ \
    X(MATH, "math pipe throttle") \
    X(ISSUE, "not selected")

enum stall {
#define STALL_NAME(name, words) STALL_BY_##name,
    STALLS(STALL_NAME)
#undef STALL_NAME
        STALL_COUNT
};

// The stalls of a kernel, summed over launches.
struct stall_line {
    const char *file; // "": belongs to no line
    int line;
    enum stall why;
    double clocks;
};
struct stalls {
    struct stall_line *lines;
    uint32_t count, capacity;
    double clocks; // clocks that its warps took, waiting or not
};

// Begins a launch, whose instructions have ids below count; 0: lines are not wanted.
void stall_open(uint32_t count);
void stall_add(uint32_t id, enum stall why, double clocks);
void stall_add_all(double clocks);                    // clocks of a warp from its start to its end
void stall_throttle(enum limit limit, double clocks); // clocks of warps that only waited for a busy part

// The stall reason of a wait for the instruction's result.
enum stall stall_of_result(const struct running *r, const struct cost *c);

// The cause of an instruction's late issue: the result that arrived last, at time `when`.
enum stall stall_reason(const struct cost *c, const double *ready, const uint8_t *why, double when);

// Adds the launch's stalls to its kernel's.
void stall_take(struct stalls *to, const struct module *m);
void stall_free(struct stalls *s);

// Prints the lines that wait most. parts: us by what limits the kernel (find_limit); us: their sum.
void stall_write(const struct stalls *s, const double *parts, double us, FILE *to);
