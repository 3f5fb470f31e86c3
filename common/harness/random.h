// random.h: random bits and numbers for the chapters' inputs; the same seed gives the same ones on every machine.
#pragma once

#include <stdint.h>

// splitmix64: every seed gives a good sequence.
static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// A whole number from -most to most.
static inline float small_number(uint64_t *state, int most)
{
    return (float)((int)(random_bits(state) % (2u * (unsigned)most + 1)) - most);
}
