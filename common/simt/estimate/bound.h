// Lower bounds on the time of a launch on a GPU, from the work of each part of the GPU.
#pragma once

#include "estimate/cost.h"
#include "report/gpu.h"

// What may limit a kernel, in words.
#define LIMITS(X) \
    X(LATENCY, "latency") \
    X(DRAM, "memory bandwidth") \
    X(L2, "L2 bandwidth") \
    X(L1, "L1 and shared memory") \
    X(ISSUE, "instruction issue") \
    X(INTEGER, "integer arithmetic") \
    X(FLOAT, "arithmetic in single precision") \
    X(DOUBLE, "arithmetic in double precision") \
    X(SPECIAL, "special functions") \
    X(ACCESSES, "load and store units") \
    X(CONSTANT, "constant memory") \
    X(TENSOR, "tensor cores") \
    X(ATOMICS, "atomics") \
    X(ONE_ADDRESS, "atomics on one address") \
    X(BLOCKS, "starting blocks")

enum limit {
#define LIMIT_NAME(name, words) LIMIT_BY_##name,
    LIMITS(LIMIT_NAME)
#undef LIMIT_NAME
        LIMIT_BY_LAUNCHES,
    LIMIT_COUNT
};

// The work of a launch.
struct totals {
    double blocks;
    double issues;      // machine instructions of warps
    double unit[UNITS]; // clocks of one multiprocessor's units
    double passes;      // passes through L1 and shared memory, 128 bytes each
    double l2_sectors;               // without stored sectors
    double l2_stores_ps;             // time of the L2 cache for stored sectors alone, in ps
    double read, written;            // bytes of device memory
    double atomics;                  // atomics of lanes on global memory
    double atomic_passes;            // their passes through slices of the L2 cache
    double atomics_on_slice;         // those on the busiest slice
    double block;                    // clocks from the start of a block to its end, on average
    double spent[LIMIT_BY_LAUNCHES]; // clocks of blocks between barriers, by what they waited for
    double path;                     // clocks until the last block has ended, if none delayed another
};

struct bounds {
    double us[LIMIT_BY_LAUNCHES];      // lower bound by each limit
    double total;                      // us, without the launch itself
    double goes_to[LIMIT_BY_LAUNCHES]; // the total by limits
};

struct bounds find_bounds(const struct totals *t, const struct gpu *g);
enum limit find_limit(const double *us); // us: bounds, or their sums over launches
const char *limit_words(enum limit limit);
