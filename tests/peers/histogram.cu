// The last step of chapter 03-histogram beside cub::DeviceHistogram::HistogramEven, on one GPU, in one process.
//
// Rules: temporary memory is allocated beforehand; the L2 cache is flushed before every run; ours and the peer's
// take turns; the median of at least 20 runs counts, after two to warm up; a run is all that the call does, zeroing the
// bins included. Both histograms are checked on the very input that is timed. Nothing is graded here.
//
//     nvcc -O3 -arch=native -I common -I solutions tests/peers/histogram.cu && ./a.out [--n N] [--json FILE]
//
// With -I . in place of -I solutions it measures your own step 7. The JSON record has 256 bins and entropy 1.000 only.
#include <cub/device/device_histogram.cuh>

#define main exercise_main
#include "03-histogram/07-vectorized.cu"
#undef main

struct counts {
    unsigned char *d_in;
    unsigned *d_bins;
    size_t n;
    int bins;
    void *d_cub;
    size_t cub_bytes;
};

static void run_ours(void *context)
{
    struct counts *c = (struct counts *)context;
    histogram(c->d_bins, c->d_in, c->n, c->bins);
}

// CUB takes the number of levels, one more than bins, and the samples' number with a sign.
static void run_peer(void *context)
{
    struct counts *c = (struct counts *)context;
    check_cuda(cub::DeviceHistogram::HistogramEven(c->d_cub, c->cub_bytes, c->d_in, c->d_bins, c->bins + 1, 0, 256,
                                                   (long long)c->n));
}

// Runs once on poisoned bins and compares with the host's counts.
static void check(const char *who, void (*run)(void *context), struct counts *c, const unsigned *want)
{
    unsigned got[MAX_BINS];
    size_t bytes = (size_t)c->bins * sizeof *got;
    begin_case(who, (long long)c->n, "");
    check_cuda(cudaMemset(c->d_bins, POISON, bytes));
    run(c);
    check_cuda(cudaMemcpy(got, c->d_bins, bytes, cudaMemcpyDeviceToHost));
    check_counts(got, want, c->bins, c->n);
}

// Times both, prints a row, and records it if asked to.
static void compare(struct counts *c, const struct input *input, const unsigned *want, int record)
{
    c->d_cub = NULL;
    run_peer(c); // asks how much temporary memory is needed
    c->d_cub = device_alloc(c->cub_bytes);
    check("ours", run_ours, c, want);
    check("cub::DeviceHistogram", run_peer, c, want);

    double *ours = (double *)host_alloc(2 * (size_t)harness.reps * sizeof *ours), *peer = ours + harness.reps;
    for (int i = -2; i < harness.reps; i++) {
        ours[i < 0 ? 0 : i] = once_ms(run_ours, c);
        peer[i < 0 ? 0 : i] = once_ms(run_peer, c);
    }
    double ms = median(ours, harness.reps), peer_ms = median(peer, harness.reps), peak = peak_gb_per_s();
    double rate = (double)c->n / 1e6 / ms, peer_rate = (double)c->n / 1e6 / peer_ms;
    printf("%11zu %5d  %-14s %10.4f %8.1f %10.4f %8.1f %10.3f\n", c->n, c->bins, input->name, ms, rate, peer_ms,
           peer_rate, peer_ms / ms);
    if (record && harness.json)
        fprintf(harness.json,
                "%s{\"n\": %zu, \"ms\": %.6f, \"gb_per_s\": %.1f, \"share_of_peak\": %.4f,\n"
                "  \"peer_ms\": %.6f, \"peer_gb_per_s\": %.1f, \"peer_share_of_peak\": %.4f, \"ratio\": %.4f}",
                record > 1 ? ",\n " : "", c->n, ms, rate, peak > 0 ? rate / peak : 0, peer_ms, peer_rate,
                peak > 0 ? peer_rate / peak : 0, peer_ms / ms);
    free(ours);
    check_cuda(cudaFree(c->d_cub));
}

// All inputs at n, with 256 bins and with 64. number: of this size, from 1.
static void compare_all(size_t n, int number)
{
    struct counts c = {NULL, NULL, n, 0, NULL, 0};
    unsigned char *x = (unsigned char *)host_alloc(n);
    c.d_bins = (unsigned *)device_alloc(MAX_BINS * sizeof(unsigned));
    for (int set = 0; set <= EQUAL; set++) {
        uint64_t state = harness.seed;
        INPUTS[set].fill(x, n, &state, INPUTS[set].how);
        c.d_in = (unsigned char *)device_copy(x, n, 0);
        for (c.bins = 256; c.bins >= 64; c.bins /= 4) {
            unsigned want[MAX_BINS];
            reference(want, x, n, c.bins);
            compare(&c, &INPUTS[set], want, set == UNIFORM && c.bins == 256 ? number : 0);
        }
        check_cuda(cudaFree(c.d_in));
    }
    check_cuda(cudaFree(c.d_bins));
    free(x);
}

int main(int argc, char **argv)
{
    const size_t sizes[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28, 1 << 30};
    struct cudaDeviceProp device;
    read_options(argc, argv, __FILE__, 0, UINT32_MAX);
    harness.reps = harness.reps < 20 ? 20 : harness.reps;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess)
        fail(SKIPPED, "skipped: a peer is measured on a GPU, and there is none here");

    printf("%s, peak %.0f GB/s, median of %d\n", device.name, peak_gb_per_s(), harness.reps);
    printf("          n  bins  input             ours ms     GB/s     CUB ms     GB/s   CUB/ours\n");
    if (harness.json)
        fprintf(harness.json, "{\"device\": \"%s\", \"peer\": \"cub::DeviceHistogram::HistogramEven\", \"times\": [\n ",
                device.name);
    for (int i = 0; i < 5; i++)
        if (harness.n < 0 || i == 0)
            compare_all(harness.n < 0 ? sizes[i] : (size_t)harness.n, i + 1);
    if (harness.json) {
        fprintf(harness.json, "]}\n");
        fclose(harness.json);
        harness.json = NULL; // the record is complete: finish() has nothing to add
    }
    finish(RIGHT);
}
