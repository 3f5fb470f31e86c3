// The CUDA runtime API of the SIMT machine. Built by nvcc; linked with libsimt.a, or with the real runtime on a GPU:
// both must pass. What only the machine does (findings, several devices) is checked only on it.
//
// Exit 0: all checks hold. 1: each line on stdout says which did not.
#include <assert.h>
#include <cooperative_groups.h>
#include <cuda_profiler_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/simt/simt.h"

#define N 1000
#define BYTES (N * sizeof(int))

static int failures, checks;

static void check(bool ok, int line, const char *what)
{
    __atomic_add_fetch(&checks, 1, __ATOMIC_RELAXED);
    if (ok)
        return;
    __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
    printf("test_runtime.cu:%d: does not hold: %s\n", line, what);
}

static void check_result(cudaError_t got, cudaError_t wanted, int line, const char *call)
{
    char what[300];
    snprintf(what, sizeof what, "%s: got %s, wanted %s", call, cudaGetErrorName(got), cudaGetErrorName(wanted));
    check(got == wanted, line, what);
}

#if CUDART_VERSION >= 13000 // as seen on an H200
#define WRONG_CONFIGURATION cudaErrorInvalidValue
#define WRONG_FUNCTION cudaErrorInvalidResourceHandle
#else
#define WRONG_CONFIGURATION cudaErrorInvalidConfiguration
#define WRONG_FUNCTION cudaErrorInvalidDeviceFunction
#endif

#define CHECK(condition) check(condition, __LINE__, #condition)
#define OK(call) check_result(call, cudaSuccess, __LINE__, #call)
#define FAILS(error, call) (check_result(call, error, __LINE__, #call), (void)cudaGetLastError())

static bool on_simt(void)
{
    return simt_read != NULL;
}

// Whether the machine reported exactly `wanted` findings since the last call; true on a GPU.
static bool findings(uint64_t wanted)
{
    static uint64_t seen;
    uint64_t now = on_simt() ? simt_findings() : 0, before = seen;
    seen = now;
    return !on_simt() || now - before == wanted;
}

// ---- kernels

struct mixed {
    char a;
    double b;
    short c[3];
};

struct padded { // 7 bytes and 4 bytes of padding
    char a;
    double b;
    int c;
};

__device__ int device_value = 7;
__constant__ int constant_values[4];
__managed__ int managed_value = 3;
static __device__ int hidden_value;

__global__ void set(int *out, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}

__global__ void add(int *out, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += value;
}

__global__ void store_mixed(struct mixed *out, char before, struct mixed m, float after)
{
    out->a = m.a + before;
    out->b = m.b + after;
    for (int i = 0; i < 3; i++)
        out->c[i] = m.c[i];
}

__global__ void read_variables(int *out)
{
    out[0] = device_value;
    out[1] = constant_values[2];
    out[2] = managed_value;
    managed_value = 11;
    hidden_value = 13;
}

