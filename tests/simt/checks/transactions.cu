// Kernels for the checks of mbarriers that count bytes, and of arrivals from other blocks of the cluster.
// test_checks.c reads the comments.
#include <cooperative_groups.h>

#include "mbarrier.h"
#include "twins.h"

namespace cg = cooperative_groups;

static __device__ void expect(mbarrier *m, unsigned bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at(m)), "r"(bytes) : "memory");
}

static __device__ void complete(mbarrier *m, unsigned bytes)
{
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at(m)), "r"(bytes) : "memory");
}

static __device__ void arrive(mbarrier *m)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at(m)) : "memory");
}

static __device__ void arrive_there(mbarrier *m, unsigned rank)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at_rank(m, rank)) : "memory");
}

static __device__ bool done(mbarrier *m, unsigned parity)
{
    unsigned passed;
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(passed)
        : "r"(at(m)), "r"(parity)
        : "memory");
    return passed;
}

// ---- bytes

// The phase is complete once the thread and all bytes have arrived, in any order.
// innocent
// launch: 1 64
// sum: 7
extern "C" __global__ void bytes_and_arrivals(int *data, int *out, int n)
{
    __shared__ mbarrier m;
    if (threadIdx.x == 0)
        init(&m, 2);
    __syncthreads();
    bool early = done(&m, 0);
    __syncthreads();
    if (threadIdx.x >= 32 && threadIdx.x < 48)
        complete(&m, 4);
    __syncthreads();
    early |= done(&m, 0);
    __syncthreads();
    if (threadIdx.x == 0)
        arrive_expect(&m, 32);
    if (threadIdx.x == 40)
        expect(&m, 40);
    __syncthreads();
    if (threadIdx.x == 5)
        arrive(&m);
    __syncthreads();
    early |= done(&m, 0);
    __syncthreads();
    if (threadIdx.x == 63)
        complete(&m, 8);
    while (!done(&m, 0))
        ;
    bool late = !done(&m, 0), next = done(&m, 1);
    if (threadIdx.x == 0)
        out[0] = early ? 1 : late ? 2 : next ? 3 : 7;
}

// The program expects eight bytes too many.
// guilty: sync error @wait
extern "C" __global__ void too_many_bytes(int *data, int *out, int n)
{
    __shared__ mbarrier m;
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 24);
        complete(&m, 16);
    }
    __syncwarp();
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.b64 p, [%0], 0; @!p bra AGAIN; }" ::"l"(&m)); // @wait
}

// guilty: sync error @arrive
extern "C" __global__ void arrives_with_bytes_still_to_come(int *data, int *out, int n)
{
    __shared__ mbarrier m;
    if (threadIdx.x == 0) {
        init(&m, 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(at(&m)) : "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&m)) : "memory"); // @arrive
    }
}

// ---- arrivals from another block

// innocent
// launch: 2 32
// cluster: 2
extern "C" __global__ void filled_by_the_other_block(int *data, int *out, int n)
{
    __shared__ mbarrier full;
    __shared__ int s[32];
    unsigned rank = cg::this_cluster().block_rank();
    if (threadIdx.x == 0) {
        init(&full, 32);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    cg::this_cluster().map_shared_rank(s, rank ^ 1)[threadIdx.x] = data[threadIdx.x];
    arrive_there(&full, rank ^ 1);
    while (!done(&full, 0))
        ;
    out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
}

// guilty: race error @write @read
// launch: 2 32
// cluster: 2
extern "C" __global__ void read_before_the_phase_is_complete(int *data, int *out, int n)
{
    __shared__ mbarrier full;
    __shared__ int s[32];
    unsigned rank = cg::this_cluster().block_rank();
    s[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        init(&full, 32);
    cg::this_cluster().sync();
    cg::this_cluster().map_shared_rank(s, rank ^ 1)[threadIdx.x] = data[threadIdx.x]; // @write
    arrive_there(&full, rank ^ 1);
    out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x]; // @read
    while (!done(&full, 0))
        ;
}

// The block does not wait for the phase and may exit before the arrival.
// guilty: memory error @arrive
// launch: 2 32
// cluster: 2
extern "C" __global__ void arrival_at_a_block_that_may_have_exited(int *data, int *out, int n)
{
    __shared__ mbarrier full;
    unsigned rank = cg::this_cluster().block_rank();
    if (threadIdx.x == 0)
        init(&full, 1);
    cg::this_cluster().sync();
    if (threadIdx.x == 0 && rank == 0)
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at_rank(&full, 1)) // @arrive
                     : "memory");
}

// The stage is overwritten before the other block has signalled that it has read it.
// guilty: race error @read @write
// launch: 2 32
// cluster: 2
extern "C" __global__ void refilled_too_early(int *data, int *out, int n)
{
    __shared__ mbarrier full;
    __shared__ int s[32];
    unsigned rank = cg::this_cluster().block_rank();
    if (threadIdx.x == 0)
        init(&full, 32);
    cg::this_cluster().sync();
    if (rank == 0) {
        cg::this_cluster().map_shared_rank(s, 1)[threadIdx.x] = data[threadIdx.x];
        arrive_there(&full, 1);
        cg::this_cluster().map_shared_rank(s, 1)[threadIdx.x] = data[threadIdx.x + 32]; // @write
    } else {
        while (!done(&full, 0))
            ;
        out[threadIdx.x] = s[31 - threadIdx.x]; // @read
    }
    cg::this_cluster().sync();
}

