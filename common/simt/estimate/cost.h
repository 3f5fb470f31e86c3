// The cost of an instruction on a GPU: which unit it uses, for how long, and when its result is ready. This is only as
// exact as PTX allows: ptxas joins, moves and removes instructions (docs/estimate.md).
#pragma once

#include "exec/machine.h"

enum unit {
    UNIT_NONE,
    UNIT_INTEGER,
    UNIT_FLOAT,
    UNIT_DOUBLE,
    UNIT_SPECIAL,
    UNIT_MEMORY, // kinds from here on access memory
    UNIT_CONSTANT,
    UNIT_TENSOR,
    UNITS
};

enum { MAX_READ = 12, MAX_WRITTEN = 9 };

struct cost {
    enum unit unit;
    float issues;  // machine instructions that it becomes; 0: it is part of another one
    float work;    // clocks of a multiprocessor's unit
    float latency; // clocks until the result is ready; of an access: in addition to memory
    uint8_t read_count, written_count;
    bool branches, barrier, fence, acquires;
    bool asks;    // may poll: a load, a compare-and-swap, an exchange
    bool bypasses_l1; // a load that bypasses the L1 cache
    bool splits;  // becomes a test and a branch: later instructions issue after it
    bool pinned;  // ptxas moves nothing across it
    bool continues_block; // begins a basic block in PTX, but not in machine code
    bool matches; // repeats the work for each distinct value of the lanes
    bool joins;   // an integer atomic with one address for all lanes: ptxas sums its lanes first
    bool sums_floats; // an atomic on floats
    float skipped_issues, skipped_passes; // of a branch that becomes predicates: for a warp that skips all
    bool loads[2], stores[2];                        // global memory, shared memory
    uint16_t read[MAX_READ], written[MAX_WRITTEN]; // registers of the function
};

// The costs of all instructions of a module by id, each in isolation (see join.h). The caller frees them.
struct cost *find_costs(const struct module *m, const struct gpu *g);
