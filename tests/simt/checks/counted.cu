// Memory accesses are counted only if the program asks for it (simt_count); launches, blocks and instructions always
// are, and results are the same. Memory shared with the host is always tracked: a kernel that writes it may pass a
// result.
#include "../programs/program.h"
#include "../../../common/simt/simt.h"

#define N 1000

__global__ void twice(int *out, const int *in)
{
    __shared__ int row[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    row[threadIdx.x] = i < N ? in[i] : 0;
    __syncthreads();
    if (i < N)
        out[i] = 2 * row[threadIdx.x ^ 1];
}

__global__ void fetch(cudaTextureObject_t in, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(in, threadIdx.x);
}

// A fetch is a load, not a store.
static void test_fetch(int *d_out, int *d_in)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc sampler = {};
    cudaTextureObject_t t;
    simt_counters c;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_in;
    resource.res.linear.sizeInBytes = N * sizeof *d_in;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    CUDA(cudaCreateTextureObject(&t, &resource, &sampler, NULL));
    simt_reset();
    simt_count(1);
    fetch<<<1, 32>>>(t, d_out);
    CUDA(cudaDeviceSynchronize());
    simt_read(&c);
    EXPECT(c.global_load_requests == 1 && c.global_load_sectors == 4 && c.global_load_sectors_ideal == 4);
    EXPECT(c.global_store_requests == 1 && c.global_store_sectors == 4);
}

// Runs the kernel with accesses counted or not. Returns the counters of this launch.
static simt_counters run(int *d_out, const int *d_in, int accesses)
{
    simt_counters c;
    simt_reset();
    simt_count(accesses);
    twice<<<4, 256>>>(d_out, d_in);
    CUDA(cudaDeviceSynchronize());
    simt_read(&c);
    return c;
}

static void expect_result(const int *d_out)
{
    int out[N];
    CUDA(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        EXPECT(out[i] == 2 * (i ^ 1));
}

int main()
{
    int in[N], *d_in, *d_out, *shared;
    for (int i = 0; i < N; i++)
        in[i] = i;
    CUDA(cudaMalloc(&d_in, sizeof in));
    CUDA(cudaMalloc(&d_out, sizeof in));
    CUDA(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));

    simt_counters with = run(d_out, d_in, 1);
    expect_result(d_out);
    EXPECT(with.global_load_requests == 32 && with.global_store_sectors == 125 && with.shared_load_requests == 32);
    CUDA(cudaMemset(d_out, 0, sizeof in));
    simt_counters without = run(d_out, d_in, 0);
    expect_result(d_out);
    EXPECT(without.launches == 1 && without.blocks == 4 && without.barriers == with.barriers);
    EXPECT(without.thread_instructions == with.thread_instructions);
    EXPECT(without.global_load_requests == 0 && without.shared_load_wavefronts == 0);

    test_fetch(d_out, d_in);

    CUDA(cudaMallocManaged(&shared, sizeof in));
    simt_counters handed = run(shared, d_in, 0);
    expect_result(shared);
    EXPECT(handed.host_reads == 1 && handed.global_store_sectors == 125);
    CUDA(cudaFree(shared));
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_out));
    return finish();
}
