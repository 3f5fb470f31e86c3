// mbarrier.h: barriers in shared memory that count arrivals and bytes, from step 2 of chapter 10-hopper.
//
// An mbarrier goes through phases. A phase is complete when as many threads have arrived as mbarrier_init set, and all
// expected bytes have been copied. Then the next phase begins. Its parity distinguishes it from the previous one: the
// first has parity 0, the second 1, the third 0 again.
//
// Each function is a single PTX instruction that C++ cannot express. Compute capability 9.0.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

typedef uint64_t mbarrier;

// A shared memory address as these instructions take it, in 32 bits.
static inline __device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

// Each phase of the mbarrier requires that many arrivals. One thread calls it; a barrier of the block must follow
// before other threads or their copies use it, or one of the cluster if other blocks do.
static inline __device__ void mbarrier_init(mbarrier *b, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals) : "memory");
}

// Releases mbarrier_init to the cluster. Needed only if the barrier that follows does not:
// barrier.cluster.arrive.relaxed.
static inline __device__ void mbarrier_init_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static inline __device__ void arrive(mbarrier *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}

// Arrives, and adds that many bytes to those that the phase expects.
static inline __device__ void arrive_and_expect(mbarrier *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes)
                 : "memory");
}

// Waits until the phase with this parity is complete. Afterwards the writes of its arrivals and copies are visible.
static inline __device__ void wait_for_phase(mbarrier *b, unsigned parity)
{
    uint32_t complete = 0;
    while (!complete) // the instruction itself sleeps for a while
        asm volatile("{ .reg .pred p;\n"
                     "  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "  selp.u32 %0, 1, 0, p; }"
                     : "=r"(complete)
                     : "r"(shared_address(b)), "r"(parity)
                     : "memory");
}
