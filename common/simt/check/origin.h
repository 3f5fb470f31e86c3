// Where the value of a wrong word comes from: SIMT_CHECK=origin.
//
// While it is on, every register, and every word of shared, local and global memory, carries the words of global memory
// that its value was computed from: those present when the run began. Loads, arithmetic, shuffles, stores and atomics
// pass them on. Addresses and conditions do not: a sum's origin is its summands, not the index that found them.
// Everything runs slowly, on one host thread. So only a wrong program runs again in this way, with its smallest input
// alone.
//
// Calls, tensor cores, textures and asynchronous copies are not followed. After one of them the report says only which
// store or bulk copy wrote the word.
#pragma once

#include "check/origin_graph.h"
#include "check/streams.h"

extern const struct observer origin_observer;

void origin_moved(const struct operation *op); // a copy or fill is over
void origin_reset(void);                       // the current contents of memory are the sources of values

// Reports on stderr which thread stored the word at this device address, and from which words; nothing if the store
// came after operation `before`.
void origin_wrong(uint64_t address, uint64_t before);

// ---- origin_words.c

// A launch that has stored something.
struct origin_launch {
    const struct module *module;
    const char *kernel; // as in PTX
    uint64_t number;
    uint32_t grid[3], dim[3];
};

void origin_record_pointers(const struct launch *launch); // records the targets of its pointer parameters
void origin_forget_pointers(void);
// followed: the words that the value comes from are known.
void origin_describe(const struct origin_launch *by, const struct origin_word *word, uint64_t address, bool followed);
// size: of an element. Silent if no kernel was given the array: its words may come from the host.
void origin_describe_unstored(uint64_t address, uint32_t size);
