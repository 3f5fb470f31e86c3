// The last step of chapter 02-scan compared with cub::DeviceScan::ExclusiveSum, on one GPU, in one process.
//
// See peer.h. Every element of both is checked.
#include <cub/device/device_scan.cuh>

#define main exercise_main
#include "02-scan/10-look-back.cu"
#undef main
#include "peer.h"

struct scans {
    int *d_in, *d_out, *d_tmp, n;
    void *d_cub;
    size_t cub_bytes;
};

static void run_ours(void *context)
{
    struct scans *s = (struct scans *)context;
    scan(s->d_out, s->d_in, s->d_tmp, s->n);
}

static void run_peer(void *context)
{
    struct scans *s = (struct scans *)context;
    check_cuda(cub::DeviceScan::ExclusiveSum(s->d_cub, s->cub_bytes, s->d_in, s->d_out, s->n));
}

// Runs once on a poisoned output and compares every element with the host's.
static void check(const char *who, void (*run)(void *context), struct scans *s, int *got, const int *want)
{
    size_t bytes = (size_t)s->n * sizeof *got;
    begin_case(who, s->n, "");
    check_cuda(cudaMemset(s->d_out, POISON, bytes));
    run(s);
    check_cuda(cudaMemcpy(got, s->d_out, bytes, cudaMemcpyDeviceToHost));
    check_ints(got, want, s->n, 0);
}

// Times both at n and prints a row.
static void compare(int n)
{
    struct scans s = {NULL, NULL, NULL, n, NULL, 0};
    size_t bytes = (size_t)n * sizeof(int);
    int *x = (int *)host_alloc(3 * bytes), *want = x + n, *got = want + n;
    uint64_t state = harness.seed;
    unsigned sum = 0; // wraps around
    fill_random(x, n, &state);
    for (int i = 0; i < n; i++) {
        want[i] = (int)sum;
        sum += (unsigned)x[i];
    }
    s.d_in = (int *)device_copy(x, bytes, 0);
    s.d_tmp = (int *)device_alloc(bytes + 64 * sizeof(int));
    s.d_out = (int *)device_alloc(bytes);
    check_cuda(cub::DeviceScan::ExclusiveSum(NULL, s.cub_bytes, s.d_in, s.d_out, n));
    s.d_cub = device_alloc(s.cub_bytes);
    check("ours", run_ours, &s, got, want);
    check("cub::DeviceScan", run_peer, &s, got, want);

    struct duel d = {"int", n, 2 * (double)bytes, &s, run_ours, run_peer, NULL, NULL, 1};
    duel(&d);
    check_cuda(cudaFree(s.d_cub));
    check_cuda(cudaFree(s.d_out));
    check_cuda(cudaFree(s.d_tmp));
    check_cuda(cudaFree(s.d_in));
    free(x);
}

int main(int argc, char **argv)
{
    const int sizes[] = {1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 28};
    open_table(argc, argv, __FILE__, "cub::DeviceScan::ExclusiveSum", 1 << 30);
    for (int i = 0; i < 5; i++)
        if (harness.n < 0 || i == 0)
            compare(harness.n < 0 ? sizes[i] : (int)harness.n);
    close_table();
}
