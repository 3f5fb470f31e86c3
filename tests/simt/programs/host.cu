// What host code uses of the runtime: constants, managed variables, symbols, streams, events, occupancy, stream
// capture, device printf, templates, recursion, function pointers, device malloc.
#include <vector>

#include "program.h"

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter;
__managed__ int shared_count = 5;

template <typename T, int N> struct vec {
    T at[N];
    __host__ __device__ T dot(const vec &o) const
    {
        T sum = 0;
        for (int i = 0; i < N; i++)
            sum += at[i] * o.at[i];
        return sum;
    }
};

template <typename T, int N> __global__ void dots(const vec<T, N> *a, const vec<T, N> *b, T *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = a[i].dot(b[i]);
}

__global__ void weigh(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] *= weights[i % 4];
    if (i == 0)
        atomicAdd(&counter, 1), shared_count += 2;
}

struct shape {
    __device__ virtual float area() const
    {
        return 0;
    }
};
struct square : shape {
    float side;
    __device__ square(float s) : side(s)
    {
    }
    __device__ float area() const override
    {
        return side * side;
    }
};
struct disc : shape {
    float radius;
    __device__ disc(float r) : radius(r)
    {
    }
    __device__ float area() const override
    {
        return 3 * radius * radius;
    }
};

__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ float twice(float x)
{
    return 2 * x;
}
__device__ float third(float x)
{
    return x / 3;
}

__global__ void objects(float *out)
{
    int t = threadIdx.x;
    shape *s = t % 2 ? (shape *)new square(t) : (shape *)new disc(t);
    float (*f)(float) = t % 3 ? twice : third;
    out[t] = f(s->area()) + fibonacci(t % 10);
    if (t % 2)
        delete (square *)s;
    else
        delete (disc *)s;
    if (t == 7)
        printf("thread %d of %s: %*.2f %lld %c\n", t, "objects", 5, s ? 1.5 : 0.0, 1ll << 40, 'x');
    auto lambda = [=] __device__(float x) { return x + out[t]; };
    out[t] = lambda(1.0f);
}

__device__ __noinline__ float rotated(float v, int by)
{
    __shared__ float ring[3000];
    ring[threadIdx.x] = v;
    __syncthreads();
    return ring[(threadIdx.x + by) % blockDim.x];
}

__global__ void rotate(float *v, int by)
{
    __shared__ float own[64];
    own[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    v[threadIdx.x] = rotated(own[63 - threadIdx.x], by);
}

__global__ void negate(float *v)
{
    __shared__ float own[64];
    own[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    v[threadIdx.x] = -own[63 - threadIdx.x];
}

// Shared memory of a function counts for the kernels that can call it, and for no other.
static void check_shared_memory()
{
    float *v = managed<float>(64);
    cudaFuncAttributes with, without;
    for (int i = 0; i < 64; i++)
        v[i] = (float)i;
    rotate<<<1, 64>>>(v, 5);
    negate<<<1, 64>>>(v);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        EXPECT(v[i] == -(float)(63 - (63 - i + 5) % 64));
    CUDA(cudaFuncGetAttributes(&with, rotate));
    CUDA(cudaFuncGetAttributes(&without, negate));
    EXPECT(with.sharedSizeBytes == 12256 && without.sharedSizeBytes == 256);
    CUDA(cudaFree(v));
}

static void check_templates()
{
    int n = 100;
    auto *a = managed<vec<double, 3>>(n), *b = managed<vec<double, 3>>(n);
    double *out = managed<double>(n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            a[i].at[k] = i + k, b[i].at[k] = i * k + 0.5;
    dots<double, 3><<<2, 32>>>(a, b, out, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT(out[i] == a[i].dot(b[i]));
    float *areas = managed<float>(32);
    objects<<<1, 32>>>(areas);
    CUDA(cudaDeviceSynchronize());
    const int fib[10] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
    for (int t = 0; t < 32; t++) {
        float area = t % 2 ? (float)t * t : 3.0f * t * t;
        EXPECT(areas[t] == (t % 3 ? 2 * area : area / 3) + fib[t % 10] + 1);
    }
}

static void check_streams()
{
    const int n = 1000;
    std::vector<float> host(n, 1.0f);
    float *d, other[4] = {2, 2, 2, 2};
    cudaStream_t s;
    cudaEvent_t start, stop;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    CUDA(cudaMallocAsync((void **)&d, n * sizeof(float), s));
    CUDA(cudaEventRecord(start, s));
    CUDA(cudaMemcpyAsync(d, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, s));
    weigh<<<4, 256, 0, s>>>(d, n);
    CUDA(cudaMemcpyToSymbolAsync(weights, other, sizeof other, 0, cudaMemcpyHostToDevice, s));
    weigh<<<4, 256, 0, s>>>(d, n);
    CUDA(cudaMemcpyAsync(host.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost, s));
    CUDA(cudaEventRecord(stop, s));
    CUDA(cudaEventSynchronize(stop));
    float ms = -1;
    int count = 0, least, block;
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    for (int i = 0; i < n; i++)
        EXPECT(host[i] == 2.0f * (i % 4 + 1));
    EXPECT(ms >= 0 && count == 2 && shared_count == 9);
    CUDA(cudaOccupancyMaxPotentialBlockSize(&least, &block, weigh, 0, 0));
    EXPECT(least > 0 && block >= 32 && block <= 1024);
    CUDA(cudaFreeAsync(d, s));
    CUDA(cudaStreamDestroy(s));
}

static void check_capture()
{
    const int n = 256;
    float *d, host[n];
    cudaStream_t s, side;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t fork, join;
    CUDA(cudaMalloc(&d, n * sizeof(float)));
    CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA(cudaStreamCreate(&side));
    CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CUDA(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    for (int i = 0; i < n; i++)
        host[i] = 1;
    CUDA(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaStreamSynchronize(0)); // s is non-blocking: it does not wait for the default stream
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    weigh<<<1, n, 0, s>>>(d, n);
    CUDA(cudaEventRecord(fork, s));
    CUDA(cudaStreamWaitEvent(side, fork, 0));
    weigh<<<1, n, 0, side>>>(d, n);
    CUDA(cudaEventRecord(join, side));
    CUDA(cudaStreamWaitEvent(s, join, 0));
    CUDA(cudaMemcpyAsync(host, d, sizeof host, cudaMemcpyDeviceToHost, s));
    CUDA(cudaStreamEndCapture(s, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT(host[5] == 1);
    for (int i = 0; i < 3; i++)
        CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaStreamSynchronize(s));
    for (int i = 0; i < n; i++)
        EXPECT(host[i] == 64.0f); // the weights are now 2: six times
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(d));
}

// Small allocations do not split the space of freed large ones, which the next large one can reuse.
static void check_space_of_freed_memory()
{
    const size_t large = 32 << 20;
    char *freed[9], *small[9], *again;
    for (int i = 0; i < 9; i++) {
        CUDA(cudaMalloc(&freed[i], large));
        CUDA(cudaFree(freed[i]));
    }
    for (int i = 0; i < 9; i++)
        CUDA(cudaMalloc(&small[i], large / 32));
    CUDA(cudaMalloc(&again, large));
    bool reused = false;
    for (int i = 0; i < 9; i++)
        reused |= again == freed[i];
    EXPECT(reused);
    CUDA(cudaFree(again));
    for (int i = 0; i < 9; i++)
        CUDA(cudaFree(small[i]));
}

int main()
{
    check_templates();
    check_shared_memory();
    check_streams();
    check_capture();
    check_space_of_freed_memory();
    return finish();
}
