// hopper/driver.h: chapter 10-hopper: inputs, reference, checks and figures. common/hopper.h defines a right answer and
// includes this file.
#pragma once

#define CHAPTER_OPTIONS ", --bins B"
#define BENCH_HELP "2^20, 2^24, 2^28"
#define CHAPTER_HELP "  --bins B       of step 1: samples are below it; 1 to 65536 (4096)\n"
#include "harness.h"
#include "hopper/calls.h"

struct hopper {
    cluster_function *histogram; // either this
    mirror_function *mirror;     // or that is NULL
    int bins;
    size_t n;
    void *x, *d_in, *d_out; // x: the input on the host
};

// ---- Inputs ----------------------------------------------------------------------------------------------
static void fill_uniform(unsigned short *x, size_t n, int bins, uint64_t *state)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (unsigned short)((random_bits(state) >> 32) % (unsigned)bins);
}

static void fill_hot(unsigned short *x, size_t n, int bins, uint64_t *state)
{
    fill_uniform(x, n, bins, state);
    for (size_t i = 0; i < n; i += 2)
        x[i] = (unsigned short)(bins / 3);
}

static void fill_rising(unsigned short *x, size_t n, int bins, uint64_t * /* state */)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (unsigned short)(i % (unsigned)bins);
}

static void fill_last(unsigned short *x, size_t n, int bins, uint64_t * /* state */)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (unsigned short)(bins - 1);
}

struct input {
    const char *name;
    void (*fill)(unsigned short *x, size_t n, int bins, uint64_t *state);
};

static const struct input INPUTS[] = {
    {"uniform", fill_uniform}, {"one hot bin", fill_hot}, {"rising", fill_rising}, {"all in the last bin", fill_last}};
enum { SETS = sizeof INPUTS / sizeof INPUTS[0] };

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct hopper *h = (struct hopper *)context;
    if (h->histogram)
        h->histogram((unsigned *)h->d_out, (const unsigned short *)h->d_in, h->n, h->bins);
    else
        h->mirror((int *)h->d_out, (const int *)h->d_in, h->n);
}

static size_t in_bytes(const struct hopper *h, size_t n)
{
    return n * (h->histogram ? sizeof(unsigned short) : sizeof(int));
}

static size_t out_bytes(const struct hopper *h, size_t n)
{
    return h->histogram ? (size_t)h->bins * sizeof(unsigned) : n * sizeof(int);
}

static void name_case(struct hopper *h, const char *input, size_t n)
{
    static char note[80];
    note[0] = 0;
    if (h->histogram) {
        snprintf(note, sizeof note, ", %d bins", h->bins);
        snprintf(harness.shape, sizeof harness.shape, " --bins %d", h->bins);
    }
    begin_case(input, (long long)n, note);
    h->n = n;
}

static void fill(struct hopper *h, const struct input *input)
{
    uint64_t state = case_seed(h->n * 65537 + (uint64_t)h->bins);
    if (h->histogram) {
        input->fill((unsigned short *)h->x, h->n, h->bins, &state);
        return;
    }
    for (size_t i = 0; i < h->n; i++)
        ((int *)h->x)[i] = (int)random_bits(&state);
}

// The references: one loop over the host's copy.
static void count_samples(const struct hopper *h, int *want)
{
    memset(want, 0, out_bytes(h, h->n));
    for (size_t i = 0; i < h->n; i++)
        want[((const unsigned short *)h->x)[i]]++;
}

static void mirror_words(const struct hopper *h, int *want)
{
    for (size_t i = 0; i < h->n; i++)
        want[h->n - 1 - i] = ((const int *)h->x)[i];
}

static void check_answer(const struct hopper *h)
{
    size_t bytes = out_bytes(h, h->n);
    int *got = (int *)host_alloc(bytes), *want = (int *)host_alloc(bytes);
    check_cuda(cudaMemcpy(got, h->d_out, bytes, cudaMemcpyDeviceToHost));
    (h->histogram ? count_samples : mirror_words)(h, want);
    check_ints(got, want, (long long)(bytes / sizeof *got), 0);
    host_free(want);
    host_free(got);
}

// Fills and runs one case and checks it; if times are requested, measures it while the input is on the device.
static void run_case(struct hopper *h, const struct input *input, size_t n, int time)
{
    size_t bytes = in_bytes(h, n);
    name_case(h, input->name, n);
    if (planned(bytes + 2 * out_bytes(h, n)))
        return;
    h->x = host_alloc(bytes);
    fill(h, input);
    h->d_in = device_copy(h->x, bytes, 0);
    h->d_out = device_alloc(out_bytes(h, n));
    run_calls(call, h, 1);
    check_answer(h);
    check_untouched(h->d_in, h->x, bytes);
    if (time)
        report_time((long long)n, median_ms(call, h), (double)(h->histogram ? bytes : 2 * bytes));
    check_cuda(cudaFree(h->d_out));
    check_cuda(cudaFree(h->d_in));
    host_free(h->x);
}

// ---- The driver ------------------------------------------------------------------------------------------
static const int SIZES[] = {1, 2, 0, 3, 4, 5, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4095, 4097, 16383, 16385};
static const int BINS[] = {1, 2, 7, 8, 9, 2048, 3001, 16384, MOST_BINS};
static const size_t BENCH_SIZES[] = {1 << 20, 1 << 24, 1 << 28};
enum {
    SIZE_COUNT = sizeof SIZES / sizeof SIZES[0],
    BINS_COUNT = sizeof BINS / sizeof BINS[0],
    BENCH_COUNT = sizeof BENCH_SIZES / sizeof BENCH_SIZES[0]
};