// innocent
// launch: 2 32
// cluster: 2
extern "C" __global__ void refilled_once_empty(int *data, int *out, int n)
{
    __shared__ mbarrier full, empty;
    __shared__ int s[32];
    unsigned rank = cg::this_cluster().block_rank();
    if (threadIdx.x == 0) {
        init(&full, 32);
        init(&empty, 32);
    }
    cg::this_cluster().sync();
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            while (i && !done(&empty, ~i & 1))
                ;
            cg::this_cluster().map_shared_rank(s, 1)[threadIdx.x] = data[threadIdx.x];
            arrive_there(&full, 1);
        } else {
            while (!done(&full, i & 1))
                ;
            out[threadIdx.x] = s[31 - threadIdx.x];
            arrive_there(&empty, 0);
        }
    }
    cg::this_cluster().sync();
}

// Warps with different clocks read the stage, and each arrives once its lanes have read.
// innocent
// launch: 2 128
// cluster: 2
extern "C" __global__ void refilled_once_all_warps_have_read(int *data, int *out, int n)
{
    __shared__ mbarrier full, empty;
    __shared__ int s[32];
    int rank = cg::this_cluster().block_rank(), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        init(&full, 32);
        init(&empty, 4);
    }
    cg::this_cluster().sync();
    for (int i = 0; i < 3; i++) {
        if (rank == 0 && warp == 0) {
            while (i && !done(&empty, ~i & 1))
                ;
            cg::this_cluster().map_shared_rank(s, 1)[lane] = data[lane];
            arrive_there(&full, 1);
        } else if (rank == 1) {
            while (!done(&full, i & 1))
                ;
            for (int k = 0; k < 2 * warp; k++)
                __syncwarp();
            out[threadIdx.x] = s[31 - lane];
            __syncwarp();
            if (lane == 0)
                arrive_there(&empty, 0);
        }
    }
    cg::this_cluster().sync();
}

// A warp arrives before it reads.
// guilty: race error @read @write
// launch: 2 128
// cluster: 2
extern "C" __global__ void refilled_while_a_warp_reads(int *data, int *out, int n)
{
    __shared__ mbarrier empty;
    __shared__ int s[32];
    int rank = cg::this_cluster().block_rank();
    if (threadIdx.x < 32)
        s[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        init(&empty, 4);
    cg::this_cluster().sync();
    if (rank == 1 && threadIdx.x % 32 == 0)
        arrive_there(&empty, 0);
    if (rank == 1 && threadIdx.x < 32)
        out[threadIdx.x] = s[31 - threadIdx.x]; // @read
    if (rank == 0 && threadIdx.x < 32) {
        while (!done(&empty, 0))
            ;
        cg::this_cluster().map_shared_rank(s, 1)[threadIdx.x] = data[threadIdx.x]; // @write
    }
    cg::this_cluster().sync();
}

// All warps read the stage; the last one arrives before it reads.
// guilty: race error @read @write
// launch: 2 128
// cluster: 2
TWINS(refilled_while_the_last_warp_reads, refilled_after_the_last_warp)
{
    __shared__ mbarrier empty;
    __shared__ int s[32];
    int rank = cg::this_cluster().block_rank(), lane = threadIdx.x % 32;
    bool early = !innocent && threadIdx.x / 32 == 3;
    if (threadIdx.x < 32)
        s[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        init(&empty, 4);
    cg::this_cluster().sync();
    if (rank == 1 && early && lane == 0)
        arrive_there(&empty, 0);
    if (rank == 1 && s[31 - lane] == n) // @read
        out[threadIdx.x / 32] = 1;
    __syncwarp();
    if (rank == 1 && !early && lane == 0)
        arrive_there(&empty, 0);
    if (rank == 0 && threadIdx.x < 32) {
        while (!done(&empty, 0))
            ;
        cg::this_cluster().map_shared_rank(s, 1)[threadIdx.x] = data[threadIdx.x]; // @write
    }
    cg::this_cluster().sync();
}

// Lane 0 has waited for the reads of warp 1. Lane 1 passes them on only if it has met lane 0 since.
// guilty: race error @read @write
// launch: 2 64
// cluster: 2
TWINS(passed_on_by_a_lane_that_has_not_waited, passed_on_after_the_warp_has_met)
{
    __shared__ mbarrier finished, empty;
    __shared__ int s[32];
    int rank = cg::this_cluster().block_rank(), lane = threadIdx.x % 32;
    if (threadIdx.x < 32)
        s[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        init(&finished, 1);
    if (threadIdx.x == 0)
        init(&empty, 1);
    cg::this_cluster().sync();
    if (rank == 1 && threadIdx.x >= 32 && s[31 - lane] == n) // @read
        out[0] = 1;
    __syncwarp();
    if (rank == 1 && threadIdx.x == 32)
        arrive(&finished);
    if (rank == 1 && threadIdx.x == 0)
        while (!done(&finished, 0))
            ;
    if (innocent)
        __syncwarp();
    if (rank == 1 && threadIdx.x == 1)
        arrive_there(&empty, 0);
    if (rank == 0 && threadIdx.x < 32) {
        while (!done(&empty, 0))
            ;
        cg::this_cluster().map_shared_rank(s, 1)[threadIdx.x] = data[threadIdx.x]; // @write
    }
    cg::this_cluster().sync();
}

// mbarrier.inval ends the mbarrier: no thread may test it any more.
// guilty: race error @inval
// launch: 1 64
TWINS(invalidated_while_others_wait, invalidated_after_all_have_waited)
{
    __shared__ mbarrier m;
    if (threadIdx.x == 32)
        init(&m, 1);
    __syncthreads();
    if (threadIdx.x == 32)
        arrive(&m);
    while (threadIdx.x >= 32 && !done(&m, 0))
        ;
    if (innocent)
        __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at(&m)) : "memory"); // @inval
    if (data[0] == n)
        out[0] = 1;
}
