// Kernels for asynchronous products of a warpgroup. test_checks.c reads the comments.
// launch: 1 128
#pragma nv_diag_suppress 549 // an undefined variable

#include "mbarrier.h"
#include "twins.h"

#define FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")
#define PROXY() asm volatile("fence.proxy.async;" ::: "memory")
#define ADD(x) asm volatile("add.f32 %0, %0, 0f3f800000;" : "+f"(x))
#define RESULT(value) out[threadIdx.x] = (int)(value)
#define TILES() \
    __shared__ alignas(1024) unsigned left[512], right[64]; \
    float d[4] = {0, 0, 0, 0}
#define READY_TILES() \
    TILES(); \
    ready(left, right)
#define PRODUCT() \
    FENCE(); \
    MULTIPLY(d, matrix(left), matrix(right)); \
    COMMIT() // begins one

// 1 in A and B.
static __device__ void fill(unsigned *left, unsigned *right)
{
    for (unsigned i = threadIdx.x; i < 512; i += blockDim.x)
        left[i] = 0x3f803f80;
    if (threadIdx.x < 64)
        right[threadIdx.x] = 0x3f803f80;
}

static __device__ void ready(unsigned *left, unsigned *right)
{
    fill(left, right);
    PROXY();
    __syncthreads();
}

// innocent
// sum: 32
extern "C" __global__ void two_products(int *data, int *out, int n)
{
    READY_TILES();
    FENCE();
    MULTIPLY(d, matrix(left), matrix(right));
    MULTIPLY(d, matrix(left), matrix(right));
    COMMIT();
    WAIT(0);
    RESULT(d[0]);
}

// Each group has its own sums, and its registers are used only when it is complete.
// innocent
// sum: 17
extern "C" __global__ void one_group_stays_in_flight(int *data, int *out, int n)
{
    TILES();
    float e[4] = {0, 0, 0, 0};
    ready(left, right);
    PRODUCT();
    MULTIPLY(e, matrix(left), matrix(right));
    COMMIT();
    WAIT(1);
    ADD(d[0]);
    WAIT(0);
    RESULT(d[0] + e[1] - e[2]);
}

// guilty: sync error @product
extern "C" __global__ void no_fence(int *data, int *out, int n)
{
    READY_TILES();
    MULTIPLY(d, matrix(left), matrix(right)); // @product
    COMMIT();
    WAIT(0);
    RESULT(d[0]);
}

// guilty: sync error @use @product
extern "C" __global__ void read_in_flight(int *data, int *out, int n)
{
    READY_TILES();
    PRODUCT();    // @product
    RESULT(d[0]); // @use
    WAIT(0);
}

// guilty: sync error @use @product
extern "C" __global__ void written_in_flight(int *data, int *out, int n)
{
    READY_TILES();
    PRODUCT(); // @product
    ADD(d[0]); // @use
    WAIT(0);
    RESULT(d[0]);
}

// guilty: sync error @use @product
extern "C" __global__ void not_committed(int *data, int *out, int n)
{
    READY_TILES();
    FENCE();
    MULTIPLY(d, matrix(left), matrix(right)); // @product
    WAIT(0);
    RESULT(d[0]); // @use
}

// guilty: sync error @product @use
// sum: 33
TWINS(no_fence_after_a_use, a_fence_after_a_use)
{
    READY_TILES();
    PRODUCT();
    WAIT(0);
    ADD(d[0]); // @use
    if (innocent)
        PRODUCT(); // @product
    WAIT(0);
    RESULT(d[0]);
}

// guilty: race error @write @product | race warning @write @product
extern "C" __global__ void own_tile_overwritten(int *data, int *out, int n)
{
    READY_TILES();
    PRODUCT();                                           // @product
    left[threadIdx.x / 32 * 128 + threadIdx.x % 32] = n; // @write
    WAIT(0);
    RESULT(d[0]);
}

