// convolution/driver.h: chapter 08-convolution: checks and figures. common/convolution.h defines a right answer and
// includes this file.
#pragma once

#define CHAPTER_OPTIONS ", --height H, --radius R"
#define BENCH_HELP "2^20, 2^24, 2^28; sides 2^10, 2^12, 2^14"
#define CHAPTER_HELP \
    "  --height H     with --n: an image has H rows of N words (N rows)\n" \
    "  --radius R     of the filter, 1 to 15 (7)\n"
#include "convolution/reference.h"
#include "harness.h"

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct convolution *c = (struct convolution *)context;
    float *out = (float *)c->out.device, *scratch = (float *)c->scratch.device;
    const float *in = (const float *)c->in.device;
    struct plane p = {c->width, c->height, c->radius, c->in.wide, c->out.wide};
    if (c->problem == SIGNAL)
        c->signal(out, in, c->width, c->d_filter, c->radius);
    else if (c->problem == IMAGE)
        c->image(out, in, c->d_filter, p);
    else
        c->separable(out, scratch, in, c->d_filter, p);
}

static void name_case(struct convolution *c, const char *input, int width, int height, int radius)
{
    static char note[120];
    int length = c->problem == SIGNAL ? 0 : snprintf(note, sizeof note, ", height %d", height);
    snprintf(note + length, sizeof note - (size_t)length, ", radius %d%s", radius,
             c->wide > 0 ? ", pitches of 2^27" : "");
    begin_case(input, width, note);
    length = c->problem == SIGNAL ? 0 : snprintf(harness.shape, sizeof harness.shape, " --height %d", height);
    snprintf(harness.shape + length, sizeof harness.shape - (size_t)length, " --radius %d", radius);
    c->width = width;
    c->height = height;
    c->radius = radius;
}

// Paddings of three lengths, which always differ between the two. A signal ends where its memory does.
static void make_images(struct convolution *c)
{
    int odd = c->width + c->height + c->radius + changed(OTHER_PITCH), rows = c->height;
    c->in = make_matrix(rows, c->width, 4, 2 * (odd % 3), c->wide);
    c->out = make_matrix(rows, c->width, 4, 2 * ((odd + 1) % 3), c->wide);
    c->scratch = make_matrix(c->problem == SEPARABLE ? rows : 0, c->width, 4, 2 * ((odd + 1) % 3), c->wide);
}

static void fill_filter(struct convolution *c, const struct input *input, uint64_t *state)
{
    int power = c->problem == SEPARABLE ? input->right / 2 : input->right; // of each of two weights that are multiplied
    for (int i = 0; i < weight_count(c); i++)
        c->weights[i] = ldexpf(input->value(state), power);
    c->d_filter = (float *)device_copy(c->weights, (size_t)weight_count(c) * sizeof(float), 0);
}

static void free_images(struct convolution *c)
{
    check_cuda(cudaFree(c->d_filter));
    free_matrix(&c->scratch);
    free_matrix(&c->out);
    free_matrix(&c->in);
}

// Bytes on the host: rows are padded by 39 words at most; a row's products with a vector.
static size_t planned_bytes(int width, int height)
{
    size_t row = (size_t)width + 39, rows = (size_t)height;
    return 4 * 3 * rows * row + 4 * row + 8 * rows * MOST_TAPS;
}

// Fills and runs one case and checks it; if times are requested, measures it while the input is on the device.
static void run_case(struct convolution *c, const struct input *input, int width, int height, int radius, int time)
{
    name_case(c, input->name, width, height, radius);
    uint64_t state = case_seed((uint64_t)width * 65537 + (uint64_t)height * 257 + (uint64_t)radius);
    if (planned(planned_bytes(width, height)))
        return;
    c->exact = input == &INPUTS[WHOLE];
    make_images(c);
    fill_matrix(&c->in, input, input->left, &state);
    fill_filter(c, input, &state);
    run_calls(call, c, width == 33 ? 2 : 1);
    check_output(c, input);
    if (time)
        report_time(width, median_ms(call, c), 8.0 * width * height);
    free_images(c);
}

