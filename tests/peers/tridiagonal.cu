// Steps 02 (and interleaved.h), 07 and 08 of chapter 05-tridiagonal beside cuSPARSE's gtsvInterleavedBatch,
// gtsv2StridedBatch and gtsv2_nopivot, on one GPU, in one process.
//
// Rules: temporary memory is allocated beforehand; the peers work in place, so their input is brought back before every
// run, outside the time; then the L2 cache is flushed; ours and the peer's take turns; the median of at least 20 runs
// counts, after two to warm up. Both are checked on the very input that is timed, by residual and by forward error. Of
// the three algorithms of gtsvInterleavedBatch the fastest counts. Nothing is graded here.
//
//     nvcc -O3 -arch=native -I common -I solutions tests/peers/tridiagonal.cu -lcusparse && ./a.out [--n N] [--json
//     FILE]
//
// With -I . in place of -I solutions it measures your own steps.
#include <cusparse.h>
#include "tridiagonal.h"

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

static void refresh(struct race *r)
{
    for (int k = 0; k < 4; k++)
        check_cuda(
            cudaMemcpy(r->copy[k], r->t.d_band[k], (size_t)harness.case_n * sizeof(float), cudaMemcpyDeviceToDevice));
}

// Checks the peer, then times it beside ours. Returns the peer's median; ours is in *ours_ms.
static double time_peer(struct race *r, double *ours_ms)
{
    size_t bytes = (size_t)harness.case_n * sizeof(float);
    double *ours = (double *)host_alloc(2 * (size_t)harness.reps * sizeof *ours), *peer = ours + harness.reps, ms;
    r->buffer = device_alloc(buffer_bytes(r));
    refresh(r);
    run_peer(r);
    check_cuda(cudaMemcpy(r->t.d_x, r->copy[3], bytes, cudaMemcpyDeviceToDevice));
    check_solutions(&r->t);
    for (int i = -2; i < harness.reps; i++) {
        ours[i < 0 ? 0 : i] = once_ms(call, &r->t);
        refresh(r);
        peer[i < 0 ? 0 : i] = once_ms(run_peer, r);
    }
    *ours_ms = median(ours, harness.reps);
    ms = median(peer, harness.reps);
    check_cuda(cudaFree(r->buffer));
    free(ours);
    return ms;
}

static void report(const struct race *r, const char *step, const char *peer, double ms, double peer_ms)
{
    double gigabytes = 20 * (double)harness.case_n / 1e9, peak = peak_gb_per_s();
    double rate = gigabytes / ms * 1e3, peer_rate = gigabytes / peer_ms * 1e3;
    static int rows;
    printf("%10lld %10d  %-8s %9.4f %8.1f  %-22s %9.4f %8.1f %10.3f\n", harness.case_n, r->t.size, step, ms, rate, peer,
           peer_ms, peer_rate, peer_ms / ms);
    if (harness.json)
        fprintf(harness.json,
                "%s{\"n\": %lld, \"size\": %d, \"step\": \"%s\", \"peer\": \"%s\", \"ms\": %.6f, \"gb_per_s\": %.1f, "
                "\"share_of_peak\": %.4f,\n  \"peer_ms\": %.6f, \"peer_gb_per_s\": %.1f, \"peer_share_of_peak\": %.4f, "
                "\"ratio\": %.4f}",
                rows++ ? ",\n " : "", harness.case_n, r->t.size, step, peer, ms, rate, peak > 0 ? rate / peak : 0,
                peer_ms, peer_rate, peak > 0 ? peer_rate / peak : 0, peer_ms / ms);
}

// One row: n rows as systems of `size`, barely dominant. ahead: interleaved.h in place of step 02.
static void compare(cusparseHandle_t handle, enum peer peer, int size, int n, int ahead)
{
    struct race r = {};
    const char *step = peer >= INTERLEAVED_0        ? ahead ? "02 ahead" : "step 02"
                       : peer == ONE || size > 1024 ? "step 08"
                                                    : "step 07";
    const char *names[] = {"gtsv2_nopivot", "gtsv2StridedBatch", "gtsvInterleavedBatch 0", "gtsvInterleavedBatch 1",
                           "gtsvInterleavedBatch 2"};
    double best = 0, ours = 0, ms, ours_ms;
    enum peer fastest = peer;
    r.handle = handle;
    r.t.solve = ahead ? solve_ahead : step[6] == '2' ? solve_interleaved : step[6] == '8' ? solve_large : solve_batch;
    r.t.layout = peer >= INTERLEAVED_0 ? INTERLEAVED : CONTIGUOUS;
    r.t.method = PARALLEL;
    set_up(&r.t, &INPUTS[1], size, n / size);
    for (int k = 0; k < 4; k++)
        r.copy[k] = (float *)device_alloc((size_t)n * sizeof(float));
    call(&r.t);
    check_cuda(cudaGetLastError());
    check_solutions(&r.t);
    for (int p = peer; p <= (peer >= INTERLEAVED_0 ? INTERLEAVED_2 : peer); p++) {
        r.peer = (enum peer)p;
        ms = time_peer(&r, &ours_ms);
        if (best == 0 || ms < best)
            best = ms, fastest = r.peer, ours = ours_ms;
    }
    report(&r, step, names[fastest], ours, best);
    for (int k = 0; k < 4; k++)
        check_cuda(cudaFree(r.copy[k]));
    tear_down(&r.t);
}

int main(int argc, char **argv)
{
    const int ones[] = {1 << 16, 1 << 20, 1 << 24}, totals[] = {1 << 20, 1 << 25}, sizes[] = {64, 256, 512, 1024, 4096};
    struct cudaDeviceProp device;
    cusparseHandle_t handle;
    read_options(argc, argv, __FILE__, 0, LONG);
    harness.reps = harness.reps < 20 ? 20 : harness.reps;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess)
        fail(SKIPPED, "skipped: a peer is measured on a GPU, and there is none here");
    check_cusparse(cusparseCreate(&handle));
    printf("%s, peak %.0f GB/s, median of %d; GB/s: 20 bytes per row\n", device.name, peak_gb_per_s(), harness.reps);
    printf(
        "      rows     system  ours            ms     GB/s  cuSPARSE                      ms     GB/s  peer/ours\n");
    if (harness.json)
        fprintf(harness.json, "{\"device\": \"%s\", \"peer\": \"cuSPARSE gtsv2\", \"times\": [\n ", device.name);
    for (int i = 0; i < 3; i++)
        if (harness.n < 0 || i == 0) {
            int n = harness.n < 0 ? ones[i] : (int)harness.n;
            compare(handle, ONE, n, n, 0);
        }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 5 && (harness.n < 0 || i == 0); k++) {
            int n = harness.n < 0 ? totals[i] : (int)harness.n / sizes[k] * sizes[k];
            compare(handle, STRIDED, sizes[k], n, 0);
            compare(handle, INTERLEAVED_0, sizes[k], n, 0);
            compare(handle, INTERLEAVED_0, sizes[k], n, 1);
        }
    check_cusparse(cusparseDestroy(handle));
    if (harness.json) {
        fprintf(harness.json, "]}\n");
        fclose(harness.json);
        harness.json = NULL; // the record is complete: finish() has nothing to add
    }
    finish(RIGHT);
}