template <class T> __global__ void reverse(T *data, int n)
{
    extern __shared__ unsigned char raw[];
    T *cache = (T *)raw;
    cache[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = cache[n - 1 - threadIdx.x];
}

__global__ void static_shared(int *out)
{
    __shared__ int cache[300];
    cache[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = cache[blockDim.x - 1 - threadIdx.x];
}

__global__ void __launch_bounds__(128) bounded(int *out)
{
    out[threadIdx.x] = 1;
}

__global__ void all_threads(int *out)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    atomicAdd(out, 1);
    grid.sync();
    if (threadIdx.x == 0)
        out[1 + blockIdx.x] = *(volatile int *)out;
}

__global__ void store_padded(struct padded *out, int n)
{
    if (threadIdx.x < n) {
        out[threadIdx.x].a = 'x';
        out[threadIdx.x].b = 1.5;
        out[threadIdx.x].c = 2;
    }
}

__global__ void fault(void)
{
    *(volatile int *)16 = 1;
}

__global__ void refuse(int n)
{
    assert(n < 0);
}

// ---- arguments, variables

static bool all_equal(const int *d_values, int n, int wanted)
{
    int *values = (int *)malloc(n * sizeof(int));
    OK(cudaMemcpy(values, d_values, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool all = true;
    for (int i = 0; i < n; i++)
        all = all && values[i] == wanted;
    free(values);
    return all;
}

static void test_arguments(int *d_data)
{
    struct mixed m = {1, 2.5, {3, 4, 5}}, out;
    struct mixed *d_out;
    OK(cudaMalloc(&d_out, sizeof out));
    OK(cudaMemset(d_out, 0, sizeof out));
    store_mixed<<<1, 1>>>(d_out, 10, m, 0.25f);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(out.a == 11 && out.b == 2.75 && out.c[0] == 3 && out.c[2] == 5);
    OK(cudaFree(d_out));
    double numbers[64], *d_numbers;
    for (int i = 0; i < 64; i++)
        numbers[i] = i;
    OK(cudaMalloc((void **)&d_numbers, sizeof numbers));
    OK(cudaMemcpy(d_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    reverse<<<1, 64, sizeof numbers>>>(d_numbers, 64);
    OK(cudaMemcpy(numbers, d_numbers, sizeof numbers, cudaMemcpyDefault));
    CHECK(numbers[0] == 63 && numbers[63] == 0);
    OK(cudaFree(d_numbers));
    set<<<(N + 255) / 256, 256>>>(d_data, 42, N);
    CHECK(all_equal(d_data, N, 42));
}

static void test_variables(int *d_data)
{
    int values[4] = {1, 2, 3, 4}, got[4] = {0};
    void *address;
    size_t size;
    managed_value = 5;
    OK(cudaMemcpyToSymbol(constant_values, values, sizeof values));
    read_variables<<<1, 1>>>(d_data);
    OK(cudaMemcpy(got, d_data, 3 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(got[0] == 7 && got[1] == 3 && got[2] == 5 && managed_value == 11);
    OK(cudaMemcpyFromSymbol(got, hidden_value, sizeof(int)));
    CHECK(got[0] == 13);
    OK(cudaMemcpyToSymbol(constant_values, values, 2 * sizeof(int), 2 * sizeof(int)));
    OK(cudaMemcpyFromSymbol(got, constant_values, sizeof got, 0, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 1 && got[2] == 1 && got[3] == 2);
    OK(cudaGetSymbolSize(&size, constant_values));
    OK(cudaGetSymbolAddress(&address, device_value));
    CHECK(size == sizeof values);
    OK(cudaMemcpy(got, address, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(got[0] == 7);
    OK(cudaGetSymbolAddress(&address, managed_value));
    CHECK(address == &managed_value);
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(constant_values, values, sizeof values, 4));
    FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, (const void *)&size));
}

// ---- memory

static void test_allocation(void)
{
    void *p = &p, *q;
    size_t free_before, free_after, total, pitch;
    OK(cudaMalloc(&p, 0));
    CHECK(p == NULL);
    OK(cudaFree(NULL));
    OK(cudaMallocHost(&q, 0));
    OK(cudaMallocAsync(&q, 0, 0));
    OK(cudaMalloc(&p, 1));
    OK(cudaMalloc(&q, 1));
    CHECK((uintptr_t)p % 256 == 0 && (uintptr_t)q % 256 == 0 && p != q);
    OK(cudaFree(q));
    FAILS(cudaErrorInvalidValue, cudaFree((char *)p + 1));
    CHECK(findings(1));
    OK(cudaFree(p));
    FAILS(cudaErrorInvalidValue, cudaFree(p));
    CHECK(findings(1));
    FAILS(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)1 << 50));
    OK(cudaMemGetInfo(&free_before, &total));
    OK(cudaMalloc(&p, 64 << 20));
    OK(cudaMemGetInfo(&free_after, &total));
    CHECK(free_before - free_after >= 64 << 20 && free_before <= total);
    OK(cudaFree(p));
    OK(cudaMallocPitch(&p, &pitch, 100, 10));
    CHECK(pitch >= 100 && pitch % 256 == 0);
    OK(cudaFree(p));
    CHECK(findings(0));
}

static void test_registered(void)
{
    static int words[N + 1];
    struct cudaPointerAttributes a;
    int *mapped, *d_copy;
    unsigned flags;
    FAILS(cudaErrorInvalidValue, cudaHostRegister(words, sizeof words, 1u << 30));
    FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer(&mapped, words, 0));
    OK(cudaHostRegister(words + 1, BYTES, cudaHostRegisterMapped));
    FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(words, sizeof words, 0));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(words + 1));
    CHECK(findings(1));
    OK(cudaHostGetFlags(&flags, words + 1));
    OK(cudaHostGetDevicePointer(&mapped, words + 2, 0));
    OK(cudaPointerGetAttributes(&a, words + 2));
    CHECK(!on_simt() || flags == cudaHostRegisterMapped);
    CHECK(a.type == cudaMemoryTypeHost && a.devicePointer == mapped);
    words[1] = 5;
    add<<<1, 1>>>(mapped - 1, 3, 1);
    OK(cudaDeviceSynchronize());
    CHECK(words[1] == 8 && findings(0));
    OK(cudaMalloc(&d_copy, BYTES));
    OK(cudaMemcpyAsync(d_copy, words + 1, BYTES, cudaMemcpyHostToDevice, 0));
    OK(cudaStreamSynchronize(0));
    if (on_simt()) // one word too many
        FAILS(cudaErrorInvalidValue, cudaMemcpy(d_copy, words + 2, BYTES, cudaMemcpyHostToDevice));
    OK(cudaFree(d_copy));
    FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(words + 2));
    OK(cudaHostUnregister(words + 1));
    OK(cudaHostRegister(words, sizeof words, 0)); // replaces the first
    words[0] = 1;
    add<<<1, 1>>>(words, 1, 1);
    OK(cudaDeviceSynchronize());
    CHECK(words[0] == 2 && words[1] == 8);
    OK(cudaHostUnregister(words));
    CHECK(findings(0));
}

__global__ void fetch(cudaTextureObject_t texture, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x);
}

__global__ void fetch_new(cudaTextureObject_t texture, int *data, int *out)
{
    data[threadIdx.x] = 7;
    __syncthreads();
    out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x);
}

static cudaError_t open_texture(cudaTextureObject_t *out, void *p, size_t size, enum cudaResourceType type, int bits)
{
    struct cudaResourceDesc resource;
    struct cudaTextureDesc sampler;
    memset(&resource, 0, sizeof resource);
    memset(&sampler, 0, sizeof sampler);
    resource.resType = type;
    resource.res.linear.devPtr = p;
    resource.res.linear.sizeInBytes = size;
    resource.res.linear.desc = cudaCreateChannelDesc(bits, 0, 0, 0, cudaChannelFormatKindSigned);
    return cudaCreateTextureObject(out, &resource, &sampler, NULL);
}

// A fetch is checked like a load.
static void test_textures(void)
{
    cudaTextureObject_t t;
    int *d_in, *d_out;
    OK(cudaMalloc(&d_in, BYTES));
    OK(cudaMalloc(&d_out, BYTES));
    if (on_simt()) {
        FAILS(cudaErrorInvalidChannelDescriptor, open_texture(&t, d_in, BYTES, cudaResourceTypeLinear, 31));
        FAILS(cudaErrorNotSupported, open_texture(&t, d_in, BYTES, cudaResourceTypeMipmappedArray, 32));
    }
    OK(open_texture(&t, d_in, BYTES, cudaResourceTypeLinear, 32));
    fetch<<<1, 32>>>(t, d_out);
    OK(cudaDeviceSynchronize());
    CHECK(findings(32)); // it was never written
    OK(cudaMemset(d_in, 1, BYTES));
    fetch<<<1, 32>>>(t, d_out);
    CHECK(all_equal(d_out, 32, 0x01010101) && findings(0));
    fetch_new<<<1, 32>>>(t, d_in, d_out);
    OK(cudaDeviceSynchronize());
    CHECK(findings(32)); // the kernel itself has written it
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(d_in));
    OK(cudaFree(d_out));
}

