// Kernels for the requirements of tensor cores: rows of 16 bytes, all lanes of a warp. test_checks.c reads the
// comments.
#include <mma.h>
#include "twins.h"

#pragma nv_diag_suppress 549 // an undefined variable

__device__ unsigned place(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

#define LOAD(r, at) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at) : "memory")
#define LOAD_TWO(r, q, at) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r), "=r"(q) : "r"(at) : "memory")
#define MULTIPLY(d, a, b) \
    asm volatile( \
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%5}, {%0, %1, %2, %3};" \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) \
        : "r"(a), "r"(b))

// innocent
extern "C" __global__ void rows_of_a_matrix(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    unsigned r;
    s[threadIdx.x] = data[threadIdx.x];
    __syncwarp();
    LOAD(r, place(&s[threadIdx.x % 8 * 4]));
    out[threadIdx.x] = r;
}

// guilty: memory error @load
extern "C" __global__ void rows_past_the_end(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    unsigned r, q;
    s[threadIdx.x] = data[threadIdx.x];
    __syncwarp();
    LOAD_TWO(r, q, place(&s[threadIdx.x % 16 * 4])); // @load
    out[threadIdx.x] = r + q;
}

// guilty: memory error @load
extern "C" __global__ void a_row_off_by_a_word(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[64];
    unsigned r;
    s[threadIdx.x] = data[threadIdx.x];
    s[threadIdx.x + 32] = 1;
    __syncwarp();
    LOAD(r, place(&s[threadIdx.x % 8 * 4 + 1])); // @load
    out[threadIdx.x] = r;
}

// The addresses of the other lanes are ignored.
// innocent
extern "C" __global__ void only_eight_addresses_count(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    unsigned r;
    s[threadIdx.x] = data[threadIdx.x];
    __syncwarp();
    LOAD(r, threadIdx.x < 8 ? place(&s[threadIdx.x * 4]) : 3u);
    out[threadIdx.x] = r;
}

// guilty: init error @load
extern "C" __global__ void a_row_that_nothing_wrote(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    unsigned r;
    if (threadIdx.x < 31)
        s[threadIdx.x] = data[threadIdx.x];
    __syncwarp();
    LOAD(r, place(&s[threadIdx.x % 8 * 4])); // @load
    out[threadIdx.x] = r;
}

// Eight lanes read for all, words that they have not written themselves.
// guilty: race warning @store @load
extern "C" __global__ void rows_of_other_lanes(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[32];
    unsigned r;
    s[threadIdx.x] = data[threadIdx.x]; // @store
    LOAD(r, place(&s[threadIdx.x % 8 * 4])); // @load
    out[threadIdx.x] = r;
}

// guilty: race error @store @load
// launch: 1 64
extern "C" __global__ void rows_of_another_warp(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[64];
    unsigned r;
    s[threadIdx.x] = n;
    __syncthreads();
    s[threadIdx.x ^ 32] = data[threadIdx.x]; // @store
    __syncwarp();
    LOAD(r, place(&s[threadIdx.x / 32 * 32 + threadIdx.x % 8 * 4])); // @load
    out[threadIdx.x] = r;
}

// innocent
// launch: 1 64
extern "C" __global__ void rows_behind_a_barrier(int *data, int *out, int n)
{
    __shared__ alignas(16) int s[64];
    unsigned r;
    s[threadIdx.x ^ 32] = data[threadIdx.x];
    __syncthreads();
    LOAD(r, place(&s[threadIdx.x / 32 * 32 + threadIdx.x % 8 * 4]));
    out[threadIdx.x] = r;
}

// guilty: sync error @multiply
extern "C" __global__ void half_a_warp_multiplies(int *data, int *out, int n)
{
    float d[4] = {0, 0, 0, 0};
    if (threadIdx.x >= 16)
        return;
    MULTIPLY(d, data[threadIdx.x], data[threadIdx.x]); // @multiply
    out[threadIdx.x] = (int)d[0];
}

// guilty: sync error @multiply
// launch: 1 48
extern "C" __global__ void a_warp_that_is_not_full(int *data, int *out, int n)
{
    float d[4] = {0, 0, 0, 0};
    MULTIPLY(d, data[threadIdx.x], data[threadIdx.x]); // @multiply
    out[threadIdx.x] = (int)d[0];
}

// guilty: sync error @one @other | sync error @other @one
extern "C" __global__ void halves_multiply_apart(int *data, int *out, int n)
{
    float d[4] = {0, 0, 0, 0};
    if (data[threadIdx.x] < 16)
        MULTIPLY(d, data[threadIdx.x], 1); // @one
    else
        MULTIPLY(d, data[threadIdx.x], 2); // @other
    out[threadIdx.x] = (int)d[0];
}

// innocent
// launch: 1 64
extern "C" __global__ void whole_warps_multiply_apart(int *data, int *out, int n)
{
    float d[4] = {0, 0, 0, 0};
    if (threadIdx.x < 32)
        MULTIPLY(d, data[threadIdx.x % 32], 1);
    else
        MULTIPLY(d, data[threadIdx.x % 32], 2);
    out[threadIdx.x] = (int)d[0];
}

// guilty: init error @store
extern "C" __global__ void sums_without_a_start(int *data, int *out, int n)
{
    float d[4];
    MULTIPLY(d, data[threadIdx.x], data[threadIdx.x]);
    out[threadIdx.x] = (int)d[0]; // @store
}

// innocent
extern "C" __global__ void sums_from_zero(int *data, int *out, int n)
{
    float d[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++)
        MULTIPLY(d, data[threadIdx.x], data[i]);
    out[threadIdx.x] = (int)d[0];
}

using namespace nvcuda;

// guilty: memory error @store
TWINS(a_matrix_with_too_long_lines, a_whole_matrix)
{
    __shared__ alignas(32) float s[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::store_matrix_sync(s, sum, innocent ? 16 : 20, wmma::mem_row_major); // @store
    __syncwarp();
    out[threadIdx.x] = (int)s[threadIdx.x % 16];
}

// guilty: init error @load
extern "C" __global__ void a_matrix_that_is_written_in_part(int *data, int *out, int n)
{
    __shared__ alignas(32) float s[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    for (int i = threadIdx.x; i < 250; i += 32)
        s[i] = 1;
    __syncwarp();
    wmma::load_matrix_sync(sum, s, 16, wmma::mem_row_major); // @load
    out[threadIdx.x] = (int)sum.x[0];
}

// guilty: race error @store @read
// launch: 1 64
extern "C" __global__ void a_matrix_of_another_warp(int *data, int *out, int n)
{
    __shared__ alignas(32) float s[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    for (int i = threadIdx.x; i < 256; i += 64)
        s[i] = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        wmma::store_matrix_sync(s, sum, 16, wmma::mem_row_major); // @store
    else
        out[threadIdx.x - 32] = (int)s[threadIdx.x]; // @read
}

// guilty: init error @store
extern "C" __global__ void a_fragment_without_a_value(int *data, int *out, int n)
{
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
    wmma::store_matrix_sync(data, sum, 8, wmma::mem_row_major); // @store
}
