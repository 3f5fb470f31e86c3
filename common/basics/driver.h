// basics/driver.h: steps 02 to 06 of chapter 00-basics: what their programs share. Each problem defines its inputs, its
// call and its answer in basics/problems.h. common/basics.h defines a right answer and includes this file.
#pragma once

#define CHAPTER_OPTIONS ", --height H"
#define BENCH_HELP "2^20, 2^24, 2^28; sides 2^10, 2^12, 2^14"
#define CHAPTER_HELP "  --height H     with --n: images and matrices have H rows of N (N rows)\n"

#include "basics/problems.h"
#include "harness.h"

static void call(void *context)
{
    struct basics *b = (struct basics *)context;
    if (harness.often && b->problem->filled) // the result of the last call
        check_cuda(cudaMemcpy(b->d_out, b->out, b->out_bytes, cudaMemcpyHostToDevice));
    b->problem->call(b);
}

static void fill(struct basics *b)
{
    uint64_t state = case_seed((uint64_t)b->n);
    b->in = (unsigned char *)host_alloc(b->in_bytes);
    b->out = (unsigned char *)host_alloc(b->out_bytes);
    memset(b->in, POISON, b->in_bytes);
    memset(b->out, POISON, b->out_bytes);
    b->problem->fill(b, &state);
}

// Copies to the device: the input; the output, if the call changes only a part of it.
static void copy_in(struct basics *b)
{
    b->d_in = (char *)device_copy(b->in, b->in_bytes, 0);
    b->d_out = (char *)(b->problem->filled ? device_copy(b->out, b->out_bytes, 0) : device_alloc(b->out_bytes));
    b->d_count = (int *)device_alloc(sizeof *b->d_count);
}

static void check_answer(struct basics *b)
{
    unsigned char *got = (unsigned char *)host_alloc(b->out_bytes);
    check_cuda(cudaMemcpy(got, b->d_out, b->out_bytes, cudaMemcpyDeviceToHost));
    b->problem->check(b, got);
    check_untouched(b->d_in, b->in, b->in_bytes);
    host_free(got);
}

static void release(struct basics *b)
{
    check_cuda(cudaFree(b->d_count));
    check_cuda(cudaFree(b->d_out));
    check_cuda(cudaFree(b->d_in));
    host_free(b->out);
    host_free(b->in);
}

static void name_case(struct basics *b, const char *input, long long n)
{
    begin_case(input, n, b->note);
    if (b->problem->planar)
        snprintf(harness.shape, sizeof harness.shape, " --height %d", b->height);
}

// Fills, runs and checks one case, of b->width x b->height for a two-dimensional problem; and, if times are requested,
// measures it while the input is on the device.
static void run_case(struct basics *b, const struct input *input, long long n, int time)
{
    b->n = n;
    b->how = input->how;
    b->note[0] = 0;
    b->problem->shape(b);
    name_case(b, input->name, n);
    if (planned(b->in_bytes + 2 * b->out_bytes))
        return;
    fill(b);
    copy_in(b);
    run_calls(call, b, 1);
    check_answer(b);
    if (time)
        report_time(n, median_ms(call, b), b->moved);
    release(b);
}

// n x n where the problem has two dimensions.
static void run_square(struct basics *b, const struct input *input, long long n, int time)
{
    b->width = b->height = (int)n;
    run_case(b, input, n, time);
}

// ---- The driver ------------------------------------------------------------------------------------------
static const int SIZES[] = {1,   0,   15,  16,  17,  31,   32,   33,   63,   65,   127,
                            128, 129, 255, 256, 257, 1023, 1024, 1025, 4097, 16385};
static const int SHAPES[][2] = {{0, 0},   {0, 5},   {5, 0},   {1, 1},    {1, 77},   {77, 1},   {31, 33},
                                {32, 32}, {33, 31}, {16, 8},  {17, 9},   {15, 65},  {65, 15},  {64, 128},
                                {63, 64}, {200, 3}, {3, 200}, {129, 70}, {257, 33}, {33, 257}, {300, 131}};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0], SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0] };

static void check_shape(struct basics *b, int width, int height)
{
    for (int set = 0; set < b->problem->sets; set++)
        for (b->gap = 0; b->gap <= b->problem->max_gap; b->gap += 5) {
            b->width = width;
            b->height = height;
            run_case(b, &b->problem->inputs[set], b->problem->planar ? width : height, 0);
        }
    b->gap = 0;
}

static void run_random(void *context, long long n)
{
    struct basics *b = (struct basics *)context;
    run_square(b, &b->problem->inputs[0], n, 0);
}

// n x n; in check_stale_state with rows, a gap between them and a layout that change.
static void run_changed(void *context, long long n)
{
    struct basics *b = (struct basics *)context;
    b->width = (int)n;
    b->height = (int)n + 6 * changed(OTHER_HEIGHT);
    b->gap = b->problem->max_gap && changed(OTHER_PITCH) ? 5 : 0;
    run_case(b, &b->problem->inputs[harness.round == OTHER_DEPTH ? b->problem->sets - 1 : 0], n, 0);
    b->gap = 0;
}