// The other warpgroup overwrites the tile after a barrier, but no thread waits for the product before it.
// guilty: race error @write @product
// launch: 1 256
// sum: 16
TWINS(overwritten_after_a_barrier, overwritten_when_it_is_over)
{
    READY_TILES();
    if (threadIdx.x < 128) {
        PRODUCT(); // @product
        if (innocent)
            WAIT(0);
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        WAIT(0);
        RESULT(d[0]);
    } else
        left[threadIdx.x] = n; // @write
}

// One thread has waited for all four warps, so the tile may be filled again.
// innocent
// launch: 1 256
// sum: 16
extern "C" __global__ void one_thread_gives_the_tile_back(int *data, int *out, int n)
{
    TILES();
    __shared__ mbarrier empty;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&empty)) : "memory");
    ready(left, right);
    if (threadIdx.x < 128) {
        PRODUCT();
        WAIT(0);
        if (threadIdx.x == 96)
            asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at(&empty)) : "memory");
        RESULT(d[0]);
        return;
    }
    wait(&empty, 0);
    left[threadIdx.x] = n;
}

static __device__ void give(mbarrier *m)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at(m)) : "memory");
}

// A ring of two stages. The thread that gives a stage back has waited for the products of all four warps, so it cannot
// get ahead of a warp that still has to issue its part.
// innocent
// launch: 1 256
// sum: 96
extern "C" __global__ void one_thread_gives_stages_back(int *data, int *out, int n)
{
    TILES();
    __shared__ mbarrier full[2], empty[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 1);
        init(&empty[threadIdx.x], 1);
    }
    ready(left, right);
    if (threadIdx.x >= 128) {
        for (int t = 0; t < 6 && threadIdx.x == 128; t++) {
            if (t >= 2)
                wait(&empty[t % 2], t / 2 - 1 & 1);
            give(&full[t % 2]);
        }
        return;
    }
    for (int i = 0; i < 100 && threadIdx.x >= 32; i++) // the other warps come late
        __nanosleep(100);
    for (int t = 0; t < 6; t++) {
        wait(&full[t % 2], t / 2 & 1);
        PRODUCT();
        WAIT(0);
        if (threadIdx.x == 0)
            give(&empty[t % 2]);
    }
    RESULT(d[0]);
}

// The last warp issues its part only after the others have waited for the whole product.
// guilty: sync error @wait | sync error @barrier
// launch: 1 128
// sum: 16
TWINS(a_warp_comes_after_the_wait, no_warp_comes_after_the_wait)
{
    READY_TILES();
    if (!innocent && threadIdx.x >= 96)
        asm volatile("barrier.sync 1, 128;" ::: "memory"); // @barrier
    PRODUCT();
    WAIT(0); // @wait
    if (innocent || threadIdx.x < 96)
        asm volatile("barrier.sync 1, 128;" ::: "memory");
    RESULT(d[0]);
}

// The same if the threads of a cluster could reach the tile.
// innocent
// launch: 2 256
// cluster: 2
// sum: 16
extern "C" __global__ void a_cluster_gives_the_tile_back(int *data, int *out, int n)
{
    TILES();
    __shared__ mbarrier empty;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&empty)) : "memory");
    ready(left, right);
    if (threadIdx.x < 128) {
        PRODUCT();
        WAIT(0);
        if (threadIdx.x == 96)
            asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at(&empty)) : "memory");
        if (blockIdx.x == 0)
            RESULT(d[0]);
        return;
    }
    wait(&empty, 0);
    left[threadIdx.x] = n;
}

// guilty: race error @write @product
// launch: 2 256
// cluster: 2
extern "C" __global__ void a_cluster_overwrites_it(int *data, int *out, int n)
{
    READY_TILES();
    if (threadIdx.x < 128) {
        PRODUCT(); // @product
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        WAIT(0);
        if (blockIdx.x == 0)
            RESULT(d[0]);
    } else
        left[threadIdx.x] = n; // @write
}

