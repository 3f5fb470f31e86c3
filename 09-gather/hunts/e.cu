// Hunt 9/e: keeps the atoms within CUTOFF of the origin. The lanes of a warp that keep one reserve
// their places by one atomic.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128
#define CUTOFF 1000

__global__ void keep_near(int *kept, int *size, const int *distance, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x % 32, start = 0;

    if (i < n && distance[i] < CUTOFF) {
        unsigned int lanes = __ballot_sync(0xffffffff, distance[i] < CUTOFF); // that keep one
        int leader = __ffs(lanes) - 1, rank = __popc(lanes & ((1u << lane) - 1));
        if (lane == leader)
            start = atomicAdd(size, __popc(lanes));
        kept[__shfl_sync(lanes, start, leader) + rank] = i;
    }
}

// Returns how many are kept.
static int keep(int *kept, const int *distance, int n)
{
    int size, *d_kept, *d_size, *d_distance;

    cudaMalloc(&d_kept, n * sizeof *kept);
    cudaMalloc(&d_size, sizeof *d_size);
    cudaMalloc(&d_distance, n * sizeof *distance);
    cudaMemset(d_size, 0, sizeof *d_size);
    cudaMemcpy(d_distance, distance, n * sizeof *distance, cudaMemcpyHostToDevice);
    keep_near<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_kept, d_size, d_distance, n);
    cudaMemcpy(&size, d_size, sizeof size, cudaMemcpyDeviceToHost);
    cudaMemcpy(kept, d_kept, size * sizeof *kept, cudaMemcpyDeviceToHost);
    cudaFree(d_kept);
    cudaFree(d_size);
    cudaFree(d_distance);
    return size;
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 640, farthest = argc > 2 ? atoi(argv[2]) : 1000, near_by = 0, wrong = 0, size;
    int *distance = (int *)malloc(n * sizeof *distance), *kept = (int *)malloc(n * sizeof *kept);
    bool *seen = (bool *)calloc(n, sizeof *seen);

    srand(1);
    for (int i = 0; i < n; i++) {
        distance[i] = rand() % farthest;
        near_by += distance[i] < CUTOFF;
    }
    size = keep(kept, distance, n);
    wrong += size != near_by;
    for (int k = 0; k < size; k++) {
        wrong += distance[kept[k]] >= CUTOFF || seen[kept[k]];
        seen[kept[k]] = true;
    }
    free(distance);
    free(kept);
    free(seen);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
