// Shared by the programs in this folder. PROGRAM: the program's name.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void cuda(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, PROGRAM ": %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// Ends the program if a kernel has not done the measured work.
static inline void expect(const char *what, uint64_t got, uint64_t want)
{
    if (got != want) {
        fprintf(stderr, PROGRAM ": %s: got %llu, want %llu\n", what, (unsigned long long)got, (unsigned long long)want);
        exit(2);
    }
}

// Prints a row of a record, with so many digits; with `small`, where times mean nothing, without its value.
static inline void put_row(const char *what, size_t bytes, int digits, double value, const char *unit, int small)
{
    if (small)
        printf("%s,%zu,right,%s\n", what, bytes, unit);
    else
        printf("%s,%zu,%.*g,%s\n", what, bytes, digits, value, unit);
}
