// Kernels for the checks of bulk copies. test_checks.c reads the comments.
#include "mbarrier.h"
#include "twins.h"

#define LOAD(to, from, bytes) LOAD_FOR(to, from, bytes, m)
#define LOAD_FOR(to, from, bytes, m) \
    asm volatile( \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), \
        "l"(from), "r"(bytes), "r"(at(&m)) \
        : "memory")
#define STORE(to, from, bytes) \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(bytes) \
                 : "memory")

static __device__ void meet_cluster()
{
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

#define WORDS(n) \
    __shared__ alignas(16) int s[n]; \
    __shared__ mbarrier m
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define WAIT_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

// A barrier of the block does not wait for the copy.
// guilty: race error @load @read
// launch: 1 64
// sum: 63
TWINS(read_after_a_barrier, read_after_the_phase)
{
    WORDS(64);
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 256);
        LOAD(s, data, 256); // @load
    }
    __syncthreads();
    if (innocent)
        wait(&m, 0);
    out[threadIdx.x] = s[63 - threadIdx.x]; // @read
    wait(&m, 0);
}

// guilty: race error @write @store
// launch: 1 64
TWINS(store_without_a_fence, store_and_wait)
{
    __shared__ alignas(16) int s[64];
    s[threadIdx.x] = data[threadIdx.x]; // @write
    if (innocent)
        FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(out, s, 256); // @store
        COMMIT();
        WAIT_READ();
    }
    __syncthreads();
    s[threadIdx.x] = 1;
    if (threadIdx.x == 0) {
        WAIT();
        out[0] = 5;
    }
}

// The group is not committed, so the wait does not cover it.
// guilty: race error @store @write | sync error @store
// launch: 1 64
extern "C" __global__ void source_overwritten(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(out, s, 256); // @store
        WAIT_READ();
    }
    __syncthreads();
    s[threadIdx.x] = 1; // @write
}

// guilty: race error @store @read
extern "C" __global__ void result_read_after_wait_read(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    s[threadIdx.x] = data[threadIdx.x];
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        STORE(out, s, 128); // @store
        COMMIT();
        WAIT_READ();
        data[0] = out[1]; // @read
    }
}

// guilty: memory error @load
extern "C" __global__ void no_multiple_of_16(int *data, int *out, int n)
{
    WORDS(64);
    if (threadIdx.x == 0) {
        init(&m, 1);
        LOAD(s, data, n - 40); // @load
    }
}

// The end of the block is not a wait.
// guilty: sync error @load
extern "C" __global__ void never_waited(int *data, int *out, int n)
{
    WORDS(32);
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 128);
        LOAD(s, data, 128); // @load
    }
}

// The wait frees the source, and the end of the kernel makes the result visible.
// guilty: sync error @store
// sum: 31
TWINS(store_never_waited, store_waited_for_reading)
{
    __shared__ alignas(16) int s[32];
    s[threadIdx.x] = data[31 - threadIdx.x];
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        STORE(out, s, 128); // @store
        COMMIT();
        if (innocent)
            WAIT_READ();
    }
}

// Two copies arrive, and the phase ends after the first.
// guilty: race error @load @read | sync error @load
extern "C" __global__ void too_few_bytes_expected(int *data, int *out, int n)
{
    WORDS(64);
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 128);
        LOAD(s, data, 128);
        wait(&m, 0);
        LOAD(s + 32, data + 32, 128); // @load
        out[0] = s[40]; // @read
    }
}

// guilty: sync error @wait
extern "C" __global__ void too_many_bytes_expected(int *data, int *out, int n)
{
    WORDS(64);
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 256);
        LOAD(s, data, 128);
    }
    __syncwarp();
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.b64 p, [%0], 0; @!p bra AGAIN; }" ::"l"(&m)); // @wait
}

