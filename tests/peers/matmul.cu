// The last two steps of chapter 07-matmul compared with cuBLAS, on one GPU, in one process: 08-pipelined with
// cublasSgemm in its pedantic mode (only FP32 multiply-adds, no tensor cores), 09-tensor-cores with cublasGemmEx (bf16
// to FP32). Up to n = 2048 also both with small tiles (small_tiles.h).
//
// See peer.h. Both multiply the same random matrices, n x n by n x n with leading dimensions of n, and their results
// are compared. The figures in the columns of GB/s are Gflop/s: 2 n^3 operations.

#include "matmul.h"
#include "small_tiles.h"

// The compared steps. Their options come before those of peer.h.
#define main exercise_main
#include "07-matmul/08-pipelined.cu"
#undef main
#undef ROWS
#undef COLUMNS
#undef DEPTH
#undef STAGES
#undef THREADS
#include "device/tensor.h"
namespace tensor
{
#define main exercise_main
#include "07-matmul/09-tensor-cores.cu"
#undef main
} // namespace tensor
#define STEP "08-pipelined"
#include "peer.h"
#include <cublas_v2.h>

struct work {
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

template <typename WORD> __global__ void fill(WORD *x, size_t count, unsigned seed)
{
    for (size_t i = (size_t)blockIdx.x * 256 + threadIdx.x; i < count; i += (size_t)gridDim.x * 256) {
        unsigned long long z = (i + seed) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
        set_word(&x[i], (float)(z >> 40) / (1 << 23) - 1);
    }
}

// Each of the two errs by at most half of `bound`.
__global__ void count_wrong(const float *got, const float *want, size_t count, float bound, unsigned long long *wrong)
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

static void ours(void *context)
{
    struct work *w = (struct work *)context;
    multiply(w->ours, (const float *)w->a, (const float *)w->b, w->s);
}

// By columns, as cuBLAS reads them, the matrices are the transposes: C' = B' A'.
static void cublas(void *context)
{
    struct work *w = (struct work *)context;
    const float one = 1, zero = 0;
    int n = w->s.n;
    expect_success("cublasSgemm", cublasSgemm(w->blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, (const float *)w->b, n,
                                              (const float *)w->a, n, &zero, w->peers, n));
}

static void tensor_ours(void *context)
{
    struct work *w = (struct work *)context;
    tensor::multiply(w->ours, (const bf16 *)w->a, (const bf16 *)w->b, w->s);
}

static void small_ours(void *context)
{
    struct work *w = (struct work *)context;
    small::multiply(w->ours, (const float *)w->a, (const float *)w->b, w->s);
}

static void small_tensor_ours(void *context)
{
    struct work *w = (struct work *)context;
    small_tensor::multiply(w->ours, (const bf16 *)w->a, (const bf16 *)w->b, w->s);
}

static void tensor_cublas(void *context)
{
    struct work *w = (struct work *)context;
    const float one = 1, zero = 0;
    int n = w->s.n;
    expect_success("cublasGemmEx", cublasGemmEx(w->blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, w->b, CUDA_R_16BF, n,
                                                w->a, CUDA_R_16BF, n, &zero, w->peers, CUDA_R_32F, n,
                                                CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

// |A| |B| is at most k here. matmul.h has the bounds: k u for FP32, 4 (k + 16) u for bf16, u = 2^-24.
static void expect_equal(const struct work *w, float roundings)
{
    unsigned long long wrong = 0, *d_wrong = (unsigned long long *)device_copy(&wrong, sizeof wrong, 0);
    size_t count = (size_t)w->s.n * (size_t)w->s.n;
    float bound = 2 * roundings * (float)w->s.k * ldexpf(1, -24);
    count_wrong<<<1024, 256>>>(w->ours, w->peers, count, bound, d_wrong);
    check_cuda(cudaGetLastError());
    check_cuda(cudaMemcpy(&wrong, d_wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(d_wrong));
    if (wrong > 0)
        fail(WRONG, "the step and cuBLAS differ in %llu of %zu elements", wrong, count);
}

template <typename WORD> static WORD *random_words(size_t count, unsigned seed)
{
    WORD *p = (WORD *)device_alloc(count * sizeof *p);
    fill<<<1024, 256>>>(p, count, seed);
    check_cuda(cudaGetLastError());
    return p;
}

static void check_and_time(struct duel *d, int tensor)
{
    const struct work *w = (const struct work *)d->context;
    check_cuda(cudaMemset(w->ours, 0xff, (size_t)w->s.n * w->s.n * sizeof(float))); // NaN
    d->ours(d->context);
    d->peer(d->context);
    expect_equal(w, tensor ? 4 * ((float)w->s.n + 16) : (float)w->s.n);
    duel(d);
}

static void compare(int n, int tensor)
{
    size_t count = (size_t)n * (size_t)n;
    struct work w = {{n, n, n, n, n, n}, NULL, NULL, NULL, NULL, NULL};
    begin_case("random", n, "");
    w.a = tensor ? (void *)random_words<bf16>(count, 1) : (void *)random_words<float>(count, 1);
    w.b = tensor ? (void *)random_words<bf16>(count, 2) : (void *)random_words<float>(count, 2);
    w.ours = random_words<float>(count, 3);
    w.peers = random_words<float>(count, 4);
    expect_success("cublasCreate", cublasCreate(&w.blas));
    expect_success("cublasSetMathMode", cublasSetMathMode(w.blas, tensor ? CUBLAS_DEFAULT_MATH : CUBLAS_PEDANTIC_MATH));
    struct duel d = {tensor ? "09-tensor-cores" : STEP, n, 2.0 * n * n * n, &w, ours, cublas, NULL, NULL, 1};
    if (tensor) {
        d.ours = tensor_ours;
        d.peer = tensor_cublas;
    }
    check_and_time(&d, tensor);
    if (n <= 2048 && n % 256 == 0) {
        d.label = tensor ? "09 with tiles of 64 x 128" : "08 with tiles of 64 x 128";
        d.ours = tensor ? small_tensor_ours : small_ours;
        check_and_time(&d, tensor);
    }
    expect_success("cublasDestroy", cublasDestroy(w.blas));
    void *all[] = {w.a, w.b, w.ours, w.peers};
    for (int i = 0; i < 4; i++)
        check_cuda(cudaFree(all[i]));
}

int main(int argc, char **argv)
{
    const int sizes[] = {1024, 2048, 4096, 8192};
    open_table(argc, argv, __FILE__, "cublasSgemm, pedantic, and cublasGemmEx; Gflop/s in place of GB/s", 1 << 15);
    for (int tensor = 0; tensor < 2; tensor++)
        for (int i = 0; i < 4; i++)
            if (harness.n < 0 || i == 0)
                compare(harness.n < 0 ? sizes[i] : max(8, (int)harness.n / 8 * 8), tensor);
    close_table();
}
