// Kernels for the checks of clusters: shared memory of other blocks, the cluster's barrier, and blocks that exit too
// early. test_checks.c reads the comments.
// launch: 2 32
// cluster: 2
#include <cooperative_groups.h>
#include "mbarrier.h"
#include "twins.h"

namespace cg = cooperative_groups;

static __device__ unsigned rank()
{
    return cg::this_cluster().block_rank();
}

template <typename T> static __device__ T *of_other(T *p)
{
    return cg::this_cluster().map_shared_rank(p, rank() ^ 1);
}

static __device__ void arrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

static __device__ void arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

static __device__ void wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// ---- order

// A barrier of the block alone does not wait for the other block.
// guilty: race error @write @read | memory error @read | init error @read
// launch: 2 64
TWINS(read_after_a_barrier_of_the_block, read_after_the_barrier)
{
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x]; // @write
    if (innocent)
        cg::this_cluster().sync();
    else
        __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = of_other(s)[threadIdx.x]; // @read
    cg::this_cluster().sync();
}

// The memory is reused while the other block may still read it.
// guilty: race error @read @write
// launch: 2 64
extern "C" __global__ void write_while_others_read(int *data, int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    cg::this_cluster().sync();
    out[blockIdx.x * 64 + threadIdx.x] = of_other(s)[threadIdx.x]; // @read
    __syncthreads();
    s[threadIdx.x] = 1; // @write
    cg::this_cluster().sync();
}

// innocent
// launch: 2 64
extern "C" __global__ void write_after_all_have_read(int *data, int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    cg::this_cluster().sync();
    out[blockIdx.x * 64 + threadIdx.x] = of_other(s)[threadIdx.x] + s[threadIdx.x];
    cg::this_cluster().sync();
    s[threadIdx.x] = 1;
    cg::this_cluster().sync();
    out[blockIdx.x * 64 + threadIdx.x] += of_other(s)[63 - threadIdx.x];
    cg::this_cluster().sync();
}

// A thread's accesses between arriving and waiting are not ordered before other threads' accesses after the wait.
// guilty: race error @write @read
extern "C" __global__ void write_after_arriving(int *data, int *out, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = 0;
    cg::this_cluster().sync();
    arrive();
    s[threadIdx.x] = data[threadIdx.x]; // @write
    wait();
    out[blockIdx.x * 32 + threadIdx.x] = of_other(s)[threadIdx.x]; // @read
    cg::this_cluster().sync();
}

// innocent
extern "C" __global__ void private_work_after_arriving(int *data, int *out, int n)
{
    __shared__ int s[32], own[32];
    s[threadIdx.x] = data[threadIdx.x];
    arrive();
    own[threadIdx.x] = data[32 + threadIdx.x];
    wait();
    out[blockIdx.x * 32 + threadIdx.x] = of_other(s)[threadIdx.x] + own[threadIdx.x];
    cg::this_cluster().sync();
}

// guilty: race error @write @read
extern "C" __global__ void read_before_waiting(int *data, int *out, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = 0;
    cg::this_cluster().sync();
    s[threadIdx.x] = data[threadIdx.x]; // @write
    arrive();
    out[blockIdx.x * 32 + threadIdx.x] = of_other(s)[threadIdx.x]; // @read
    wait();
    cg::this_cluster().sync();
}

// A relaxed arrival orders nothing.
// guilty: race error @write @read
TWINS(relaxed_arrival, relaxed_arrival_after_a_fence)
{
    __shared__ int s[32];
    s[threadIdx.x] = 0;
    cg::this_cluster().sync();
    s[threadIdx.x] = data[threadIdx.x]; // @write
    if (innocent)
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
    arrive_relaxed();
    wait();
    out[blockIdx.x * 32 + threadIdx.x] = of_other(s)[threadIdx.x]; // @read
    cg::this_cluster().sync();
}

#define INIT(m) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(m)) : "memory")
#define INIT_FENCE() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")

// The same in a kernel with an mbarrier, whose operations order accesses by themselves.
// guilty: race error @write @read
TWINS(relaxed_arrival_beside_an_mbarrier, relaxed_arrival_after_a_fence_beside_it)
{
    __shared__ int s[32];
    __shared__ mbarrier m;
    if (threadIdx.x == 0)
        init(&m, 1);
    cg::this_cluster().sync();
    s[threadIdx.x] = data[threadIdx.x]; // @write
    if (innocent)
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
    arrive_relaxed();
    wait();
    out[blockIdx.x * 32 + threadIdx.x] = of_other(s)[threadIdx.x]; // @read
    cg::this_cluster().sync();
}

// The fence of an initialisation orders nothing else.
// guilty: race error @write @read
extern "C" __global__ void relaxed_arrival_after_the_fence_of_an_init(int *data, int *out, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = data[threadIdx.x]; // @write
    INIT_FENCE();
    arrive_relaxed();
    wait();
    out[blockIdx.x * 32 + threadIdx.x] = of_other(s)[threadIdx.x]; // @read
    cg::this_cluster().sync();
}