// Two copies in one phase, with a cache policy, after a prefetch.
// innocent
// launch: 1 64
// sum: 63
extern "C" __global__ void two_copies_of_a_phase(int *data, int *out, int n)
{
    WORDS(64);
    if (threadIdx.x == 0) {
        unsigned long long policy = 0x12f0000000000000; // evict first
        init(&m, 1);
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" ::"l"(data));
        arrive_expect(&m, 256);
        LOAD(s, data, 128);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
                     " [%0], [%1], 128, [%2], %3;" ::"r"(at(s + 32)),
                     "l"(data + 32), "r"(at(&m)), "l"(policy)
                     : "memory");
    }
    __syncthreads();
    wait(&m, 0);
    out[threadIdx.x] = s[63 - threadIdx.x];
}

// innocent
// launch: 1 64
extern "C" __global__ void written_before_the_issue(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[64];
    __shared__ int more;
    __shared__ mbarrier m;
    if (threadIdx.x == 0)
        init(&m, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        more = 1;
        arrive_expect(&m, 256);
        LOAD(s, data, 256);
    }
    wait(&m, 0);
    out[threadIdx.x] = s[63 - threadIdx.x] + more;
}

// One stage, filled again and again.
// innocent
// launch: 1 64
// sum: 252
extern "C" __global__ void refilled_after_a_barrier(int *data, int *out, int n)
{
    WORDS(64);
    int sum = 0;
    if (threadIdx.x == 0)
        init(&m, 1);
    for (int i = 0; i < 4; i++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            arrive_expect(&m, 256);
            LOAD(s, data, 256);
        }
        wait(&m, i & 1);
        sum += s[63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

// The second copy may overwrite data of the first that the threads have not read yet.
// guilty: race error @load @read
// launch: 1 64
extern "C" __global__ void refilled_too_early(int *data, int *out, int n)
{
    WORDS(64);
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 256);
        LOAD(s, data, 256);
        wait(&m, 0);
        arrive_expect(&m, 256);
        LOAD(s, data, 256); // @load
    }
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x]; // @read
    wait(&m, 1);
}

// Both warps read all words of a stage, and one lane of each releases it. Their clocks differ.
// innocent
// launch: 1 64
extern "C" __global__ void given_back_by_two_warps(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[64];
    __shared__ mbarrier full, empty;
    int sum = 0;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, 2);
        arrive_expect(&full, 256);
        LOAD_FOR(s, data, 256, full);
    }
    __syncthreads();
    for (int i = 0; threadIdx.x >= 32 && i < 8; i++)
        __syncwarp();
    for (int i = 0; i < 3; i++) {
        wait(&full, i & 1);
        sum += s[threadIdx.x % 32];
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&empty)) : "memory");
        if (threadIdx.x == 0 && i < 2) {
            wait(&empty, i & 1);
            arrive_expect(&full, 256);
            LOAD_FOR(s, data, 256, full);
        }
        __syncwarp();
    }
    out[threadIdx.x] = sum;
}

// Both lanes have waited for the first copy, but only the first one has waited for the other warp's reads.
// guilty: race error @read @load
// launch: 1 64
// sum: 63
TWINS(refilled_by_a_lane_that_has_not_waited, refilled_after_a_sync)
{
    __shared__ alignas(16) int s[64];
    __shared__ mbarrier full, empty;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        init(&empty, 2);
        arrive_expect(&full, 256);
        LOAD_FOR(s, data, 256, full);
    }
    __syncthreads();
    wait(&full, 0);
    out[t] = s[63 - t]; // @read
    __syncwarp();
    if (t % 32 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&empty)) : "memory");
    if (t == 0)
        wait(&empty, 0);
    if (innocent)
        __syncwarp();
    if (t == 1) {
        arrive_expect(&full, 256);
        LOAD_FOR(s, data, 256, full); // @load
    }
    wait(&full, 1);
}

