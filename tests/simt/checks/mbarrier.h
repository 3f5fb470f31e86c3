// Addresses in shared memory, mbarriers, matrix descriptors and products, for the kernels in this folder.
#pragma once

typedef unsigned long long mbarrier;

static __device__ unsigned at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ unsigned at_rank(const void *p, unsigned rank)
{
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(p)), "r"(rank));
    return there;
}

static __device__ void init(mbarrier *m, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(m)), "r"(count) : "memory");
}

static __device__ void arrive_expect(mbarrier *m, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(at(m)), "r"(bytes)
                 : "memory");
}

// Waits until the phase with that parity is complete.
static __device__ void wait(mbarrier *m, unsigned parity)
{
    unsigned passed = 0;
    while (!passed)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(passed)
                     : "r"(at(m)), "r"(parity)
                     : "memory");
}

// The same for arrivals of other blocks of the cluster.
static __device__ void wait_cluster(mbarrier *m, unsigned parity)
{
    unsigned passed = 0;
    while (!passed)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(passed)
                     : "r"(at(m)), "r"(parity)
                     : "memory");
}

// 64 x 16 or 8 x 16 numbers of 16 bits: eight lines of 16 bytes, 128 bytes on the other half of k, 256 the next lines.
// In a cluster an address has the block's rank above these bits, on a GPU.
static __device__ unsigned long long matrix(const void *p)
{
    return (at(p) & 0x3ffff) >> 4 | (unsigned long long)(128 >> 4) << 16 | (unsigned long long)(256 >> 4) << 32;
}

#define MULTIPLY(d, a, b) \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) \
                 : "l"(a), "l"(b))