#define ARRIVE_AT_OTHER(m) \
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at_rank(m, rank() ^ 1)) \
                 : "memory")

// Another block uses an mbarrier: its initialisation must be released.
// guilty: race error @init @use
TWINS(init_before_a_relaxed_arrival, init_fence_before_a_relaxed_arrival)
{
    __shared__ mbarrier m;
    if (threadIdx.x == 0) {
        INIT(&m); // @init
        if (innocent)
            INIT_FENCE();
    }
    arrive_relaxed();
    wait();
    if (threadIdx.x == 0)
        ARRIVE_AT_OTHER(&m); // @use
    wait(&m, 0);
    cg::this_cluster().sync();
}

// A fence of another thread does not fence the initialisation.
// guilty: race error @init @use
extern "C" __global__ void init_fence_of_another_thread(int *data, int *out, int n)
{
    __shared__ mbarrier m;
    if (threadIdx.x == 0)
        INIT(&m); // @init
    else
        INIT_FENCE();
    arrive_relaxed();
    wait();
    if (threadIdx.x == 0)
        ARRIVE_AT_OTHER(&m); // @use
    wait(&m, 0);
    cg::this_cluster().sync();
}

// An arrival with .release needs no fence, nor does a fence of everything with a relaxed one.
// innocent
extern "C" __global__ void init_released_by_the_arrival(int *data, int *out, int n)
{
    __shared__ mbarrier m, l;
    if (threadIdx.x == 0)
        INIT(&m);
    arrive();
    wait();
    if (threadIdx.x == 0)
        ARRIVE_AT_OTHER(&m);
    wait(&m, 0);
    if (threadIdx.x == 0)
        INIT(&l);
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    arrive_relaxed();
    wait();
    if (threadIdx.x == 0)
        ARRIVE_AT_OTHER(&l);
    wait(&l, 0);
    cg::this_cluster().sync();
}

// In its own block a barrier orders the initialisation, without a fence: a copy accesses its mbarrier as threads do
// (PTX ISA, cp.async.bulk: "using generic-proxy").
// innocent
// launch: 2 64
extern "C" __global__ void init_before_a_barrier(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[4];
    __shared__ mbarrier m;
    if (threadIdx.x == 0)
        INIT(&m);
    __syncthreads();
    if (threadIdx.x == 32) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(at(s)),
            "l"(data), "r"(at(&m))
            : "memory");
        arrive_expect(&m, 16);
    }
    wait(&m, 0);
    if (threadIdx.x < 4)
        out[blockIdx.x * 4 + threadIdx.x] = s[threadIdx.x];
}

// The barrier orders global memory of the cluster's blocks, too.
// innocent
extern "C" __global__ void global_memory_in_a_cluster(int *data, int *out, int n)
{
    out[blockIdx.x * 32 + threadIdx.x] = data[threadIdx.x];
    cg::this_cluster().sync();
    data[blockIdx.x * 32 + threadIdx.x] = out[(blockIdx.x ^ 1) * 32 + threadIdx.x];
}

// It orders nothing between clusters.
// guilty: race error @write @read
// launch: 4 16
extern "C" __global__ void global_memory_between_clusters(int *data, int *out, int n)
{
    out[blockIdx.x * 16 + threadIdx.x] = data[threadIdx.x]; // @write
    cg::this_cluster().sync();
    data[blockIdx.x * 16 + threadIdx.x] = out[(blockIdx.x ^ 2) * 16 + threadIdx.x]; // @read
}

// It is a barrier of the block, too.
// innocent
// launch: 2 64
extern "C" __global__ void as_a_barrier_of_the_block(int *data, int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    cg::this_cluster().sync();
    out[blockIdx.x * 64 + threadIdx.x] = s[0] + s[63 - threadIdx.x];
    cg::this_cluster().sync();
    s[63 - threadIdx.x] = 2;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] += s[threadIdx.x];
}

// Inside a block nothing changes.
// guilty: race error @write @read
// launch: 2 64
extern "C" __global__ void within_a_block_of_a_cluster(int *data, int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x >= 32)
        s[threadIdx.x] = data[threadIdx.x]; // @write
    else
        out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x]; // @read
}

// ---- atomics and flags

// innocent
// launch: 2 64
extern "C" __global__ void atomics_on_the_other_block(int *data, int *out, int n)
{
    __shared__ int bins[4];
    if (threadIdx.x < 4)
        bins[threadIdx.x] = 0;
    cg::this_cluster().sync();
    atomicAdd(of_other(bins) + (threadIdx.x & 3), data[threadIdx.x]);
    cg::this_cluster().sync();
    if (threadIdx.x < 4)
        out[blockIdx.x * 4 + threadIdx.x] = bins[threadIdx.x];
}

// guilty: race error @clear @add
// launch: 2 64
extern "C" __global__ void atomics_before_the_bins_are_cleared(int *data, int *out, int n)
{
    __shared__ int bins[4];
    if (threadIdx.x < 4)
        bins[threadIdx.x] = 1;
    cg::this_cluster().sync();
    if (threadIdx.x < 4)
        bins[threadIdx.x] = 0; // @clear
    __syncthreads();
    atomicAdd(of_other(bins) + (threadIdx.x & 3), data[threadIdx.x]); // @add
    cg::this_cluster().sync();
    if (threadIdx.x < 4)
        out[blockIdx.x * 4 + threadIdx.x] = bins[threadIdx.x];
}

