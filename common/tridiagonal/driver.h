// tridiagonal/driver.h: chapter 05-tridiagonal: inputs, reference, checks and figures. common/tridiagonal.h defines a
// right answer and includes this file.
#pragma once

#define CHAPTER_OPTIONS ", --size S, --pivoting"
#define BENCH_HELP "2^16, 2^20, 2^24"
#define CHAPTER_HELP \
    "  --size S       with --n: systems of S rows (256, or N where that does not do)\n" \
    "  --pivoting     show what happens to matrices that need pivoting;\n" \
    "                 this never passes: exit 2\n"
#include "harness.h"
#include "tridiagonal/case.h"
#include "tridiagonal/matrices.h"
#include "tridiagonal/pivoting.h"

// ---- The driver ----------------------------------------------------------------------------------------------
// Rows of a system, and how many systems: around warps, blocks and powers of two; then many.
// clang-format off
static const int SHAPES[][2] = {
    {1, 1},    {7, 0},    {2, 1},    {3, 7},    {4, 5},    {7, 33},   {16, 31},  {17, 32},  {31, 3},   {32, 3},
    {33, 3},   {63, 1},   {64, 5},   {65, 3},   {127, 3},  {128, 3},  {129, 1},  {255, 3},  {256, 1},  {257, 3},
    {511, 1},  {512, 3},  {513, 1},  {1000, 3}, {1022, 2}, {1023, 1}, {1024, 1}, {1024, 3}, {5, 255},  {5, 256},
    {5, 257},  {1, 1000}, {1025, 1}, {2046, 1}, {2049, 3}, {4096, 1}, {33, 511}, {65537, 1},
    {3, 127},  {3, 128},  {3, 129},  {256, 37}, {3073, 2}, {4096, 3},
    {257, 259}}; // more rows than 16 bits count
// clang-format on
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0] };

static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"blocks", "blocks"},
    {"warp instructions", "warp_instructions"},
    {"lanes at work, %", "100 * thread_instructions / (32 * warp_instructions)"},
    {"operations per row", "flops / n"},
    {"block barriers", "barriers"},
    {"shuffles", "shuffles"},
    {"bank conflicts", "shared_excess"},
    {"sectors per load", "global_load_sectors / global_load_requests"},
    {"sectors per store", "global_store_sectors / global_store_requests"},
    {"bytes per row", "32 * (global_load_sectors + global_store_sectors) / n"},
    {"bytes in local memory", "local_bytes"},
};

static void check_shape(struct tridiagonal *t, int size, int systems)
{
    for (int k = 0; k < INPUT_COUNT && size <= t->limit; k++)
        run_case(t, &INPUTS[k], size, systems, 0);
}

// Rows of a system if n rows in all are requested: as --size says, else 256 or all of them.
static int size_for(const struct tridiagonal *t, long long n, int size)
{
    if (size == 0)
        size = t->limit == LONG || n < 256 || (n % 256 && n <= t->limit) ? (int)n : 256;
    size = size > 0 ? size : 1;
    if (n % size != 0 || size > t->limit)
        fail(BROKEN, "%lld rows are not a multiple of %d, or --size is too large: at most %d", n, size, t->limit);
    return size;
}

// ---- What the SIMT machine alone can try ---------------------------------------------------------------------
static void run_systems(void *context, long long systems)
{
    run_case((struct tridiagonal *)context, &INPUTS[0], 5, (int)systems, 0);
}

static void run_rows(void *context, long long rows)
{
    run_case((struct tridiagonal *)context, &INPUTS[0], (int)rows, 1, 0);
}

// This many systems; three times as many have fewer rows each, since their memory has to fit in the same place.
static void run_changed(void *context, long long systems)
{
    int rows = is_larger_round() ? 20 : 40;
    run_case((struct tridiagonal *)context, &INPUTS[0], rows, (int)systems + 2 * changed(OTHER_HEIGHT), 0);
}

// Systems whose size the seed draws, with `rows` rows in all.
static void run_drawn(struct tridiagonal *t, int rows)
{
    int size = (int)draw_size(1, min(rows, min(t->limit, 1 << 13))), most = rows / size;
    run_case(t, &INPUTS[1], size, (int)draw_size((most + 1) / 2, most), 0);
}

static void check_drawn(struct tridiagonal *t)
{
    for (int i = 0; i < DRAWN; i++)
        run_drawn(t, (int)draw_size(drawn_part(1 << 18, i), drawn_part(1 << 18, i + 1)));
    if (wants_larger())
        run_drawn(t, (int)draw_size(1 << 18, 1 << 20));
    if (!begin_huge())
        return;
    if (t->limit == LONG)
        run_case(t, &INPUTS[1], (int)draw_size(11 << 17, 1 << 21), 1, 0);
    else
        run_drawn(t, (int)draw_size(11 << 17, 1 << 21));
    end_huge();
}

// Around the exercise's tiles: in systems, and in rows if a system may be longer than a block can hold.
static void check_own_sizes(struct tridiagonal *t)
{
    int tile = (int)run_around_tiles(run_systems, t, 1 << 12, 3);
    if (t->limit == LONG)
        run_around_tiles(run_rows, t, 1 << 14, 3);
    if (!is_checked())
        run_case(t, &INPUTS[0], 2, 70000, 0); // more systems than a grid has rows of blocks
    check_repeated(run_rows, t, 33, 300);
    check_stale_state(run_changed, t, min(tile / 2 + 1, 600)); // at first one tile
    int longest = min(t->limit, 513);
    for (int i = 0; i < 3; i++) // as many rows in other systems
        run_case(t, &INPUTS[0], i % 2 ? longest : 1, i % 2 ? 16 : 16 * longest, 0);
}

