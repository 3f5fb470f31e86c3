// Kernels for the checks of copies of tensors, of sums by bulk copies, and of st.async. test_checks.c reads the
// comments and gives the map: data as a tensor of 8 x 8 ints, in boxes of 4 x 4.
struct alignas(64) map {
    char opaque[128];
};
#include "mbarrier.h"
#include "twins.h"

static __device__ void meet_cluster()
{
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

#define TILE() \
    __shared__ alignas(128) int s[16]; \
    __shared__ mbarrier m
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define WAIT_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define LOAD(n, list, map_at) \
    asm volatile("cp.async.bulk.tensor." n "d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {" list \
                 "}], [%2];" ::"r"(at(s)), \
                 "l"(map_at), "r"(at(&m)) \
                 : "memory")
#define STORE() \
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {4, 0}], [%1];" ::"l"(&t), "r"(at(s)) \
                 : "memory")
#define SUM(op, to) \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op " [%0], [%1], 128;" ::"l"(to), "r"(at(s)) \
                 : "memory")

#define BOX(instruction, column) \
    asm volatile(instruction " [%0, {%1, 0}], [%2];" ::"l"(&t), "r"(column), "r"(at(s)) : "memory")

// ---- copies of tensors

// The box begins at row 5 and column 6: 6 elements lie in the tensor.
// guilty: race error @load @read
// sum: 55
TWINS_WITH_MAP(box_before_the_phase, box_after_the_phase)
{
    TILE();
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 64);
        LOAD("2", "6, 5", &t); // @load
    }
    __syncthreads();
    if (innocent)
        wait(&m, 0);
    out[threadIdx.x] = s[(threadIdx.x + 5) % 16] + s[3]; // @read
    wait(&m, 0);
}

// The elements of the box are in flight, too.
// Beside the box.
// guilty: race error @load @write
TWINS_WITH_MAP(source_written, written_beside_the_source)
{
    TILE();
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 64);
        LOAD("2", "0, 0", &t);      // @load
        data[innocent ? 4 : 8] = 1; // @write
    }
    __syncthreads();
    wait(&m, 0);
}

// Bytes of elements out of bounds count, too.
// guilty: sync error @wait
extern "C" __global__ void border_not_counted(int *data, int *out, int n, const __grid_constant__ map t)
{
    TILE();
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 32);
        LOAD("2", "6, 0", &t);
    }
    __syncwarp();
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.b64 p, [%0], 0; @!p bra AGAIN; }" ::"l"(&m)); // @wait
}

// Without __grid_constant__ the address is that of a copy in local memory.
// guilty: memory error @load
extern "C" __global__ void map_in_local_memory(int *data, int *out, int n, map t)
{
    TILE();
    if (threadIdx.x == 0) {
        init(&m, 1);
        t.opaque[127] = (char)n;
        LOAD("2", "0, 0", &t); // @load
    }
}

// guilty: memory error @load
extern "C" __global__ void wrong_rank(int *data, int *out, int n, const __grid_constant__ map t)
{
    TILE();
    if (threadIdx.x == 0) {
        init(&m, 1);
        LOAD("3", "0, 0, 0", &t); // @load
    }
}

// guilty: memory error @load
extern "C" __global__ void no_map(int *data, int *out, int n, const __grid_constant__ map t)
{
    TILE();
    if (threadIdx.x == 0) {
        init(&m, 1);
        LOAD("2", "0, 0", data); // @load
    }
}

// guilty: memory error @load
extern "C" __global__ void tile_misaligned(int *data, int *out, int n, const __grid_constant__ map t)
{
    __shared__ alignas(128) int s_[32];
    __shared__ mbarrier m;
    int *s = s_ + 16;
    if (threadIdx.x == 0) {
        init(&m, 1);
        LOAD("2", "0, 0", &t); // @load
    }
}

// data: freed
// guilty: memory error @load
extern "C" __global__ void tensor_freed(int *data, int *out, int n, const __grid_constant__ map t)
{
    TILE();
    if (threadIdx.x == 0) {
        init(&m, 1);
        LOAD("2", "0, 0", &t); // @load
    }
}