// ---- The driver ------------------------------------------------------------------------------------------
// Sizes around warps, tiles and the filter, and every radius.
static const int SIZES[] = {1,  0,  2,   3,   14,  15,  16,  17,  29,  30,  31,  32,   33,
                            63, 65, 127, 128, 129, 255, 256, 257, 511, 513, 999, 1025, 4099};
static const int SHAPES[][3] = {{1, 1, 1},    {0, 0, 1},     {0, 5, 2},     {5, 0, 3},     {1, 1, 15},   {1, 40, 4},
                                {40, 1, 5},   {2, 3, 15},    {31, 33, 1},   {32, 32, 2},   {33, 31, 3},  {15, 17, 7},
                                {64, 64, 1},  {65, 63, 3},   {63, 65, 6},   {70, 20, 8},   {20, 70, 9},  {40, 33, 15},
                                {129, 30, 2}, {30, 129, 10}, {100, 10, 13}, {10, 100, 14}, {33, 33, 12}, {36, 9, 11},
                                {260, 5, 2},  {5, 260, 3},   {128, 8, 4}};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0], SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0] };
enum { LONGEST = 65535, MAX_SAMPLES = 2147479552, COUNTED_RADIUS = 7 };

static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"blocks", "blocks"},
    {"warp instructions", "warp_instructions"},
    {"lanes at work, %", "100 * thread_instructions / (32 * warp_instructions)"},
    {"divergent branches", "divergent_branches"},
    {"operations", "flops"},
    {"block barriers", "barriers"},
    {"global loads, in lanes", "32 * global_load_requests"},
    {"sectors per load", "global_load_sectors / global_load_requests"},
    {"shared loads", "shared_load_requests"},
    {"bank conflicts", "shared_excess"},
    {"bytes loaded", "32 * global_load_sectors"},
    {"sectors per store", "global_store_sectors / global_store_requests"},
};

// An image has one of the sets of random floats: whole numbers show a defect best.
static void check_shape(struct convolution *c, int width, int height, int radius)
{
    run_case(c, &INPUTS[WHOLE], width, height, radius, 0);
    const struct input *random = (width + height) % 4 == 1 ? &TINY[radius % 2] : &INPUTS[RANDOM];
    run_case(c, (width + height) % 2 ? random : &INPUTS[WIDE], width, height, radius, 0);
}

