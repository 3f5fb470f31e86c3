// Kernels whose traces trace.py checks: every kind of event, small grids with partial last blocks. The argument names
// what is launched; the program prints only runtime errors.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/simt/simt.h"

#define N 1000

__device__ int counter;

// ---- right ones

__global__ void sum(int *out, const int *in, int n)
{
    __shared__ int cache[96];
    int tid = threadIdx.x, i = blockIdx.x * 96 + tid;
    cache[tid] = i < n ? in[i] : 0;
    __syncthreads();
    if (tid < 32)
        cache[tid] += cache[tid + 32] + cache[tid + 64];
    __syncthreads();
    if (tid == 0) {
        int s = 0;
        for (int k = 0; k < 32; k++)
            s += cache[k];
        out[blockIdx.x] = s;
    }
}

__global__ void conflicts(int *out)
{
    __shared__ int words[33 * 32];
    __shared__ double wide[64];
    int tid = threadIdx.x;
    words[tid * 32] = tid;
    words[tid * 33 % 1024 + 1] = tid;
    wide[tid * 2 % 64] = tid;
    __syncthreads();
    out[tid * 3] = words[tid * 32] + (int)wide[tid * 2 % 64];
}

__global__ void flat(int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = (x & 1) ? x * y : x + y;
}

__global__ void diverge(int *out)
{
    int t = threadIdx.x, v = t;
    if (t % 3 == 0) {
        for (int i = 0; i < t % 5; i++)
            v += out[i];
    } else if (t % 3 == 1)
        v = out[t] * 3;
    out[N / 2 + t] = v;
}

__global__ void warps(int *out)
{
    int t = threadIdx.x, v = t * t;
    unsigned all = 0xffffffffu;
    out[N / 2 + t] = __activemask();
    v += __shfl_down_sync(all, v, 4);
    v += __shfl_xor_sync(all, v, 1, 8);
    v += __shfl_sync(all, v, t % 7);
    unsigned odd = __ballot_sync(all, v & 1);
    v += __any_sync(all, v > 100) + __reduce_add_sync(all, v) + __match_any_sync(all, t / 3);
    out[t] = v + odd;
}

__global__ void halves(int *out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    if (t % 32 < 16) {
        s[t] = t;
        __syncwarp(0x0000ffff);
        out[t] = s[t ^ 1];
    } else {
        s[t] = 2 * t;
        __syncwarp(0xffff0000);
        out[t] = __shfl_sync(0xffff0000, s[t ^ 1], 20);
    }
}

__device__ int third(const int *p, int i)
{
    return p[3 * i];
}

__device__ int sixth(const int *p, int i)
{
    return third(p, 2 * i) + 1;
}

__global__ void inlined(int *out)
{
    out[N / 2 + threadIdx.x] = sixth(out, threadIdx.x); // the load is in third()
}

__device__ __noinline__ int swap(int x)
{
    return __shfl_xor_sync(0xffffffffu, x, 16);
}

// Half a warp waits in swap() until the other half arrives there by another path.
__global__ void meet(int *out)
{
    int t = threadIdx.x, v = t;
    if (t % 32 < 16) {
        v = swap(v);
    } else {
        for (int i = 0; i < 5; i++)
            v += out[i];
        out[N / 2 + t] = v;
        v = swap(v + 1) * 2;
    }
    out[8 + t] = v;
}

__global__ void atomics(int *out, unsigned long long *wide)
{
    __shared__ int bins[8];
    int t = threadIdx.x;
    if (t < 8)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[t % 8], t);
    int *either = t & 1 ? &bins[0] : out;
    atomicMax(either, t);
    atomicCAS(out + 1, t, 7);
    atomicAdd(wide, (unsigned long long)t);
    out[2 + blockIdx.x * 50 + t] = atomicExch(out + 150, t) + atomicAdd(&counter, 1);
    __syncthreads();
    if (t < 8)
        atomicAdd(out + 200 + t, bins[t]);
}

__global__ void copies(float *out, const float *in)
{
    __shared__ float4 tile[40];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], (const float4 *)in + t, sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    float4 v = tile[39 - t];
    *((float4 *)out + t) = make_float4(v.w, v.z, v.y, v.x);
}

__device__ __noinline__ int twice(int x)
{
    return x > 5 ? x * 2 : x;
}

__global__ void calls(int *p)
{
    int t = threadIdx.x, v = t;
    for (int i = 0; i < t % 4; i++)
        v = twice(v) + i;
    p[t] = v;
}