static void check_shape_large(struct tridiagonal *t, int size, int systems)
{
    size_t n = (size_t)size * (size_t)systems, bytes = n * sizeof(float);
    static char note[80];
    snprintf(note, sizeof note, ", %d system%s of %d row%s, some blocks of each launch", systems,
             systems == 1 ? "" : "s", size, size == 1 ? "" : "s");
    snprintf(harness.shape, sizeof harness.shape, " --size %d", size);
    if (begin_large((long long)n, 6.0 * (double)bytes, note)) {
        t->size = size;
        t->systems = systems;
        for (int k = 0; k < 4; k++)
            t->d_band[k] = (float *)device_alloc(bytes);
        t->d_x = (float *)device_alloc(bytes);
        t->d_tmp = (float *)device_alloc(bytes + 1024 * sizeof(float));
        run_calls(call, t, 1);
        check_all_read(4.0 * (double)bytes);
        for (int k = 0; k < 4; k++) // the first row needs no a, the last no c
            check_all_loaded(t->d_band[k], bytes, k % 2 == 0 ? (size - 1.0) / size : 1);
        check_all_stored(t->d_x, bytes, 1);
        if (t->layout == CONTIGUOUS)
            check_last(t->d_x, bytes, 1);
        check_zeros(t->d_x, bytes, 1);
        for (int k = 0; k < 4; k++)
            check_cuda(cudaFree(t->d_band[k]));
        check_cuda(cudaFree(t->d_x));
        check_cuda(cudaFree(t->d_tmp));
    }
    end_large();
}

// systems: this many of two rows. 0: 2^30 rows, in many short systems and in systems of the maximal length.
static void check_largest(void *context, long long systems)
{
    struct tridiagonal *t = (struct tridiagonal *)context;
    if (systems > 0) {
        check_shape_large(t, 2, (int)systems);
        return;
    }
    int rows = (int)draw_large(1 << 20, LONG), longest = min(t->limit, rows);
    check_shape_large(t, 2, rows / 2);
    check_shape_large(t, 256, rows / 256);
    check_shape_large(t, longest, rows / longest);
}

static void check_all(struct tridiagonal *t, int size, int counted)
{
    if (only_counted()) {
        run_drawn(t, max(counted, 1));
        return;
    }
    int large = simt_read ? (1 << 19) + 7 : (1 << 24) + 4099; // a LONG one is cut into chunks of chunks of 1024
    for (int i = 0; i < SHAPE_COUNT && harness.n < 0; i++)
        check_shape(t, SHAPES[i][0], SHAPES[i][1]);
    if (harness.n < 0)
        check_drawn(t);
    for (int k = 1; k < 3 && harness.n < 0 && t->limit == LONG; k++)
        run_case(t, &INPUTS[k], large, 1, 0);
    if (harness.n < 0 && !simt_read)
        run_case(t, &INPUTS[2], 1000, 16411, 0);
    if (harness.n < 0 && simt_read)
        check_own_sizes(t);
    if (harness.n >= 0)
        check_shape(t, size_for(t, harness.n, size), (int)(harness.n / size_for(t, harness.n, size)));
    printf("%s: right in %lld run%s; at most %.1f %% of the residual and %.1f %% of the error allowed\n",
           source_name(harness.file), harness.runs, plural(harness.runs), 100 * t->residual, 100 * t->error);
}

// limit: rows of the largest system that solve accepts.
static inline int drive_tridiagonal(struct invocation own, tridiagonal_function *solve, enum layout layout,
                                    enum method method, int limit)
{
    const int bench_sizes[] = {1 << 16, 1 << 20, 1 << 24};
    int asked = (int)take_option(&own, "--size", 1, LONG, 0), pivoting = take_flag(&own, "--pivoting");
    struct tridiagonal t = {};
    t.solve = solve;
    t.layout = layout;
    t.method = method;
    t.limit = limit;
    read_options(own, LONG);
    if (pivoting)
        show_pivoting(&t);
    skip_bench_without_gpu(1 << 20);
    if (limit < 256)
        fail(WRONG, "wrong: systems of %d rows at most are too small; the step asks for 256", limit);
    if (harness.large) {
        if (asked > 0)
            check_shape_large(&t, asked, (int)((harness.n >= 0 ? harness.n : LONG) / asked));
        else
            check_largest(&t, 0);
        finish(RIGHT);
    }
    int n = harness.n >= 0 ? (int)harness.n : simt_read ? 1 << 16 : 1 << 24, bench = harness.bench && harness.n < 0;
    int size = size_for(&t, n, asked);
    if (!harness.bench)
        check_all(&t, asked, n);
    for (int i = 0; bench && i < 3; i++) {
        size = size_for(&t, bench_sizes[i], asked);
        run_case(&t, &INPUTS[1], size, bench_sizes[i] / size, 1);
    }
    begin_counted();
    run_case(&t, &INPUTS[1], size, n / size, is_timed() && !bench);
    if (simt_read && !harness.check) {
        printf("input %s%s; ", harness.input, harness.note);
        report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    }
    if (count_ragged() && size > 8 && n / size > 8) // fewer rows, and fewer systems
        run_case(&t, &INPUTS[1], size - 8, (int)draw_size(n / size / 2, n / size - 1), 0);
    else if (harness.first_n > 0)
        run_case(&t, &INPUTS[1], (int)draw_ragged(size / 2 + 1, size), n / size, 0);
    finish_counted(check_largest, &t, 0, 0, layout == CONTIGUOUS ? past_power(28) : 0);
}
