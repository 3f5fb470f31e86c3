// @topic@/driver.h: chapter @folder@: inputs, reference, checks and figures. common/@topic@.h defines
// a right answer and includes this file.
#pragma once

#include "@topic@/calls.h"
#include "harness.h"

struct @topic@ {
    @topic@_function *run;
    int *x, *d_in, *d_out; // x: the input on the host
    int n;
};

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct @topic@ *c = (struct @topic@ *)context;
    c->run(c->d_out, c->d_in, c->n);
}

static void fill(int *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i] = (int)random_bits(state);
}

// The reference: one loop over the host's copy.
static void check_answer(const struct @topic@ *c, size_t bytes)
{
    int *got = (int *)host_alloc(bytes), *want = (int *)host_alloc(bytes);
    check_cuda(cudaMemcpy(got, c->d_out, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < c->n; i++)
        want[i] = (int)(2 * (unsigned)c->x[i]);
    check_ints(got, want, c->n, 0);
    host_free(want);
    host_free(got);
}

// Fills and runs one case, skip words after a 16-byte boundary, and checks it; if times are requested, measures it
// while the input is on the device.
static void run_case(struct @topic@ *c, int n, int skip, int time)
{
    size_t bytes = (size_t)n * sizeof(int);
    uint64_t state = case_seed(n);
    begin_case("random", n, "");
    if (planned(bytes))
        return;
    c->n = n;
    c->x = (int *)host_alloc(bytes);
    fill(c->x, n, &state);
    c->d_in = (int *)device_copy(c->x, bytes, (size_t)skip * sizeof(int));
    c->d_out = (int *)device_alloc(bytes);

    run_calls(call, c, 1);
    check_answer(c, bytes);
    check_untouched(c->d_in, c->x, bytes);
    if (time)
        report_time(n, median_ms(call, c), 2.0 * (double)bytes);

    check_cuda(cudaFree(c->d_out));
    check_cuda(cudaFree(c->d_in - skip));
    host_free(c->x);
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
    {"global load requests", "global_load_requests"},
    {"sectors per request", "global_load_sectors / global_load_requests"},
    {"global store requests", "global_store_requests"},
};

static int has_room(int n)
{
    size_t bytes = (size_t)n * sizeof(int);
    return fits(2 * bytes, 3 * bytes);
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
static void run_size(void *context, long long n)
{
    run_case((struct @topic@ *)context, (int)n, (int)(n % 4), 0);
}

static void check_drawn(struct @topic@ *c)
{
    for (int i = 0; i < DRAWN; i++)
        run_size(c, draw_size(drawn_part(1 << 17, i), drawn_part(1 << 17, i + 1)));
    if (!is_checked())
        run_size(c, draw_size(1 << 17, 1 << 22));
}

// Around one, two and three of the exercise's tiles; a size again and again, and at addresses that were used before.
static void check_own_sizes(struct @topic@ *c)
{
    long long tiles[MAX_TILES];
    int count = find_tiles(run_size, c, 1 << 16, tiles);
    for (int i = 0; i < count; i++)
        for (int k = 1; k <= 3; k++)
            for (long long n = k * tiles[i] - 1; n <= k * tiles[i] + 1; n++)
                run_size(c, n);
    check_repeated(run_size, c, 33, 300);
    check_stale_state(run_size, c, 3000);
}

static void check_largest(void *context, long long largest)
{
    struct @topic@ *c = (struct @topic@ *)context;
    int n = (int)largest;
    size_t bytes = (size_t)n * sizeof(int);
    if (begin_large(n, 2.0 * (double)bytes, LARGE_NOTE)) {
        c->n = n;
        c->d_in = (int *)device_alloc(bytes);
        c->d_out = (int *)device_alloc(bytes);
        run_calls(call, c, 1);
        check_all_read((double)bytes);
        check_zeros(c->d_out, bytes, 0);
        check_cuda(cudaFree(c->d_out));
        check_cuda(cudaFree(c->d_in));
    }
    end_large();
}

static void check_all(struct @topic@ *c)
{
    for (int i = 0; i < SIZE_COUNT && harness.n < 0; i++)
        run_case(c, SIZES[i], 0, 0);
    if (harness.n >= 0)
        run_case(c, (int)harness.n, 0, 0);
    else
        check_drawn(c);
    if (harness.n < 0 && simt_read)
        check_own_sizes(c);
    if (harness.n < 0 && !simt_read)
        run_case(c, (1 << 24) + 4099, 0, 0);
    print_right();
}

static inline int drive_@topic@(struct invocation own, @topic@_function *run)
{
    struct @topic@ it = {run, NULL, NULL, NULL, 0}, *c = &it;
    read_options(own, 1 << 30);
    skip_bench_without_gpu(1 << 22);
    run_large(check_largest, c, 1 << 30);
    int n = harness.n >= 0 ? (int)harness.n : simt_read ? 1 << 16 : 1 << 24, bench = harness.bench && harness.n < 0;
    if (only_counted())
        run_size(c, draw_size(1, n > 0 ? n : 1));
    else if (!harness.bench)
        check_all(c);
    for (int i = 0; bench && i < BENCH_COUNT && has_room(BENCH_SIZES[i]); i++)
        run_case(c, BENCH_SIZES[i], 0, 1);
    begin_counted();
    run_case(c, n, 0, is_timed() && !bench);
    report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    if (count_ragged())
        run_case(c, (int)draw_ragged(n / 2 + 1, n), 0, 0);
    finish_counted(check_largest, c, 1 << 20, 1 << 30, 0);
}
