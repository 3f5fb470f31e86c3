// An mbarrier that one copy of a tensor completes: for the programs that copy tensors.
#pragma once

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
