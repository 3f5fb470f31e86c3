// Atomic operations on every CUDA type, compare-and-swap loops, and warp-aggregated counters.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>

#include "program.h"

#define THREADS 256
#define BLOCKS 4
#define N (THREADS * BLOCKS)

struct cells {
    int add, sub, most, least, exchanged, all, any, parity;
    unsigned int wrapped, lowered, umost, uleast;
    unsigned long long ladd, lmost, lleast, land, lor, lxor, lcas;
    long long slmost, slleast;
    float fadd, fmost;
    double dadd, dproduct;
    unsigned short spin;
    __half hadd;
    __half2 hadd2;
    __nv_bfloat16 badd;
    __nv_bfloat162 badd2;
};

__device__ void multiply(double *to, double by)
{
    unsigned long long *word = (unsigned long long *)to, old = *word, seen; // as in CUDA's guide
    do {
        seen = old;
        old = atomicCAS(word, seen, __double_as_longlong(__longlong_as_double(seen) * by));
    } while (old != seen);
}

__device__ void raise(float *to, float v)
{
    int *word = (int *)to, old = *(volatile int *)to;
    while (v > __int_as_float(old)) {
        int seen = atomicCAS(word, old, __float_as_int(v));
        if (seen == old)
            break;
        old = seen;
    }
}

__global__ void work(cells *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&c->add, i);
    atomicSub(&c->sub, 2);
    atomicMax(&c->most, i - 500);
    atomicMin(&c->least, i - 500);
    atomicExch(&c->exchanged, i);
    atomicAnd(&c->all, ~(1 << i % 8));
    atomicOr(&c->any, 1 << i % 20);
    atomicXor(&c->parity, i);
    atomicInc(&c->wrapped, 99);
    atomicDec(&c->lowered, 99);
    atomicMax(&c->umost, i * 0x400000u);
    atomicMin(&c->uleast, ~(unsigned)i);
    atomicAdd(&c->ladd, 1ull << 33);
    atomicMax(&c->lmost, (unsigned long long)i << 50);
    atomicMin(&c->lleast, ~(unsigned long long)i);
    atomicMax(&c->slmost, (long long)i - 5000);
    atomicMin(&c->slleast, ((long long)-i) << 40);
    atomicAnd(&c->land, ~(1ull << i % 60));
    atomicOr(&c->lor, 1ull << i % 60);
    atomicXor(&c->lxor, (unsigned long long)i << 30);
    atomicAdd(&c->fadd, 0.5f);
    raise(&c->fmost, i * 0.25f);
    atomicAdd(&c->dadd, 0.125);
    if (i < 64)
        multiply(&c->dproduct, i % 2 ? 2.0 : 0.5);
    if (i < 512)
        atomicAdd(&c->hadd, __float2half(1.0f));
    if (i < 512)
        atomicAdd(&c->hadd2, __floats2half2_rn(1.0f, -2.0f));
#if __CUDA_ARCH__ >= 900 // in earlier ones, CUDA's own header reads the word without synchronization
    if (i < 128)
        atomicAdd(&c->badd, __float2bfloat16(1.0f));
    if (i < 128)
        atomicAdd(&c->badd2, __floats2bfloat162_rn(1.0f, -2.0f));
#else
    if (i == 0) {
        c->badd = __float2bfloat16(128.0f);
        c->badd2 = __floats2bfloat162_rn(128.0f, -256.0f);
    }
#endif
    unsigned short old = *(volatile unsigned short *)&c->spin, seen;
    do {
        seen = old;
        old = atomicCAS(&c->spin, seen, (unsigned short)(seen + 3));
    } while (old != seen);
}