// One thread tells the other block that the product is complete; that block then fills the tile again.
// guilty: race error @write @product
// launch: 2 256
// cluster: 2
// sum: 16
TWINS(given_to_a_peer_too_early, given_to_a_peer)
{
    TILES();
    __shared__ mbarrier empty;
    unsigned peer = blockIdx.x ^ 1;
    if (threadIdx.x == 0)
        init(&empty, 1);
    ready(left, right);
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x < 128) {
        PRODUCT(); // @product
        if (innocent)
            WAIT(0);
        if (threadIdx.x == 96)
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at_rank(&empty, peer))
                         : "memory");
        WAIT(0);
        if (blockIdx.x == 0)
            RESULT(d[0]);
    } else {
        wait_cluster(&empty, 0);
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at_rank(left + threadIdx.x, peer)), "r"(n) // @write
                     : "memory");
    }
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

// Two warpgroups read B, and each releases it.
// innocent
// launch: 1 384
// sum: 16
extern "C" __global__ void two_warpgroups_give_it_back(int *data, int *out, int n)
{
    TILES();
    __shared__ mbarrier empty;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(at(&empty)) : "memory");
    ready(left, right);
    if (threadIdx.x < 256) {
        PRODUCT();
        WAIT(0);
        if (threadIdx.x % 128 == 0)
            asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at(&empty)) : "memory");
        RESULT(d[0]);
        return;
    }
    wait(&empty, 0);
    if (threadIdx.x < 320)
        right[threadIdx.x - 256] = 0;
    left[threadIdx.x] = n;
}

static __device__ __noinline__ float multiply_apart(unsigned *left, unsigned *right)
{
    float d[4] = {0, 0, 0, 0};
    PRODUCT();
    WAIT(0);
    return d[0];
}

// innocent
// sum: 16
extern "C" __global__ void in_a_function(int *data, int *out, int n)
{
    __shared__ alignas(1024) unsigned left[512], right[64];
    ready(left, right);
    RESULT(multiply_apart(left, right));
    left[threadIdx.x / 32 * 128 + threadIdx.x % 32] = n; // rows of its own warp
}

// Compilers copy accumulators: a copy of one in flight is in flight, too.
// guilty: sync error @use @product
// sum: 16
TWINS(a_copy_used_in_flight, a_copy_in_flight)
{
    TILES();
    float copy;
    ready(left, right);
    PRODUCT(); // @product
    asm volatile("mov.f32 %0, %1;" : "=f"(copy) : "f"(d[0]));
    if (!innocent)
        ADD(copy); // @use
    WAIT(0);
    RESULT(copy);
}