static void test_pointers(void)
{
    struct cudaPointerAttributes a;
    int *p, *mapped, on_stack;
    OK(cudaMalloc(&p, BYTES));
    OK(cudaPointerGetAttributes(&a, p + 1));
    CHECK(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == p + 1);
    OK(cudaFree(p));
    OK(cudaMallocHost(&p, BYTES));
    OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == p);
    OK(cudaHostGetDevicePointer(&mapped, p, 0));
    set<<<4, 256>>>(mapped, 8, N);
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 8 && p[N - 1] == 8);
    OK(cudaFreeHost(p));
    OK(cudaMallocManaged(&p, BYTES));
    OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeManaged);
    p[0] = 1;
    add<<<1, 1>>>(p, 4, 1);
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 5);
    OK(cudaFree(p));
    OK(cudaPointerGetAttributes(&a, &on_stack));
    CHECK(a.type == cudaMemoryTypeUnregistered && a.devicePointer == NULL);
    OK(cudaHostRegister(&on_stack, sizeof on_stack, cudaHostRegisterDefault));
    OK(cudaPointerGetAttributes(&a, &on_stack));
    CHECK(a.type == cudaMemoryTypeHost);
    FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(&on_stack, sizeof on_stack, cudaHostRegisterDefault));
    OK(cudaHostUnregister(&on_stack));
    FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(&on_stack));
}

