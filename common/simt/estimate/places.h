// Places for blocks on the multiprocessors of a GPU, by the time at which they become free.
#pragma once

#include <stdint.h>

struct place {
    double free; // when it becomes free
    uint32_t number;
};

struct places {
    struct place *heap; // a heap, earliest first
    uint32_t free, count;
};

void places_open(struct places *p, uint32_t count); // all free from 0 on
struct place places_acquire(struct places *p);         // takes the earliest; number 0 if all are taken
void places_release(struct places *p, struct place place);
