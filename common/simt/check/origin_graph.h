// The graph of where values come from (origin.h): from a word that was in memory before any kernel, from two other
// values, or from nothing (0: constants and indices).
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct leaf {
    uint64_t address;
    uint32_t size; // bytes that one load read there
};

// A word of global memory. launch 0: no kernel has stored there; then node is the word's own leaf, or 0 if no thread
// has read it.
struct origin_word {
    uint64_t key; // its address; 0: unused entry
    uint64_t block;
    uint32_t node, launch, id, thread;
};

uint32_t graph_leaf(uint64_t address, uint32_t size);
uint32_t graph_join(uint32_t a, uint32_t b);
struct origin_word *graph_find(uint64_t key); // NULL: nothing is known
struct origin_word *graph_word(uint64_t key); // adds an entry if nothing is known; valid until the next call
bool graph_full(void);                        // the graph is full: origins are incomplete
void graph_reset(void);

// Calls see for every word; see may change the entry.
void graph_each(void (*see)(struct origin_word *w, void *data), void *data);

// The leaves that node comes from, sorted by address; the caller frees them. *count: how many.
struct leaf *graph_leaves(uint32_t node, uint32_t *count);
