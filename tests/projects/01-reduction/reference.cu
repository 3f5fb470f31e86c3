// Project 1, a solution that reaches level 3: a block for each row, which stays in shared memory. Each thread keeps the
// largest word and the sum of its powers as it goes, and pairs are combined: one pass for both.
#include "projects/softmax.h"

#define BLOCK 256
#define ALL 0xffffffff
#define MOST_CACHED 12000 // words of a row: 48 KB with the block's other data

struct pair {
    float most, sum; // sum: of exp(word - most)
};

__device__ struct pair join(struct pair a, struct pair b)
{
    float most = fmaxf(a.most, b.most);

    if (most == -INFINITY)
        return a;
    return (struct pair){most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
}

__device__ struct pair join_warp(struct pair p)
{
    for (int d = 16; d > 0; d /= 2) {
        struct pair other = {__shfl_xor_sync(ALL, p.most, d), __shfl_xor_sync(ALL, p.sum, d)};
        p = join(p, other);
    }
    return p;
}

// The pair of all threads of the block, in all threads.
__device__ struct pair join_block(struct pair p)
{
    __shared__ struct pair pairs[BLOCK / 32];
    int lane = threadIdx.x % 32;

    p = join_warp(p);
    if (lane == 0)
        pairs[threadIdx.x / 32] = p;
    __syncthreads();
    p = lane < BLOCK / 32 ? pairs[lane] : (struct pair){-INFINITY, 0};
    return join_warp(p);
}

__global__ void softmax_rows(float *out, const float *in, int columns, int cached)
{
    extern __shared__ float row[];
    struct pair p = {-INFINITY, 0};
    size_t first = (size_t)blockIdx.x * columns;

    for (int c = threadIdx.x; c < columns; c += BLOCK) {
        float x = in[first + c];
        if (cached)
            row[c] = x;
        p = join(p, (struct pair){x, 1});
    }
    p = join_block(p);
    for (int c = threadIdx.x; c < columns; c += BLOCK) // the words that this thread has stored
        out[first + c] = expf((cached ? row[c] : in[first + c]) - p.most) / p.sum;
}

void softmax(float *d_out, const float *d_in, int rows, int columns)
{
    int cached = columns <= MOST_CACHED;

    if (rows > 0)
        softmax_rows<<<rows, BLOCK, cached ? columns * sizeof *d_in : 0>>>(d_out, d_in, columns, cached);
    check_cuda(cudaGetLastError());
}
