// The graph of where values come from (origin.h): a value comes from a word that was there before any kernel, from two
// other values, or from nothing (0): constants and indices.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct leaf {
    uint64_t address;
    uint32_t size; // bytes that were loaded there at once
};

// A word of global memory. launch 0: no kernel has stored there; node is then the word's own, or 0 if no thread has
// read it.
struct origin_word {
    uint64_t key; // its address; 0: free
    uint64_t block;
    uint32_t node, launch, id, thread;
};

uint32_t graph_leaf(uint64_t address, uint32_t size);
uint32_t graph_join(uint32_t a, uint32_t b);
struct origin_word *graph_find(uint64_t key); // NULL: nothing is known
struct origin_word *graph_word(uint64_t key); // a new one if nothing is known; holds until the next call
bool graph_full(void);                        // the graph is full: origins are incomplete
void graph_reset(void);

// Calls see for every word; it may change what is known of it.
void graph_each(void (*see)(struct origin_word *w, void *data), void *data);

// The leaves that node comes from, by address; to be freed. *count: how many.
struct leaf *graph_leaves(uint32_t node, uint32_t *count);
