// hopper/problem.h: the types of the problems of chapter 10-hopper.
#pragma once

#include <cuda_runtime.h>

#define MOST_BINS 65536
#define LESSON_BINS 4096

// How many blocks n elements need if a block takes share of them; at least one, as a launch requires.
static inline size_t blocks_for(size_t n, size_t share)
{
    return n > share ? (n + share - 1) / share : 1;
}
