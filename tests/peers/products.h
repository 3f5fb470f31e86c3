// products.h: what the comparisons of matrix products with cuBLAS share: random matrices, cublasGemmEx, the check that
// both results are the same. See peer.h.
#pragma once

#include <cublas_v2.h>

#include "device/matmul_shape.h"
#include "device/tensor.h"
#include "peer.h"

struct product {
    struct shape s;
    void *a, *b;
    float *ours, *peers;
    cublasHandle_t blas;
};

__device__ void set_word(float *to, float value)
{
    *to = value;
}

__device__ void set_word(bf16 *to, float value)
{
    *to = (bf16)(__float_as_uint(value) >> 16);
}

template <typename WORD> __global__ void fill_random(WORD *x, size_t count, unsigned seed)
{
    for (size_t i = (size_t)blockIdx.x * 256 + threadIdx.x; i < count; i += (size_t)gridDim.x * 256) {
        unsigned long long z = (i + seed) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
        set_word(&x[i], (float)(z >> 40) / (1 << 23) - 1);
    }
}

// Each of the two errs by at most half of `bound`.
__global__ void count_different(const float *got, const float *want, size_t count, float bound,
                                unsigned long long *wrong)
{
    for (size_t i = (size_t)blockIdx.x * 256 + threadIdx.x; i < count; i += (size_t)gridDim.x * 256)
        if (!(fabsf(got[i] - want[i]) <= bound))
            atomicAdd(wrong, 1ull);
}

static void expect_success(const char *call, cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        fail(BROKEN, "broken run: %s failed with status %d", call, (int)status);
}

static void tensor_cublas(void *context)
{
    struct product *p = (struct product *)context;
    const float one = 1, zero = 0;
    int n = p->s.n;
    expect_success("cublasGemmEx", cublasGemmEx(p->blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, p->b, CUDA_R_16BF, n,
                                                p->a, CUDA_R_16BF, n, &zero, p->peers, CUDA_R_32F, n,
                                                CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

// |A| |B| is at most k here. matmul.h has the bounds: k u for FP32, 4 (k + 16) u for bf16, u = 2^-24.
static void expect_equal(const struct product *p, float roundings)
{
    unsigned long long wrong = 0, *d_wrong = (unsigned long long *)device_copy(&wrong, sizeof wrong, 0);
    size_t count = (size_t)p->s.n * (size_t)p->s.n;
    float bound = 2 * roundings * (float)p->s.k * ldexpf(1, -24);
    count_different<<<1024, 256>>>(p->ours, p->peers, count, bound, d_wrong);
    check_cuda(cudaGetLastError());
    check_cuda(cudaMemcpy(&wrong, d_wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(d_wrong));
    if (wrong > 0)
        fail(WRONG, "the step and cuBLAS differ in %llu of %zu elements", wrong, count);
}

template <typename WORD> static WORD *random_words(size_t count, unsigned seed)
{
    WORD *p = (WORD *)device_alloc(count * sizeof *p);
    fill_random<<<1024, 256>>>(p, count, seed);
    check_cuda(cudaGetLastError());
    return p;
}

static void check_and_time(struct duel *d, int tensor)
{
    const struct product *p = (const struct product *)d->context;
    check_cuda(cudaMemset(p->ours, 0xff, (size_t)p->s.n * p->s.n * sizeof(float))); // NaN
    d->ours(d->context);
    d->peer(d->context);
    expect_equal(p, tensor ? 4 * ((float)p->s.n + 16) : (float)p->s.n);
    duel(d);
}

// C = A B of random matrices, all n x n without padding.
template <typename WORD> static struct product random_product(int n)
{
    size_t count = (size_t)n * (size_t)n;
    struct product p = {{n, n, n, n, n, n}, NULL, NULL, NULL, NULL, NULL};
    begin_case("random", n, "");
    p.a = random_words<WORD>(count, 1);
    p.b = random_words<WORD>(count, 2);
    p.ours = random_words<float>(count, 3);
    p.peers = random_words<float>(count, 4);
    expect_success("cublasCreate", cublasCreate(&p.blas));
    return p;
}

static void end_product(struct product *p)
{
    expect_success("cublasDestroy", cublasDestroy(p->blas));
    void *all[] = {p->a, p->b, p->ours, p->peers};
    for (int i = 0; i < 4; i++)
        check_cuda(cudaFree(all[i]));
}
