// What is known of words of global memory in a launch: when they were written last for others to see.
#ifndef SIMT_WORDS_H
#define SIMT_WORDS_H

#include <stdint.h>

struct word {
    uint64_t address; // 0: a free place of the table
    double published, before; // clocks; the time before that
};

struct words {
    struct word *table;
    uint64_t count, capacity; // a power of two
};

struct word *words_at(struct words *w, uint64_t address); // until the next call
void words_clear(struct words *w);

#endif