__global__ void shared_work(int *out)
{
    __shared__ unsigned long long sum;
    __shared__ double total;
    __shared__ __half2 pair;
    __shared__ unsigned most;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0, total = 0, most = 0, pair = __floats2half2_rn(0.0f, 0.0f);
    __syncthreads();
    atomicAdd_block(&sum, (unsigned long long)t << 35);
    atomicAdd(&total, 0.5);
    atomicAdd(&pair, __floats2half2_rn(2.0f, 1.0f));
    atomicMax(&most, t * 3u);
    __syncthreads();
    if (t == 0) {
        out[0] = sum == (127ull * 64) << 35;
        out[1] = total == 64.0;
        out[2] = __low2float(pair) == 256.0f && __high2float(pair) == 128.0f;
        out[3] = most == 381;
    }
}

// One atomic for all threads of a warp that need a slot (aggregated by the leader).
__device__ int place(int *next)
{
    unsigned active = __activemask(), lane = threadIdx.x & 31;
    int leader = __ffs(active) - 1, base = 0;
    if ((int)lane == leader)
        base = atomicAdd(next, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + __popc(active & ((1u << lane) - 1));
}

__global__ void filter(const int *in, int *out, int *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0)
        out[place(next)] = in[i];
}

static void check_integers(const cells *c)
{
    EXPECT(c->add == N * (N - 1) / 2 && c->sub == -2 * N && c->most == N - 501 && c->least == -500);
    EXPECT(c->exchanged >= 0 && c->exchanged < N && c->all == ~255 && c->any == 0xfffff && c->parity == 0);
    EXPECT(c->wrapped == N % 100 && c->lowered == (100 - N % 100) % 100);
    EXPECT(c->umost == (N - 1) * 0x400000u && c->uleast == ~(unsigned)(N - 1));
    EXPECT(c->ladd == (unsigned long long)N << 33 && c->lmost == (unsigned long long)(N - 1) << 50);
    EXPECT(c->lleast == ~(unsigned long long)(N - 1) && c->slmost == N - 5001);
    EXPECT(c->slleast == -((long long)(N - 1) << 40));
    EXPECT(c->land == ~((1ull << 60) - 1) && c->lor == (1ull << 60) - 1 && c->lxor == 0);
    EXPECT(c->spin == (unsigned short)(3 * N));
}

static void check_numbers(const cells *c)
{
    EXPECT(c->fadd == N * 0.5f && c->fmost == (N - 1) * 0.25f && c->dadd == N * 0.125 && c->dproduct == 1.0);
    EXPECT(__half2float(c->hadd) == 512.0f);
    EXPECT(__low2float(c->hadd2) == 512.0f && __high2float(c->hadd2) == -1024.0f);
    EXPECT(__bfloat162float(c->badd) == 128.0f);
    EXPECT(__low2float(c->badd2) == 128.0f && __high2float(c->badd2) == -256.0f);
}

__device__ int lock, held;

// Every thread takes one lock, and waits for the rest of its warp after the loop.
__global__ void take_turns()
{
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    __threadfence();
    held = held + 1;
    __threadfence();
    atomicExch(&lock, 0);
}

int main()
{
    cells *c;
    CUDA(cudaMallocManaged(&c, sizeof *c));
    memset((void *)c, 0, sizeof *c);
    c->least = 1000;
    c->uleast = ~0u;
    c->lleast = ~0ull;
    c->all = -1;
    c->land = ~0ull;
    c->dproduct = 1.0;
    c->slmost = -1000000;
    work<<<BLOCKS, THREADS>>>(c);
    CUDA(cudaDeviceSynchronize());
    check_integers(c);
    check_numbers(c);
    int *out = managed<int>(4), *in = managed<int>(1000), *kept = managed<int>(1000), *next = managed<int>(1);
    shared_work<<<1, 128>>>(out);
    for (int i = 0; i < 1000; i++)
        in[i] = i;
    filter<<<8, 128>>>(in, kept, next, 1000);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[0] && out[1] && out[2] && out[3]);
    long sum = 0;
    for (int i = 0; i < *next; i++)
        sum += kept[i];
    EXPECT(*next == 334 && sum == 166833);
    take_turns<<<32, 128>>>();
    int turns = 0;
    CUDA(cudaMemcpyFromSymbol(&turns, held, sizeof turns));
    EXPECT(turns == 32 * 128);
    return finish();
}
