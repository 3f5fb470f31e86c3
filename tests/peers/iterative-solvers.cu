// Steps of chapter 06-iterative-solvers compared with their peers, on one GPU, in one process:
//
//     step 02, a full matrix times a vector        cublasSgemv
//     step 05, a sweep over a sparse matrix        cusparseSpMV, from CSR; a 5-point matrix of n x n rows
//     step 06, a sweep over a grid                 the plain kernel, a thread for each cell
//     step 07, a sweep over a grid in space        a copy of the grid; also for march.h, the same sweep
//     step 08, four sweeps in a pass, per sweep    as step 06
//
// See peer.h. Step 05's slices, and cuSPARSE's form of the matrix, are also made beforehand. Results are compared on
// the timed data. Ours does more: steps 02 and 05 make a whole sweep out of their product. The floor is the time for
// reading the matrix (step 02), or for copying as many bytes.
#include "march.h"
#include "peer.h"
#include "solvers_06_08.h"
#include <cublas_v2.h>
#include <cusparse.h>

// Each step has its own namespace. Steps 2 and 5 include their faces there, because the two define the same names.
// Steps 6 and 8 share the face above. Macros are undefined in between. BLOCK stays step 5's.
#define main exercise_main
namespace step02
{
#include "06-iterative-solvers/02-coalesced.cu"
}
#undef BLOCK
#undef WARP
#undef FLIGHT
#undef THETA
#undef FEWER
namespace step05
{
#include "06-iterative-solvers/05-csr.cu"
}
#undef THETA
namespace step06
{
#include "06-iterative-solvers/06-stencil.cu"
}
#undef WARP
#undef WARPS
#undef ROWS
namespace step07
{
#include "06-iterative-solvers/07-stencil-3d.cu"
}
#undef WIDTH
#undef HEIGHT
namespace step08
{
#include "06-iterative-solvers/08-temporal.cu"
}
#undef main

enum { THREADS = 256 };

struct work {
    int n;                              // the side of the matrix or the grid
    float *a, *x, *y, *f, *out, *other; // y, other: the peer's
    struct step05::sparse s;
    struct grid g;
    size_t bytes; // that the floor moves
    cublasHandle_t blas;
    cusparseHandle_t sparse;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t in, product;
    void *buffer;
};

// ---- Data, and functions of a peer or a floor -------------------------------------------------------------
__global__ void fill(float *x, size_t count, unsigned seed)
{
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += (size_t)gridDim.x * THREADS) {
        unsigned long long z = (i + seed) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
        x[i] = (float)(z >> 40) / (1 << 23) - 1;
    }
}

__global__ void read_all(const float4 *a, size_t quads, float *out)
{
    float sum = 0;
    size_t step = (size_t)gridDim.x * THREADS, i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    for (; i + 3 * step < quads; i += 4 * step) {
        float4 q[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            q[k] = __ldcs(&a[i + k * step]);
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum += q[k].x + q[k].y + q[k].z + q[k].w;
    }
    for (; i < quads; i += step)
        sum += a[i].x;
    if (sum == 12345.678f) // almost never: the loads must not be optimized away
        *out = sum;
}

// A 5-point matrix with side * side rows, 4.5 on the diagonal, in CSR.
__global__ void fill_csr(int *start, int *column, float *value, int side)
{
    int row = blockIdx.x * THREADS + threadIdx.x, i = row / side, j = row % side, last = side - 1;
    if (row > side * side)
        return;
    int missing = (i == 0 ? j : side) + i + (j > 0) + i + (i == last ? j : 0); // neighbours of the rows before
    int entry = row < side * side ? 5 * row - missing : 5 * row - 4 * side;
    start[row] = entry;
    if (row == side * side)
        return;
    const int offsets[] = {-side, -1, 0, 1, side}, there[] = {i > 0, j > 0, 1, j < last, i < last};
    for (int k = 0; k < 5; k++)
        if (there[k]) {
            column[entry] = row + offsets[k];
            value[entry++] = k == 2 ? 4.5f : -1;
        }
}

// The plain kernel of the vendor's samples: a thread for each cell.
__global__ void plain_sweep(float *new_x, const float *x, struct grid g)
{
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (column >= g.width || row >= g.height)
        return;
    const float *i = x + cell(g, row, column);
    new_x[cell(g, row, column)] = on_border(g, row, column) ? *i : average(i[-1], i[1], i[-g.pitch], i[g.pitch]);
}

__global__ void count_wrong(const float *got, const float *want, size_t count, float relative,
                            unsigned long long *wrong)
{
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += (size_t)gridDim.x * THREADS)
        if (!(fabsf(got[i] - want[i]) <= relative * (1 + fabsf(want[i]))))
            atomicAdd(wrong, 1ull);
}

