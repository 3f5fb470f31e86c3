// halves.h: step 01 of chapter 10-hopper without a cluster, compared with the step itself in the peer's table.
//
// Two blocks share a table, as in the step, but no atomic leaves its multiprocessor: each block reads all samples of
// the pair, eight at a time, and counts those whose bin it has. Reading twice costs less than sending.
#pragma once

#include "device/launch.h"
#include "hopper/problem.h"

namespace halves
{
enum { BLOCK_THREADS = 1024, HALVES = 2, SAMPLES = 8 }; // SAMPLES: of 16 bytes

// Adds the sample to the table if this block has its bin.
static __device__ void count_sample(unsigned *part, unsigned bin, unsigned rank)
{
    if (bin % HALVES == rank)
        atomicAdd(&part[bin / HALVES], 1);
}

static __global__ void count(unsigned *counts, const unsigned short *in, size_t n, int bins)
{
    extern __shared__ unsigned part[]; // bin b is word b / HALVES of block b % HALVES
    unsigned rank = blockIdx.x % HALVES;
    size_t first = blockIdx.x / HALVES * (size_t)BLOCK_THREADS + threadIdx.x,
           threads = gridDim.x / HALVES * (size_t)BLOCK_THREADS;
    for (int i = threadIdx.x; i * HALVES + rank < bins; i += BLOCK_THREADS)
        part[i] = 0;
    __syncthreads();
    for (size_t i = first; i < n / SAMPLES; i += threads) {
        uint4 quad = ((const uint4 *)in)[i];
        unsigned words[] = {quad.x, quad.y, quad.z, quad.w};
        for (int k = 0; k < 4; k++) {
            count_sample(part, words[k] & 0xffff, rank);
            count_sample(part, words[k] >> 16, rank);
        }
    }
    if (first < n % SAMPLES)
        count_sample(part, in[n - 1 - first], rank);
    __syncthreads();
    for (int i = threadIdx.x; i * HALVES + rank < bins; i += BLOCK_THREADS)
        if (part[i] > 0)
            atomicAdd(&counts[i * HALVES + rank], part[i]);
}

static void histogram(unsigned *d_counts, const unsigned short *d_in, size_t n, int bins)
{
    int multiprocessors, bytes = ceil_div(bins, HALVES) * (int)sizeof *d_counts;
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    check_cuda(cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    check_cuda(cudaMemset(d_counts, 0, bins * sizeof *d_counts));
    count<<<multiprocessors / HALVES * HALVES, BLOCK_THREADS, bytes>>>(d_counts, d_in, n, bins);
    check_cuda(cudaGetLastError());
}
} // namespace halves
