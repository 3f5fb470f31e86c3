// Kernels for copies that go on beside the program (cp.async) and mbarriers. test_checks.c reads the comments.
#include <cuda_pipeline.h>

// guilty: init error @read
extern "C" __global__ void read_before_wait(int *data, int *out, int n)
{
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &data[threadIdx.x], 4);
    __pipeline_commit();
    out[threadIdx.x] = s[threadIdx.x]; // @read
    __pipeline_wait_prior(0);
}

// innocent
extern "C" __global__ void read_after_wait(int *data, int *out, int n)
{
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &data[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x];
}

// The wait lets the latest group go on, and that is the one that is read.
// guilty: init error @read
extern "C" __global__ void wait_for_too_few(int *data, int *out, int n)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &data[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&s[32 + threadIdx.x], &data[32 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    out[threadIdx.x] = s[32 + threadIdx.x]; // @read
}

// innocent
extern "C" __global__ void wait_for_the_first(int *data, int *out, int n)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &data[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&s[32 + threadIdx.x], &data[32 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    out[threadIdx.x] = s[threadIdx.x];
    __pipeline_wait_prior(0);
}

// Each thread has waited for its own copies only.
// guilty: race error @copy @read
// launch: 1 64 0
extern "C" __global__ void no_barrier_after_wait(int *data, int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = n;
    __syncthreads();
    __pipeline_memcpy_async(&s[threadIdx.x], &data[threadIdx.x], 4); // @copy
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // @read
}

// innocent
// launch: 1 64 0
extern "C" __global__ void barrier_after_wait(int *data, int *out, int n)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &data[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// guilty: memory error @copy
extern "C" __global__ void copy_misaligned(int *data, int *out, int n)
{
    __shared__ int s[80];
    __pipeline_memcpy_async(&s[4 * (threadIdx.x % 8) + 1 - n % 2], &data[4 * (threadIdx.x % 8)], 16); // @copy
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

__device__ unsigned address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ void arrive_and_wait(unsigned long long *bar)
{
    unsigned long long state;
    int done = 0;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address(bar)) : "memory");
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(address(bar)), "l"(state) : "memory");
}

// innocent
// launch: 1 64 0
extern "C" __global__ void mbarrier_orders(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    __shared__ int s[64];
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address(&bar)) : "memory");
    __syncthreads();
    s[threadIdx.x] = data[threadIdx.x];
    arrive_and_wait(&bar);
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// guilty: race error @write @read
// launch: 1 64 0
extern "C" __global__ void mbarrier_not_waited_for(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    __shared__ int s[64];
    unsigned long long state;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address(&bar)) : "memory");
    s[threadIdx.x] = n;
    __syncthreads();
    s[threadIdx.x] = data[threadIdx.x]; // @write
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address(&bar)) : "memory");
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // @read
}

// guilty: sync error @arrive
// launch: 1 64 0
extern "C" __global__ void mbarrier_too_many(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    unsigned long long state;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 20;" ::"r"(address(&bar)) : "memory");
    __syncthreads();
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 30;" : "=l"(state) : "r"(address(&bar)) : "memory"); // @arrive
}

// guilty: init error @arrive
extern "C" __global__ void mbarrier_not_initialised(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address(&bar)) : "memory"); // @arrive
}
