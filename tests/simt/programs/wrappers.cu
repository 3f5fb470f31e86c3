// The wrappers of libcu++ (cuda::ptx, cuda::barrier, cuda::memcpy_async) for asynchronous copies: each kernel is right,
// and the checks must be silent.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "program.h"

namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;
using barrier_t = cuda::barrier<cuda::thread_scope_block>;

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void add_one(const __grid_constant__ CUtensorMap map, int x, int y)
{
    __shared__ alignas(128) int smem[8][8];
    __shared__ barrier_t bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier_t::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(&smem, &map, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(smem));
    } else
        token = bar.arrive();
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        smem[i / 8][i % 8] += 1;
    cuda::device::experimental::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &smem);
        cuda::device::experimental::cp_async_bulk_commit_group();
        cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
        (&bar)->~barrier();
    }
}
__global__ void both_ways(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ alignas(128) int smem[8][8];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int c[2] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &smem, &map, c, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar, sizeof smem);
    }
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, 0))
        ;
    out[threadIdx.x] = smem[threadIdx.x / 8][threadIdx.x % 8];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        int c[2] = {8, 8};
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, c, &smem);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out + 64, &smem[0][0], 256u);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
__global__ void by_barrier(const int *in, int *out)
{
    __shared__ alignas(16) int s[256];
    __shared__ barrier_t bar;
    auto b = cg::this_thread_block();
    if (b.thread_rank() == 0)
        init(&bar, blockDim.x);
    b.sync();
    cuda::memcpy_async(b, s, in, cuda::aligned_size_t<16>(1024), bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = s[255 - threadIdx.x];
    b.sync();
    if (b.thread_rank() == 0) {
        cuda::device::memcpy_async_tx(s, in, cuda::aligned_size_t<16>(1024), bar);
        auto t = cuda::device::barrier_arrive_tx(bar, 1, 1024);
        bar.wait(std::move(t));
    } else
        bar.arrive_and_wait();
    out[threadIdx.x] += s[threadIdx.x];
}
__global__ void __cluster_dims__(2) remote(int *out)
{
    __shared__ int words[32];
    __shared__ int sum;
    __shared__ uint64_t bar;
    cg::cluster_group cl = cg::this_cluster();
    unsigned other = cl.block_rank() ^ 1;
    if (threadIdx.x == 0) {
        sum = 0;
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar, 32 * 8);
    }
    cl.sync();
    uint64_t *rb = cl.map_shared_rank(&bar, other);
    ptx::st_async(cl.map_shared_rank(&words[threadIdx.x], other), (int)threadIdx.x, rb);
    ptx::red_async(ptx::op_add, cl.map_shared_rank(&sum, other), 1, rb);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0))
        ;
    out[cl.block_rank() * 32 + threadIdx.x] = words[31 - threadIdx.x] + sum;
    cl.sync();
}
__global__ void change_map(const __grid_constant__ CUtensorMap map, CUtensorMap *g, int *in, int *out)
{
    __shared__ alignas(128) CUtensorMap s;
    __shared__ alignas(128) int smem[8][8];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        s = map;
        ptx::tensormap_replace_global_address(ptx::space_shared, &s, in + 64 * 4);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &s, ptx::n32_t<1>(), 8);
        ptx::mbarrier_init(&bar, 1);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, g, &s, ptx::n32_t<128>());
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, g, ptx::n32_t<128>());
    if (threadIdx.x == 0) {
        int c[2] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar, sizeof smem);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &smem, g, c, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0))
        ;
    out[threadIdx.x] = smem[threadIdx.x / 8][threadIdx.x % 8];
}
__global__ void dependent(int *out)
{
    cudaGridDependencySynchronize();
    atomicAdd(out, 1);
    cudaTriggerProgrammaticLaunchCompletion();
}
int main()
{
    const cuuint64_t size[] = {64, 64}, strides[] = {256};
    const cuuint32_t box[] = {8, 8}, steps[] = {1, 1};
    int *in = managed<int>(4096), *out = managed<int>(512);
    CUtensorMap map, *changed;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    CUDA(cudaMalloc(&changed, sizeof *changed));
    for (int i = 0; i < 4096; i++)
        in[i] = i;
    EXPECT(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, size, strides, box, steps,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    add_one<<<1, 64>>>(map, 8, 16);
    CUDA(cudaDeviceSynchronize());
    EXPECT(in[16 * 64 + 8] == 16 * 64 + 9 && in[23 * 64 + 15] == 23 * 64 + 16 && in[0] == 0);
    both_ways<<<1, 64>>>(map, out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[9] == 65 && out[64 + 9] == 65 && in[9 * 64 + 9] == 9 * 64 + 9 + 65);
    by_barrier<<<1, 256>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[3] == 255);
    remote<<<2, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[3] == 28 + 32 && out[32] == 31 + 32);
    change_map<<<1, 32>>>(map, changed, in, out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[3] == 259 && out[8] == 64 * 5);
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 1;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, dependent, out));
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[3] == 259 && out[0] == 256 + 32);
    return finish();
}