__global__ void names(int *out)
{
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 32)
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    else if (t < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    int any = __syncthreads_or(t == 95);
    out[t] = any + s[t];
}

__global__ void dynamic(int *out)
{
    extern __shared__ int own[];
    own[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = own[blockDim.x - 1 - threadIdx.x];
}

// ---- wrong ones

__global__ void no_barrier(int *out)
{
    __shared__ int cache[64];
    cache[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = cache[63 - threadIdx.x]; // guilty: read without a barrier
}

__global__ void no_syncwarp(int *out)
{
    __shared__ int cache[32];
    cache[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = cache[31 - threadIdx.x]; // guilty: nor after a __syncwarp
}

__global__ void no_order(int *out)
{
    out[threadIdx.x] = blockIdx.x; // guilty: by all blocks
}

__global__ void outside(int *out, int stride)
{
    out[threadIdx.x * stride] = 1; // guilty: thread 1 is outside
}

__global__ void unwritten(int *out)
{
    __shared__ int cache[64];
    if (threadIdx.x < 32)
        cache[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = cache[threadIdx.x]; // guilty: half of it
}

__global__ void missed(int *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(0xffffffffu, out[threadIdx.x], 0); // guilty: the others never arrive
}

__global__ void endless(volatile int *out)
{
    if (threadIdx.x >= 32)
        __syncthreads();
    else
        while (out[N] == N + 1) // guilty: it is never changed
            ;
}

// Its state changes in every round, so it runs until the program is ended.
__global__ void counts_up(volatile int *out)
{
    for (int i = 0; out[N] == N + 1; i++)
        out[0] = i;
}

// ---- what is launched

// Two matrices by ldmatrix, their product by mma; a fragment by wmma, through shared memory.
__global__ void matrices(int *out)
{
    using namespace nvcuda;
    __shared__ __align__(32) unsigned rows[64];
    __shared__ __align__(32) float sums[256];
    unsigned r[2], tid = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(&rows[tid % 16 * 4]);
    float d[4] = {0, 0, 0, 0};
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    rows[tid] = 0x3c003c00u + tid;
    rows[tid + 32] = 0x40004000u;
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%4}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(r[0]), "r"(r[1]));
    wmma::fill_fragment(sum, d[0]);
    wmma::store_matrix_sync(sums, sum, 16, wmma::mem_row_major);
    __syncwarp();
    wmma::load_matrix_sync(sum, sums, 16, wmma::mem_row_major);
    out[tid] = (int)sum.x[0] + (int)d[3];
}

static int *ints;

static void launch(const char *name)
{
    unsigned long long *wide = (unsigned long long *)(ints + N);
    if (!strcmp(name, "sum"))
        sum<<<3, 96>>>(ints, ints + 10, 250);
    if (!strcmp(name, "conflicts"))
        conflicts<<<1, 32>>>(ints);
    if (!strcmp(name, "flat"))
        flat<<<dim3(3, 2), dim3(7, 5)>>>(ints, 17, 9);
    if (!strcmp(name, "diverge"))
        diverge<<<1, 40>>>(ints);
    if (!strcmp(name, "warps"))
        warps<<<1, 64>>>(ints);
    if (!strcmp(name, "halves"))
        halves<<<1, 64>>>(ints);
    if (!strcmp(name, "inlined"))
        inlined<<<1, 32>>>(ints);
    if (!strcmp(name, "meet"))
        meet<<<1, 64>>>(ints);
    if (!strcmp(name, "missed"))
        missed<<<1, 32>>>(ints);
    if (!strcmp(name, "atomics"))
        atomics<<<2, 50>>>(ints, wide);
    if (!strcmp(name, "copies"))
        copies<<<1, 40>>>((float *)ints, (float *)ints + 256);
    if (!strcmp(name, "calls"))
        calls<<<1, 40>>>(ints);
    if (!strcmp(name, "names"))
        names<<<1, 96>>>(ints);
    if (!strcmp(name, "dynamic"))
        dynamic<<<1, 70, 70 * 4>>>(ints);
    if (!strcmp(name, "matrices"))
        matrices<<<1, 32>>>(ints);
    if (!strcmp(name, "no_barrier"))
        no_barrier<<<1, 64>>>(ints);
    if (!strcmp(name, "no_syncwarp"))
        no_syncwarp<<<1, 32>>>(ints);
    if (!strcmp(name, "no_order"))
        no_order<<<2, 40>>>(ints);
    if (!strcmp(name, "outside"))
        outside<<<1, 32>>>(ints, 100000);
    if (!strcmp(name, "unwritten"))
        unwritten<<<1, 64>>>(ints);
    if (!strcmp(name, "counts_up")) {
        puts("counts_up"); // this line shows a reader that the earlier launches have ended
        fflush(stdout);
        counts_up<<<1, 1>>>(ints);
    }
    if (!strcmp(name, "endless"))
        endless<<<1, 64>>>(ints);
}

// Three launches of a graph that was captured once.
static void launch_graph(const char *name)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    diverge<<<1, 40, 0, stream>>>(ints);
    calls<<<1, 40, 0, stream>>>(ints);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 3 && !strcmp(name, "graph"); i++)
        cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
}

