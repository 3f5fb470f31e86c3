// What the counters keep of a launch's instructions on memory while it runs.
#pragma once

#include "exec/machine.h"

// What one instruction has done.
struct memory_count {
    // Loads by other instructions: atomics that only read.
    struct read_count {
        uint64_t requests, passes, ideal, conflicts; // passes: sectors, or wavefronts
    } reads, shared_reads;
    uint64_t requests, lanes, sectors, sectors_ideal, wavefronts, wavefronts_ideal;
    uint64_t conflicts;                        // passes caused by lanes that access different words of a bank
    uint64_t shared_requests, shared_lanes;    // of an atomic: the part in shared memory
    uint64_t constant;                         // passes of a load from constant memory
    uint64_t peers, peer_requests, peer_lanes; // lanes in another block's shared memory; of atomics only
    uint64_t bulk_loaded, bulk_stored;         // bytes of bulk copies, in global memory
    uint64_t polls;                            // strong loads from the address of the warp's last strong load
    // All above are sums. Maxima over the requests of an atomic, of lanes at one word and of warps:
    uint64_t same, warps, shared_same;
    int8_t joins; // of a shared atomic: 1 if it combines lanes at one word, -1 if not, 0: not decided yet
    int8_t taken; // of an atomic: 1 if the word that it returns is read, -1 if not, 0: not decided yet
};

// The state of a host thread.
struct worker_counts {
    struct memory_count *memory;  // per instruction; NULL: the thread has run no block
    bool host_loads, host_stores; // some touched memory that the host shares
    uint64_t mixed;               // warps that issued bulk copies and also products
};

extern struct observer_state count_state; // state of the observers in count.h

static inline struct worker_counts *counts_of(const struct worker *k)
{
    return worker_state(k, &count_state);
}