// guilty: race error @write @store
// sum: 3
TWINS_WITH_MAP(tile_without_a_fence, tile_stored)
{
    __shared__ alignas(128) int s[16];
    if (threadIdx.x < 16)
        s[threadIdx.x] = 3; // @write
    if (innocent)
        FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        STORE(); // @store
        COMMIT();
        WAIT_READ();
        s[0] = 4;
        WAIT();
        out[0] = data[31];
    }
}

// data: swizzled
// guilty: memory error @store
TWINS_WITH_MAP(box_stored_from_column_2, box_stored_from_column_4)
{
    __shared__ alignas(128) int s[4 * 32]; // a row of the box in 128 bytes
    for (int i = 0; i < 4; i++)
        s[32 * i + threadIdx.x] = 3;
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        BOX("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group", innocent ? 4 : 2); // @store
        COMMIT();
        WAIT();
    }
}

// data: swizzled
// guilty: memory error @store
extern "C" __global__ void box_added_from_column_before_0(int *data, int *out, int n, const __grid_constant__ map t)
{
    __shared__ alignas(128) int s[4 * 32];
    for (int i = 0; i < 4; i++)
        s[32 * i + threadIdx.x] = 3;
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        BOX("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group", -4); // @store
        COMMIT();
        WAIT();
    }
}

// guilty: race error @store @write
extern "C" __global__ void tile_overwritten(int *data, int *out, int n, const __grid_constant__ map t)
{
    __shared__ alignas(128) int s[16];
    if (threadIdx.x < 16)
        s[threadIdx.x] = 3;
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        STORE(); // @store
        COMMIT();
        s[0] = 4; // @write
        WAIT();
    }
}

// guilty: race error @store @read
extern "C" __global__ void tensor_read_after_wait_read(int *data, int *out, int n, const __grid_constant__ map t)
{
    __shared__ alignas(128) int s[16];
    if (threadIdx.x < 16)
        s[threadIdx.x] = 3;
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        STORE(); // @store
        COMMIT();
        WAIT_READ();
        out[0] = data[31]; // @read
    }
}

// ---- tiles that products read

// Loads a box to a tile of zeros in room, from s on. A has zeros, too.
#define PRODUCT_TILES(words, first) \
    __shared__ alignas(1024) int left[512], room[words]; \
    __shared__ mbarrier m; \
    int *s = room + (first); \
    float d[4] = {0, 0, 0, 0}; \
    for (unsigned i = threadIdx.x; i < 512; i += 128) \
        left[i] = 0; \
    for (unsigned i = threadIdx.x; i < (words); i += 128) \
        room[i] = 0; \
    FENCE(); \
    __syncthreads()
#define BEGIN_PRODUCT() \
    __syncthreads(); \
    wait(&m, 0); \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define END_PRODUCT() \
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory"); \
    out[threadIdx.x] = (int)d[0]

// The descriptor has a swizzle of 32 bytes; the copy wrote the first rows without.
// The descriptor has no swizzle either.
// guilty: memory error @product @load
// launch: 1 128
TWINS_WITH_MAP(swizzle_of_the_descriptor_alone, descriptor_of_the_tile)
{
    PRODUCT_TILES(64, 0);
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 64);
        LOAD("2", "0, 0", &t); // @load
    }
    BEGIN_PRODUCT();
    MULTIPLY(d, matrix(left), matrix(s) | (innocent ? 0 : 3ull << 62)); // @product
    END_PRODUCT();
}

// The tile begins 128 bytes after a multiple of 1024. The copy's swizzle goes by addresses, and so does the product's,
// unless its descriptor has a base offset.
// guilty: memory error @product @load
// data: swizzled
// launch: 1 128
TWINS_WITH_MAP(base_offset_of_a_copied_tile, copied_tile_that_begins_anywhere)
{
    PRODUCT_TILES(32 + 256, 32);
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 64);
        LOAD("2", "0, 0", &t); // @load
    }
    BEGIN_PRODUCT();
    MULTIPLY(d, matrix(left), matrix(s) | 1ull << 62 | (innocent ? 0 : 1ull << 49)); // @product
    END_PRODUCT();
}

