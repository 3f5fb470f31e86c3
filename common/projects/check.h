// check.h: what the checks of the projects share. A project's header declares the function to write, and has main.
#pragma once

#include "harness/random.h"

#include <cuda_profiler_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As in device/launch.h: a solution may include headers of that folder, too.
#define check_cuda(call) check_cuda_at((call), #call, __FILE__, __LINE__)

static inline void check_cuda_at(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    printf("%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    exit(1);
}

// The number at this position of the command line, or the default.
static inline int argument(int argc, char **argv, int which, int usual)
{
    return argc > which ? atoi(argv[which]) : usual;
}

// A whole number from 0 to most.
static inline int random_below(uint64_t *state, int most)
{
    return (int)(random_bits(state) % ((uint64_t)most + 1));
}

static inline void *host_buffer(size_t bytes)
{
    void *room = malloc(bytes + 1);
    if (!room) {
        printf("no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return room;
}

// Device memory with these bytes; with garbage if from is NULL.
static inline void *device_buffer(const void *from, size_t bytes)
{
    void *room;
    check_cuda(cudaMalloc(&room, bytes ? bytes : 1));
    if (from)
        check_cuda(cudaMemcpy(room, from, bytes, cudaMemcpyHostToDevice));
    else
        check_cuda(cudaMemset(room, 0xa5, bytes));
    return room;
}

// The machine counts what runs between these two: the call of the student's function.
static inline void begin_counted(void)
{
    check_cuda(cudaProfilerStart());
}

static inline void end_counted(void)
{
    check_cuda(cudaGetLastError());
    check_cuda(cudaDeviceSynchronize());
    check_cuda(cudaProfilerStop());
}

// A copy of device memory on the host.
static inline void *fetch(const void *d_from, size_t bytes)
{
    void *to = host_buffer(bytes);
    check_cuda(cudaMemcpy(to, d_from, bytes, cudaMemcpyDeviceToHost));
    return to;
}

// Whether an input still has its bytes; prints a message if not.
static inline int is_unchanged(const char *name, const void *d_input, const void *before, size_t bytes)
{
    void *now = fetch(d_input, bytes);
    int same = memcmp(now, before, bytes) == 0;
    if (!same)
        printf("%s is an input and has changed\n", name);
    free(now);
    return same;
}

// Whether n words on the device are as expected; prints the first that is not.
static inline int are_words(const char *name, const int *d_got, const int *want, size_t n)
{
    int *got = (int *)fetch(d_got, n * sizeof *got);
    size_t i = 0;
    while (i < n && got[i] == want[i])
        i++;
    if (i < n)
        printf("%s[%zu]: got %d, wanted %d\n", name, i, got[i], want[i]);
    free(got);
    return i == n;
}

// Whether |got[i] - want[i]| <= bound[i] for all i; false for NaN. Prints the first that is not.
static inline int are_floats(const char *name, const float *d_got, const double *want, const double *bound, size_t n)
{
    float *got = (float *)fetch(d_got, n * sizeof *got);
    size_t i = 0;
    while (i < n && fabs(got[i] - want[i]) <= bound[i])
        i++;
    if (i < n)
        printf("%s[%zu]: got %.9g, wanted %.9g within %.3g\n", name, i, got[i], want[i], bound[i]);
    free(got);
    return i == n;
}

static inline int verdict(int right)
{
    puts(right ? "PASSED" : "WRONG");
    return !right;
}
