// histogram/driver.h: chapter 03-histogram: inputs, reference, checks and figures. common/histogram.h defines a right
// answer and includes this file.
#pragma once

#include "harness.h"
#include "histogram/calls.h"

#define MAX_BINS 256

struct histogram {
    histogram_function *fixed;   // either this
    histogram_any_function *any; // or that is NULL
    int bins;
    unsigned char *x, *d_in; // x: the input on the host
    unsigned *d_bins;
    size_t n;
};

// ---- Inputs ----------------------------------------------------------------------------------------------
// The AND of this many random bytes in each sample.
static void fill_and(unsigned char *x, size_t n, uint64_t *state, int words)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t eight = random_bits(state);
        for (int k = 1; k < words; k++)
            eight &= random_bits(state);
        memcpy(x + i, &eight, n - i < 8 ? n - i : 8);
    }
}

static void fill_equal(unsigned char *x, size_t n, uint64_t * /* state */, int value)
{
    memset(x, value, n);
}

// Of 16 samples 15 fall in one bin.
static void fill_hot(unsigned char *x, size_t n, uint64_t *state, int value)
{
    fill_and(x, n, state, 1);
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] % 16 ? (unsigned char)value : x[i];
}

// Neighbours in neighbouring bins, down from 255.
static void fill_ramp(unsigned char *x, size_t n, uint64_t * /* state */, int step)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (unsigned char)(255 - (size_t)step * i);
}

struct input {
    const char *name;
    void (*fill)(unsigned char *x, size_t n, uint64_t *state, int how);
    int how;
    int skip; // bytes from a 16-byte boundary to d_in
};

enum { UNIFORM, SKEWED = 2, EQUAL };

static const struct input INPUTS[] = {
    {"entropy 1.000", fill_and, 1, 0}, {"entropy 0.544", fill_and, 3, 4}, {"entropy 0.201", fill_and, 5, 0},
    {"all equal", fill_equal, 165, 3}, {"one hot bin", fill_hot, 255, 9}, {"ramp", fill_ramp, 1, 14},
};
enum { SETS = sizeof INPUTS / sizeof INPUTS[0] };

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct histogram *h = (struct histogram *)context;
    if (h->fixed)
        h->fixed(h->d_bins, h->d_in, h->n);
    else
        h->any(h->d_bins, h->d_in, h->n, h->bins);
}

// The reference: one loop over the host's copy.
static void reference(unsigned *want, const unsigned char *x, size_t n, int bins)
{
    memset(want, 0, (size_t)bins * sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[x[i] * bins / 256]++;
}

static void check_counts(const unsigned *got, const unsigned *want, int bins, size_t n)
{
    static char note[200];
    char got_text[64], want_text[64];
    unsigned long long sum = 0;
    int wrong = 0, first = 0;
    for (int b = 0; b < bins; b++) {
        sum += got[b];
        if (got[b] != want[b] && wrong++ == 0)
            first = b;
    }
    if (wrong == 0)
        return;
    snprintf(note, sizeof note, "%s\n  sum     the counts add up to %llu: %s", harness.note, sum,
             sum < n   ? "samples were lost"
             : sum > n ? "some were counted twice, or the bins were not zeroed"
                       : "every sample was counted, but not in its bin");
    harness.note = note;
    snprintf(got_text, sizeof got_text, "%u%s", got[first], record_wrong_word(&got[first]));
    snprintf(want_text, sizeof want_text, "%u", want[first]);
    judge(wrong, bins, first, got_text, want_text, 0);
}

// Fills and runs one case, skip bytes after a 16-byte boundary, and checks it; if times are requested, measures it
// while the input is on the device.
static void run_case(struct histogram *h, const struct input *input, size_t n, int skip, int time)
{
    uint64_t state = case_seed(n);
    unsigned got[MAX_BINS], want[MAX_BINS];
    size_t bytes = (size_t)h->bins * sizeof *got;
    static char note[80];
    snprintf(note, sizeof note, ", %d bins, d_in at address %d mod 16", h->bins, skip);
    begin_case(input->name, (long long)n, note);
    if (planned(n))
        return;
    h->n = n;
    h->x = (unsigned char *)host_alloc(n);
    input->fill(h->x, n, &state, input->how);
    h->d_in = (unsigned char *)device_copy(h->x, n, (size_t)skip);
    h->d_bins = (unsigned *)device_alloc(bytes);

    run_calls(call, h, 1);
    check_cuda(cudaMemcpy(got, h->d_bins, bytes, cudaMemcpyDeviceToHost));
    reference(want, h->x, n, h->bins);
    check_counts(got, want, h->bins, n);
    check_untouched(h->d_in, h->x, n);
    if (time)
        report_time((long long)n, median_ms(call, h), (double)n);

    check_cuda(cudaFree(h->d_bins));
    check_cuda(cudaFree(h->d_in - skip));
    host_free(h->x);
}

// ---- The driver ------------------------------------------------------------------------------------------
static const size_t SIZES[] = {1,   0,   15,   16,   17,    31,    32,    33,    127,   128,   129,   255,
                               256, 257, 4095, 4097, 16383, 16384, 16385, 32639, 32641, 65535, 65536, 65537};
static const size_t STARTS[] = {1, 14, 17, 31, 513}; // sizes that are run at all 16 alignments
static const size_t BENCH_SIZES[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28, 1 << 30};
enum {
    SIZE_COUNT = sizeof SIZES / sizeof SIZES[0],
    START_COUNT = sizeof STARTS / sizeof STARTS[0],
    BENCH_COUNT = sizeof BENCH_SIZES / sizeof BENCH_SIZES[0]
};

static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"blocks", "blocks"},
    {"warp instructions", "warp_instructions"},
    {"lanes at work, %", "100 * thread_instructions / (32 * warp_instructions)"},
    {"divergent branches", "divergent_branches"},
    {"block barriers", "barriers"},
    {"global load requests", "global_load_requests"},
    {"sectors per request", "global_load_sectors / global_load_requests"},
    {"shared accesses", "shared_load_requests + shared_store_requests"},
    {"bank conflicts", "shared_excess"},
    {"global atomics", "global_atomics"},
    {"shared atomics", "shared_atomics"},
    {"matches and votes", "votes"},
    {"most lanes on one word", "shared_atomic_same"},
};

