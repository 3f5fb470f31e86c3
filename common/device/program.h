// program.h: the input and output of a whole program, in place of files: steps 01 and 07 of 00-basics.
//
// All of it is host memory. Pieces may be read and written in any order.
#pragma once

#include <cuda_runtime.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int n, status;
    float a, *x, *y, *result;
    long long written;
    jmp_buf end; // where exit() jumps to
} files;

// n, which may be 0, and a.
static inline int problem_size(void)
{
    return files.n;
}

static inline float problem_factor(void)
{
    return files.a;
}

// Ends the program unless [first, first + count) is within n.
static inline void check_piece(const char *name, int first, int count);

// Reads x[first], ..., x[first + count - 1] into to[0], ...; and likewise for y.
static inline void read_x(float *to, int first, int count)
{
    check_piece("read_x", first, count);
    memcpy(to, files.x + first, (size_t)count * sizeof *to);
}

static inline void read_y(float *to, int first, int count)
{
    check_piece("read_y", first, count);
    memcpy(to, files.y + first, (size_t)count * sizeof *to);
}

// The program's result: y[first], ..., y[first + count - 1] are from[0], ...
static inline void write_y(const float *from, int first, int count)
{
    check_piece("write_y", first, count);
    memcpy(files.result + first, from, (size_t)count * sizeof *from);
    files.written += count;
}

// exit() in a program that is called many times: see basics_program.h.
static inline __attribute__((noreturn)) void end_program(int status)
{
    files.status = status;
    longjmp(files.end, 1);
}

static inline void check_piece(const char *name, int first, int count)
{
    if (first >= 0 && count >= 0 && first <= files.n - count)
        return;
    fprintf(stderr, "%s: %d values from number %d on; n is %d\n", name, count, first, files.n);
    end_program(EXIT_FAILURE);
}