// ---- maps that kernels change

static __device__ void copy_map(int *to, const map *from)
{
    for (int i = 0; i < 32; i++)
        to[i] = ((const int *)from)[i];
}

static __device__ void load_and_add(int *out, const void *t, int *s, mbarrier &m, unsigned parity)
{
    arrive_expect(&m, 64);
    LOAD("2", "0, 2", t);
    wait(&m, parity);
    for (int i = 0; i < 16; i++)
        out[0] += s[i];
}

#define ACQUIRE(t) asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(t) : "memory")
#define RELEASE() asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory")

// guilty: race error @load
// sum: 472
TWINS_WITH_MAP(map_copied, map_copied_and_fenced)
{
    TILE();
    if (threadIdx.x == 0) {
        init(&m, 1);
        copy_map(out + 128, &t);
        RELEASE();
        if (innocent)
            ACQUIRE(out + 128);
        arrive_expect(&m, 64);
        LOAD("2", "0, 2", out + 128); // @load
    }
    __syncwarp();
    wait(&m, 0);
    for (int i = 0; threadIdx.x == 0 && i < 16; i++)
        out[0] += s[i];
}

// The fence comes before the last change.
// guilty: race error @replace @load
extern "C" __global__ void map_changed_after_the_fence(int *data, int *out, int n, const __grid_constant__ map t)
{
    TILE();
    if (threadIdx.x == 0) {
        init(&m, 1);
        copy_map(out + 128, &t);
        RELEASE();
        ACQUIRE(out + 128);
        asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], 1, 4;" ::"l"(out + 128) // @replace
                     : "memory");
        arrive_expect(&m, 64);
        LOAD("2", "0, 2", out + 128); // @load
    }
    __syncwarp();
    wait(&m, 0);
}

// Four rows remain, of which the box has two; then the tensor's second half.
// innocent
// sum: 600
extern "C" __global__ void map_changed_in_shared_memory(int *data, int *out, int n, const __grid_constant__ map t)
{
    __shared__ alignas(128) map changed_map;
    TILE();
    map *changed = &changed_map;
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    if (threadIdx.x == 0) {
        init(&m, 1);
        copy_map((int *)changed, &t);
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, 4;" ::"r"(at(changed))
                     : "memory");
    }
    __syncwarp();
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
            out + 128),
        "r"(at(changed))
        : "memory");
    if (threadIdx.x == 0) {
        ACQUIRE(out + 128);
        load_and_add(out, out + 128, s, m, 0);
        asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(out + 128), "l"(data + 32)
                     : "memory");
        RELEASE();
        ACQUIRE(out + 128);
        load_and_add(out, out + 128, s, m, 1);
    }
}

// ---- sums by bulk copies

// Two blocks and a thread add to the same words.
// innocent
// launch: 2 32
extern "C" __global__ void sums_of_two_blocks(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    s[threadIdx.x] = (int)threadIdx.x;
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        SUM("add.s32", out);
        COMMIT();
        atomicAdd(out + 1, 5);
        WAIT();
    }
}

// innocent
// sum: 12
extern "C" __global__ void sums_and_extremes(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    s[threadIdx.x] = 6;
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        SUM("add.u32", out);
        SUM("add.u32", out);
        SUM("max.s32", out + 64);
        SUM("or.b32", out + 96);
        SUM("add.u64", out + 128);
        COMMIT();
        WAIT();
        if (out[64] != 6 || out[95] != 6 || out[96] != 6 || out[128] != 6 || out[129] != 6)
            out[0] = -1;
    }
}

// guilty: race error @sum @read
extern "C" __global__ void sum_read_too_early(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    s[threadIdx.x] = 6;
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        SUM("add.u32", out); // @sum
        COMMIT();
        data[0] = out[1]; // @read
        WAIT();
    }
}

