// Copies that overlap the arithmetic: the pipeline primitives, memcpy_async of cooperative groups, cuda::pipeline
// and cuda::barrier in shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <sys/resource.h>

#include "program.h"

namespace cg = cooperative_groups;

#define THREADS 128
#define TILES 9
#define N (THREADS * TILES)

// Two stages by hand: while a tile is summed, the next one is in flight.
__global__ void by_primitives(const int4 *in, int *out)
{
    __shared__ int4 stage[2][THREADS];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&stage[0][t], &in[t], sizeof(int4));
    __pipeline_commit();
    for (int tile = 0; tile < TILES; tile++) {
        if (tile + 1 < TILES)
            __pipeline_memcpy_async(&stage[(tile + 1) % 2][t], &in[(tile + 1) * THREADS + t], sizeof(int4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int4 v = stage[tile % 2][THREADS - 1 - t];
        sum += v.x + v.y + v.z + v.w;
        __syncthreads();
    }
    out[t] = sum;
}

// The part of a copy that is out of bounds is zero.
__global__ void with_zeros(const int *in, int *out)
{
    __shared__ int stage[THREADS][4];
    int t = threadIdx.x;
    __pipeline_memcpy_async(stage[t], in + 4 * t, 16, t % 2 ? 8 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = 0; i < 4; i++)
        out[4 * t + i] = stage[t][i];
}

__global__ void by_groups(const int *in, int *out)
{
    __shared__ int stage[THREADS];
    auto block = cg::this_thread_block();
    int sum = 0;
    for (int tile = 0; tile < TILES; tile++) {
        cg::memcpy_async(block, stage, in + tile * THREADS, sizeof(int) * THREADS);
        cg::wait(block);
        sum += stage[(threadIdx.x * 5 + tile) % THREADS];
        block.sync();
    }
    out[threadIdx.x] = sum;
}

__global__ void by_pipeline(const int *in, int *out)
{
    constexpr int STAGES = 3;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    __shared__ alignas(16) int stage[STAGES][THREADS];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int compute = 0, fetch = 0; compute < TILES; compute++) {
        for (; fetch < TILES && fetch < compute + STAGES; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[fetch % STAGES], in + fetch * THREADS,
                               cuda::aligned_size_t<16>(sizeof(int) * THREADS), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += stage[compute % STAGES][(threadIdx.x * 3 + compute) % THREADS];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

// Half of the threads write and half read, in turns; every phase of both barriers is used.
__global__ void by_barrier(int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(barrier) char storage[2][sizeof(barrier)];
    __shared__ int cell[THREADS / 2];
    barrier *full = (barrier *)storage[0], *empty = (barrier *)storage[1];
    int t = threadIdx.x, half = THREADS / 2;
    if (t == 0) {
        init(full, THREADS);
        init(empty, THREADS);
    }
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < 6; round++) {
        if (t < half) {
            cell[t] = round * 1000 + t;
            (void)full->arrive();
            empty->arrive_and_wait();
        } else {
            full->arrive_and_wait();
            sum += cell[THREADS - 1 - t];
            empty->arrive_and_wait();
        }
    }
    out[t] = sum;
}

static void check_copies()
{
    int *in = managed<int>(4 * N), *out = managed<int>(4 * THREADS);
    for (int i = 0; i < 4 * N; i++)
        in[i] = i * i % 1009;
    by_primitives<<<1, THREADS>>>((const int4 *)in, out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++) {
        int want = 0;
        for (int tile = 0; tile < TILES; tile++)
            for (int k = 0; k < 4; k++)
                want += in[4 * (tile * THREADS + THREADS - 1 - t) + k];
        EXPECT(out[t] == want);
    }
    with_zeros<<<1, THREADS>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 4 * THREADS; i++)
        EXPECT(out[i] == (i / 4 % 2 && i % 4 >= 2 ? 0 : in[i]));
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

static void check_stages()
{
    int *in = managed<int>(N), *out = managed<int>(THREADS), *out2 = managed<int>(THREADS);
    for (int i = 0; i < N; i++)
        in[i] = i * i % 1009;
    by_groups<<<1, THREADS>>>(in, out);
    by_pipeline<<<1, THREADS>>>(in, out2);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++) {
        int want = 0, want2 = 0;
        for (int tile = 0; tile < TILES; tile++) {
            want += in[tile * THREADS + (t * 5 + tile) % THREADS];
            want2 += in[tile * THREADS + (t * 3 + tile) % THREADS];
        }
        EXPECT(out[t] == want && out2[t] == want2);
    }
    by_barrier<<<1, THREADS>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++)
        EXPECT(out[t] == (t < THREADS / 2 ? 0 : 15000 + 6 * (THREADS - 1 - t)));
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    CUDA(cudaFree(out2));
}

// Each block has its own barrier and synchronizes there eight times.
__global__ void many_phases(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    __shared__ int sums[2 * THREADS];
    int t = threadIdx.x;
    if (t == 0)
        init(&all, THREADS);
    sums[t] = t;
    __syncthreads();
    for (int phase = 0; phase < 8; phase++) {
        int other = sums[phase % 2 * THREADS + (t + 1) % THREADS];
        sums[(phase + 1) % 2 * THREADS + t] = other;
        all.arrive_and_wait();
    }
    out[blockIdx.x * THREADS + t] = sums[t];
}

static long most_memory() // KiB
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// The machine's state for a block's barrier ends with the block.
static void check_memory()
{
    const int blocks = 512;
    int *out = managed<int>(blocks * THREADS);
    many_phases<<<blocks, THREADS>>>(out); // every host thread has its memory then
    CUDA(cudaDeviceSynchronize());
    long before = most_memory();
    many_phases<<<blocks, THREADS>>>(out);
    CUDA(cudaDeviceSynchronize());
    printf("512 blocks took %ld KiB more than the 512 before\n", most_memory() - before);
    EXPECT(most_memory() - before < 49152);
    for (int i = 0; i < blocks * THREADS; i++)
        EXPECT(out[i] == (i % THREADS + 8) % THREADS);
    CUDA(cudaFree(out));
}

int main()
{
    check_copies();
    check_stages();
    check_memory();
    return finish();
}
