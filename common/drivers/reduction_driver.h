// reduction_driver.h: chapter 01-reduction: inputs, reference, checks and figures. What is right is
// said in common/reduction.h, which includes this file.
#ifndef DRIVERS_REDUCTION_DRIVER_H
#define DRIVERS_REDUCTION_DRIVER_H

#include "harness.h"
#include <float.h>
#include <limits.h>

union value {
    int i;
    float f;
};

struct reduction {
    void (*ints)(int *d_out, const int *d_in, int *d_tmp, int n);         // either this
    void (*floats)(float *d_out, const float *d_in, float *d_tmp, int n); // or that is NULL
    enum order order;
    union value *x, *d_in, *d_out, *d_tmp; // x: the input on the host
    int n;
    double error; // got - wanted of the last run
};

// ---- Inputs ----------------------------------------------------------------------------------------------
// Two values of each 64 random bits: at 2^28 they take a third of a program's time.
static void fill_random(union value *x, int n, uint64_t *state)
{
    uint64_t bits = 0;
    for (int i = 0; i < n; i++) {
        bits = i % 2 ? bits >> 32 : random_bits(state);
        x[i].i = (int)((bits & UINT32_MAX) * 2001 >> 32) - 1000;
    }
}

static void fill_negative(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].i = -1 - (int)(random_bits(state) % 3);
}

static void fill_equal(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].i = n <= INT_MAX / 7 ? 7 : 1;
    (void)state;
}

static void fill_ends(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].i = (i == 0) * 1000003 + (i == n - 1) * 2000003;
    (void)state;
}

static void fill_extremes(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].i = i % 2 ? INT_MIN : INT_MAX;
    (void)state;
}

static void fill_unit(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].f = (float)(random_bits(state) >> 40) / (1 << 24);
}

// Between -1 and 1 in steps of q = 2^(ceil(log2 n) - 24).
static void fill_grid(union value *x, int n, uint64_t *state)
{
    int steps = 1 << 24;
    while (n > (1 << 24) / steps)
        steps /= 2;
    for (int i = 0; i < n; i++)
        x[i].f = ((float)(random_bits(state) % (2u * (unsigned)steps - 1)) - (float)(steps - 1)) / (float)steps;
}

static void fill_huge(union value *x, int n, uint64_t *state)
{
    fill_unit(x, n, state);
    for (int i = 0; i < n; i++)
        x[i].f = (x[i].f - 0.25f) * 1e27f; // 2^30 of them stay below FLT_MAX
}

// From 2^24 on floats are 2 apart: a sum that adds the ones one by one to the first value stays where it is.
static void fill_stall(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].f = i == 0 ? 1 << 24 : 1;
    (void)state;
}

struct input {
    const char *name;
    void (*fill)(union value *x, int n, uint64_t *state);
    int exact; // every partial sum can be represented
    int skip;  // words from a 16-byte boundary to d_in
    const char *note;
};

static const struct input INT_INPUTS[] = {
    {"random", fill_random, 1, 0, ""},
    {"all negative", fill_negative, 1, 1, ", d_in at address 4 mod 16"},
    {"all equal", fill_equal, 1, 2, ", d_in at address 8 mod 16"},
    {"only the ends", fill_ends, 1, 3, ", d_in at address 12 mod 16"},
    {"extremes", fill_extremes, 1, 0, ""},
};

static const struct input FLOAT_INPUTS[] = {
    {"random in [0,1)", fill_unit, 0, 0, ""},
    {"grid", fill_grid, 1, 1, ", d_in at address 4 mod 16"},
    {"huge", fill_huge, 0, 2, ", d_in at address 8 mod 16"},
    {"2^24, then ones", fill_stall, 0, 3, ", d_in at address 12 mod 16"},
};

enum {
    INT_SETS = sizeof INT_INPUTS / sizeof INT_INPUTS[0],
    FLOAT_SETS = sizeof FLOAT_INPUTS / sizeof FLOAT_INPUTS[0],
    STALL = FLOAT_SETS - 1
};

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct reduction *r = (struct reduction *)context;
    if (r->ints)
        r->ints(&r->d_out->i, &r->d_in->i, &r->d_tmp->i, r->n);
    else
        r->floats(&r->d_out->f, &r->d_in->f, &r->d_tmp->f, r->n);
}

// The reference: one loop over the host's copy, in 64 bits.
static void check_int_sum(struct reduction *r, int got)
{
    long long exact = 0;
    for (int i = 0; i < r->n; i++)
        exact += r->x[i].i;
    int want = (int)exact;
    r->error = (double)got - want;
    if (r->n > 2 && got != want && want - exact == 0 && exact - got == r->x[r->n - 1].i)
        harness.note = "; the sum lacks just the last element";
    check_ints(&got, &want, 1, 0);
}

static void check_float_sum(struct reduction *r, float got, int exact)
{
    double sum = 0, magnitude = 0, additions = r->order == PAIRWISE ? ceil(log2(r->n > 1 ? r->n : 1)) : r->n - 1.0;
    for (int i = 0; i < r->n; i++) {
        sum += r->x[i].f;
        magnitude += fabs(r->x[i].f);
    }
    double bound = exact || r->n < 2 ? 0 : additions * FLT_EPSILON * magnitude;
    r->error = got - sum;
    check_floats(&got, &sum, &bound, 1, 0);
}

static void check_sum(struct reduction *r, const struct input *input)
{
    union value got;
    check_cuda(cudaMemcpy(&got, r->d_out, sizeof got, cudaMemcpyDeviceToHost));
    if (r->ints)
        check_int_sum(r, got.i);
    else
        check_float_sum(r, got.f, input->exact);
}

