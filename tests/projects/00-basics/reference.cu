// Project 0, a solution that reaches level 3: one pass. A block takes a tile by ticket, counts with ballots, waits for
// the number of words kept before its tile, and passes on the number after it.
#include "projects/keep_in_order.h"

#define BLOCK 256
#define ITEMS 8
#define TILE (BLOCK * ITEMS)
#define ALL 0xffffffff
#define COUNTS (TILE / 32) // groups of 32 words, one ballot each: two for each lane of a warp

// counts[g] = words kept in the groups before g. Returns the total number of kept words, in all lanes. One
// warp calls it.
__device__ int scan_counts(int *counts)
{
    int lane = threadIdx.x % 32, a = counts[2 * lane], b = counts[2 * lane + 1], sum = a + b;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(ALL, sum, d);
        sum += lane >= d ? left : 0;
    }
    counts[2 * lane] = sum - a - b;
    counts[2 * lane + 1] = sum - b;
    return __shfl_sync(ALL, sum, 31);
}

// after[t]: 1 more than the number of words kept up to the end of tile t; 0 until it is known.
__device__ int words_before(volatile int *after, int tile, int own)
{
    int before = 0;
    while (tile > 0 && (before = after[tile - 1]) == 0)
        ;
    before -= tile > 0;
    after[tile] = before + own + 1; // word and flag in one: no fence
    return before;
}

__global__ void keep(int *out, int *count, const int *in, int n, int *ticket, volatile int *after)
{
    __shared__ int tile, before, counts[COUNTS];
    int tid = threadIdx.x, lane = tid % 32, value[ITEMS], place[ITEMS];

    if (tid == 0)
        tile = atomicAdd(ticket, 1);
    __syncthreads();
    for (int k = 0; k < ITEMS; k++) {
        int i = tile * TILE + k * BLOCK + tid;
        value[k] = i < n ? in[i] : 0;
    }
    for (int k = 0; k < ITEMS; k++) {
        unsigned kept = __ballot_sync(ALL, value[k] > 0);
        place[k] = __popc(kept & ((1u << lane) - 1));
        if (lane == 0)
            counts[(k * BLOCK + tid) / 32] = __popc(kept);
    }
    __syncthreads();
    if (tid < 32) {
        int own = scan_counts(counts);
        if (tid == 0)
            before = words_before(after, tile, own);
        if (tid == 0 && tile == gridDim.x - 1)
            *count = before + own;
    }
    __syncthreads();
    for (int k = 0; k < ITEMS; k++)
        if (value[k] > 0)
            out[before + counts[(k * BLOCK + tid) / 32] + place[k]] = value[k];
}

void keep_in_order(int *d_out, int *d_count, const int *d_in, int n)
{
    int tiles = n > 0 ? (n + TILE - 1) / TILE : 1, *d_tmp;

    check_cuda(cudaMalloc(&d_tmp, (tiles + 1) * sizeof *d_tmp));
    check_cuda(cudaMemset(d_tmp, 0, (tiles + 1) * sizeof *d_tmp));
    keep<<<tiles, BLOCK>>>(d_out, d_count, d_in, n, d_tmp, d_tmp + 1);
    check_cuda(cudaGetLastError());
    check_cuda(cudaFree(d_tmp));
}