static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"blocks", "blocks"},
    {"warp instructions", "warp_instructions"},
    {"lanes at work, %", "100 * thread_instructions / (32 * warp_instructions)"},
    {"global load requests", "global_load_requests"},
    {"sectors per request", "global_load_sectors / global_load_requests"},
    {"global atomics", "global_atomics"},
    {"shared atomics", "shared_atomics"},
    {"accesses to other blocks", "cluster_accesses"},
    {"bulk copies", "bulk_copies"},
    {"bytes they load", "bulk_load_bytes"},
    {"phases and barriers", "barriers"},
};

static int has_room(const struct hopper *h, size_t n)
{
    return fits(in_bytes(h, n) + out_bytes(h, n), in_bytes(h, n) + 2 * out_bytes(h, n));
}

// The largest n.
static long long largest_size(const struct hopper *h)
{
    return h->histogram ? 1ll << 28 : 1ll << 31;
}

static int sets_of(const struct hopper *h)
{
    return h->histogram ? (int)SETS : 1;
}

static void check_size(struct hopper *h, size_t n)
{
    for (int set = 0; set < sets_of(h); set++)
        run_case(h, &INPUTS[set], n, 0);
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
static void run_size(void *context, long long n)
{
    run_case((struct hopper *)context, &INPUTS[0], (size_t)n, 0);
}

static void check_drawn(struct hopper *h)
{
    int bins = h->bins;
    for (int i = 0; i < DRAWN; i++) {
        h->bins = (int)draw_size(1, is_checked() ? 4096 : MOST_BINS);
        run_size(h, draw_size(drawn_part(1 << 15, i), drawn_part(1 << 15, i + 1)));
    }
    h->bins = bins;
    if (!is_checked())
        run_size(h, draw_size(1 << 16, 1 << 18));
}

static void check_own_sizes(struct hopper *h)
{
    run_around_tiles(run_size, h, 1 << 15, 3);
    check_repeated(run_size, h, 33, 300);
    check_stale_state(run_size, h, 3000);
}

static void check_largest(void *context, long long largest)
{
    struct hopper *h = (struct hopper *)context;
    size_t n = (size_t)largest;
    name_case(h, "zeros", n);
    if (begin_large((long long)n, (double)in_bytes(h, n) + (double)out_bytes(h, n), LARGE_NOTE)) {
        h->d_in = device_alloc(in_bytes(h, n));
        h->d_out = device_alloc(out_bytes(h, n));
        run_calls(call, h, 1);
        check_all_read((double)in_bytes(h, n));
        check_all_loaded(h->d_in, in_bytes(h, n), 1);
        if (h->mirror)
            check_all_stored(h->d_out, out_bytes(h, n), 1);
        check_zeros((unsigned *)h->d_out + (h->histogram ? 1 : 0), out_bytes(h, n) - (h->histogram ? 4 : 0), 0);
        check_cuda(cudaFree(h->d_out));
        check_cuda(cudaFree(h->d_in));
    }
    end_large();
}

static void check_bins(struct hopper *h)
{
    int bins = h->bins;
    for (int i = 0; i < BINS_COUNT; i++) {
        h->bins = BINS[i];
        check_size(h, 5000);
    }
    h->bins = bins;
}

static void check_all(struct hopper *h)
{
    if (harness.n >= 0) {
        check_size(h, (size_t)harness.n);
        return;
    }
    for (int i = 0; i < SIZE_COUNT; i++)
        check_size(h, (size_t)SIZES[i]);
    if (h->histogram)
        check_bins(h);
    check_drawn(h);
    if (simt_read)
        check_own_sizes(h);
    check_size(h, ((size_t)1 << (simt_read ? 16 : 24)) + 7);
    if (simt_read && begin_huge()) {
        run_size(h, draw_size(1 << 20, 1 << 21));
        if (h->histogram) // in each cluster more samples of one value than 16 bits count
            run_case(h, &INPUTS[3], ((size_t)1 << 23) + 4099, 0);
        end_huge();
    }
}

static int drive(struct invocation own, struct hopper *h)
{
    read_options(own, (uint64_t)largest_size(h));
    skip_bench_without_gpu(1 << 22);
    run_large(check_largest, h, largest_size(h));
    size_t n = harness.n >= 0 ? (size_t)harness.n : (size_t)1 << (simt_read ? 16 : 24);
    bool bench = harness.bench && harness.n < 0;
    if (only_counted())
        run_size(h, draw_size(1, n > 0 ? (long long)n : 1));
    else if (!harness.bench) {
        check_all(h);
        print_right();
    }
    for (int i = 0; bench && i < BENCH_COUNT && has_room(h, BENCH_SIZES[i]); i++)
        run_case(h, &INPUTS[0], BENCH_SIZES[i], 1);
    begin_counted();
    run_case(h, &INPUTS[0], n, is_timed() && !bench);
    report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    if (count_ragged())
        run_case(h, &INPUTS[0], (size_t)draw_ragged((long long)n / 2, (long long)n), 0);
    finish_counted(check_largest, h, 1 << 22, largest_size(h), 0);
}

static inline int drive_cluster(struct invocation own, cluster_function *run)
{
    int bins = (int)take_option(&own, "--bins", 1, MOST_BINS, LESSON_BINS);
    struct hopper h = {run, NULL, bins, 0, NULL, NULL, NULL};
    return drive(own, &h);
}

static inline int drive_mirror(struct invocation own, mirror_function *run)
{
    struct hopper h = {NULL, run, 0, 0, NULL, NULL, NULL};
    return drive(own, &h);
}
