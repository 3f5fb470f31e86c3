// reduction/driver.h: chapter 01-reduction: inputs, reference, checks and figures. common/reduction.h defines a right
// answer and includes this file.
#pragma once

#include "harness.h"
#include "reduction/inputs.h"
#include <float.h>

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
static void check_int_sum(struct reduction *r, const int *got)
{
    long long exact = 0;
    for (int i = 0; i < r->n; i++)
        exact += r->x[i].i;
    int want = (int)exact;
    r->error = (double)*got - want;
    if (r->n > 2 && *got != want && want - exact == 0 && exact - *got == r->x[r->n - 1].i)
        harness.note = "; only the last element is missing from the sum";
    check_ints(got, &want, 1, 0);
}

static void check_float_sum(struct reduction *r, const float *got, int exact)
{
    double sum = 0, magnitude = 0, additions = r->order == PAIRWISE ? ceil(log2(r->n > 1 ? r->n : 1)) : r->n - 1.0;
    for (int i = 0; i < r->n; i++) {
        sum += r->x[i].f;
        magnitude += fabs(r->x[i].f);
    }
    double bound = exact || r->n < 2 ? 0 : additions * FLT_EPSILON * magnitude;
    r->error = *got - sum;
    check_floats(got, &sum, &bound, 1, 0);
}

static void check_sum(struct reduction *r, const struct input *input)
{
    union value got;
    check_cuda(cudaMemcpy(&got, r->d_out, sizeof got, cudaMemcpyDeviceToHost));
    if (r->ints)
        check_int_sum(r, &got.i);
    else
        check_float_sum(r, &got.f, input->exact);
}

// Fills and runs one case and checks it; if times are requested, measures it while the input is on the device.
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

    run_calls(call, r, 1);
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

// Whether there is memory for n values and as many temporaries.
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

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
static void run_first(void *context, long long n)
{
    struct reduction *r = (struct reduction *)context;
    run_case(r, r->ints ? &INT_INPUTS[0] : &FLOAT_INPUTS[0], (int)n, 0);
}

static void run_drawn(struct reduction *r, long long low, long long high)
{
    struct input input = r->ints ? WIDE : FLOAT_INPUTS[0];
    int n = (int)draw_size(low, high);
    input.skip = n % 4;
    input.note = DRAWN_NOTE;
    run_case(r, &input, n, 0);
}

static void check_drawn(struct reduction *r)
{
    for (int i = 0; i < DRAWN; i++)
        run_drawn(r, drawn_part(1 << 17, i), drawn_part(1 << 17, i + 1));
}

// Around k of the exercise's tiles, at every alignment.
static void check_tiles(struct reduction *r, int tile, int k)
{
    static const char *const notes[] = {", d_in at address 0 mod 16, a size around the program's own tiles",
                                        ", d_in at address 4 mod 16, a size around the program's own tiles",
                                        ", d_in at address 8 mod 16, a size around the program's own tiles",
                                        ", d_in at address 12 mod 16, a size around the program's own tiles"};
    struct input input = r->ints ? INT_INPUTS[0] : FLOAT_INPUTS[0];
    for (int n = k * tile - 1; n <= k * tile + 1; n++)
        for (input.skip = 0; input.skip < 4; input.skip++) {
            input.note = notes[input.skip];
            run_case(r, &input, n, 0);
        }
}

// One call of several tiles, 255 of one tile, and then the first again: by then 8-bit counters have wrapped around, and
// stale state looks valid. (With checks on it is not the 256th.)
static void call_256_times(struct reduction *r, int n)
{
    run_first(r, n);
    check_repeated(run_first, r, 33, 254);
    run_case(r, r->ints ? &INT_INPUTS[1] : &FLOAT_INPUTS[1], n, 0);
    check_stale_state(run_first, r, 3000);
    check_stale_state(run_first, r, n / 6); // at first one tile
}

static void check_largest(void *context, long long largest)
{
    struct reduction *r = (struct reduction *)context;
    int n = (int)largest;
    size_t bytes = (size_t)n * sizeof(union value);
    if (begin_large(n, 2.0 * (double)bytes, LARGE_NOTE)) {
        r->n = n;
        r->d_in = (union value *)device_alloc(bytes);
        r->d_tmp = (union value *)device_alloc(bytes + 64 * sizeof(union value));
        r->d_out = (union value *)device_alloc(sizeof(union value));
        run_calls(call, r, 1);
        check_all_read((double)bytes);
        check_all_loaded(r->d_in, bytes, 1);
        check_last(r->d_in, bytes, 0);
        check_zeros(r->d_out, sizeof(union value), r->floats != NULL);
        check_cuda(cudaFree(r->d_out));
        check_cuda(cudaFree(r->d_tmp));
        check_cuda(cudaFree(r->d_in));
    }
    end_large();
}