static void test_copies(int *d_data)
{
    int from[N], to[N];
    int *d_other;
    OK(cudaMalloc(&d_other, BYTES));
    for (int i = 0; i < N; i++)
        from[i] = 3 * i;
    OK(cudaMemcpy(d_data, from, BYTES, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d_other, d_data, BYTES, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpyAsync(to, d_other, BYTES, cudaMemcpyDefault));
    OK(cudaStreamSynchronize(0));
    CHECK(!memcmp(from, to, BYTES));
    OK(cudaMemset(d_data, 0x11, BYTES));
    CHECK(all_equal(d_data, N, 0x11111111));
    OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(d_data, from, (size_t)1 << 40, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(to, from, 4, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(to, from, 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(to, d_data, 4, (enum cudaMemcpyKind)9));
    FAILS(cudaErrorInvalidValue, cudaMemset(NULL, 0, 4));
    if (on_simt()) {
        FAILS(cudaErrorInvalidValue, cudaMemcpy(to, d_data, BYTES + 4, cudaMemcpyDeviceToHost));
        FAILS(cudaErrorInvalidValue, cudaMemset(d_data + 1, 0, BYTES));
    }
    OK(cudaFree(d_other));
}

static void test_boxes(void)
{
    enum { WIDTH = 5, HEIGHT = 4, DEPTH = 3 };
    char from[DEPTH][HEIGHT][WIDTH], to[DEPTH][HEIGHT][WIDTH];
    char *d_rows;
    size_t pitch;
    memset(to, 0, sizeof to);
    for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
        (&from[0][0][0])[i] = (char)(i + 1);
    OK(cudaMallocPitch(&d_rows, &pitch, WIDTH, HEIGHT));
    OK(cudaMemcpy2D(d_rows, pitch, from, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    OK(cudaMemset2D(d_rows + pitch, pitch, 99, 2, 2));
    OK(cudaMemcpy2D(to, WIDTH, d_rows, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
    CHECK(to[0][0][4] == from[0][0][4] && to[0][1][0] == 99 && to[0][2][1] == 99 && to[0][3][0] == from[0][3][0]);
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(d_rows, pitch, from, 2, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    OK(cudaFree(d_rows));
    struct cudaPitchedPtr box;
    struct cudaExtent extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    struct cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    OK(cudaMalloc3D(&box, extent));
    p.srcPtr = make_cudaPitchedPtr(from, WIDTH, WIDTH, HEIGHT);
    p.dstPtr = box;
    p.extent = extent;
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    p.srcPtr = box;
    p.dstPtr = make_cudaPitchedPtr(to, WIDTH, WIDTH, HEIGHT);
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    CHECK(!memcmp(from, to, sizeof from));
    OK(cudaMemset3D(box, 7, extent));
    OK(cudaFree(box.ptr));
}

static void test_pools(void)
{
    cudaStream_t stream;
    cudaMemPool_t pool;
    uint64_t threshold = UINT64_MAX;
    int *d_values;
    OK(cudaStreamCreate(&stream));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(threshold == UINT64_MAX);
    OK(cudaMallocAsync(&d_values, BYTES, stream));
    set<<<4, 256, 0, stream>>>(d_values, 5, N);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess && all_equal(d_values, N, 5));
    uint64_t used = 0, most = 0;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == BYTES); // and nothing of cudaMalloc
    OK(cudaFreeAsync(d_values, stream));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most));
    CHECK(used == 0 && most == BYTES);
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
}

// Unwritten memory must not be read; padding may be.
static void test_unwritten(void)
{
    int values[N];
    struct padded structs[64];
    struct mixed m;
    int *d_values;
    struct padded *d_structs;
    struct mixed *d_mixed;
    OK(cudaMalloc(&d_values, BYTES));
    OK(cudaMemcpy(values, d_values, BYTES, cudaMemcpyDeviceToHost));
    CHECK(findings(1));
    set<<<4, 256>>>(d_values, 1, N - 8);
    OK(cudaMemcpy(values, d_values, BYTES, cudaMemcpyDeviceToHost));
    CHECK(findings(1));
    OK(cudaMemcpy(values, d_values, (N - 8) * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(findings(0));
    OK(cudaMemset(d_values, 0, BYTES));
    OK(cudaMemcpy(values, d_values, BYTES, cudaMemcpyDeviceToHost));
    CHECK(findings(0));
    OK(cudaMalloc(&d_structs, sizeof structs));
    store_padded<<<1, 64>>>(d_structs, 63);
    OK(cudaMemcpy(structs, d_structs, sizeof structs - sizeof *structs, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(structs, d_structs + 7, sizeof *structs, cudaMemcpyDeviceToHost));
    CHECK(findings(0));
    OK(cudaMemcpy(structs, d_structs, sizeof structs, cudaMemcpyDeviceToHost));
    CHECK(findings(1));
    OK(cudaMalloc(&d_mixed, sizeof m));
    store_mixed<<<1, 1>>>(d_mixed, 1, (struct mixed){1, 2, {3, 4, 5}}, 1);
    OK(cudaMemcpy(&m, d_mixed, sizeof m, cudaMemcpyDeviceToHost));
    CHECK(findings(0));
    OK(cudaFree(d_values));
    OK(cudaFree(d_structs));
    OK(cudaFree(d_mixed));
}

// ---- devices

static int attribute(enum cudaDeviceAttr which)
{
    int value = -1;
    OK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static void test_devices(void)
{
    struct cudaDeviceProp p;
    int count, device, version;
    size_t limit, total, left;
    OK(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    OK(cudaGetDeviceProperties(&p, 0));
    OK(cudaMemGetInfo(&left, &total));
    CHECK(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.major == 9 && p.minor == 0 && p.name[0]);
    CHECK(p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
    CHECK(p.sharedMemPerBlock == 48 << 10 && attribute(cudaDevAttrMaxSharedMemoryPerBlock) == 48 << 10);
    CHECK(p.sharedMemPerBlockOptin == 227 << 10 && attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == 227 << 10);
    CHECK(p.cooperativeLaunch == 1 && attribute(cudaDevAttrCooperativeLaunch) == 1);
    CHECK(p.persistingL2CacheMaxSize > 0 && p.persistingL2CacheMaxSize < p.l2CacheSize);
    CHECK(p.accessPolicyMaxWindowSize == attribute(cudaDevAttrMaxAccessPolicyWindowSize));
    CHECK(p.maxGridSize[1] == attribute(cudaDevAttrMaxGridDimY) && attribute(cudaDevAttrClockRate) > 0);
    CHECK(p.totalGlobalMem == total);
    CHECK(p.maxThreadsPerMultiProcessor == 2048 && p.regsPerBlock == 65536);
    FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, count));
    FAILS(cudaErrorInvalidDevice, cudaSetDevice(count));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&device, (enum cudaDeviceAttr)0, 0));
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    OK(cudaRuntimeGetVersion(&version));
    CHECK(version == CUDART_VERSION);
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    CHECK(limit == 32 << 20);
    OK(cudaProfilerStart());
}

// A launch needs a stream of the current device, an event one of its own device; copies and waits may use any.
static void test_streams_of_two_devices(int *d_first, int *d_second)
{
    cudaStream_t first, second;
    cudaEvent_t event, other;
    float ms;
    OK(cudaSetDevice(0));
    OK(cudaStreamCreate(&first));
    OK(cudaEventCreate(&event));
    OK(cudaSetDevice(1));
    OK(cudaStreamCreate(&second));
    OK(cudaEventCreate(&other));
    add<<<1, 1, 0, first>>>(d_first, 1, 1);
    FAILS(cudaErrorInvalidResourceHandle, cudaGetLastError());
    add<<<1, 1, 0, second>>>(d_second, 1, 1);
    OK(cudaGetLastError());
    FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(event, second));
    OK(cudaEventRecord(event, first));
    OK(cudaEventRecord(other, second));
    OK(cudaStreamWaitEvent(first, other, 0));
    OK(cudaMemcpyAsync(d_second, d_first, sizeof(int), cudaMemcpyDefault, first));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamSynchronize(first));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, other));
    OK(cudaSetDevice(0));
    add<<<1, 1, 0, first>>>(d_first, 1, 1);
    OK(cudaGetLastError());
    OK(cudaStreamDestroy(first));
    OK(cudaStreamDestroy(second));
    OK(cudaEventDestroy(event));
    OK(cudaEventDestroy(other));
}

// With SIMT_DEVICES=2: each device has its own memory and variables, and can reach those of the other.
static void test_two_devices(void)
{
    int count, can, value = 21, *d_first, *d_second;
    OK(cudaGetDeviceCount(&count));
    if (!on_simt() || count < 2)
        return;
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can);
    OK(cudaMalloc(&d_first, sizeof value));
    OK(cudaSetDevice(1));
    OK(cudaDeviceEnablePeerAccess(0, 0));
    FAILS(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(0, 0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
    OK(cudaMalloc(&d_second, sizeof value));
    OK(cudaMemcpyToSymbol(device_value, &value, sizeof value));
    set<<<1, 1>>>(d_second, 5, 1);
    OK(cudaMemcpyPeer(d_first, 0, d_second, 1, sizeof value));
    add<<<1, 1>>>(d_first, 1, 1);
    CHECK(all_equal(d_first, 1, 6));
    managed_value = 77;
    int *d_out;
    OK(cudaMalloc(&d_out, 3 * sizeof(int)));
    read_variables<<<1, 1>>>(d_out);
    OK(cudaMemcpyFromSymbol(&value, device_value, sizeof value));
    CHECK(value == 21 && managed_value == 11);
    OK(cudaSetDevice(0));
    OK(cudaMemcpyFromSymbol(&value, device_value, sizeof value));
    CHECK(value == 7);
    test_streams_of_two_devices(d_first, d_second);
    OK(cudaFree(d_first));
    OK(cudaFree(d_second));
    OK(cudaFree(d_out));
}

// ---- launches

static void test_configurations(int *d_data)
{
    set<<<1, 1025>>>(d_data, 1, N);
    CHECK(cudaPeekAtLastError() == WRONG_CONFIGURATION);
    CHECK(cudaGetLastError() == WRONG_CONFIGURATION && cudaGetLastError() == cudaSuccess);
    set<<<0, 32>>>(d_data, 1, N);
    CHECK(cudaGetLastError() == WRONG_CONFIGURATION);
    set<<<dim3(1, 65536), 32>>>(d_data, 1, N);
    CHECK(cudaGetLastError() == WRONG_CONFIGURATION);
    set<<<1, dim3(1, 1, 65)>>>(d_data, 1, N);
    CHECK(cudaGetLastError() == WRONG_CONFIGURATION);
    bounded<<<1, 256>>>(d_data);
    CHECK(cudaGetLastError() == WRONG_CONFIGURATION);
    set<<<1, 32, 49 << 10>>>(d_data, 1, N);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    OK(cudaDeviceSynchronize());
    FAILS(WRONG_FUNCTION, cudaLaunchKernel((void *)printf, 1, 1, NULL, 0, 0));
    OK(cudaFuncSetAttribute(reverse<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
    OK(cudaMemset(d_data, 0, BYTES));
    reverse<<<1, 64, 100 << 10>>>(d_data, 64);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    FAILS(cudaErrorInvalidValue,
          cudaFuncSetAttribute(reverse<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10));
}

static void test_cooperative(void)
{
    int *d_out, *d_first, values[17] = {0};
    void *args[] = {&d_out};
    int blocks = 0;
    OK(cudaMalloc(&d_out, sizeof values));
    d_first = d_out;
    OK(cudaMemset(d_out, 0, sizeof values));
    OK(cudaLaunchCooperativeKernel((const void *)all_threads, 16, 64, args, 0, 0));
    OK(cudaMemcpy(values, d_out, sizeof values, cudaMemcpyDeviceToHost));
    CHECK(values[0] == 16 * 64 && values[1] == 16 * 64 && values[16] == 16 * 64);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, all_threads, 64, 0));
    blocks = blocks * attribute(cudaDevAttrMultiProcessorCount) + 1;
    FAILS(cudaErrorCooperativeLaunchTooLarge,
          cudaLaunchCooperativeKernel((const void *)all_threads, blocks, 64, args, 0, 0));
    cudaLaunchAttribute attributes[2];
    memset(attributes, 0, sizeof attributes);
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    config.attrs = attributes;
    config.numAttrs = 1;
    OK(cudaMemset(d_out, 0, sizeof values));
    OK(cudaLaunchKernelEx(&config, all_threads, d_out));
    OK(cudaMemcpy(values, d_out, sizeof values, cudaMemcpyDeviceToHost));
    CHECK(values[0] == 4 * 32 && values[4] == 4 * 32);
    config.attrs = attributes + 1;
    OK(cudaLaunchKernelEx(&config, set, d_out, 3, 1));
    CHECK(all_equal(d_out, 1, 3));
    OK(cudaFree(d_first));
}

static void test_functions(void)
{
    struct cudaFuncAttributes a;
    int blocks, grid, block, fewer;
    size_t shared;
    OK(cudaFuncGetAttributes(&a, static_shared));
    CHECK(a.sharedSizeBytes == 1200 && a.maxThreadsPerBlock == 1024 && a.numRegs >= 1 && a.numRegs <= 255);
    CHECK(a.maxDynamicSharedSizeBytes == (48 << 10) - 1200);
    CHECK(a.constSizeBytes == sizeof constant_values);
    OK(cudaFuncGetAttributes(&a, bounded));
    CHECK(a.maxThreadsPerBlock == 128);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, static_shared, 256, 0));
    CHECK(blocks == 8);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
    CHECK(blocks == 8);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, set, 2000, 0));
    CHECK(blocks == 0);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, reverse<int>, 256, 100 << 10));
    CHECK(fewer == 2);
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, static_shared));
    CHECK(block == 1024 && grid == 2 * attribute(cudaDevAttrMultiProcessorCount));
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, set, 8, 256));
    CHECK(shared > 20 << 10 && shared <= 48 << 10);
    FAILS(WRONG_FUNCTION, cudaFuncGetAttributes(&a, (const void *)printf));
}

