// A tile, an mbarrier that one copy of a tensor completes, and such copies: for the programs that copy tensors.
#pragma once

#include <cstdint>
#include <cuda.h>

typedef unsigned long long mbarrier;

static __device__ unsigned at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p) & 0xffffff; // in a cluster a card adds the rank above
}

static __device__ void fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ void begin(mbarrier *m, unsigned bytes)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(m)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(m)), "r"(bytes) : "memory");
}

static __device__ void wait(mbarrier *m)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at(m))
                     : "memory");
}

// ---- tiles

// Where a byte of a tile lies in shared memory.
static inline unsigned swizzled(unsigned address, CUtensorMapSwizzle swizzle)
{
    return address ^ (address >> 7 & ((1u << swizzle) - 1)) << 4;
}

// Fills a tile, so that bytes which the copy leaves out are seen.
static __device__ void fill(uint8_t *tile, unsigned bytes)
{
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x)
        tile[i] = 0xee;
    fence();
    __syncthreads();
}

// Waits for the copy that thread 0 has issued, and copies the tile out.
static __device__ void take(uint8_t *out, const uint8_t *tile, mbarrier *full, unsigned bytes)
{
    __syncthreads();
    wait(full);
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x)
        out[i] = tile[i];
}

struct coordinates {
    int c[5];
};

#define MBARRIER ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define LOAD(n, list, ...) \
    asm volatile("cp.async.bulk.tensor." n "d" MBARRIER " [%0], [%1, {" list "}], [%2];" ::"r"(at(tile)), "l"(map), \
                 "r"(at(full)), __VA_ARGS__ \
                 : "memory")

template <int RANK> static __device__ void load(void *tile, const CUtensorMap *map, const int *c, mbarrier *full)
{
    if (RANK == 1)
        LOAD("1", "%3", "r"(c[0]));
    else if (RANK == 2)
        LOAD("2", "%3, %4", "r"(c[0]), "r"(c[1]));
    else if (RANK == 3)
        LOAD("3", "%3, %4, %5", "r"(c[0]), "r"(c[1]), "r"(c[2]));
    else if (RANK == 4)
        LOAD("4", "%3, %4, %5, %6", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
    else
        LOAD("5", "%3, %4, %5, %6, %7", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
}

// out: the tile, byte for byte.
template <int RANK>
__global__ void load_tile(const __grid_constant__ CUtensorMap map, coordinates from, uint8_t *out, unsigned counted,
                          unsigned bytes)
{
    extern __shared__ __align__(1024) uint8_t tile[];
    __shared__ mbarrier full;
    fill(tile, bytes);
    if (threadIdx.x == 0) {
        if (RANK == 2)
            asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %2}];" ::"l"(&map), "r"(0), "r"(0)
                         : "memory");
        begin(&full, counted);
        load<RANK>(tile, &map, from.c, &full);
    }
    take(out, tile, &full, bytes);
}