// Sizes that matter only to this program: its tiles, more than 256 of them, more than a tile of them, more than 2^16.
static void check_own_sizes(struct reduction *r)
{
    long long tiles[MAX_TILES];
    int count = find_tiles(run_first, r, 1 << 16, tiles);
    int tile = (int)tiles[0], many = (1 << 20) + 7; // 2^20: three launches of 1024 per block
    for (int i = 0; i < count; i++)
        for (int k = 1; k <= 3; k++)
            check_tiles(r, (int)tiles[i], k);
    if (!is_checked() && tile > 256)
        run_first(r, (1 << 16) / tile * tile + 1);
    for (int i = 0; !is_checked() && r->ints && i < FLAG_SETS; i++)
        run_case(r, &FLAGS[i], 3 * tile + 1, 0);
    call_256_times(r, 3 * tile + 33);
    if (264 * (long long)tile > many && tile <= 1 << 14)
        many = 264 * tile + 1; // more than a table of 256 holds
    run_first(r, many);
    if (!is_checked() && harness.counters.launches > 1 && (long long)tile * tile > many)
        run_first(r, tile < 1 << 12 ? tile * tile + 1 : (1 << 24) + 1);
    if (wants_larger() && tile <= 1 << 8) // in order the far size has them, too
        run_first(r, (tile << 16) + 1); // more blocks than a grid has in y
    if (wants_larger())
        run_drawn(r, 1 << 17, 1 << 22);
    if (begin_huge()) {
        run_drawn(r, (1 << 24) + 1, (1 << 24) + 1); // not a float
        end_huge();
    }
}

static void check_all(struct reduction *r, const struct input *inputs, int count)
{
    int largest = 1 << 28;
    for (int i = 0; i < SIZE_COUNT && harness.n < 0; i++)
        check_size(r, inputs, count, SIZES[i]);
    if (harness.n < 0)
        check_drawn(r);
    if (harness.n < 0 && !simt_read)
        check_size(r, inputs, count, (1 << 24) + 4099);
    while (!simt_read && !has_room(largest))
        largest /= 2;
    if (harness.n >= 0)
        check_size(r, inputs, count, (int)harness.n);
    else if (simt_read)
        check_own_sizes(r);
    else
        run_case(r, &inputs[0], largest, 0);
    print_right();
}

// The last run added n - 1 ones to 2^24.
static void report_stall(const struct reduction *r)
{
    double exact = (1 << 24) + r->n - 1.0;
    printf("2^24 plus %d ones: %.0f, exact %.0f\n", r->n - 1, exact + r->error, exact);
    if (-r->error > r->n / 2)
        printf("  From 2^24 on floats are 2 apart: a 1 that is added there is lost.\n");
}

static int drive(struct invocation own, struct reduction *r)
{
    const struct input *inputs = r->ints ? INT_INPUTS : FLOAT_INPUTS;
    read_options(own, 1 << 30);
    skip_bench_without_gpu(1 << 22);
    run_large(check_largest, r, 1 << 30);
    int n = harness.n >= 0 ? (int)harness.n : simt_read ? 1 << 16 : 1 << 24, bench = harness.bench && harness.n < 0;
    if (only_counted())
        run_drawn(r, 1, max(n, 1));
    else if (!harness.bench)
        check_all(r, inputs, r->ints ? (int)INT_SETS : (int)FLOAT_SETS);
    if (r->floats && n > 1 && !harness.check) {
        run_case(r, &inputs[STALL], n, 0);
        report_stall(r);
    }
    for (int i = 0; bench && i < BENCH_COUNT && has_room(BENCH_SIZES[i]); i++)
        run_case(r, &inputs[0], BENCH_SIZES[i], 1);
    begin_counted();
    run_case(r, &inputs[0], n, is_timed() && !bench);
    report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    if (count_ragged())
        run_case(r, &inputs[0], (int)draw_ragged(n / 2 + 1, n), 0);
    finish_counted(check_largest, r, 1 << 20, 1 << 30, past_power(29));
}

static inline int drive_reduction(struct invocation own, reduction_function *reduce)
{
    struct reduction r = {reduce, NULL, ANY_ORDER, NULL, NULL, NULL, NULL, 0, 0};
    return drive(own, &r);
}

static inline int drive_reduction_float(struct invocation own, reduction_float_function *reduce, enum order order)
{
    struct reduction r = {NULL, reduce, order, NULL, NULL, NULL, NULL, 0, 0};
    return drive(own, &r);
}