// ---- streams, events

static void count_call(void *data)
{
    ++*(int *)data;
}

static void count_callback(cudaStream_t stream, cudaError_t status, void *data)
{
    *(int *)data += stream != 0 && status == cudaSuccess ? 10 : 1000;
}

static void test_streams(int *d_data)
{
    cudaStream_t stream, urgent;
    cudaEvent_t start, end, plain;
    float ms = -1;
    int calls = 0, priority;
    unsigned flags;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithPriority(&urgent, cudaStreamDefault, -1));
    OK(cudaStreamGetFlags(stream, &flags));
    OK(cudaStreamGetPriority(urgent, &priority));
    CHECK(flags == cudaStreamNonBlocking && priority == -1);
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    OK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, end));
    OK(cudaEventSynchronize(start));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(0));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventSynchronize(0));
    OK(cudaEventRecord(start, stream));
    set<<<4, 256, 0, stream>>>(d_data, 1, N);
    OK(cudaLaunchHostFunc(stream, count_call, &calls));
    OK(cudaStreamAddCallback(stream, count_callback, &calls, 0));
    OK(cudaEventRecord(end, stream));
    OK(cudaStreamWaitEvent(urgent, end));
    add<<<4, 256, 0, urgent>>>(d_data, 2, N);
    OK(cudaEventRecord(plain, urgent));
    CHECK(cudaEventQuery(plain) == cudaErrorNotReady && cudaEventQuery(plain) == cudaSuccess); // then true
    OK(cudaEventSynchronize(plain));
    OK(cudaEventQuery(end));
    OK(cudaStreamQuery(stream));
    add<<<4, 256, 0, stream>>>(d_data, 0, N);
    CHECK(cudaStreamQuery(stream) == cudaErrorNotReady && cudaGetLastError() == cudaSuccess);
    OK(cudaStreamQuery(stream));
    OK(cudaEventElapsedTime(&ms, start, end));
    CHECK(ms >= 0 && ms < 60000 && calls == 11);
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, plain));
    CHECK(all_equal(d_data, N, 3));
    set<<<4, 256, 0, cudaStreamPerThread>>>(d_data, 9, N);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    CHECK(all_equal(d_data, N, 9));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(end));
    OK(cudaEventDestroy(plain));
    OK(cudaStreamDestroy(urgent));
    OK(cudaStreamDestroy(stream));
    if (on_simt()) { // undefined in CUDA
        FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
        FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(start));
    }
}

