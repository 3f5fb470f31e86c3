// Steps 02 (and interleaved.h), 07 and 08 (and blocks.h) of chapter 05-tridiagonal compared with cuSPARSE's
// gtsvInterleavedBatch, gtsv2StridedBatch and gtsv2_nopivot, on one GPU, in one process.
//
// See peer.h. The peers work in place, so their input is restored before every run, outside the time. Both are checked
// by residual and by forward error. The fastest of gtsvInterleavedBatch's three algorithms counts.
#include <cusparse.h>
#include "tridiagonal.h"
#include "peer.h"

#define main exercise_main_02
#define solve solve_interleaved
#include "05-tridiagonal/02-interleaved.cu"
#undef main
#undef solve
#include "interleaved.h"
#undef BLOCK
#undef MAX_SIZE
#define main exercise_main_07
#define solve solve_batch
#include "05-tridiagonal/07-warp-pcr-thomas.cu"
#undef main
#undef solve
#undef BLOCK
#undef WARP
#undef ROWS
#undef CHUNK
#define main exercise_main_08
#define solve solve_large
#include "05-tridiagonal/08-large.cu"
#undef main
#undef solve
#include "blocks.h"

#define check_cusparse(call) check_cusparse_at((call), #call, __LINE__)

static void check_cusparse_at(cusparseStatus_t status, const char *call, int line)
{
    if (status != CUSPARSE_STATUS_SUCCESS)
        fail(BROKEN, "%s:%d: %s\n  failed with %s", __FILE__, line, call, cusparseGetErrorString(status));
}

enum peer { ONE, STRIDED, INTERLEAVED_0, INTERLEAVED_1, INTERLEAVED_2 };

struct race {
    struct tridiagonal t;
    enum peer peer;
    cusparseHandle_t handle;
    float *copy[4]; // a, b, c, f, which the peer overwrites
    void *buffer;
};

static size_t buffer_bytes(struct race *r)
{
    struct tridiagonal *t = &r->t;
    float **d = r->copy;
    size_t bytes = 0;
    if (r->peer == ONE)
        check_cusparse(
            cusparseSgtsv2_nopivot_bufferSizeExt(r->handle, t->size, 1, d[0], d[1], d[2], d[3], t->size, &bytes));
    else if (r->peer == STRIDED)
        check_cusparse(cusparseSgtsv2StridedBatch_bufferSizeExt(r->handle, t->size, d[0], d[1], d[2], d[3], t->systems,
                                                                t->size, &bytes));
    else
        check_cusparse(cusparseSgtsvInterleavedBatch_bufferSizeExt(r->handle, r->peer - INTERLEAVED_0, t->size, d[0],
                                                                   d[1], d[2], d[3], t->systems, &bytes));
    return bytes;
}

static void run_peer(void *context)
{
    struct race *r = (struct race *)context;
    struct tridiagonal *t = &r->t;
    float **d = r->copy;
    if (r->peer == ONE)
        check_cusparse(cusparseSgtsv2_nopivot(r->handle, t->size, 1, d[0], d[1], d[2], d[3], t->size, r->buffer));
    else if (r->peer == STRIDED)
        check_cusparse(
            cusparseSgtsv2StridedBatch(r->handle, t->size, d[0], d[1], d[2], d[3], t->systems, t->size, r->buffer));
    else
        check_cusparse(cusparseSgtsvInterleavedBatch(r->handle, r->peer - INTERLEAVED_0, t->size, d[0], d[1], d[2],
                                                     d[3], t->systems, r->buffer));
}

static void refresh(void *context)
{
    struct race *r = (struct race *)context;
    for (int k = 0; k < 4; k++)
        check_cuda(
            cudaMemcpy(r->copy[k], r->t.d_band[k], (size_t)harness.case_n * sizeof(float), cudaMemcpyDeviceToDevice));
}

static void run_ours(void *context)
{
    call(&((struct race *)context)->t);
}

static void check_peer(struct race *r)
{
    size_t bytes = (size_t)harness.case_n * sizeof(float);
    r->buffer = device_alloc(buffer_bytes(r));
    refresh(r);
    run_peer(r);
    check_cuda(cudaMemcpy(r->t.d_x, r->copy[3], bytes, cudaMemcpyDeviceToDevice));
    check_solutions(&r->t);
}

static void set_up_race(struct race *r, int size, int n)
{
    r->t.layout = r->peer >= INTERLEAVED_0 ? INTERLEAVED : CONTIGUOUS;
    r->t.method = PARALLEL;
    set_up(&r->t, &INPUTS[1], size, n / size);
    for (int k = 0; k < 4; k++)
        r->copy[k] = (float *)device_alloc((size_t)n * sizeof(float));
    run_ours(r);
    check_cuda(cudaGetLastError());
    check_solutions(&r->t);
}

// One row: n rows as systems of `size`, barely dominant. step: the function that solves them here.
static void compare(cusparseHandle_t handle, const char *step, void (*solve)(float *, struct bands, float *, int, int),
                    enum peer peer, int size, int n)
{
    const char *names[] = {"gtsv2_nopivot", "gtsv2StridedBatch", "gtsvInterleavedBatch", "gtsvInterleavedBatch",
                           "gtsvInterleavedBatch"};
    struct race r = {};
    char label[80];
    struct duel d = {label, n, 20. * n, &r, run_ours, run_peer, refresh, NULL, 1};
    struct medians best = {}, m;
    r.handle = handle;
    r.peer = peer;
    r.t.solve = solve;
    set_up_race(&r, size, n);
    for (int p = peer; p <= (peer >= INTERLEAVED_0 ? INTERLEAVED_2 : peer); p++) {
        r.peer = (enum peer)p;
        check_peer(&r);
        m = take_turns(&d);
        best = best.peer == 0 || m.peer < best.peer ? m : best;
        check_cuda(cudaFree(r.buffer));
    }
    snprintf(label, sizeof label, "%s, %s %d", step, names[peer], size);
    report_duel(&d, best);
    for (int k = 0; k < 4; k++)
        check_cuda(cudaFree(r.copy[k]));
    tear_down(&r.t);
}

int main(int argc, char **argv)
{
    const int ones[] = {1 << 16, 1 << 20, 1 << 24}, totals[] = {1 << 20, 1 << 25}, sizes[] = {64, 256, 512, 1024, 4096};
    cusparseHandle_t handle;
    open_table(argc, argv, __FILE__, "cuSPARSE gtsv2", LONG);
    check_cusparse(cusparseCreate(&handle));
    for (int i = 0; i < 3; i++)
        if (harness.n < 0 || i == 0) {
            int n = harness.n < 0 ? ones[i] : (int)harness.n;
            compare(handle, "08", solve_large, ONE, n, n);
        }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 5 && (harness.n < 0 || i == 0); k++) {
            int size = sizes[k], n = harness.n < 0 ? totals[i] : (int)harness.n / size * size;
            compare(handle, size > 1024 ? "08 blocks" : "07", size > 1024 ? solve_by_blocks : solve_batch, STRIDED,
                    size, n);
            compare(handle, "02", solve_interleaved, INTERLEAVED_0, size, n);
            compare(handle, "02 ahead", solve_ahead, INTERLEAVED_0, size, n);
        }
    check_cusparse(cusparseDestroy(handle));
    close_table();
}