// guilty: race error @sum @write
extern "C" __global__ void sum_overwritten(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    s[threadIdx.x] = 6;
    FENCE();
    __syncwarp();
    if (threadIdx.x == 0) {
        SUM("add.u32", out); // @sum
        COMMIT();
        out[1] = 0; // @write
        WAIT();
    }
}

// The other block's counters, in its shared memory.
// innocent
// launch: 2 32
// cluster: 2
// sum: 13
extern "C" __global__ void sum_for_the_other_block(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[4], counts[4];
    __shared__ mbarrier m;
    unsigned other = blockIdx.x ^ 1;
    if (threadIdx.x == 0) {
        init(&m, 1);
        arrive_expect(&m, 16);
    }
    if (threadIdx.x < 4) {
        s[threadIdx.x] = 3;
        counts[threadIdx.x] = 10;
    }
    FENCE();
    meet_cluster();
    if (threadIdx.x == 0)
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32"
                     " [%0], [%1], 16, [%2];" ::"r"(at_rank(counts, other)),
                     "r"(at(s)), "r"(at_rank(&m, other))
                     : "memory");
    wait(&m, 0);
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = counts[3];
    meet_cluster();
}

// ---- st.async, red.async

// Each thread stores a word and 8 bytes in the other block.
// innocent
// launch: 2 32
// cluster: 2
// sum: 105
extern "C" __global__ void words_for_the_other_block(int *data, int *out, int n)
{
    __shared__ int word[32];
    __shared__ int2 pair[32];
    __shared__ int sum;
    __shared__ mbarrier m;
    unsigned other = blockIdx.x ^ 1, t = threadIdx.x;
    if (t == 0) {
        sum = 0;
        init(&m, 1);
        arrive_expect(&m, 32 * 16);
    }
    meet_cluster();
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     at_rank(&word[t], other)),
                 "r"(t), "r"(at_rank(&m, other))
                 : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s32 [%0], {%1, %2}, [%3];" ::"r"(
                     at_rank(&pair[t], other)),
                 "r"(t), "r"(10), "r"(at_rank(&m, other))
                 : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                     at_rank(&sum, other)),
                 "r"(2), "r"(at_rank(&m, other))
                 : "memory");
    wait(&m, 0);
    if (blockIdx.x == 0)
        out[t] = word[(t + 30) % 32] + pair[1].x + pair[t].y + sum;
    meet_cluster();
}

// guilty: race error @store @read
// launch: 2 32
// cluster: 2
extern "C" __global__ void word_before_the_phase(int *data, int *out, int n)
{
    __shared__ int word[32];
    __shared__ mbarrier m;
    unsigned other = blockIdx.x ^ 1, t = threadIdx.x;
    if (t == 0) {
        init(&m, 1);
        arrive_expect(&m, 128);
    }
    meet_cluster();
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     at_rank(&word[t], other)),
                 "r"(t), "r"(at_rank(&m, other)) // @store
                 : "memory");
    meet_cluster();
    out[t + 32 * blockIdx.x] = word[t]; // @read
    wait(&m, 0);
    meet_cluster();
}

// The mbarrier must be in the same block's memory as the word.
// guilty: sync error @store
// launch: 2 32
// cluster: 2
extern "C" __global__ void mbarrier_of_the_sender(int *data, int *out, int n)
{
    __shared__ int word[32];
    __shared__ mbarrier m;
    unsigned other = blockIdx.x ^ 1, t = threadIdx.x;
    if (t == 0) {
        init(&m, 1);
        arrive_expect(&m, 128);
    }
    meet_cluster();
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     at_rank(&word[t], other)),
                 "r"(t), "r"(at(&m)) // @store
                 : "memory");
    wait(&m, 0);
    meet_cluster();
}

// guilty: memory error @store
extern "C" __global__ void pair_misaligned(int *data, int *out, int n)
{
    __shared__ alignas(8) int word[34];
    __shared__ mbarrier m;
    if (threadIdx.x == 0) {
        init(&m, 1);
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %1}, [%2];" ::"r"(
                         at(word + 1)),
                     "r"(n), "r"(at(&m)) // @store
                     : "memory");
    }
}
