// With SIMT_CHECK=all,acquire: a barrier after the ticket is not a fence for plain reads, by the rules of PTX.
// test_checks.c reads the comments.
// launch: 8 64
#include "twins.h"

#define LAST (gridDim.x - 1)

__device__ unsigned ticket_1[2], ticket_3, ticket_4;
__device__ int partial_1[2][8], partial_4[8];
__device__ volatile int partial_3[8];

// guilty: race error @write @read
// sum: 8
TWINS(ticket_without_second_fence, fence_behind_the_barrier)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial_1[innocent][blockIdx.x] = 1; // @write
        __threadfence();
        last = atomicAdd(&ticket_1[innocent], 1) == LAST;
    }
    __syncthreads();
    if (innocent && last)
        __threadfence();
    if (last && threadIdx.x < gridDim.x)
        atomicAdd(out, partial_1[innocent][threadIdx.x]); // @read
}

// As in the CUDA programming guide: volatile data never come from a cache, and the barrier waits for the ticket.
// innocent
// sum: 8
extern "C" __global__ void volatile_without_second_fence(int *data, int *out, int n)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial_3[blockIdx.x] = 1;
        __threadfence();
        last = atomicAdd(&ticket_3, 1) == LAST;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        atomicAdd(out, partial_3[threadIdx.x]);
}

// innocent
// sum: 8
extern "C" __global__ void fence_before_the_barrier(int *data, int *out, int n)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial_4[blockIdx.x] = 1;
        __threadfence();
        last = atomicAdd(&ticket_4, 1) == LAST;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        atomicAdd(out, partial_4[threadIdx.x]);
}

__device__ int relay_data, relay_flag_1, relay_flag_2;

// A block that has only passed on the flag, with a fence after the barrier, has also released the data.
// innocent
// launch: 3 32
// sum: 7
extern "C" __global__ void relay(int *data, int *out, int n)
{
    volatile int *first = &relay_flag_1, *second = &relay_flag_2;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        relay_data = 7;
        __threadfence();
        *first = 1;
    }
    if (blockIdx.x == 1) {
        if (threadIdx.x == 0)
            while (*first == 0)
                ;
        __syncthreads();
        if (threadIdx.x == 1) {
            __threadfence();
            *second = 1;
        }
    }
    if (blockIdx.x == 2 && threadIdx.x == 0) {
        while (*second == 0)
            ;
        __threadfence();
        out[0] = relay_data;
    }
}
