// The last step of chapter 07-matmul in FP32 beside cublasSgemm, on one GPU, in one process. cuBLAS is in its
// pedantic mode: FP32 multiply-adds alone, no tensor cores.
//
// See peer.h. Both multiply the same random matrices, n x n by n x n with leading dimensions of n, and their results
// are compared. The figures in the columns of GB/s are Gflop/s: 2 n^3 operations.

// The step that is compared: the last one of the chapter in FP32. Its options come before those of peer.h.
#define main exercise_main
#include "07-matmul/07-two-way-tile.cu"
#undef main
#define STEP "07-two-way-tile"
#include "peer.h"
#include <cublas_v2.h>

struct work {
    struct shape s;
    float *a, *b, *ours, *peers;
    cublasHandle_t blas;
};

__global__ void fill(float *x, size_t count, unsigned seed)
{
    for (size_t i = (size_t)blockIdx.x * 256 + threadIdx.x; i < count; i += (size_t)gridDim.x * 256) {
        unsigned long long z = (i + seed) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
        x[i] = (float)(z >> 40) / (1 << 23) - 1;
    }
}

// Each of the two errs by k u (|A| |B|) at most, and |A| |B| is at most k here.
__global__ void count_wrong(const float *got, const float *want, size_t count, float bound, unsigned long long *wrong)
{
    for (size_t i = (size_t)blockIdx.x * 256 + threadIdx.x; i < count; i += (size_t)gridDim.x * 256)
        if (!(fabsf(got[i] - want[i]) <= bound))
            atomicAdd(wrong, 1ull);
}

static void ours(void *context)
{
    struct work *w = (struct work *)context;
    multiply(w->ours, w->a, w->b, w->s);
}

// By columns, as cuBLAS reads them, the matrices are the transposes: C' = B' A'.
static void cublas(void *context)
{
    struct work *w = (struct work *)context;
    const float one = 1, zero = 0;
    int n = w->s.n;
    cublasStatus_t status =
        cublasSgemm(w->blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, w->b, n, w->a, n, &zero, w->peers, n);
    if (status != CUBLAS_STATUS_SUCCESS)
        fail(BROKEN, "broken run: cublasSgemm failed with status %d", (int)status);
}

static void expect_equal(const struct work *w)
{
    unsigned long long wrong = 0, *d_wrong = (unsigned long long *)device_copy(&wrong, sizeof wrong, 0);
    size_t count = (size_t)w->s.n * (size_t)w->s.n;
    float bound = 2 * (float)w->s.k * (float)w->s.k * ldexpf(1, -24);
    count_wrong<<<1024, 256>>>(w->ours, w->peers, count, bound, d_wrong);
    check_cuda(cudaGetLastError());
    check_cuda(cudaMemcpy(&wrong, d_wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(d_wrong));
    if (wrong > 0)
        fail(WRONG, "the step and cuBLAS differ in %llu of %zu elements", wrong, count);
}

static float *random_floats(size_t count, unsigned seed)
{
    float *p = (float *)device_alloc(count * sizeof *p);
    fill<<<1024, 256>>>(p, count, seed);
    check_cuda(cudaGetLastError());
    return p;
}

static void compare(int n)
{
    size_t count = (size_t)n * (size_t)n;
    struct work w = {{n, n, n, n, n, n}, NULL, NULL, NULL, NULL, NULL};
    begin_case("random", n, "");
    w.a = random_floats(count, 1);
    w.b = random_floats(count, 2);
    w.ours = random_floats(count, 3);
    w.peers = random_floats(count, 4);
    if (cublasCreate(&w.blas) != CUBLAS_STATUS_SUCCESS ||
        cublasSetMathMode(w.blas, CUBLAS_PEDANTIC_MATH) != CUBLAS_STATUS_SUCCESS)
        fail(BROKEN, "broken run: cublasCreate or cublasSetMathMode failed");
    ours(&w);
    cublas(&w);
    expect_equal(&w);
    struct duel d = {STEP, n, 2.0 * n * n * n, &w, ours, cublas, NULL, NULL, 1};
    duel(&d);
    cublasDestroy(w.blas);
    float *all[] = {w.a, w.b, w.ours, w.peers};
    for (int i = 0; i < 4; i++)
        check_cuda(cudaFree(all[i]));
}

int main(int argc, char **argv)
{
    const int sizes[] = {1024, 2048, 4096, 8192};
    open_table(argc, argv, __FILE__, "cublasSgemm, pedantic; Gflop/s in place of GB/s", 1 << 15);
    for (int i = 0; i < 4; i++)
        if (harness.n < 0 || i == 0)
            compare(harness.n < 0 ? sizes[i] : max(4, (int)harness.n / 4 * 4));
    close_table();
}