// ---- capture

static void test_capture(int *d_data)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    enum cudaStreamCaptureStatus status;
    int value = 1, calls = 0;
    size_t count = 0;
    OK(cudaStreamCreate(&stream));
    OK(cudaMemset(d_data, 0, BYTES));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaStreamIsCapturing(stream, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    OK(cudaMemsetAsync(d_data, 0, BYTES / 2, stream));
    add<<<4, 256, 0, stream>>>(d_data, value, N);
    value = 1000; // a graph keeps its own copy
    add<<<4, 256, 0, stream>>>(d_data, 1, N / 2);
    OK(cudaLaunchHostFunc(stream, count_call, &calls));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphGetNodes(graph, NULL, &count));
    CHECK(count == 4 && calls == 0);
    CHECK(all_equal(d_data, N, 0));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(calls == 3 && all_equal(d_data, N / 2, 2) && all_equal(d_data + N / 2, N / 2, 3));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaStreamDestroy(stream));
}

// Another stream joins the capture through an event and must come back through one.
static void test_fork(int *d_data)
{
    cudaStream_t main_stream, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&main_stream));
    OK(cudaStreamCreate(&side));
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    for (int joined = 0; joined < 2; joined++) {
        OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeThreadLocal));
        set<<<4, 256, 0, main_stream>>>(d_data, 1, N);
        OK(cudaEventRecord(fork, main_stream));
        OK(cudaStreamWaitEvent(side, fork));
        add<<<2, 256, 0, side>>>(d_data, 10, N / 2);
        add<<<2, 256, 0, main_stream>>>(d_data + N / 2, 20, N / 2);
        OK(cudaEventRecord(join, side));
        if (joined)
            OK(cudaStreamWaitEvent(main_stream, join));
        cudaError_t e = cudaStreamEndCapture(main_stream, &graph);
        CHECK(e == (joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
        (void)cudaGetLastError();
    }
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, main_stream));
    OK(cudaStreamSynchronize(main_stream));
    CHECK(all_equal(d_data, N / 2, 11) && all_equal(d_data + N / 2, N / 2, 21));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
    OK(cudaStreamDestroy(side));
    OK(cudaStreamDestroy(main_stream));
}

// A side stream may be destroyed once others have joined it: its work stays captured.
static void test_destroyed_fork(int *d_data)
{
    for (int joined = 0; joined < 2; joined++) {
        cudaStream_t stream, side;
        cudaEvent_t fork, join;
        cudaGraph_t graph;
        OK(cudaStreamCreate(&stream));
        OK(cudaStreamCreate(&side));
        OK(cudaEventCreate(&fork));
        OK(cudaEventCreate(&join));
        OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        OK(cudaEventRecord(fork, stream));
        OK(cudaStreamWaitEvent(side, fork));
        set<<<4, 256, 0, side>>>(d_data, 3, N);
        OK(cudaEventRecord(join, side));
        if (joined)
            OK(cudaStreamWaitEvent(stream, join));
        OK(cudaStreamDestroy(side));
        OK(cudaEventDestroy(join));
        cudaError_t e = cudaStreamEndCapture(stream, &graph);
        CHECK(e == (joined ? cudaSuccess : cudaErrorStreamCaptureInvalidated));
        (void)cudaGetLastError();
        if (!e)
            OK(cudaGraphDestroy(graph));
        OK(cudaEventDestroy(fork));
        OK(cudaStreamDestroy(stream));
    }
}

// Each of these calls is forbidden during a capture and ends it.
static void test_illegal_capture(int *d_data)
{
    for (int which = 0; which < 6; which++) {
        cudaStream_t stream;
        cudaGraph_t graph = NULL;
        void *p;
        int value;
        OK(cudaStreamCreate(&stream));
        OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        set<<<4, 256, 0, stream>>>(d_data, 1, N);
        cudaError_t e = cudaSuccess, wanted = cudaErrorStreamCaptureUnsupported;
        if (which == 0)
            e = cudaStreamSynchronize(stream);
        else if (which == 1)
            e = cudaMalloc(&p, 4);
        else if (which == 2)
            e = cudaDeviceSynchronize();
        else if (which == 3) {
            e = cudaMemcpy(&value, d_data, 4, cudaMemcpyDeviceToHost);
            wanted = cudaErrorStreamCaptureImplicit;
        } else if (which == 4) {
            set<<<4, 256>>>(d_data, 1, N); // the legacy stream waits for blocking streams
            e = cudaGetLastError();
            wanted = cudaErrorStreamCaptureImplicit;
        } else
            e = cudaStreamQuery(stream);
        char what[60];
        snprintf(what, sizeof what, "illegal call %d in a capture", which);
        check_result(e, wanted, __LINE__, what);
        (void)cudaGetLastError();
        FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
        CHECK(graph == NULL);
        OK(cudaStreamDestroy(stream));
    }
    cudaStream_t stream;
    cudaGraph_t graph;
    void *p;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&p, 4));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(p));
    FAILS(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
    FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    OK(cudaStreamDestroy(stream));
}

// ---- host threads

