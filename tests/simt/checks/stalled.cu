// A stalled block (SIMT_SCHEDULE=stall:0) while all others publish: decoupled look-back that sums a window of 32 tiles,
// and then the next one, is right. A look-back that stops after the first window is wrong, which no other order shows
// at this size. One tile at a time needs many loads to reach the stalled one, which must wait that long.
//
//     stalled windows|one-window|chain|one-by-one|stops-after-64
#include "../programs/program.h"

#include <cstring>

#define TILES 100
#define ONE_BY_ONE -1 // instead of a number of windows
#define STOPS_AFTER_64 -2
#define ALL 0xffffffff

__device__ unsigned tickets;
__device__ unsigned long long descriptors[TILES]; // status, 1: aggregate, 2: prefix; sum
__device__ int sums[TILES];

__device__ void publish(int tile, unsigned status, int sum)
{
    atomicExch(&descriptors[tile], (unsigned long long)status << 32 | (unsigned)sum);
}

__device__ unsigned long long look(int tile)
{
    return tile < 0 ? 2ull << 32 : *(volatile unsigned long long *)&descriptors[tile];
}

__device__ int look_back(int tile, int windows)
{
    int before = 0, lane = threadIdx.x;
    unsigned prefixes = 0;
    for (int t = tile - 1 - lane; !prefixes && windows > 0; t -= 32, windows--) {
        unsigned long long d;
        do
            d = look(t);
        while (__any_sync(ALL, d >> 32 == 0));
        prefixes = __ballot_sync(ALL, d >> 32 == 2);
        int sum = prefixes && lane > __ffs(prefixes) - 1 ? 0 : (int)d;
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(ALL, sum, offset);
        before += sum;
    }
    return before;
}

__device__ int look_back_one_by_one(int tile, int last)
{
    int before = 0;
    unsigned long long d = 0;
    for (int t = tile - 1; t >= last && d >> 32 != 2; t--) {
        do
            d = look(t);
        while (d >> 32 == 0);
        before += (int)d;
    }
    return before;
}

__device__ int wait_for_left(int tile)
{
    unsigned long long d;
    do
        d = look(tile - 1);
    while (__any_sync(ALL, d >> 32 != 2));
    return (int)d;
}

__device__ int find_before(int tile, int windows)
{
    if (windows < 0)
        return look_back_one_by_one(tile, windows == STOPS_AFTER_64 ? max(0, tile - 64) : 0);
    return windows ? look_back(tile, windows) : wait_for_left(tile);
}

__global__ void scan(int windows)
{
    __shared__ int ticket;
    if (threadIdx.x == 0)
        ticket = atomicAdd(&tickets, 1);
    __syncthreads();
    int tile = ticket, own = tile + 1;
    if (threadIdx.x == 0)
        publish(tile, 1, own);
    __syncthreads();
    int before = find_before(tile, windows);
    if (threadIdx.x == 0) {
        publish(tile, 2, before + own);
        sums[tile] = before;
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "windows";
    int got[TILES], windows = !strcmp(name, "windows") ? TILES : !strcmp(name, "one-window");
    windows = !strcmp(name, "one-by-one") ? ONE_BY_ONE : !strcmp(name, "stops-after-64") ? STOPS_AFTER_64 : windows;
    scan<<<TILES, 32>>>(windows);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpyFromSymbol(got, sums, sizeof got));
    for (int t = 0; t < TILES; t++)
        if (got[t] != t * (t + 1) / 2 && wrong++ == 0)
            printf("tile %d: %d, wanted %d\n", t, got[t], t * (t + 1) / 2);
    return finish();
}
