// Right programs whose blocks, warps and lanes wait for one another: the machine reports none as endless, whatever the
// number of host threads. Also `too_many`, which waits for a block that does not fit on the device.
#include <cstring>

#include "program.h"

#define THREADS 64
#define FULL 1024       // threads of a block, two of which fit on a multiprocessor
#define PLACES (2 * 16) // places of the device for such blocks
#define LONG 400000u    // steps: more than before the machine's first check for endless loops
#define TILES 500

static __device__ unsigned mix(unsigned x)
{
    return x * 1664525u + 1013904223u + (x >> 3);
}

static __device__ unsigned long_sum(unsigned x)
{
    for (unsigned i = 0; i < LONG; i++)
        x = mix(x);
    return x;
}

// Lane 0 polls a word that lane 1 writes late: two paths of one warp, both runnable.
__global__ void late_lane(volatile unsigned *flag, unsigned *out)
{
    if (threadIdx.x == 0) {
        while (*flag == 0)
            ;
        out[0] = *flag;
    } else {
        unsigned x = long_sum(threadIdx.x);
        if (threadIdx.x == 1)
            *flag = x | 1;
    }
}

// The same with shared memory, which no other block can write.
__global__ void late_lane_shared(unsigned *out)
{
    __shared__ volatile unsigned flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        while (flag == 0)
            ;
        out[0] = flag;
    } else {
        unsigned x = long_sum(threadIdx.x);
        if (threadIdx.x == 1)
            flag = x | 1;
    }
}

// Two warps wait for each other: the second works for long, sets a flag, and polls the answer.
__global__ void answer(unsigned *out)
{
    __shared__ volatile unsigned asked, answered;
    if (threadIdx.x == 0)
        asked = answered = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        while (asked == 0)
            ;
        answered = 1;
    } else if (threadIdx.x >= 32) {
        unsigned x = long_sum(threadIdx.x);
        if (threadIdx.x == 32)
            asked = x | 1;
        while (answered == 0)
            ;
        out[threadIdx.x - 32] = 1;
    }
}

// A grid barrier: as many blocks as the device holds, each of which needs all others.
__global__ void meet(unsigned *arrived, unsigned rounds)
{
    for (unsigned round = 1; round <= rounds; round++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1);
            while (*(volatile unsigned *)arrived < round * gridDim.x)
                ;
            __threadfence();
        }
        __syncthreads();
    }
}

// Every tile publishes its sum at once, and its prefix after the look-back: most blocks end while others poll.
__global__ void look_back(unsigned *ticket, volatile unsigned *sum, volatile unsigned *prefix)
{
    __shared__ unsigned tile;
    if (threadIdx.x == 0) {
        tile = atomicAdd(ticket, 1);
        sum[tile] = 1;
        unsigned before = 0;
        for (int i = (int)tile - 1; i >= 0; i--) {
            unsigned p;
            while (!(p = prefix[i]) && !sum[i])
                ;
            before += p ? p : 1;
            if (p)
                break;
        }
        prefix[tile] = before + 1;
    }
}

// Every tile needs the prefix of the previous one: a chain.
__global__ void chain(unsigned *ticket, volatile unsigned *prefix)
{
    __shared__ unsigned tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(ticket, 1);
    __syncthreads();
    unsigned x = threadIdx.x, p = 0;
    for (unsigned i = 0; i < 50; i++)
        x = mix(x);
    if (threadIdx.x == 0) {
        while (tile > 0 && !(p = prefix[tile - 1]))
            ;
        prefix[tile] = p + 1 + (x == 12345);
    }
}

// All lanes of a warp poll, each its own word, and continue together.
__global__ void all_lanes(volatile unsigned *flags, unsigned *out)
{
    unsigned lane = threadIdx.x;
    if (blockIdx.x == 0) {
        while (!__all_sync(~0u, flags[lane] != 0))
            ;
        out[lane] = flags[lane];
        return;
    }
    unsigned x = lane;
    for (unsigned i = 0; i < LONG / 256 * blockIdx.x; i++)
        x = mix(x);
    if (lane == blockIdx.x - 1)
        flags[lane] = x | 1;
}

static void run_right(unsigned *words)
{
    unsigned *out = words + 3 * TILES, result[3];
    size_t bytes = 4 * TILES * sizeof *words;
#define CLEAN CUDA(cudaMemset(words, 0, bytes))
#define READ(i, from) CUDA(cudaMemcpy(&result[i], from, sizeof *words, cudaMemcpyDeviceToHost))
    CLEAN;
    late_lane<<<1, 32>>>(words, out);
    READ(0, words);
    READ(1, out);
    EXPECT(result[0] && result[0] == result[1]);
    late_lane_shared<<<1, 32>>>(out);
    READ(0, out);
    EXPECT(result[0] != 0);
    answer<<<1, THREADS>>>(out);
    READ(0, out);
    EXPECT(result[0] == 1);
    meet<<<PLACES, FULL>>>(words + 1, 3);
    READ(0, words + 1);
    EXPECT(result[0] == 3 * PLACES);
    CLEAN;
    all_lanes<<<33, 32>>>(words, out);
    READ(0, out + 31);
    EXPECT(result[0] != 0);
    for (int i = 0; i < 2; i++) {
        CLEAN;
        look_back<<<TILES - 1, 32>>>(words, words + 1, words + TILES);
        READ(0, words + 2 * TILES - 2);
        EXPECT(result[0] == TILES - 1);
        CLEAN;
        chain<<<TILES - 1, 32>>>(words, words + TILES);
        READ(0, words + 2 * TILES - 2);
        EXPECT(result[0] == TILES - 1);
    }
}

int main(int count, char **args)
{
    unsigned *words;
    CUDA(cudaMalloc(&words, 4 * TILES * sizeof *words));
    CUDA(cudaMemset(words, 0, 4 * TILES * sizeof *words));
    if (count > 1 && !strcmp(args[1], "too_many")) {
        meet<<<PLACES + 1, FULL>>>(words, 1);
        printf("too_many: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return finish();
    }
    run_right(words);
    CUDA(cudaFree(words));
    return finish();
}