// A copy in one stream, a kernel in another that reads the copied data, and a copy back. "crossed": nothing orders the
// two; "early": the host does not wait for the copy back.
static void run_streams(const char *way)
{
    const size_t half = N * sizeof *ints / 2;
    bool crossed = !strcmp(way, "crossed"), early = !strcmp(way, "early");
    cudaStream_t a, b;
    cudaEvent_t there;
    int *host;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&there);
    cudaMallocHost((void **)&host, half);
    for (size_t i = 0; i < half / sizeof *host; i++)
        host[i] = 7;
    cudaMemcpyAsync(ints, host, half, cudaMemcpyHostToDevice, a);
    cudaEventRecord(there, a);
    if (!crossed)
        cudaStreamWaitEvent(b, there, 0);
    diverge<<<1, 40, 0, b>>>(ints);
    cudaMemcpyAsync(host, ints, half, cudaMemcpyDeviceToHost, b);
    if (!early)
        cudaStreamSynchronize(b);
    *(volatile int *)host += 1;
}

// The host finds a wrong word; the trace names the thread that stored it.
__global__ void answer(int *out)
{
    out[threadIdx.x + blockIdx.x * blockDim.x] = 1;
    if (threadIdx.x == 35 && blockIdx.x == 1)
        out[75] = 2; // guilty
}

static void ask(const char *way)
{
    static int rows[2][N];
    answer<<<2, 40>>>(ints);
    if (!strcmp(way, "rows"))
        cudaMemcpy2D(rows, sizeof rows[0], ints + 70, 16, 12, 2, cudaMemcpyDeviceToHost);
    else
        cudaMemcpy(rows[0] + 1, ints, 100 * sizeof *ints, cudaMemcpyDeviceToHost);
    simt_wrong(!strcmp(way, "rows")        ? &rows[1][1]
               : !strcmp(way, "neighbour") ? &rows[0][75]
               : !strcmp(way, "beyond")    ? &rows[0][91]
               : !strcmp(way, "words")     ? NULL
                                           : &rows[0][76],
               "wrong: 2");
}

// ints: 1, 2, 3, ... on the device.
static void allocate(void)
{
    static int host[2 * N];
    for (int i = 0; i < 2 * N; i++)
        host[i] = i + 1;
    cudaMalloc((void **)&ints, sizeof host);
    cudaMemcpy(ints, host, sizeof host, cudaMemcpyHostToDevice);
}

int main(int argc, char **argv)
{
    int devices = 1;
    cudaGetDeviceCount(&devices);
    for (int device = 0; device < devices; device++) {
        cudaSetDevice(device);
        allocate();
        for (int i = 1; i < argc; i++) {
            if (!strcmp(argv[i], "exit")) {
                cudaDeviceSynchronize();
                _Exit(4);
            }
            if (!strcmp(argv[i], "graph"))
                launch_graph(argv[i]);
            if (!strcmp(argv[i], "answer") || !strcmp(argv[i], "neighbour") || !strcmp(argv[i], "rows") ||
                !strcmp(argv[i], "beyond") || !strcmp(argv[i], "words"))
                ask(argv[i]);
            if (!strcmp(argv[i], "refused"))
                cudaMemcpy(ints, NULL, 8, cudaMemcpyHostToDevice);
            if (!strcmp(argv[i], "crossed") || !strcmp(argv[i], "early") || !strcmp(argv[i], "in order"))
                run_streams(argv[i]);
            launch(argv[i]);
        }
        cudaError_t e = cudaDeviceSynchronize();
        if (e != cudaSuccess)
            printf("%s\n", cudaGetErrorString(e));
    }
    return 0;
}