static void *thread_work(void *data)
{
    int id = *(int *)data, *d_values;
    cudaStream_t stream;
    CHECK(cudaGetLastError() == cudaSuccess);
    OK(cudaStreamCreate(&stream));
    OK(cudaMalloc(&d_values, BYTES));
    for (int i = 0; i < 20; i++) {
        set<<<4, 256, 0, stream>>>(d_values, id, N);
        add<<<4, 256, 0, stream>>>(d_values, i, N);
        OK(cudaStreamSynchronize(stream));
        CHECK(all_equal(d_values, N, id + i));
    }
    if (id == 1) // the others must not see it
        FAILS(cudaErrorInvalidValue, cudaMemset(NULL, 0, 1));
    OK(cudaFree(d_values));
    OK(cudaStreamDestroy(stream));
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[4];
    int ids[4];
    for (int i = 0; i < 4; i++) {
        ids[i] = i;
        pthread_create(&threads[i], NULL, thread_work, &ids[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

// ---- errors

// A kernel's failure appears when the host waits, and stays.
static void test_lasting_error(cudaError_t wanted, int *d_data)
{
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    if (wanted == cudaErrorAssert)
        refuse<<<1, 32>>>(1);
    else
        fault<<<1, 32>>>();
    OK(cudaGetLastError());
    check_result(cudaDeviceSynchronize(), wanted, __LINE__, "first wait");
    check_result(cudaPeekAtLastError(), wanted, __LINE__, "peek");
    check_result(cudaGetLastError(), wanted, __LINE__, "get");
    check_result(cudaGetLastError(), cudaSuccess, __LINE__, "get again");
    check_result(cudaDeviceSynchronize(), wanted, __LINE__, "second wait");
    check_result(cudaMemset(d_data, 0, 4), wanted, __LINE__, "memset");
    (void)cudaGetLastError();
    set<<<1, 1>>>(d_data, 1, 1);
    check_result(cudaGetLastError(), wanted, __LINE__, "launch");
    cudaEvent_t event;
    check_result(cudaEventCreate(&event), wanted, __LINE__, "event");
    int count, device;
    OK(cudaGetDeviceCount(&count));
    OK(cudaGetDevice(&device));
}

// Copies between host and device count once each, in their direction. Those within a device count the sectors that they
// read and write, row by row.
static void test_counted_copies(int *d_data)
{
    int word = 0;
    struct simt_counters before, after;
    if (!on_simt())
        return;
    simt_read(&before);
    OK(cudaMemcpy(d_data, &word, sizeof word, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d_data, &word, sizeof word, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d_data + 1, d_data, sizeof word, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(&word, d_data, sizeof word, cudaMemcpyDeviceToHost));
    simt_read(&after);
    CHECK(after.host_writes == before.host_writes + 2);
    CHECK(after.host_reads == before.host_reads + 1);
    CHECK(after.copied_sectors == before.copied_sectors + 2);
    int *rows;
    OK(cudaMalloc(&rows, 256 * sizeof *rows));
    OK(cudaMemset(rows, 0, 256 * sizeof *rows));
    simt_read(&before);
    OK(cudaMemcpyAsync(rows, rows + 128, 128 * sizeof *rows, cudaMemcpyDeviceToDevice, 0)); // 16 sectors, and 16
    OK(cudaMemcpy2D(rows, 8, rows + 128, 64, 4, 8, cudaMemcpyDeviceToDevice)); // words 64 bytes apart: 8 rows
    simt_read(&after);
    CHECK(after.copied_sectors == before.copied_sectors + 32 + 16);
    OK(cudaFree(rows));
}

// So do copies from and to page-locked and managed memory, whatever their direction argument.
static void test_counted_copies_of_shared_memory(int *d_data)
{
    int *locked, *managed;
    struct simt_counters before, after;
    if (!on_simt())
        return;
    OK(cudaMallocHost(&locked, sizeof *locked));
    OK(cudaMallocManaged(&managed, sizeof *managed));
    OK(cudaMemset(d_data, 0, sizeof *d_data));
    simt_read(&before);
    OK(cudaMemcpy(locked, d_data, sizeof *locked, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(managed, d_data, sizeof *managed, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(d_data, managed, sizeof *managed, cudaMemcpyDefault));
    OK(cudaMemcpy(locked, managed, sizeof *locked, cudaMemcpyDefault));
    simt_read(&after);
    CHECK(after.host_reads == before.host_reads + 2);
    CHECK(after.host_writes == before.host_writes + 1);
    OK(cudaFreeHost(locked));
    OK(cudaFree(managed));
}

// The allocation before another, and an index that is off by a row, or by the whole size. Copies concurrent with a
// kernel: of page-locked memory on another stream, but not on the same stream or of pageable memory.
static uint64_t overlaps_of(int *d_data, int *d_other, const int *from, bool same)
{
    struct simt_counters before, after;
    cudaStream_t a, b;
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    simt_read(&before);
    set<<<4, 256, 0, a>>>(d_data, 6, N);
    OK(cudaMemcpyAsync(d_other, from, BYTES, cudaMemcpyHostToDevice, same ? a : b));
    OK(cudaDeviceSynchronize());
    simt_read(&after);
    OK(cudaStreamDestroy(b));
    OK(cudaStreamDestroy(a));
    return after.overlaps - before.overlaps;
}

// The kernel comes after the copy, and waits for it or not. With `before`, another kernel precedes the copy.
static uint64_t overlaps_with_later(int *d_data, int *d_other, const int *pinned, bool before, bool waits)
{
    struct simt_counters first, last;
    cudaStream_t a, b;
    cudaEvent_t copied;
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    simt_read(&first);
    if (before)
        set<<<4, 256, 0, a>>>(d_data, 6, N);
    OK(cudaMemcpyAsync(d_other, pinned, BYTES, cudaMemcpyHostToDevice, b));
    OK(cudaEventRecord(copied, b));
    if (waits)
        OK(cudaStreamWaitEvent(a, copied, 0));
    set<<<4, 256, 0, a>>>(d_data, 6, N);
    OK(cudaDeviceSynchronize());
    simt_read(&last);
    OK(cudaEventDestroy(copied));
    OK(cudaStreamDestroy(b));
    OK(cudaStreamDestroy(a));
    return last.overlaps - first.overlaps;
}

static void test_counted_overlaps(int *d_data)
{
    static int pageable[N];
    int *pinned, *d_other;
    if (!on_simt())
        return;
    OK(cudaMallocHost(&pinned, BYTES));
    OK(cudaMalloc(&d_other, BYTES));
    memset(pinned, 0, BYTES);
    CHECK(overlaps_of(d_data, d_other, pinned, false) == 1);
    CHECK(overlaps_of(d_data, d_other, pinned, true) == 0);
    CHECK(overlaps_of(d_data, d_other, pageable, false) == 0);
    CHECK(overlaps_with_later(d_data, d_other, pinned, false, false) == 1);
    CHECK(overlaps_with_later(d_data, d_other, pinned, false, true) == 0);
    CHECK(overlaps_with_later(d_data, d_other, pinned, true, false) == 1); // the copy counts once
    OK(cudaFree(d_other));
    OK(cudaFreeHost(pinned));
}

// Live objects: each that is created and not destroyed counts.
static void test_objects(int *d_data)
{
    if (!on_simt())
        return;
    uint64_t before = simt_objects();
    cudaTextureObject_t texture;
    cudaStream_t stream;
    cudaEvent_t event;
    struct cudaResourceDesc from = {};
    struct cudaTextureDesc how = {};
    from.resType = cudaResourceTypeLinear;
    from.res.linear.devPtr = d_data;
    from.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
    from.res.linear.sizeInBytes = BYTES;
    OK(cudaCreateTextureObject(&texture, &from, &how, NULL));
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    CHECK(simt_objects() == before + 3);
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(stream));
    OK(cudaDestroyTextureObject(texture));
    CHECK(simt_objects() == before);
}

// The first allocation after `since` that is not freed.
static void test_kept(void)
{
    if (!on_simt())
        return;
    uint64_t since = simt_allocations(), size = 0;
    void *freed, *kept, *later;
    CHECK(simt_kept(since, &size) == 0 && size == 0);
    OK(cudaMalloc(&freed, 4));
    OK(cudaMalloc(&kept, 20));
    OK(cudaMalloc(&later, 36));
    OK(cudaFree(freed));
    CHECK(simt_allocations() == since + 3);
    CHECK(simt_kept(since, &size) == since + 2 && size == 20);
    CHECK(simt_kept(since + 2, &size) == since + 3 && size == 36);
    OK(cudaFree(kept));
    OK(cudaFree(later));
    CHECK(simt_kept(since, &size) == 0);
}

// The call chosen by simt_fail does nothing and fails; earlier and later calls work.
static void test_planned_failure(void)
{
    int *p = NULL, *q = NULL, word = 5;
    if (!on_simt())
        return;
    simt_fail(2);
    OK(cudaMalloc(&p, BYTES));
    CHECK(cudaMalloc(&q, BYTES) == cudaErrorDevicesUnavailable && q == NULL);
    CHECK(cudaGetLastError() == cudaErrorDevicesUnavailable);
    OK(cudaMemset(p, 0, BYTES));
    CHECK(!strcmp(simt_failed(), "an allocation"));
    CHECK(simt_fail(1) == 3); // cudaGetLastError is none
    CHECK(simt_failed() == NULL);
    set<<<1, 1>>>(p, 6, 1);
    CHECK(cudaGetLastError() == cudaErrorDevicesUnavailable);
    OK(cudaMemcpy(&word, p, sizeof word, cudaMemcpyDeviceToHost));
    CHECK(word == 0); // not launched
    CHECK(!strcmp(simt_failed(), "a launch"));
    CHECK(simt_fail(1) == 2);
    CHECK(cudaDeviceSynchronize() == cudaErrorDevicesUnavailable);
    CHECK(!strcmp(simt_failed(), "cudaDeviceSynchronize"));
    CHECK(simt_fail(0) == 1);
    OK(cudaFree(p));
    CHECK(simt_fail(0) == 1);
}

static void test_between_allocations(void)
{
    const int rows = 64, row = 4096; // words of each
    for (int off = 1; off <= rows; off += rows - 1) {
        int *d_first, *d_second;
        OK(cudaMalloc(&d_first, rows * row * sizeof(int)));
        OK(cudaMalloc(&d_second, rows * row * sizeof(int)));
        set<<<1, 32>>>(d_first + (rows - 1) * row, 1, 32);
        OK(cudaDeviceSynchronize());
        set<<<1, 32>>>(d_first + (rows - 1 + off) * row, 1, 32);
        FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
        OK(cudaDeviceReset());
        OK(cudaMalloc(&d_first, rows * row * sizeof(int)));
        OK(cudaMalloc(&d_second, rows * row * sizeof(int)));
        set<<<1, 32>>>(d_second - off * row, 1, 32);
        FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
        OK(cudaDeviceReset());
    }
}

// A program that stops during a capture, and runs again in the same process.
static void test_reset_while_capturing(void)
{
    int *d_data;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&d_data, BYTES));
    OK(cudaDeviceReset());
    OK(cudaMalloc(&d_data, BYTES));
    OK(cudaFree(d_data));
}

int main(int argc, char **argv)
{
    int *d_data;
    OK(cudaMalloc(&d_data, BYTES));
    test_arguments(d_data);
    test_variables(d_data);
    test_allocation();
    test_pointers();
    test_registered();
    test_textures();
    test_copies(d_data);
    test_counted_copies(d_data);
    test_counted_copies_of_shared_memory(d_data);
    test_counted_overlaps(d_data);
    test_objects(d_data);
    test_kept();
    test_planned_failure();
    test_boxes();
    test_pools();
    CHECK(findings(0));
    test_unwritten();
    test_devices();
    test_two_devices();
    test_configurations(d_data);
    test_cooperative();
    test_functions();
    test_streams(d_data);
    test_capture(d_data);
    test_fork(d_data);
    test_destroyed_fork(d_data);
    test_illegal_capture(d_data);
    test_threads();
    CHECK(findings(0));
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
    CHECK(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
    test_lasting_error(argc > 1 && !strcmp(argv[1], "assert") ? cudaErrorAssert : cudaErrorIllegalAddress, d_data);
    if (on_simt()) {
        OK(cudaDeviceReset());
        test_reset_while_capturing();
        OK(cudaMalloc(&d_data, BYTES));
        set<<<4, 256>>>(d_data, 6, N);
        CHECK(all_equal(d_data, N, 6));
        test_variables(d_data);
        test_between_allocations();
    }
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}