// want = x + factor (y - f), as our sweep finishes the product; or Jacobi's, with a diagonal of 1 / factor and the
// sign changed.
__global__ void finish_sweep(float *want, const float *x, const float *y, const float *f, int n, float factor)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        want[i] = x[i] + factor * (y[i] - f[i]);
}

static void expect_equal(const char *who, const float *got, const float *want, size_t count, float relative)
{
    unsigned long long wrong = 0, *d_wrong = (unsigned long long *)device_copy(&wrong, sizeof wrong, 0);
    count_wrong<<<1024, THREADS>>>(got, want, count, relative, d_wrong);
    check_cuda(cudaGetLastError());
    check_cuda(cudaMemcpy(&wrong, d_wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(d_wrong));
    if (wrong > 0)
        fail(WRONG, "%s and its peer differ in %llu of %zu values", who, wrong, count);
}

static void check_peer(int status, const char *call)
{
    if (status != 0)
        fail(BROKEN, "broken run: %s failed with status %d", call, status);
}

// ---- Runs ------------------------------------------------------------------------------------------------
#define WORK struct work *w = (struct work *)context

static void gemv(void *context)
{
    WORK;
    step02::solve(w->x, w->out, w->a, w->f, w->n, w->n, -0.01f, 1);
}

static void cublas_gemv(void *context)
{
    WORK;
    const float one = 1, zero = 0; // A is stored by rows, cuBLAS reads columns: transposed
    check_peer(cublasSgemv(w->blas, CUBLAS_OP_T, w->n, w->n, &one, w->a, w->n, w->x, 1, &zero, w->y, 1), "cublasSgemv");
}

static void read_matrix(void *context)
{
    WORK;
    read_all<<<132 * 8, THREADS>>>((const float4 *)w->a, w->bytes / 16, w->y);
    check_cuda(cudaGetLastError());
}

static void sparse_sweep(void *context)
{
    WORK;
    step05::sweep<<<ceil_div(w->s.rows, BLOCK), BLOCK>>>(w->out, w->x, w->f, w->s);
    check_cuda(cudaGetLastError());
}

static void cusparse_product(void *context)
{
    WORK;
    const float one = 1, zero = 0;
    check_peer(cusparseSpMV(w->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, w->matrix, w->in, &zero, w->product,
                            CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, w->buffer),
               "cusparseSpMV");
}

static void copy_bytes(void *context)
{
    WORK;
    check_cuda(cudaMemcpyAsync(w->a, (char *)w->a + w->bytes, w->bytes, cudaMemcpyDeviceToDevice, 0));
}

static void one_sweep(void *context)
{
    WORK;
    step06::solve(w->x, w->out, w->g, 1);
}

static void a_pass(void *context)
{
    WORK;
    step08::solve(w->x, w->out, w->g, DEPTH);
}

static void space_sweep(void *context)
{
    WORK;
    step07::solve(w->x, w->out, w->g, 1);
}

static void space_march(void *context)
{
    WORK;
    march::solve(w->x, w->other, w->g);
}

static void plain(void *context)
{
    WORK;
    dim3 blocks(ceil_div(w->g.width, 32), ceil_div(w->g.height, 8));
    plain_sweep<<<blocks, dim3(32, 8)>>>(w->other, w->x, w->g);
    check_cuda(cudaGetLastError());
}

// A row of the table. parts: sweeps of one run of ours.
static void compare(const char *name, struct work *w, void (*ours)(void *), void (*peer)(void *), void (*floor)(void *),
                    int parts)
{
    double bytes = (double)w->bytes * (floor == read_matrix ? 1 : 2);
    struct duel d = {name, w->n, bytes, w, ours, peer, NULL, floor, parts};
    duel(&d);
}

static float *random_floats(size_t count, unsigned seed)
{
    float *p = (float *)device_alloc(count * sizeof *p);
    fill<<<1024, THREADS>>>(p, count, seed);
    check_cuda(cudaGetLastError());
    return p;
}

static void dense(int n)
{
    struct work w = {};
    size_t count = (size_t)n;
    begin_case("full matrix", n, "");
    w.n = n;
    w.bytes = count * count * sizeof(float);
    w.a = random_floats(count * count, 1);
    w.x = random_floats(count, 2);
    w.f = random_floats(count, 3);
    w.y = random_floats(count, 4);
    w.out = random_floats(count, 5);
    w.other = random_floats(count, 6);
    check_peer(cublasCreate(&w.blas), "cublasCreate");
    gemv(&w);
    cublas_gemv(&w);
    finish_sweep<<<ceil_div(n, THREADS), THREADS>>>(w.other, w.x, w.y, w.f, n, -0.01f);
    expect_equal("02-coalesced", w.out, w.other, count, 1e-4f);
    compare("02-coalesced", &w, gemv, cublas_gemv, read_matrix, 1);
    check_peer(cublasDestroy(w.blas), "cublasDestroy");
    float *all[] = {w.a, w.x, w.f, w.y, w.out, w.other};
    for (int i = 0; i < 6; i++)
        check_cuda(cudaFree(all[i]));
}

// Where the slices of a 5-point matrix begin: rows of 4 in the first and last line of cells, of 5 elsewhere.
static int fill_slice_starts(int *slice, int side)
{
    int count = side * side / SLICE;
    slice[0] = 0;
    for (int i = 0; i < count; i++) {
        int line = i * SLICE / side;
        slice[i + 1] = slice[i] + SLICE * (line == 0 || line == side - 1 ? 4 : 5);
    }
    return slice[count];
}

static void sparse(int side)
{
    struct work w = {};
    int rows = side * side, entries = 5 * rows - 4 * side;
    size_t bytes = 0;
    int *slice = (int *)host_alloc((size_t)(rows / SLICE + 1) * sizeof *slice), padded = fill_slice_starts(slice, side);
    begin_case("5-point matrix", side, "");
    w.n = side;
    w.s.rows = rows;
    w.s.start = (int *)device_alloc((size_t)(rows + 1) * sizeof(int));
    w.s.column = (int *)device_alloc((size_t)entries * sizeof(int));
    w.s.value = (float *)device_alloc((size_t)entries * sizeof(float));
    w.s.slice = (int *)device_copy(slice, (size_t)(rows / SLICE + 1) * sizeof(int), 0);
    w.s.slice_column = (int *)device_alloc((size_t)padded * sizeof(int));
    w.s.slice_value = (float *)device_alloc((size_t)padded * sizeof(float));
    w.bytes = (size_t)rows * 26; // 52 bytes a row, half read and half written
    w.a = random_floats(w.bytes / 2, 1);
    w.x = random_floats((size_t)rows, 2);
    w.f = random_floats((size_t)rows, 3);
    w.y = random_floats((size_t)rows, 4);
    w.out = random_floats((size_t)rows, 5);
    fill_csr<<<rows / THREADS + 1, THREADS>>>((int *)w.s.start, (int *)w.s.column, (float *)w.s.value, side);
    step05::fill_slices<<<ceil_div(rows, BLOCK), BLOCK>>>(w.s);
    check_cuda(cudaGetLastError());
    check_peer(cusparseCreate(&w.sparse), "cusparseCreate");
    check_peer(cusparseCreateCsr(&w.matrix, rows, rows, entries, (void *)w.s.start, (void *)w.s.column,
                                 (void *)w.s.value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                 CUDA_R_32F),
               "cusparseCreateCsr");
    check_peer(cusparseCreateDnVec(&w.in, rows, w.x, CUDA_R_32F), "cusparseCreateDnVec");
    check_peer(cusparseCreateDnVec(&w.product, rows, w.y, CUDA_R_32F), "cusparseCreateDnVec");
    const float one = 1, zero = 0;
    check_peer(cusparseSpMV_bufferSize(w.sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, w.matrix, w.in, &zero,
                                       w.product, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
               "cusparseSpMV_bufferSize");
    w.buffer = device_alloc(bytes);
#if CUSPARSE_VERSION >= 12400
    check_peer(cusparseSpMV_preprocess(w.sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, w.matrix, w.in, &zero,
                                       w.product, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, w.buffer),
               "cusparseSpMV_preprocess");
#endif
    sparse_sweep(&w);
    cusparse_product(&w);
    finish_sweep<<<ceil_div(rows, THREADS), THREADS>>>(w.a, w.x, w.y, w.f, rows, -1 / 4.5f);
    expect_equal("05-csr", w.out, w.a, (size_t)rows, 1e-5f);
    compare("05-csr", &w, sparse_sweep, cusparse_product, copy_bytes, 1);
    check_peer(cusparseDestroy(w.sparse), "cusparseDestroy");
    const void *all[] = {w.s.start, w.s.column, w.s.value, w.s.slice, w.s.slice_column, w.s.slice_value, w.a,
                         w.x,       w.f,        w.y,       w.out,     w.buffer};
    for (int i = 0; i < 12; i++)
        check_cuda(cudaFree((void *)all[i]));
    free(slice);
}

static void stencil(int side)
{
    struct work w = {};
    size_t count = (size_t)side * (size_t)side;
    begin_case("grid", side, "");
    w.n = side;
    w.bytes = count * sizeof(float);
    w.g.width = w.g.height = w.g.pitch = side;
    w.g.depth = 1;
    w.a = random_floats(2 * count, 1); // for the floor
    w.x = random_floats(count, 2);
    w.out = (float *)device_alloc(w.bytes);
    w.other = (float *)device_alloc(w.bytes);
    one_sweep(&w);
    plain(&w);
    expect_equal("06-stencil", w.out, w.other, count, 0);
    compare("06-stencil", &w, one_sweep, plain, copy_bytes, 1);

    a_pass(&w); // x is unchanged: a pass reads x and writes out
    float *from = w.x, *to = w.other;
    for (int k = 0; k < DEPTH; k++) { // the same by plain sweeps, between two separate buffers
        plain_sweep<<<dim3(ceil_div(side, 32), ceil_div(side, 8)), dim3(32, 8)>>>(to, from, w.g);
        check_cuda(cudaGetLastError());
        from = to;
        to = to == w.other ? w.a : w.other;
    }
    expect_equal("08-temporal", w.out, from, count, 0);
    compare("08-temporal, a sweep", &w, a_pass, plain, copy_bytes, DEPTH);
    float *all[] = {w.a, w.x, w.out, w.other};
    for (int i = 0; i < 4; i++)
        check_cuda(cudaFree(all[i]));
}

static void space(int side)
{
    struct work w = {};
    size_t count = (size_t)side * (size_t)side * (size_t)side;
    begin_case("grid in space", side, "");
    w.n = side;
    w.bytes = count * sizeof(float);
    w.g.width = w.g.height = w.g.depth = w.g.pitch = side;
    w.a = random_floats(2 * count, 1); // for the copy
    w.x = random_floats(count, 2);
    w.out = random_floats(count, 3);
    w.other = random_floats(count, 4);
    space_sweep(&w);
    space_march(&w);
    expect_equal("07-stencil-3d", w.out, w.other, count, 0);
    compare("07-stencil-3d, a copy", &w, space_sweep, copy_bytes, NULL, 1);
    compare("march.h, a copy", &w, space_march, copy_bytes, NULL, 1);
    float *arrays[] = {w.a, w.x, w.out, w.other};
    for (int i = 0; i < 4; i++)
        check_cuda(cudaFree(arrays[i]));
}

int main(int argc, char **argv)
{
    const int dense_sizes[] = {4096, 16384, 32768}, grid_sizes[] = {4096, 16384};
    open_table(argc, argv, __FILE__, "cuBLAS, cuSPARSE, a plain kernel", 1 << 15);
    if (harness.n >= 0 && (harness.n < 256 || harness.n % 256))
        fail(BROKEN, "--n %lld: must be a multiple of 256", harness.n);
    for (int i = 0; i < 3; i++)
        if (harness.n < 0 || i == 0)
            dense(harness.n < 0 ? dense_sizes[i] : (int)harness.n);
    sparse(harness.n < 0 ? 4096 : (int)min(harness.n, 8192ll));
    for (int i = 0; i < 2; i++)
        if (harness.n < 0 || i == 0)
            stencil(harness.n < 0 ? grid_sizes[i] : (int)harness.n);
    space(harness.n < 0 ? 512 : (int)min(harness.n, 512ll));
    close_table();
}