// The inputs alternate, and so do the gaps between rows.
static void run_drawn(struct basics *b, long long low, long long high)
{
    b->width = (int)draw_size(low, high);
    b->height = (int)draw_size(low, high);
    b->gap = b->problem->max_gap ? b->width % 2 * 5 : 0;
    run_case(b, &b->problem->inputs[b->width % b->problem->sets], b->width, 0);
    b->gap = 0;
}

static void run_rectangle(struct basics *b, int width, int height)
{
    b->width = width;
    b->height = height;
    run_case(b, &b->problem->inputs[0], width, 0);
}

static void check_drawn(struct basics *b)
{
    int planar = b->problem->planar, counted = (int)b->problem->counted, most = planar ? 400 : 1 << 18;
    for (int i = 0; i < DRAWN; i++)
        run_drawn(b, planar ? 1 : drawn_part(most, i), planar ? most : drawn_part(most, i + 1));
    if (planar) // twice as many as the counted case
        run_drawn(b, counted / 2 * 3, counted / 8 * 13);
    if (wants_larger())
        run_drawn(b, most, 3 * most);
    if (begin_huge()) { // 2^22 to 2^23 elements of an image; 64 times as many as the counted case, or 2^24
        int high = planar ? 2896 : min(64 * counted, 1 << 24);
        int odd = high == 1 << 24; // not a float
        run_drawn(b, planar ? 2048 : odd ? high + 1 : high / 2, high + odd);
        if (planar) {
            run_rectangle(b, draw_long_side(), draw_short_side());
            run_rectangle(b, draw_short_side(), draw_long_side());
        }
        end_huge();
    }
}

// Around the tiles that the exercise uses.
static void check_tiles(struct basics *b)
{
    long long tiles[MAX_TILES];
    int count = b->problem->planar ? 0 : find_tiles(run_random, b, 1 << 15, tiles);
    for (int i = 0; i < count; i++)
        for (int k = 1; k <= 3; k++)
            for (int offset = -1; offset <= 1; offset++)
                for (int set = 0; set < b->problem->sets; set++)
                    run_square(b, &b->problem->inputs[set], k * tiles[i] + offset, 0);
}

// A particle's position and velocity are read, and its position is written: the same share of each array.
static void check_drift_reach(struct basics *b)
{
    size_t field = b->out_bytes / FIELDS;
    check_all_loaded(b->d_out, 6 * field, 6.0 / FIELDS);
    check_all_stored(b->d_out, 3 * field, 3.0 / FIELDS);
    if (b->how == ARRAYS) // the last coordinate that is written
        check_last(b->d_out + Z * field, field, 1);
}

// The input determines how much keep writes. Rows of pixels are padded.
static void check_reach(struct basics *b)
{
    const struct problem *p = b->problem;
    double used = p->call == call_grey ? b->width / (double)b->out_pitch : 1;
    if (p->call == call_drift) {
        check_drift_reach(b);
        return;
    }
    check_all_loaded(b->d_in, b->in_bytes, used);
    if (p->call == call_saxpy)
        check_ends(b->d_in, b->in_bytes, 0, "input");
    if (!p->planar)
        check_last(b->d_in, b->in_bytes, 0);
    if (p->planar && b->height < WHOLE_ROWS)
        check_all_loaded(b->d_in, b->in_bytes / (size_t)b->height, 0);
    if (p->call != call_keep)
        check_all_stored(b->d_out, b->out_bytes, used);
}

static void check_large_shape(struct basics *b, int how, long long width, long long height)
{
    b->n = width;
    b->width = (int)(width > INT32_MAX ? INT32_MAX : width);
    b->height = (int)(height > INT32_MAX ? INT32_MAX : height);
    b->how = how;
    b->problem->shape(b);
    name_case(b, "zeros", width);
    if (begin_large(width, (double)b->in_bytes + (double)b->out_bytes, LARGE_NOTE)) {
        b->d_in = (char *)device_alloc(b->in_bytes);
        b->d_out = (char *)device_alloc(b->out_bytes);
        b->d_count = (int *)device_alloc(sizeof *b->d_count);
        run_calls(call, b, 1);
        check_reach(b);
        check_zeros(b->d_out, b->out_bytes, b->problem->call != call_keep);
        check_zeros(b->d_count, sizeof *b->d_count, 0);
        check_cuda(cudaFree(b->d_count));
        check_cuda(cudaFree(b->d_out));
        check_cuda(cudaFree(b->d_in));
    }
    end_large();
}