#define MULTIPLY_OF(d, x, b) \
    asm volatile( \
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, 1, 1, 1, 0;" \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) \
        : "r"(x), "l"(b))
#define NEXT(x) asm volatile("add.u32 %0, %0, 128;" : "+r"(x))

// Two products in turn: 16 + 32. A product's registers of A may change after it is complete, before a fence.
// innocent
// sum: 48
extern "C" __global__ void registers_of_a(int *data, int *out, int n)
{
    TILES();
    unsigned x = 0x3f803f80 + data[0];
    ready(left, right);
    FENCE();
    MULTIPLY_OF(d, x, matrix(right));
    COMMIT();
    WAIT(0);
    x = x * 2 - 0x3f003f00; // 1 becomes 2
    FENCE();
    MULTIPLY_OF(d, x, matrix(right));
    COMMIT();
    WAIT(0);
    RESULT(d[0]);
}

// guilty: sync error @use @product
extern "C" __global__ void a_written_in_flight(int *data, int *out, int n)
{
    TILES();
    unsigned x = 0x3f803f80 + data[0];
    ready(left, right);
    FENCE();
    MULTIPLY_OF(d, x, matrix(right)); // @product
    COMMIT();
    NEXT(x); // @use
    WAIT(0);
    RESULT(d[0] + x);
}

// guilty: race error @store @product
extern "C" __global__ void no_proxy_fence(int *data, int *out, int n)
{
    TILES();
    fill(left, right);
    PROXY();
    left[threadIdx.x] = 0x3f803f80; // @store
    __syncthreads();
    PRODUCT(); // @product
    WAIT(0);
    RESULT(d[0]);
}

// guilty: race error @store @product | race warning @store @product
extern "C" __global__ void no_barrier(int *data, int *out, int n)
{
    READY_TILES();
    left[(threadIdx.x + 32) % 128] = 0x3f803f80; // @store
    PROXY();
    PRODUCT(); // @product
    WAIT(0);
    RESULT(d[0]);
}

// guilty: memory error @product
extern "C" __global__ void past_the_end(int *data, int *out, int n)
{
    READY_TILES();
    FENCE();
    MULTIPLY(d, matrix(left + 64), matrix(right)); // @product
    COMMIT();
    WAIT(0);
    RESULT(d[0]);
}

// guilty: memory error @product
extern "C" __global__ void swizzle_out_of_step(int *data, int *out, int n)
{
    __shared__ alignas(1024) unsigned left[640], right[64];
    float d[4] = {0, 0, 0, 0};
    for (unsigned i = threadIdx.x; i < 640; i += blockDim.x)
        left[i] = 0;
    if (threadIdx.x < 64)
        right[threadIdx.x] = 0;
    PROXY();
    __syncthreads();
    FENCE();
    unsigned long long a = at(left + 32) >> 4 | (256ull >> 4) << 32 | 3ull << 62;
    MULTIPLY(d, a, matrix(right)); // @product
    COMMIT();
    WAIT(0);
    RESULT(d[0]);
}

// guilty: sync error @fence
extern "C" __global__ void one_warp(int *data, int *out, int n)
{
    READY_TILES();
    if (threadIdx.x < 32) {
        FENCE(); // @fence
        MULTIPLY(d, matrix(left), matrix(right));
        COMMIT();
        WAIT(0);
    }
    RESULT(d[0]);
}

// guilty: sync error @fence
// launch: 1 64
extern "C" __global__ void half_a_warpgroup(int *data, int *out, int n)
{
    FENCE(); // @fence
    out[threadIdx.x] = n;
}

// guilty: sync error @other @first
extern "C" __global__ void different_ways(int *data, int *out, int n)
{
    if (threadIdx.x < 64)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;"); // @first
    else
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); // @other
    RESULT(n);
}

// Only the issuing threads fence, after the barrier.
// innocent
// sum: 16
extern "C" __global__ void a_proxy_fence_of_the_reader(int *data, int *out, int n)
{
    TILES();
    fill(left, right);
    __syncthreads();
    PROXY();
    PRODUCT();
    WAIT(0);
    RESULT(d[0]);
}

// One thread fences for all of them, between two barriers.
// innocent
// launch: 1 256
// sum: 16
extern "C" __global__ void a_proxy_fence_of_one_thread(int *data, int *out, int n)
{
    TILES();
    fill(left, right);
    __syncthreads();
    if (threadIdx.x == 255)
        PROXY();
    __syncthreads();
    if (threadIdx.x >= 128)
        return;
    PRODUCT();
    WAIT(0);
    RESULT(d[0]);
}

// innocent
// launch: 1 256
extern "C" __global__ void warpgroups_by_themselves(int *data, int *out, int n)
{
    if (threadIdx.x < 128)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    else
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    RESULT(n);
}

// guilty: init error @product
extern "C" __global__ void sums_without_a_value(int *data, int *out, int n)
{
    __shared__ alignas(1024) unsigned left[512], right[64];
    float d[4];
    ready(left, right);
    PRODUCT(); // @product
    WAIT(0);
    RESULT(d[0]);
}
