// The last step of chapter 03-histogram compared with cub::DeviceHistogram::HistogramEven, on one GPU, in one process.
//
// See peer.h. All bins of both are checked.
#include <cub/device/device_histogram.cuh>

#define main exercise_main
#include "03-histogram/07-vectorized.cu"
#undef main
#include "peer.h"

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

// CUB takes the number of levels, one more than bins, and a signed number of samples.
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

// Times both and prints a row.
static void compare(struct counts *c, const struct input *input, const unsigned *want)
{
    c->d_cub = NULL;
    run_peer(c); // returns the temporary memory's size
    c->d_cub = device_alloc(c->cub_bytes);
    check("ours", run_ours, c, want);
    check("cub::DeviceHistogram", run_peer, c, want);

    char label[64];
    snprintf(label, sizeof label, "%d bins, %s", c->bins, input->name);
    struct duel d = {label, (long long)c->n, (double)c->n, c, run_ours, run_peer, NULL, NULL, 1};
    duel(&d);
    check_cuda(cudaFree(c->d_cub));
}

// All inputs at n, with 256 bins and with 64.
static void compare_all(size_t n)
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
            compare(&c, &INPUTS[set], want);
        }
        check_cuda(cudaFree(c.d_in));
    }
    check_cuda(cudaFree(c.d_bins));
    free(x);
}

int main(int argc, char **argv)
{
    const size_t sizes[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28, 1 << 30};
    open_table(argc, argv, __FILE__, "cub::DeviceHistogram::HistogramEven", UINT32_MAX);
    for (int i = 0; i < 5; i++)
        if (harness.n < 0 || i == 0)
            compare_all(harness.n < 0 ? sizes[i] : (size_t)harness.n);
    close_table();
}