// The older of two groups is complete.
// guilty: race error @store @read
// sum: 7
TWINS(younger_group, older_group)
{
    __shared__ alignas(16) int s[64];
    s[threadIdx.x] = 7;
    s[threadIdx.x + 32] = 8;
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        STORE(out + 64, s, 128);
        COMMIT();
        STORE(out + 96, s + 32, 128); // @store
        COMMIT();
        asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
        out[0] = out[innocent ? 64 : 96]; // @read
        WAIT();
    }
}

// guilty: memory error @load
extern "C" __global__ void source_too_short(int *data, int *out, int n)
{
    WORDS(64);
    if (threadIdx.x == 0) {
        init(&m, 1);
        LOAD(s, data + 32, 256); // @load
    }
}

// guilty: memory error @load
extern "C" __global__ void destination_too_short(int *data, int *out, int n)
{
    WORDS(16);
    if (threadIdx.x == 0) {
        init(&m, 1);
        LOAD(s, data, 256); // @load
    }
}

// guilty: init error @load
// data: raw
extern "C" __global__ void source_never_written(int *data, int *out, int n)
{
    WORDS(32);
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 128);
        LOAD(s, data, 128); // @load
        wait(&m, 0);
    }
}

// guilty: init error @store
extern "C" __global__ void shared_source_never_written(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    if (threadIdx.x == 0) {
        STORE(out, s, 128); // @store
        COMMIT();
        WAIT();
    }
}

// ---- clusters

// innocent
// launch: 2 32
// cluster: 2
// sum: 62
extern "C" __global__ void to_both_blocks(int *data, int *out, int n)
{
    WORDS(32);
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 128);
    }
    meet_cluster();
    if (threadIdx.x == 0 && blockIdx.x == 1)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     " [%0], [%1], 128, [%2], %3;" ::"r"(at(s)),
                     "l"(data), "r"(at(&m)), "h"((short)3)
                     : "memory");
    wait(&m, 0);
    atomicAdd(out + threadIdx.x, s[31 - threadIdx.x]);
    meet_cluster();
}

// guilty: memory error @load
// launch: 2 32
// cluster: 2
extern "C" __global__ void to_a_rank_that_is_not_there(int *data, int *out, int n)
{
    WORDS(32);
    if (threadIdx.x == 0)
        init(&m, 1);
    meet_cluster();
    if (threadIdx.x == 0 && blockIdx.x == 1)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     " [%0], [%1], 128, [%2], %3;" ::"r"(at(s)),
                     "l"(data), "r"(at(&m)), "h"((short)4) // @load
                     : "memory");
    meet_cluster();
}

// The other block reads after the cluster barrier, which does not wait for the copy.
// guilty: race error @copy @read
// launch: 2 32
// cluster: 2
// sum: 131
TWINS(other_block_reads_too_early, to_the_other_block)
{
    __shared__ alignas(16) int s[32], r[32];
    __shared__ mbarrier m;
    s[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    FENCE();
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 128);
    }
    meet_cluster();
    if (threadIdx.x == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                at_rank(r, blockIdx.x ^ 1)),
            "r"(at(s)), "r"(at_rank(&m, blockIdx.x ^ 1)) // @copy
            : "memory");
    if (innocent)
        wait(&m, 0);
    meet_cluster();
    if (blockIdx.x == 0)
        out[threadIdx.x] = r[31 - threadIdx.x]; // @read
    wait(&m, 0);
    meet_cluster();
}

// The async proxy also applies to global memory. The storing threads fence the first half, the issuing thread the
// second half.
// guilty: race error @write @load
// launch: 1 64
// sum: 64
TWINS(global_source_without_a_fence, global_source_fenced)
{
    WORDS(64);
    data[threadIdx.x] = n; // @write
    if (innocent && threadIdx.x < 32)
        asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        init(&m, 1);
        if (innocent)
            asm volatile("fence.proxy.async.global;" ::: "memory");
        arrive_expect(&m, 256);
        LOAD(s, data, 256); // @load
    }
    __syncthreads();
    wait(&m, 0);
    out[threadIdx.x] = s[63 - threadIdx.x];
}