// As if other blocks had already kept more values than a float counts. A program that counts differently passes.
static void check_far_slots(struct basics *b)
{
    const int before = (1 << 24) + 1, n = 300;
    size_t bytes = (size_t)n * sizeof(int);
    int count = 0, *got;
    b->n = n;
    b->how = 100;
    b->problem->shape(b);
    begin_case("all kept", n, ", after 16777217 others\n  hint    is a slot computed in float?");
    if (planned(0))
        return;
    fill(b);
    b->d_in = (char *)device_copy(b->in, bytes, 0);
    b->d_out = (char *)device_alloc(((size_t)before + (size_t)n) * sizeof(int));
    b->d_count = (int *)device_alloc(sizeof *b->d_count);
    bool ran = run_counted_before(call, b, b->d_count, before);
    check_cuda(cudaMemcpy(&count, b->d_count, sizeof count, cudaMemcpyDeviceToHost));
    if (ran && count == before + n) {
        got = (int *)host_alloc(bytes);
        check_cuda(cudaMemcpy(got, (int *)b->d_out + before, bytes, cudaMemcpyDeviceToHost));
        check_ints_in_any_order(got, (int *)b->in, n);
        host_free(got);
    }
    release(b);
}

// Square, wide and tall shapes; particles in every layout.
static void check_largest(void *context, long long n)
{
    struct basics *b = (struct basics *)context;
    const struct problem *p = b->problem;
    for (int set = 0; set < (p->call == call_drift ? p->sets : 1); set++) {
        int how = p->inputs[set].how;
        if (p->call == call_drift && how != ARRAYS && wants_past_power() && n == past_power(28))
            continue; // check_drift_reach does not check its last element
        check_large_shape(b, how, n, n);
    }
    if (p->call == call_keep && n == p->most && begin_large(n, 0, "")) {
        check_far_slots(b);
        end_large();
    }
    if (p->planar && n > WHOLE_ROWS) {
        check_large_shape(b, p->inputs[0].how, n, 3);
        check_large_shape(b, p->inputs[0].how, 3, n);
    }
}

static void check_all(struct basics *b)
{
    int planar = b->problem->planar;
    if (harness.n >= 0)
        check_shape(b, (int)harness.n, b->asked >= 0 ? b->asked : (int)harness.n);
    if (harness.n < 0 && simt_read)
        check_tiles(b);
    for (int i = 0; i < (planar ? SHAPE_COUNT : SIZE_COUNT) && harness.n < 0; i++)
        check_shape(b, planar ? SHAPES[i][0] : SIZES[i], planar ? SHAPES[i][1] : SIZES[i]);
    if (harness.n < 0)
        check_drawn(b);
    if (harness.n < 0 && simt_read) {
        check_repeated(run_random, b, 33, 300);
        check_stale_state(run_changed, b, planar ? 40 : 3000);
    }
    if (harness.n < 0 && !simt_read)
        check_shape(b, planar ? 4099 : (1 << 24) + 7, planar ? 2051 : (1 << 24) + 7);
    print_right();
}

static void bench(struct basics *b)
{
    for (int i = 0; i < BENCH_COUNT; i++) {
        long long n = b->problem->bench[i];
        b->n = n;
        b->width = b->height = (int)n;
        b->problem->shape(b);
        if (fits(b->in_bytes + b->out_bytes, b->in_bytes + 2 * b->out_bytes))
            run_square(b, &b->problem->inputs[0], n, 1);
    }
}

// A smaller size than n is counted, too. Rows of pixels end with a warp: if a thread computes several columns and its
// loop is unrolled, the lanes of a row's last warp would diverge, and the counters would depend on the compiler.
static long long counted_below(const struct problem *p, long long n)
{
    if (p->call == call_grey)
        return n > 64 ? draw_size(n / 2, n - 32) / 32 * 32 : n;
    return draw_ragged(p->planar ? n - n / 8 : n / 2, n);
}

static int drive(struct invocation own, struct basics *b)
{
    const struct problem *p = b->problem;
    const struct input *input = &p->inputs[0];
    b->asked = (int)take_option(&own, "--height", 0, 1 << 20, -1);
    read_options(own, (uint64_t)p->most);
    skip_bench_without_gpu(p->counted);
    run_large(check_largest, b, p->most);
    if (only_counted())
        run_drawn(b, 1, 256);
    else if (!harness.bench)
        check_all(b);
    long long n = harness.n >= 0 ? harness.n : p->counted;
    if (harness.bench && harness.n < 0)
        bench(b);
    begin_counted();
    run_square(b, input, n, is_timed() && !(harness.bench && harness.n < 0));
    report_counters(FIGURES, FIGURE_COUNT);
    if (count_ragged())
        run_square(b, input, counted_below(p, n), 0);
    finish_counted(check_largest, b, p->planar ? 1024 : 1 << 20, p->most, p->planar ? 0 : past_power(28));
}

#define DEFINE_DRIVER(name, number) \
    static inline int drive_##name(struct invocation own, name##_function *run) \
    { \
        struct basics b = {}; \
        b.problem = &PROBLEMS[number]; \
        b.name = run; \
        return drive(own, &b); \
    }
DEFINE_DRIVER(saxpy, SAXPY)
DEFINE_DRIVER(grey, GREY)
DEFINE_DRIVER(drift, DRIFT)
DEFINE_DRIVER(transpose, TRANSPOSE)
DEFINE_DRIVER(keep, KEEP)
