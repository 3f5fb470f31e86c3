// Cooperative groups: blocks, tiles of several sizes, coalesced groups, reductions, the barrier of a grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "program.h"

namespace cg = cooperative_groups;

template <int SIZE> __device__ int sum_of_tile(int v)
{
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    for (int i = SIZE / 2; i > 0; i /= 2)
        v += tile.shfl_xor(v, i);
    return v;
}

__global__ void tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    auto tile = cg::tiled_partition<4>(block);
    out[t] = sum_of_tile<32>(t);
    out[128 + t] = sum_of_tile<16>(t);
    out[256 + t] = sum_of_tile<4>(t);
    out[384 + t] = tile.meta_group_rank() * 100 + tile.thread_rank();
    out[512 + t] = cg::reduce(tile, t, cg::plus<int>()) + 1000 * tile.any(t % 4 == 2) + 10000 * tile.all(t % 4 == 2);
    out[640 + t] = cg::inclusive_scan(cg::tiled_partition<16>(block), 1);
    auto dynamic = cg::tiled_partition(block, 8);
    out[768 + t] = dynamic.size() * 100 + dynamic.thread_rank();
    dynamic.sync();
}

__global__ void coalesced(int *out, int *next)
{
    int t = threadIdx.x;
    out[t] = -1;
    if (t % 3 == 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0)
            base = atomicAdd(next, active.size());
        base = active.shfl(base, 0);
        out[t] = base + active.thread_rank();
        active.sync();
        int sum = cg::reduce(active, t, cg::plus<int>()), least = cg::reduce(active, t, cg::less<int>());
        if (active.thread_rank() == 0)
            atomicAdd(next + 1, sum), atomicMin(next + 2, least);
    }
}

__global__ void labeled(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto same = cg::labeled_partition(warp, threadIdx.x % 5);
    out[threadIdx.x] = same.size() * 100 + same.thread_rank();
    auto odd = cg::binary_partition(warp, threadIdx.x & 1);
    out[32 + threadIdx.x] = cg::reduce(odd, (int)threadIdx.x, cg::plus<int>());
}

__global__ void grid_sum(const float *in, float *partial, float *out, int n)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    __shared__ float cache[8];
    auto warp = cg::tiled_partition<32>(block);
    float sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        sum += in[i];
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0)
        cache[warp.meta_group_rank()] = sum;
    block.sync();
    if (block.thread_rank() == 0) {
        float all = 0;
        for (int i = 0; i < (int)warp.meta_group_size(); i++)
            all += cache[i];
        partial[blockIdx.x] = all;
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        float all = 0;
        for (int i = 0; i < (int)gridDim.x; i++)
            all += partial[i];
        *out = all;
    }
}

static void check_tiles()
{
    int *out = managed<int>(896);
    tiles<<<1, 128>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 128; t++) {
        int w = t / 32 * 32, h = t / 16 * 16, q = t / 4 * 4;
        EXPECT(out[t] == 32 * w + 496 && out[128 + t] == 16 * h + 120 && out[256 + t] == 4 * q + 6);
        EXPECT(out[384 + t] == t / 4 * 100 + t % 4 && out[512 + t] == 4 * q + 6 + 1000);
        EXPECT(out[640 + t] == t % 16 + 1 && out[768 + t] == 800 + t % 8);
    }
    CUDA(cudaFree(out));
}

static void check_coalesced()
{
    int *out = managed<int>(64), *next = managed<int>(3), seen = 0, sum = 0;
    next[2] = 1000;
    coalesced<<<1, 64>>>(out, next);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 64; t++) {
        EXPECT((out[t] >= 0) == (t % 3 == 1));
        seen += out[t] >= 0;
        sum += t % 3 == 1 ? t : 0;
    }
    EXPECT(next[0] == seen && next[1] == sum && next[2] == 1);
    labeled<<<1, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        EXPECT(out[t] == (t % 5 < 2 ? 7 : 6) * 100 + t / 5);
        EXPECT(out[32 + t] == (t & 1 ? 256 : 240));
    }
    CUDA(cudaFree(out));
    CUDA(cudaFree(next));
}

static void check_grid()
{
    int n = 10000, blocks = 6, can = 0, per = 0;
    float *in = managed<float>(n), *partial = managed<float>(blocks), *out = managed<float>(1), want = 0;
    for (int i = 0; i < n; i++)
        want += in[i] = (float)(i % 17);
    CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, grid_sum, 256, 0));
    EXPECT(can && per > 0);
    void *args[] = {&in, &partial, &out, &n};
    CUDA(cudaLaunchCooperativeKernel((void *)grid_sum, dim3(blocks), dim3(256), args, 0, 0));
    CUDA(cudaDeviceSynchronize());
    EXPECT(*out == want);
    CUDA(cudaFree(in));
    CUDA(cudaFree(partial));
    CUDA(cudaFree(out));
}

int main()
{
    check_tiles();
    check_coalesced();
    check_grid();
    return finish();
}