static __device__ void set_flag(unsigned *flag)
{
    asm volatile("st.release.cluster.u32 [%0], 1;" ::"l"(flag) : "memory");
}

static __device__ unsigned read_flag(unsigned *flag)
{
    unsigned value;
    asm volatile("ld.acquire.cluster.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

// guilty: race error @write @read
TWINS(volatile_flag, flag_of_cluster_scope)
{
    __shared__ unsigned flag;
    __shared__ int s;
    if (threadIdx.x == 0)
        flag = 0;
    cg::this_cluster().sync();
    if (threadIdx.x == 0 && rank() == 0) {
        *of_other(&s) = data[0]; // @write
        if (innocent)
            set_flag(of_other(&flag));
        else
            *(volatile unsigned *)of_other(&flag) = 1;
    } else if (threadIdx.x == 0) {
        while (innocent ? !read_flag(&flag) : !*(volatile unsigned *)&flag)
            ;
        out[0] = s; // @read
    }
    cg::this_cluster().sync();
}

// ---- blocks that do not exist

// guilty: memory error @read
extern "C" __global__ void exit_while_others_read(int *data, int *out, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = data[threadIdx.x];
    cg::this_cluster().sync();
    out[blockIdx.x * 32 + threadIdx.x] = of_other(s)[threadIdx.x]; // @read
}

// It arrives, but does not wait for the others.
// guilty: memory error @read
extern "C" __global__ void exit_after_arriving(int *data, int *out, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = data[threadIdx.x];
    cg::this_cluster().sync();
    out[blockIdx.x * 32 + threadIdx.x] = of_other(s)[threadIdx.x]; // @read
    arrive();
}

// guilty: memory error @write
TWINS(write_to_a_block_that_has_not_started, write_to_a_block_that_has_started)
{
    __shared__ int s[32];
    if (innocent)
        cg::this_cluster().sync();
    of_other(s)[threadIdx.x] = data[threadIdx.x]; // @write
    cg::this_cluster().sync();
    out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

// guilty: init error @read
extern "C" __global__ void nothing_was_written_there(int *data, int *out, int n)
{
    __shared__ int s[32];
    if (rank())
        s[threadIdx.x] = data[threadIdx.x];
    cg::this_cluster().sync();
    out[blockIdx.x * 32 + threadIdx.x] = of_other(s)[threadIdx.x]; // @read
    cg::this_cluster().sync();
}

// guilty: memory error @read
extern "C" __global__ void past_the_end_of_the_others(int *data, int *out, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = data[threadIdx.x];
    cg::this_cluster().sync();
    out[blockIdx.x * 32 + threadIdx.x] = of_other(s)[threadIdx.x + 1]; // @read
    cg::this_cluster().sync();
}

// guilty: memory error @read
extern "C" __global__ void rank_that_is_not_there(int *data, int *out, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = data[threadIdx.x];
    cg::this_cluster().sync();
    out[threadIdx.x] = cg::this_cluster().map_shared_rank(s, 2)[threadIdx.x]; // @read
    cg::this_cluster().sync();
}

// ---- the barrier itself

// guilty: sync error @block @block | sync error @cluster @cluster
// launch: 2 64
extern "C" __global__ void one_warp_waits_elsewhere(int *data, int *out, int n)
{
    if (threadIdx.x < 32 && rank())
        __syncthreads();       // @block
    cg::this_cluster().sync(); // @cluster
}

// guilty: sync error @second
extern "C" __global__ void arrive_twice(int *data, int *out, int n)
{
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    asm volatile("barrier.cluster.arrive;" ::: "memory"); // @second
    asm volatile("barrier.cluster.wait;" ::: "memory");
}

// guilty: sync error @wait
extern "C" __global__ void wait_without_arriving(int *data, int *out, int n)
{
    asm volatile("barrier.cluster.wait;" ::: "memory"); // @wait
}

// The data determine how often each block runs the loop.
// guilty: sync error @barrier
extern "C" __global__ void fewer_rounds(int *data, int *out, int n)
{
    for (int i = 0; i <= (int)rank(); i++)
        cg::this_cluster().sync(); // @barrier
}

// information: sync @barrier
extern "C" __global__ void a_block_without_work_leaves(int *data, int *out, int n)
{
    if (rank())
        return;
    cg::this_cluster().sync(); // @barrier
    out[threadIdx.x] = 1;
}

// A cluster of one block.
// innocent
// launch: 2 64
// cluster: 0
extern "C" __global__ void alone(int *data, int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    cg::this_cluster().sync();
    out[blockIdx.x * 64 + threadIdx.x] =
        cg::this_cluster().map_shared_rank(s, 0)[63 - threadIdx.x] + cg::this_cluster().query_shared_rank(s);
}
