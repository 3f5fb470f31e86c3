// What is known about words of global memory in a launch: when their last write became visible.
#pragma once

#include <stdint.h>

struct word {
    uint64_t address; // 0: an unused slot
    double published, before; // clocks; the previous such time
};

struct word_table {
    struct word *table;
    uint64_t count, capacity; // a power of two
};

struct word *word_table_at(struct word_table *w, uint64_t address); // valid until the next call
void word_table_clear(struct word_table *w);
