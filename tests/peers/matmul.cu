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
#include "products.h"

static void ours(void *context)
{
    struct product *p = (struct product *)context;
    multiply(p->ours, (const float *)p->a, (const float *)p->b, p->s);
}

// By columns, as cuBLAS reads them, the matrices are the transposes: C' = B' A'.
static void cublas(void *context)
{
    struct product *p = (struct product *)context;
    const float one = 1, zero = 0;
    int n = p->s.n;
    expect_success("cublasSgemm", cublasSgemm(p->blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, (const float *)p->b, n,
                                              (const float *)p->a, n, &zero, p->peers, n));
}

static void tensor_ours(void *context)
{
    struct product *p = (struct product *)context;
    tensor::multiply(p->ours, (const bf16 *)p->a, (const bf16 *)p->b, p->s);
}

static void small_ours(void *context)
{
    struct product *p = (struct product *)context;
    small::multiply(p->ours, (const float *)p->a, (const float *)p->b, p->s);
}

static void small_tensor_ours(void *context)
{
    struct product *p = (struct product *)context;
    small_tensor::multiply(p->ours, (const bf16 *)p->a, (const bf16 *)p->b, p->s);
}

static void compare(int n, int tensor)
{
    struct product p = tensor ? random_product<bf16>(n) : random_product<float>(n);
    expect_success("cublasSetMathMode", cublasSetMathMode(p.blas, tensor ? CUBLAS_DEFAULT_MATH : CUBLAS_PEDANTIC_MATH));
    struct duel d = {tensor ? "09-tensor-cores" : STEP, n, 2.0 * n * n * n, &p, ours, cublas, NULL, NULL, 1};
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
    end_product(&p);
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
