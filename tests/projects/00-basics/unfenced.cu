// Project 0, an unsafe solution: the threads of the last block read the other blocks' counts after the ticket and a
// block barrier, but without a fence. A plain read may find an old value in a cache.
#include "projects/keep_in_order.h"

#define BLOCK 256

__global__ void count_kept(int *before, int *count, int *kept, int *ticket, const int *in, int n)
{
    __shared__ bool last;
    int i = blockIdx.x * BLOCK + threadIdx.x, own = __syncthreads_count(i < n && in[i] > 0);

    if (threadIdx.x == 0) {
        kept[blockIdx.x] = own;
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    for (int b = threadIdx.x; b < gridDim.x && last; b += BLOCK) {
        int sum = 0;
        for (int k = 0; k < b; k++)
            sum += kept[k];
        before[b] = sum;
        if (b == gridDim.x - 1)
            *count = sum + kept[b];
    }
}

// One thread of each block: slow, but in order.
__global__ void keep(int *out, const int *before, const int *in, int n)
{
    int place = before[blockIdx.x];

    for (int i = blockIdx.x * BLOCK; i < min(n, (int)(blockIdx.x + 1) * BLOCK); i++)
        if (in[i] > 0)
            out[place++] = in[i];
}

void keep_in_order(int *d_out, int *d_count, const int *d_in, int n)
{
    int blocks = n / BLOCK + 1, *d_tmp;

    check_cuda(cudaMalloc(&d_tmp, (2 * blocks + 1) * sizeof *d_tmp));
    check_cuda(cudaMemset(d_tmp, 0, sizeof *d_tmp));
    count_kept<<<blocks, BLOCK>>>(d_tmp + 1, d_count, d_tmp + 1 + blocks, d_tmp, d_in, n);
    keep<<<blocks, 1>>>(d_out, d_tmp + 1, d_in, n);
    check_cuda(cudaGetLastError());
    check_cuda(cudaFree(d_tmp));
}