static void check_sizes(struct convolution *c)
{
    for (int i = 0; i < SIZE_COUNT; i++) {
        check_shape(c, SIZES[i], 1, 1 + i % MOST_RADIUS);
        check_shape(c, SIZES[i], 1, MOST_RADIUS - i % 2);
    }
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
static void run_columns(void *context, long long n)
{
    struct convolution *c = (struct convolution *)context;
    run_case(c, &INPUTS[WHOLE], (int)n, c->problem == SIGNAL ? 1 : 6, 3, 0);
}

static void run_rows(void *context, long long n)
{
    run_case((struct convolution *)context, &INPUTS[WHOLE], 6, (int)n, 3, 0);
}

static void run_changed(void *context, long long width)
{
    struct convolution *c = (struct convolution *)context;
    int height = 30 + 6 * changed(OTHER_HEIGHT) + 64 * is_larger_round(); // a row's padding is unchanged
    run_case(c, &INPUTS[WHOLE], (int)width, c->problem == SIGNAL ? 1 : height, 3 + 3 * changed(OTHER_COUNT), 0);
}

static void run_drawn(struct convolution *c, long long low, long long high)
{
    int width = (int)draw_size(low, high), height = c->problem == SIGNAL ? 1 : (int)draw_size(low, high);
    run_case(c, &INPUTS[WHOLE], width, height, (int)draw_size(1, MOST_RADIUS), 0);
}

static void check_drawn(struct convolution *c)
{
    bool flat = c->problem == SIGNAL;
    int most = flat ? 1 << 16 : 200, low = flat ? 1 << 17 : 182;
    for (int i = 0; i < DRAWN; i++)
        run_drawn(c, flat ? drawn_part(most, i) : 1, flat ? drawn_part(most, i + 1) : most);
    int width = (int)draw_size(low, low + low / 16), height = flat ? 1 : (int)draw_size(low, low + low / 16);
    run_case(c, &INPUTS[WHOLE], width, height, 1, 0); // twice as many words as the counted case
    if (wants_larger())
        run_drawn(c, most, flat ? 1 << 20 : 800);
    if (begin_huge()) { // 2^24 to 2^25 words; of an image 2^22 to 2^23
        width = (int)(flat ? draw_size(1 << 24, 1 << 25) : draw_size(2048, 2896));
        run_case(c, &INPUTS[WHOLE], width, flat ? 1 : (int)draw_size(2048, 2896), 1, 0);
        if (!flat) {
            int side = (int)draw_size(257 * 64, 1 << 15); // in tiles of 64 more than 8 bits count
            run_case(c, &INPUTS[WHOLE], side, draw_short_side(), 1, 0);
            run_case(c, &INPUTS[WHOLE], draw_short_side(), side, 1, 0);
        }
        end_huge();
    }
}

// A whole tile, and one word more in both directions.
static void check_whole_tile(struct convolution *c)
{
    int width = (int)run_around_tiles(run_columns, c, 1 << 12, 2);
    int height = c->problem == SIGNAL ? 0 : (int)run_around_tiles(run_rows, c, 1 << 12, 2);
    run_case(c, &INPUTS[WHOLE], width + 1, height + 1, 2, 0);
}

// Rows so far apart that row * pitch exceeds 32 bits, even in units of 16 bytes.
static void check_wide(struct convolution *c)
{
    const int side = 67;
    c->wide = (1 << 27) + 8;
    if (begin_sparse(3.0 * side * c->wide * sizeof(float))) {
        run_case(c, &INPUTS[WHOLE], side, side, 4, 0);
        simt_sample(NULL);
    }
    c->wide = 0;
}

// An image of zeros, of which some blocks are run.
static struct matrix sparse_matrix(int rows, int columns)
{
    int pitch = ceil_div(columns, 4) * 4;
    struct matrix a = {rows, columns, 4, pitch, pitch, NULL, NULL};
    a.device = device_alloc(bytes_of(&a, pitch));
    return a;
}

static void check_large_shape(struct convolution *c, int width, int height)
{
    name_case(c, "zeros", width, height, 1);
    if (begin_large(width, 12.0 * width * height, LARGE_NOTE)) {
        c->in = sparse_matrix(height, width);
        c->out = sparse_matrix(height, width);
        c->scratch = sparse_matrix(c->problem == SEPARABLE ? height : 0, width);
        c->d_filter = (float *)device_alloc((size_t)weight_count(c) * sizeof(float));
        run_calls(call, c, 1);
        check_all_loaded(c->in.device, bytes_of(&c->in, c->in.wide), width / (double)c->in.wide);
        if (c->problem == SIGNAL)
            check_last(c->out.device, (size_t)width * sizeof(float), 1);
        check_all_stored(c->out.device, bytes_of(&c->out, c->out.wide), width / (double)c->out.wide);
        if (height < WHOLE_ROWS) {
            check_all_loaded(c->in.device, (size_t)width * sizeof(float), 0);
            check_all_stored(c->out.device, (size_t)width * sizeof(float), 0);
        }
        check_zeros(c->out.device, bytes_of(&c->out, c->out.wide), 1);
        void *all[] = {c->in.device, c->out.device, c->scratch.device, c->d_filter};
        for (int i = 0; i < 4; i++)
            check_cuda(cudaFree(all[i]));
    }
    end_large();
}

// n: the samples of a signal. Sizes of an image are drawn here.
static void check_largest(void *context, long long n)
{
    struct convolution *c = (struct convolution *)context;
    if (c->problem == SIGNAL) {
        check_large_shape(c, (int)n, 1);
        return;
    }
    int longest = (int)draw_large(1 << 10, LONGEST);
    check_large_shape(c, longest, longest);
    check_large_shape(c, longest, 3);
    check_large_shape(c, 3, longest);
}

static void check_machine_only(struct convolution *c)
{
    check_whole_tile(c);
    check_repeated(run_columns, c, 33, 300);
    check_stale_state(run_changed, c, c->problem == SIGNAL ? 3000 : 40);
    if (c->problem != SIGNAL && !is_checked())
        check_wide(c);
}

static void check_all(struct convolution *c, int height, int radius)
{
    if (harness.n >= 0)
        check_shape(c, (int)harness.n, height, radius);
    else if (c->problem == SIGNAL)
        check_sizes(c);
    for (int i = 0; i < SHAPE_COUNT && harness.n < 0 && c->problem != SIGNAL; i++)
        check_shape(c, SHAPES[i][0], SHAPES[i][1], SHAPES[i][2]);
    if (harness.n < 0)
        check_drawn(c);
    if (harness.n < 0 && !simt_read)
        check_shape(c, c->problem == SIGNAL ? (1 << 24) + 7 : 2051, c->problem == SIGNAL ? 1 : 1030, 15);
    if (harness.n < 0 && simt_read)
        check_machine_only(c);
    printf("%s: right in %lld run%s; at most %.1f %% of the error allowed\n", source_name(harness.file), harness.runs,
           plural(harness.runs), 100 * c->share);
}

static void measure_times(struct convolution *c, int height, int radius)
{
    const int sizes[][3] = {{1 << 20, 1 << 24, 1 << 28}, {1 << 10, 1 << 12, 1 << 14}};
    const int *of = sizes[c->problem != SIGNAL];
    for (int i = 0; i < 3; i++) {
        int one = harness.n >= 0 || !harness.bench, width = one ? (harness.n >= 0 ? (int)harness.n : of[1]) : of[i];
        int rows = c->problem == SIGNAL ? 1 : height >= 0 ? height : width;
        run_case(c, &INPUTS[WHOLE], width, rows, radius, 0);
        run_case(c, &INPUTS[RANDOM], width, rows, radius, 1);
        if (one)
            return;
    }
}

// The counted run, and one of a ragged size.
static void count(struct convolution *c, int n, int height, int radius)
{
    bool flat = c->problem == SIGNAL;
    begin_counted();
    run_case(c, &INPUTS[RANDOM], n, flat ? 1 : height < 0 ? n : height, radius, 0);
    if (simt_read && !harness.check) {
        printf("input %s; ", harness.input);
        report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    }
    if (count_ragged())
        run_case(c, &INPUTS[RANDOM], flat ? (int)draw_ragged(n / 2, n) : n - 3, flat ? 1 : n - 3, radius, 0);
}

static int drive(struct invocation own, struct convolution *c)
{
    int height = (int)take_option(&own, "--height", 0, LONGEST, -1);
    int radius = (int)take_option(&own, "--radius", 1, MOST_RADIUS, COUNTED_RADIUS);
    read_options(own, c->problem == SIGNAL ? MAX_SAMPLES : LONGEST);
    skip_bench_without_gpu(c->problem == SIGNAL ? 1 << 20 : 1024);
    if (height >= 0 && (harness.n < 0 || c->problem == SIGNAL))
        fail(BROKEN, c->problem == SIGNAL ? "a signal has no --height" : "--height goes with --n");
    run_large(check_largest, c, MAX_SAMPLES);
    int n = harness.n >= 0 ? (int)harness.n : c->problem == SIGNAL ? 65536 : 128;
    if (only_counted())
        run_drawn(c, 1, 256);
    else if (!harness.bench)
        check_all(c, c->problem == SIGNAL ? 1 : height < 0 ? n : height, radius);
    if (is_timed())
        measure_times(c, height, radius);
    count(c, n, height, radius);
    finish_counted(check_largest, c, 1 << 20, MAX_SAMPLES, c->problem == SIGNAL ? past_power(28) : 0);
}

#define DEFINE_DRIVER(name, kind) \
    static inline int drive_##name(struct invocation own, name##_function *filter) \
    { \
        struct convolution c = {}; \
        c.problem = kind; \
        c.name = filter; \
        return drive(own, &c); \
    }
DEFINE_DRIVER(signal, SIGNAL)
DEFINE_DRIVER(image, IMAGE)
DEFINE_DRIVER(separable, SEPARABLE)
