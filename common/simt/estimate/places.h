// Places for blocks on the multiprocessors of a GPU, by the time from which on they are free.
#pragma once

#include <stdint.h>

struct place {
    double free; // from then on
    uint32_t number;
};

struct places {
    struct place *heap; // the earliest first
    uint32_t free, count;
};

void places_open(struct places *p, uint32_t count); // all free from 0 on
struct place places_acquire(struct places *p);         // the earliest; where none is free, number 0
void places_release(struct places *p, struct place place);
