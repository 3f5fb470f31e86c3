// The last step of chapter 02-scan beside cub::DeviceScan::ExclusiveSum, on one GPU, in one process.
//
// Rules: temporary memory is allocated beforehand; the L2 cache is flushed before every run; ours and the peer's
// take turns; the median of at least 20 runs counts, after two to warm up; a run is all that the call does, its
// memsets and first launches included. Both scans are checked on the very input that is timed. Nothing is graded here.
//
//     nvcc -O3 -arch=native -I common -I solutions tests/peers/scan.cu && ./a.out [--n N] [--json FILE]
//
// With -I . in place of -I solutions it measures your own step 10.
#include <cub/device/device_scan.cuh>

#define main exercise_main
#include "02-scan/10-look-back.cu"
#undef main

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
static void compare(int n, int first)
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

    double *ours = (double *)host_alloc(2 * (size_t)harness.reps * sizeof *ours), *peer = ours + harness.reps;
    for (int i = -2; i < harness.reps; i++) {
        ours[i < 0 ? 0 : i] = once_ms(run_ours, &s);
        peer[i < 0 ? 0 : i] = once_ms(run_peer, &s);
    }
    double ms = median(ours, harness.reps), peer_ms = median(peer, harness.reps);
    double rate = 2 * (double)bytes / 1e6 / ms, peer_rate = 2 * (double)bytes / 1e6 / peer_ms, peak = peak_gb_per_s();
    printf("%11d %10.4f %8.1f %10.4f %8.1f %10.3f\n", n, ms, rate, peer_ms, peer_rate, peer_ms / ms);
    if (harness.json)
        fprintf(harness.json,
                "%s{\"n\": %d, \"ms\": %.6f, \"gb_per_s\": %.1f, \"share_of_peak\": %.4f,\n"
                "  \"peer_ms\": %.6f, \"peer_gb_per_s\": %.1f, \"peer_share_of_peak\": %.4f, \"ratio\": %.4f}",
                first ? "" : ",\n ", n, ms, rate, peak > 0 ? rate / peak : 0, peer_ms, peer_rate,
                peak > 0 ? peer_rate / peak : 0, peer_ms / ms);

    free(ours);
    check_cuda(cudaFree(s.d_cub));
    check_cuda(cudaFree(s.d_out));
    check_cuda(cudaFree(s.d_tmp));
    check_cuda(cudaFree(s.d_in));
    free(x);
}

int main(int argc, char **argv)
{
    const int sizes[] = {1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 28};
    struct cudaDeviceProp device;
    read_options(argc, argv, __FILE__, 0, 1 << 30);
    harness.reps = harness.reps < 20 ? 20 : harness.reps;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess)
        fail(SKIPPED, "skipped: a peer is measured on a GPU, and there is none here");

    printf("%s, peak %.0f GB/s, median of %d\n", device.name, peak_gb_per_s(), harness.reps);
    printf("          n    ours ms     GB/s     CUB ms     GB/s   CUB/ours\n");
    if (harness.json)
        fprintf(harness.json, "{\"device\": \"%s\", \"peer\": \"cub::DeviceScan::ExclusiveSum\", \"times\": [\n ",
                device.name);
    for (int i = 0; i < 5; i++)
        if (harness.n < 0 || i == 0)
            compare(harness.n < 0 ? sizes[i] : (int)harness.n, i == 0);
    if (harness.json) {
        fprintf(harness.json, "]}\n");
        fclose(harness.json);
        harness.json = NULL; // the record is complete: finish() has nothing to add
    }
    finish(RIGHT);
}
