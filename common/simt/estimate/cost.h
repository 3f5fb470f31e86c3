// What an instruction costs on a GPU: which unit it goes through, for how long, and when its result is there. As far
// as PTX tells: ptxas joins, moves and drops instructions (docs/estimate.md).
#pragma once

#include "exec/machine.h"

enum unit {
    UNIT_NONE,
    UNIT_INTEGER,
    UNIT_FLOAT,
    UNIT_DOUBLE,
    UNIT_SPECIAL,
    UNIT_MEMORY, // from here on: some of it accesses memory
    UNIT_CONSTANT,
    UNIT_TENSOR,
    UNITS
};

enum { MAX_READ = 12, MAX_WRITTEN = 9 };

struct cost {
    enum unit unit;
    float issues;  // machine instructions that it becomes; 0: none, it is part of another one
    float work;    // clocks of a multiprocessor's unit
    float latency; // clocks until the result is there; of an access: besides what the memory takes
    uint8_t read_count, written_count;
    bool branches, barrier, fence, acquires;
    bool asks;    // may be run again and again until it gives something else: a load, a compare-and-swap, an exchange
    bool bypasses_l1; // a load that bypasses the L1 cache
    bool splits;  // becomes a test and a branch: what comes after it issues after it
    bool pinned;  // ptxas moves nothing across it
    bool continues_block; // begins a basic block of PTX, but none of machine code
    bool matches; // takes the work again for each further value that the lanes have
    bool joins;   // an atomic whose lanes are added up before it: of integers, and all lanes have the same address
    bool sums_floats; // an atomic, of floats
    float skipped_issues, skipped_passes; // of a branch that ptxas makes none: what a warp takes that skips all of it
    bool loads[2], stores[2];                        // global memory, shared memory
    uint16_t read[MAX_READ], written[MAX_WRITTEN]; // registers of the function
};

// The costs of all instructions of a module by their ids, each by itself (see join.h); to be freed.
struct cost *find_costs(const struct module *m, const struct gpu *g);
