// program_run.h: how a whole program (program.h) gets its input, runs, and delivers its result: steps 01 and 07 of
// chapter 00-basics.
#pragma once

#include "device/launch.h"
#include "device/program.h"

static inline float *file_of(int n)
{
    return (float *)malloc((size_t)n * sizeof(float) + 1);
}

// On the device.
struct program_input {
    const float *d_x, *d_y;
    int n;
    float a;
};
struct program_output {
    float *d_y; // NULL: the result is dropped
};

static int (*main_of_program)(void);

// Copies the program's input from the device.
static inline void load_files(struct program_input *from)
{
    int n = from->n;
    files.n = n;
    files.a = from->a;
    files.x = file_of(n);
    files.y = file_of(n);
    files.result = file_of(n);
    check_cuda(cudaMemcpy(files.x, from->d_x, (size_t)n * sizeof(float), cudaMemcpyDeviceToHost));
    check_cuda(cudaMemcpy(files.y, from->d_y, (size_t)n * sizeof(float), cudaMemcpyDeviceToHost));
    memset(files.result, 0x7f, (size_t)n * sizeof(float));
    files.written = 0;
}

// Calls its main. Returns what main returned or passed to exit(); *written: how many values it has written.
static inline int run_program(long long *written)
{
    if (setjmp(files.end) == 0)
        files.status = main_of_program();
    fflush(stdout);
    *written = files.written;
    return files.status;
}

// Copies its result to the device and discards its files.
static inline void fetch_files(struct program_output *to)
{
    if (to->d_y)
        check_cuda(cudaMemcpy(to->d_y, files.result, (size_t)files.n * sizeof(float), cudaMemcpyHostToDevice));
    free(files.x);
    free(files.y);
    free(files.result);
}
