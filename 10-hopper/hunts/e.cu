// Hunt 10/e: the largest word of an array. Blocks take tiles in turn. The copies of the next tiles
// are in flight while a block looks at one: a ring of STAGES tiles. n is a multiple of TILE.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define TILE 128 // words, and threads of a block
#define BLOCKS 4
#define STAGES 3

__device__ unsigned at(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

// Arrives at the mbarrier, whose phase then expects the bytes of a tile, and copies them.
__device__ void load(int *tile, const int *in, unsigned long long *full)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(full)), "r"(TILE * 4) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(tile)),
        "l"(in), "r"(TILE * 4), "r"(at(full))
        : "memory");
}

__device__ void wait(unsigned long long *full, int parity)
{
    int complete = 0;
    while (!complete)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                     : "=r"(complete)
                     : "r"(at(full)), "r"(parity)
                     : "memory");
}

__global__ void find_largest(int *most, const int *in, int n)
{
    __shared__ alignas(16) int ring[STAGES][TILE];
    __shared__ unsigned long long full[STAGES]; // mbarriers
    int tid = threadIdx.x, step = gridDim.x * TILE, largest = INT_MIN;

    in += blockIdx.x * TILE;
    n -= blockIdx.x * TILE;
    for (int s = 0; s < STAGES && tid == 0; s++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(at(&full[s]))
                     : "memory");
    for (int s = 0; s < STAGES && tid == 0 && s * step < n; s++)
        load(ring[s], in + s * step, &full[s]);
    __syncthreads();
    for (int first = 0, k = 0; first < n; first += step, k++) {
        int stage = k % STAGES, parity = k / 2 % 2;
        wait(&full[stage], parity);
        largest = max(largest, ring[stage][tid]);
        __syncthreads(); // all have read the stage
        if (tid == 0 && first + STAGES * step < n)
            load(ring[stage], in + first + STAGES * step, &full[stage]);
    }
    atomicMax(most, largest);
}

static int largest_of(const int *in, int n)
{
    int *d_most, *d_in, most = INT_MIN;

    cudaMalloc(&d_most, sizeof most);
    cudaMalloc(&d_in, n * sizeof *in);
    cudaMemcpy(d_most, &most, sizeof most, cudaMemcpyHostToDevice);
    cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice);
    find_largest<<<BLOCKS, TILE>>>(d_most, d_in, n);
    cudaMemcpy(&most, d_most, sizeof most, cudaMemcpyDeviceToHost);
    cudaFree(d_most);
    cudaFree(d_in);
    return most;
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 8) * TILE, most = INT_MIN, *in = (int *)malloc(n * sizeof *in);

    srand(argc > 2 ? atoi(argv[2]) : 1);
    for (int i = 0; i < n; i++) {
        in[i] = i + rand() % 1000;
        most = most < in[i] ? in[i] : most;
    }
    most -= largest_of(in, n);
    free(in);
    puts(most ? "WRONG" : "PASSED");
    return most != 0;
}
