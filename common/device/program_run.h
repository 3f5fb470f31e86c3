// program_run.h: how a whole program (program.h) gets its input, runs, and hands over its result.
#ifndef DEVICE_PROGRAM_RUN_H
#define DEVICE_PROGRAM_RUN_H

#include "device/launch.h"
#include "device/program.h"

static inline float *file_of(int n)
{
    return (float *)malloc((size_t)n * sizeof(float) + 1);
}

// Takes the program's input from the device.
static inline void load_files(const float *d_x, const float *d_y, int n, float a)
{
    files.n = n;
    files.a = a;
    files.x = file_of(n);
    files.y = file_of(n);
    files.result = file_of(n);
    check_cuda(cudaMemcpy(files.x, d_x, (size_t)n * sizeof(float), cudaMemcpyDeviceToHost));
    check_cuda(cudaMemcpy(files.y, d_y, (size_t)n * sizeof(float), cudaMemcpyDeviceToHost));
    memset(files.result, 0x7f, (size_t)n * sizeof(float));
    files.written = 0;
}

// Calls its main. Returns what main returned or passed to exit().
static inline int run_program(int (*program)(void))
{
    if (setjmp(files.end) == 0)
        files.status = program();
    fflush(stdout);
    return files.status;
}

// Copies its result to the device, or nowhere if NULL; afterwards its files are gone.
static inline void fetch_files(float *d_result)
{
    if (d_result)
        check_cuda(cudaMemcpy(d_result, files.result, (size_t)files.n * sizeof(float), cudaMemcpyHostToDevice));
    free(files.x);
    free(files.y);
    free(files.result);
}
#endif
