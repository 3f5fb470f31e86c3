// launch.h: helpers for host functions that launch kernels, in exercises and in the other headers of this folder.
#pragma once

#include <cuda_runtime.h>

// Wrap every CUDA call in check_cuda(...); after a launch, check_cuda(cudaGetLastError()). An error ends the program:
// see harness/verdict.h.
#define check_cuda(call) check_cuda_at((call), #call, __FILE__, __LINE__)

static inline void check_cuda_at(cudaError_t error, const char *call, const char *file, int line);

static inline __host__ __device__ int ceil_div(int a, int b)
{
    return a / b + (a % b > 0);
}

// From step 9 of chapter 01-reduction: how many blocks of that many threads the device holds at once. The answer is
// cached, so a program must ask for one kernel only.
static inline int resident_blocks(const void *kernel, int threads)
{
    static int multiprocessors, resident; // resident: blocks per multiprocessor
    if (resident == 0) {
        check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
        check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
    }
    return multiprocessors * resident;
}