static int has_room(size_t n)
{
    return fits(n + 4096, n);
}

static void check_size(struct histogram *h, size_t n)
{
    for (int set = 0; set < SETS; set++)
        run_case(h, &INPUTS[set], n, INPUTS[set].skip, 0);
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
static void run_uniform(void *context, long long n)
{
    run_case((struct histogram *)context, &INPUTS[UNIFORM], (size_t)n, 0, 0);
}

static void run_changed(void *context, long long n)
{
    struct histogram *h = (struct histogram *)context;
    int bins = h->bins;
    if (h->any && changed(OTHER_DEPTH))
        h->bins = bins == MAX_BINS ? 64 : MAX_BINS;
    run_uniform(h, n);
    h->bins = bins;
}

static void run_drawn(struct histogram *h, long long low, long long high)
{
    size_t n = (size_t)draw_size(low, high);
    run_case(h, &INPUTS[UNIFORM], n, (int)(n % 16), 0);
}

static void check_drawn(struct histogram *h)
{
    for (int i = 0; i < DRAWN; i++)
        run_drawn(h, drawn_part(1 << 17, i), drawn_part(1 << 17, i + 1));
    if (wants_larger())
        run_drawn(h, 1 << 18, 1 << 23);
}

// Around k of the exercise's tiles, at all alignments, which the sizes share; at some of them if k > 1.
static void check_tiles(struct histogram *h, size_t tile, size_t k)
{
    for (size_t n = k * tile - 1; n <= k * tile + 1; n++)
        for (size_t skip = n % 3; skip < (k == 1 ? 16 : 3); skip += 3)
            run_case(h, &INPUTS[UNIFORM], n, (int)((5 * k + skip) % 16), 0);
}

static void check_own_sizes(struct histogram *h)
{
    long long tiles[MAX_TILES];
    int count = find_tiles(run_uniform, h, 1 << 15, tiles);
    for (int i = 0; i < count; i++)
        for (size_t k = 1; k <= 3; k++)
            check_tiles(h, (size_t)tiles[i], k);
    check_repeated(run_uniform, h, 33, 300);
    check_stale_state(run_changed, h, 3000);
    if (count > 0)
        check_stale_state(run_changed, h, tiles[0] / 2 + 1); // at first one tile
}

// Whether any executed block has written to the bins.
static bool bins_are_written(const struct histogram *h)
{
    struct simt_reach reach[MAX_KERNELS] = {};
    int kernels = simt_reach(h->d_bins, (size_t)h->bins * sizeof *h->d_bins, 1, reach, MAX_KERNELS), written = 0;
    for (int i = 0; i < kernels; i++)
        written += reach[i].high > 0;
    return written > 0;
}

// All samples are 0. Whether bin 0 has those read by the blocks that ran to their end. Some read millions. If no block
// has written to the bins, the last one to end adds the counts of all up, and it was not executed.
static void check_bin_0(const struct histogram *h)
{
    struct simt_reach reach[MAX_KERNELS] = {};
    int kernels = simt_reach ? simt_reach(h->d_in, h->n, 0, reach, MAX_KERNELS) : 0;
    unsigned long long read = 0;
    unsigned counted = 0;
    for (int i = 0; i < kernels; i++)
        read = reach[i].done > read ? reach[i].done : read;
    check_cuda(cudaMemcpy(&counted, h->d_bins, sizeof counted, cudaMemcpyDeviceToHost));
    if (counted < read && bins_are_written(h))
        fail(WRONG, "wrong answer: the executed blocks read %llu samples of value 0 and counted %u\n" WRAPS, read,
             counted);
}

static void check_largest(void *context, long long largest)
{
    struct histogram *h = (struct histogram *)context;
    size_t n = (size_t)largest;
    if (begin_large((long long)n, (double)n, LARGE_NOTE)) {
        h->n = n;
        h->d_in = (unsigned char *)device_alloc(n);
        h->d_bins = (unsigned *)device_alloc((size_t)h->bins * sizeof *h->d_bins);
        run_calls(call, h, 1);
        check_all_read((double)n);
        check_all_loaded(h->d_in, n, 1);
        check_ends(h->d_in, n, 0, "input");
        check_last(h->d_in, n, 0);
        check_bin_0(h);
        check_zeros(h->d_bins + 1, (size_t)(h->bins - 1) * sizeof *h->d_bins, 0); // bin 0 has all samples
        check_cuda(cudaFree(h->d_bins));
        check_cuda(cudaFree(h->d_in));
    }
    end_large();
}

static void check_all(struct histogram *h)
{
    if (harness.n >= 0) {
        check_size(h, (size_t)harness.n);
        return;
    }
    for (int i = 0; i < SIZE_COUNT; i++)
        check_size(h, SIZES[i]);
    check_drawn(h);
    for (int i = 0; i < START_COUNT; i++)
        for (int skip = 0; skip < 16; skip++)
            run_case(h, &INPUTS[UNIFORM], STARTS[i], skip, 0);
    if (simt_read)
        check_own_sizes(h);
    check_size(h, ((size_t)1 << (simt_read ? 18 : 24)) + 7);
}

// All samples in one bin, so that its count exceeds the largest int. On the SIMT machine there are at least enough to
// overflow the byte counters of a resident grid's threads.
static void check_one_bin(struct histogram *h)
{
    size_t n = ((size_t)1 << (simt_read ? 22 : 31)) + 4099;
    if (harness.n < 0 && has_room(n))
        run_case(h, &INPUTS[EQUAL], n, INPUTS[EQUAL].skip, 0);
    if (begin_huge()) {
        run_drawn(h, 1 << 24, 1 << 25);
        end_huge();
    }
}

static int drive(struct invocation own, struct histogram *h)
{
    read_options(own, UINT32_MAX);
    skip_bench_without_gpu(1 << 22);
    run_large(check_largest, h, UINT32_MAX);
    size_t n = harness.n >= 0 ? (size_t)harness.n : (size_t)1 << (simt_read ? 18 : 24);
    int all = !harness.bench && !only_counted();
    if (only_counted())
        run_drawn(h, 1, n > 0 ? (long long)n : 1);
    if (h->any && all) {
        h->bins = 64;
        check_all(h);
        h->bins = 256;
    }
    if (all) {
        check_all(h);
        check_one_bin(h);
        print_right();
    }

    bool bench = harness.bench && harness.n < 0;
    for (int i = 0; bench && i < BENCH_COUNT && has_room(BENCH_SIZES[i]); i++)
        run_case(h, &INPUTS[UNIFORM], BENCH_SIZES[i], 0, 1);
    if (is_timed() && !bench)
        run_case(h, &INPUTS[UNIFORM], n, 0, 1);
    begin_counted();
    run_case(h, &INPUTS[SKEWED], n, 0, 0);
    if (simt_read && !harness.check) {
        printf("input %s; ", harness.input);
        report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    }
    if (count_ragged())
        run_case(h, &INPUTS[SKEWED], (size_t)draw_ragged((long long)(n - n / 4), (long long)n), 0, 0);
    finish_counted(check_largest, h, 1 << 22, UINT32_MAX, past_power(31));
}

static inline int drive_histogram(struct invocation own, histogram_function *run, int bins)
{
    struct histogram h = {run, NULL, bins, NULL, NULL, NULL, 0};
    return drive(own, &h);
}

static inline int drive_histogram_any(struct invocation own, histogram_any_function *run)
{
    struct histogram h = {NULL, run, MAX_BINS, NULL, NULL, NULL, 0};
    return drive(own, &h);
}
