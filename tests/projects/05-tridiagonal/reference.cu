// Project 5, a solution that reaches level 3: a warp for each system, a row in the registers of each lane. Rows are not
// exchanged: a lane remembers for which column its row was the pivot.
#include "projects/pivoting.h"

#define BLOCK 128
#define MOST 32
#define ALL 0xffffffff

// The lane with the largest size; all lanes get it.
__device__ int largest_lane(float size)
{
    int lane = threadIdx.x % 32;

    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_xor_sync(ALL, size, d);
        int its = __shfl_xor_sync(ALL, lane, d);
        if (other > size || (other == size && its < lane)) {
            size = other;
            lane = its;
        }
    }
    return lane;
}

// Eliminates column after column. Returns the column for which the lane's row was the pivot.
__device__ int eliminate(float row[MOST], float *right)
{
    int lane = threadIdx.x % 32, mine = MOST;

#pragma unroll
    for (int c = 0; c < MOST; c++) {
        int pivot = largest_lane(mine == MOST ? fabsf(row[c]) : -1);
        float factor = row[c] / __shfl_sync(ALL, row[c], pivot);
        factor = mine == MOST && lane != pivot ? factor : 0; // other rows are done
#pragma unroll
        for (int j = c + 1; j < MOST; j++)
            row[j] -= factor * __shfl_sync(ALL, row[j], pivot);
        *right -= factor * __shfl_sync(ALL, *right, pivot);
        mine = lane == pivot ? c : mine;
    }
    return mine;
}

// x of row c in lane c, after the elimination.
__device__ float substitute(const float row[MOST], float right, int mine)
{
    int lane = threadIdx.x % 32;
    float x = 0;

#pragma unroll
    for (int c = MOST - 1; c >= 0; c--) {
        int pivot = __ffs(__ballot_sync(ALL, mine == c)) - 1;
        float value = __shfl_sync(ALL, right / row[c], pivot);
        right -= row[c] * value;
        x = lane == c ? value : x;
    }
    return x;
}

// Rows and columns from size on are those of the unit matrix. Word i of a system is in row i / size of the cache.
__global__ void solve_systems(float *x, const float *a, const float *b, int size, int systems)
{
    __shared__ float caches[BLOCK / 32][MOST][MOST + 1];
    float(*cache)[MOST + 1] = caches[threadIdx.x / 32], row[MOST];
    int lane = threadIdx.x % 32, system = (blockIdx.x * BLOCK + threadIdx.x) / 32;

    if (system >= systems)
        return;
    for (int i = lane; i < size * size; i += 32)
        cache[i / size][i % size] = a[(size_t)system * size * size + i];
    __syncwarp();
#pragma unroll
    for (int j = 0; j < MOST; j++)
        row[j] = lane < size && j < size ? cache[lane][j] : lane == j;
    float right = lane < size ? b[system * size + lane] : 0;
    int mine = eliminate(row, &right);
    right = substitute(row, right, mine);
    if (lane < size)
        x[system * size + lane] = right;
}

void solve_batch(float *d_x, const float *d_a, const float *d_b, int size, int systems)
{
    if (systems > 0)
        solve_systems<<<(systems + BLOCK / 32 - 1) / (BLOCK / 32), BLOCK>>>(d_x, d_a, d_b, size, systems);
    check_cuda(cudaGetLastError());
}