// Fills and runs one case and checks it; with times to be taken, does so while the input is on the device.
static void run_case(struct reduction *r, const struct input *input, int n, int time)
{
    size_t bytes = (size_t)n * sizeof(union value);
    uint64_t state = case_seed(n);
    begin_case(input->name, n, input->note);
    if (planned(bytes))
        return;
    r->n = n;
    r->x = (union value *)host_alloc(bytes);
    input->fill(r->x, n, &state);
    r->d_in = (union value *)device_copy(r->x, bytes, (size_t)input->skip * sizeof(union value));
    r->d_tmp = (union value *)device_alloc(bytes + 64 * sizeof(union value));
    r->d_out = (union value *)device_alloc(sizeof(union value));

    before_run();
    call(r);
    after_run();
    check_sum(r, input);
    check_untouched(r->d_in, r->x, bytes);
    if (time)
        report_time(n, median_ms(call, r), (double)bytes);

    check_cuda(cudaFree(r->d_out));
    check_cuda(cudaFree(r->d_tmp));
    check_cuda(cudaFree(r->d_in - input->skip));
    host_free(r->x);
}

// ---- The driver ------------------------------------------------------------------------------------------
static const int SIZES[] = {1, 2, 0, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 65535, 65536, 65537};
static const int BENCH_SIZES[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0], BENCH_COUNT = sizeof BENCH_SIZES / sizeof BENCH_SIZES[0] };

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
    {"shuffles", "shuffles"},
};

// Is there room for n values and as many temporaries?
static int has_room(int n)
{
    size_t bytes = ((size_t)n + 64) * sizeof(union value);
    return fits(2 * bytes, bytes);
}

static void check_size(struct reduction *r, const struct input *inputs, int count, int n)
{
    for (int input = 0; input < count; input++)
        if (r->ints || !inputs[input].exact || n <= 1 << 20) // beyond, the grid is too coarse
            run_case(r, &inputs[input], n, 0);
}

static void check_all(struct reduction *r, const struct input *inputs, int count)
{
    int largest = simt_read ? (1 << 20) + 7 : 1 << 28; // 2^20: three launches of 1024 elements a block
    for (int i = 0; i < SIZE_COUNT && harness.n < 0; i++)
        check_size(r, inputs, count, SIZES[i]);
    if (harness.n < 0 && !simt_read)
        check_size(r, inputs, count, (1 << 24) + 4099);
    while (!simt_read && !has_room(largest))
        largest /= 2;
    if (harness.n < 0)
        run_case(r, &inputs[0], largest, 0);
    else
        check_size(r, inputs, count, (int)harness.n);
    printf("%s: right in %lld runs, n %s %lld\n", source_name(harness.file), harness.runs,
           harness.n < 0 ? "up to" : "=", harness.case_n);
}

// The run just made added n - 1 ones to 2^24.
static void report_stall(const struct reduction *r)
{
    double exact = (1 << 24) + r->n - 1.0;
    printf("2^24 plus %d ones: %.0f, exact %.0f\n", r->n - 1, exact + r->error, exact);
    if (-r->error > r->n / 2)
        printf("  From 2^24 on floats are 2 apart: a 1 that is added there is lost.\n");
}

static int drive_reduction(int argc, char **argv, struct reduction *r, const char *file, int todo_open)
{
    const struct input *inputs = r->ints ? INT_INPUTS : FLOAT_INPUTS;
    read_options(argc, argv, file, todo_open, 1 << 30);
    if (harness.bench && simt_read)
        fail(SKIPPED, "skipped: --bench takes times, and times come from a GPU only");
    if (!harness.bench)
        check_all(r, inputs, r->ints ? (int)INT_SETS : (int)FLOAT_SETS);

    int n = harness.n >= 0 ? (int)harness.n : simt_read ? 1 << 16 : 1 << 24, bench = harness.bench && harness.n < 0;
    if (r->floats && n > 1 && !harness.check) {
        run_case(r, &inputs[STALL], n, 0);
        report_stall(r);
    }
    for (int i = 0; bench && i < BENCH_COUNT && has_room(BENCH_SIZES[i]); i++)
        run_case(r, &inputs[0], BENCH_SIZES[i], 1);
    begin_counted();
    run_case(r, &inputs[0], n, !simt_read && !harness.check && !bench);
    if (simt_read && !harness.check)
        report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    check_expectations();
    finish(RIGHT);
}

// reduce: see the top of this file.
#define reduction_main(argc, argv, reduce) drive_ints(argc, argv, reduce, __FILE__, TODO_IS_OPEN)
#define reduction_float_main(argc, argv, reduce, order) drive_floats(argc, argv, reduce, order, __FILE__, TODO_IS_OPEN)

static inline int drive_ints(int argc, char **argv, void (*reduce)(int *, const int *, int *, int), const char *file,
                             int todo_open)
{
    struct reduction r = {reduce, NULL, ANY_ORDER, NULL, NULL, NULL, NULL, 0, 0};
    return drive_reduction(argc, argv, &r, file, todo_open);
}

static inline int drive_floats(int argc, char **argv, void (*reduce)(float *, const float *, float *, int),
                               enum order order, const char *file, int todo_open)
{
    struct reduction r = {NULL, reduce, order, NULL, NULL, NULL, NULL, 0, 0};
    return drive_reduction(argc, argv, &r, file, todo_open);
}
#endif
