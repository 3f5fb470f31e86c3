// matmul/driver.h: chapter 07-matmul: checks and figures. common/matmul.h defines a right answer and
// includes this file.
#pragma once

#define CHAPTER_OPTIONS ", --m M, --k K"
#define BENCH_HELP "1024, 2048, 4096, 8192"
#define CHAPTER_HELP \
    "  --m M, --k K   with --n: C has M rows and N columns, A has K columns; N where\n" \
    "                 they are not given\n"
#include "harness.h"
#include "matmul/inputs.h"
#include "matmul/reference.h"

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct matmul *p = (struct matmul *)context;
    struct shape s = {p->m, p->n, p->k, p->a.wide, p->b.wide, p->c.wide};
    if (p->floats)
        p->floats((float *)p->c.device, (const float *)p->a.device, (const float *)p->b.device, s);
    else
        p->bf16((float *)p->c.device, (const unsigned short *)p->a.device, (const unsigned short *)p->b.device, s);
}

static void name_case(struct matmul *p, const char *input, int m, int n, int k)
{
    static char note[120];
    snprintf(note, sizeof note, ", m = %d, k = %d%s%s", m, k, p->transposed ? ", A transposed" : "",
             p->wide > 0 ? ", leading dimensions of 2^27" : "");
    begin_case(input, n, note);
    snprintf(harness.shape, sizeof harness.shape, " --m %d --k %d", m, k);
    p->m = m;
    p->n = n;
    p->k = k;
}

// The three matrices; paddings of three lengths, which always differ between them.
static void make_matrices(struct matmul *p)
{
    int size = p->floats ? 4 : 2, rows = p->transposed ? p->k : p->m, columns = p->transposed ? p->m : p->k;
    int odd = p->m + p->n + p->k + changed(OTHER_PITCH);
    p->a = make_matrix(rows, columns, size, 2 * (odd % 3), p->wide);
    p->b = make_matrix(p->k, p->n, size, 2 * ((odd + 1) % 3), p->wide);
    p->c = make_matrix(p->m, p->n, 4, 2 * ((odd + 2) % 3), p->wide);
}

static void free_matrices(struct matmul *p)
{
    free_matrix(&p->a);
    free_matrix(&p->b);
    free_matrix(&p->c);
}

// Bytes on the host: rows are padded by 39 words at most.
static size_t planned_bytes(int m, int n, int k)
{
    size_t rows = (size_t)m + (size_t)k;
    return 4 * (rows * ((size_t)n + 39) + (size_t)m * ((size_t)k + 39) + (size_t)k * ((size_t)m + 39)) +
           (size_t)(n + k) * sizeof(struct sum);
}

// Fills and runs one case and checks it; if times are requested, measures it while the input is on the device.
static void run_case(struct matmul *p, const struct input *input, int m, int n, int k, int time)
{
    name_case(p, input->name, m, n, k);
    uint64_t state = case_seed((uint64_t)m * 65537 + (uint64_t)n * 257 + (uint64_t)k);
    if (planned(planned_bytes(m, n, k)))
        return;
    p->exact = input == &INPUTS[WHOLE];
    make_matrices(p);
    fill_matrix(&p->a, input, input->left, &state);
    fill_matrix(&p->b, input, input->right, &state);
    run_calls(call, p, m == n && m == 33 ? 2 : 1);
    check_product(p, input);
    if (time)
        report_flops(n, median_ms(call, p), 2.0 * m * n * k);
    free_matrices(p);
}

// ---- The driver ------------------------------------------------------------------------------------------
// m, n, k: around warps, tiles and powers of two; ragged in one, two and all three; zero in one of them.
static const int SHAPES[][3] = {{1, 1, 1},      {0, 5, 3},     {5, 0, 3},     {3, 5, 0},     {0, 0, 0},    {40, 70, 0},
                                {2, 3, 1},      {1, 33, 7},    {33, 1, 9},    {7, 5, 33},    {31, 32, 33}, {32, 33, 31},
                                {33, 31, 32},   {32, 32, 32},  {33, 33, 33},  {64, 64, 64},  {63, 65, 17}, {65, 63, 16},
                                {127, 129, 15}, {129, 127, 9}, {128, 128, 8}, {130, 70, 40}, {3, 2, 1100}, {1, 257, 4},
                                {257, 1, 5},    {255, 40, 3},  {20, 256, 12}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0], LONGEST = 65535 };

static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"blocks", "blocks"},
    {"warp instructions", "warp_instructions"},
    {"lanes at work, %", "100 * thread_instructions / (32 * warp_instructions)"},
    {"operations per product", "flops / (n*n*n)"},
    {"block barriers", "barriers"},
    {"global loads per product", "32 * global_load_requests / (n*n*n)"},
    {"sectors per load", "global_load_sectors / global_load_requests"},
    {"shared loads per product", "32 * shared_load_requests / (n*n*n)"},
    {"bank conflicts", "shared_excess"},
    {"bytes loaded per product", "32 * global_load_sectors / (n*n*n)"},
    {"sectors per store", "global_store_sectors / global_store_requests"},
};

static void check_shape(struct matmul *p, int m, int n, int k)
{
    for (int set = 0; set < SETS; set++)
        run_case(p, set == RANDOM && (m + n + k) % 2 ? &TINY[m % 2] : &INPUTS[set], m, n, k, 0);
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
static void run_rows(void *context, long long m)
{
    run_case((struct matmul *)context, &INPUTS[WHOLE], (int)m, 6, 5, 0);
}

static void run_columns(void *context, long long n)
{
    run_case((struct matmul *)context, &INPUTS[WHOLE], 6, (int)n, 5, 0);
}

static void run_changed(void *context, long long m)
{
    int n = 37 + 3 * changed(OTHER_HEIGHT) + 256 * is_larger_round(); // a row's padding is unchanged
    int k = 21 + 3 * changed(OTHER_DEPTH);
    run_case((struct matmul *)context, &INPUTS[WHOLE], (int)m, n, k, 0);
}

static void run_drawn(struct matmul *p, int low, int high, int most_k)
{
    int m = (int)draw_size(low, high), n = (int)draw_size(low, high), k = (int)draw_size(1, most_k);
    run_case(p, &INPUTS[(m + n + k) % SETS], m, n, k, 0);
}

static void check_drawn(struct matmul *p)
{
    for (int i = 0; i < DRAWN; i++)
        run_drawn(p, 1, 160, 160);
    run_drawn(p, 363, 400, 8); // twice as many elements as the counted case
    if (wants_larger())
        run_drawn(p, 160, 640, 64);
    if (begin_huge()) { // 2^24 to 2^25 elements; tensor cores take the machine longer
        int low = p->floats ? 4096 : 1024, high = p->floats ? 5792 : 1448;
        run_case(p, &INPUTS[WHOLE], (int)draw_size(low, high), (int)draw_size(low, high), (int)draw_size(1, 4), 0);
        end_huge();
    }
}

// A whole tile, and a row and a column of the next ones, through several stages of columns of A. Then one side alone is
// ragged, by whole quads, so that no other edge hides it; the columns of A also by one, in both directions.
static void check_whole_tile(struct matmul *p)
{
    int m = (int)run_around_tiles(run_rows, p, 1 << 10, 2), n = (int)run_around_tiles(run_columns, p, 1 << 10, 2);
    run_case(p, &INPUTS[WHOLE], m + 1, n + 1, 203, 0);
    for (int side = 0; side < 3 && !is_checked(); side++)
        run_case(p, &INPUTS[WHOLE], m + 8 * (side == 0), n + 8 * (side == 1), 64 + 8 * (side == 2), 0);
    for (int k = 63; k <= 65; k += 2)
        run_case(p, &INPUTS[WHOLE], m, n, k, 0);
}

// Rows so far apart that i * lda exceeds 32 bits, even in units of 16 bytes.
static void check_wide(struct matmul *p)
{
    const int side = 67;
    p->wide = (1 << 27) + 8;
    if (begin_sparse(3.0 * side * p->wide * sizeof(float))) {
        run_case(p, &INPUTS[WHOLE], side, side, side, 0);
        simt_sample(NULL);
    }
    p->wide = 0;
}

// More columns of A than a signed 16-bit number counts. Tensor cores take the machine 5 s for them: once, and no more.
static void check_long(struct matmul *p)
{
    if (p->floats || is_in_order())
        run_case(p, &INPUTS[WHOLE], 2, 3, p->floats ? LONGEST : (1 << 15) + 72, 0);
}

// C of m rows and n columns, some blocks of its launch.
static void check_large_shape(struct matmul *p, int m, int n, int k)
{
    name_case(p, "zeros", m, n, k);
    if (begin_large(n, ((double)m * n + (double)m * k + (double)k * n) * sizeof(float), LARGE_NOTE)) {
        int pitch = p->transposed ? m : k;
        struct matrix a = {p->transposed ? k : m, pitch, p->floats ? 4 : 2, 0, ceil_div(pitch, 8) * 8, NULL, NULL};
        struct matrix b = {k, n, p->floats ? 4 : 2, 0, ceil_div(n, 8) * 8, NULL, NULL};
        struct matrix c = {m, n, 4, 0, ceil_div(n, 8) * 8, NULL, NULL};
        a.device = device_alloc(bytes_of(&a, a.wide));
        b.device = device_alloc(bytes_of(&b, b.wide));
        c.device = device_alloc(bytes_of(&c, c.wide));
        p->a = a, p->b = b, p->c = c;
        run_calls(call, p, 1);
        check_all_stored(c.device, bytes_of(&c, c.wide), n / (double)c.wide);
        if (m < WHOLE_ROWS)
            check_all_stored(c.device, (size_t)n * sizeof(float), 0);
        check_zeros(c.device, bytes_of(&c, c.wide), 1);
        check_cuda(cudaFree(a.device));
        check_cuda(cudaFree(b.device));
        check_cuda(cudaFree(c.device));
    }
    end_large();
}

static void check_largest(void *context, long long /* draws its own */)
{
    struct matmul *p = (struct matmul *)context;
    int longest = (int)draw_large(1 << 10, LONGEST);
    check_large_shape(p, longest, longest, 5);
    check_large_shape(p, longest, 3, 5);
    check_large_shape(p, 3, longest, 5);
}

static void check_all(struct matmul *p, int m, int k)
{
    for (int i = 0; i < SHAPE_COUNT && harness.n < 0; i++)
        check_shape(p, SHAPES[i][0], SHAPES[i][1], SHAPES[i][2]);
    if (harness.n < 0)
        check_drawn(p);
    if (harness.n >= 0)
        check_shape(p, m, (int)harness.n, k);
    if (harness.n < 0 && !simt_read)
        check_shape(p, 2051, 1030, 1025);
    if (harness.n < 0 && simt_read) {
        check_whole_tile(p);
        check_repeated(run_rows, p, 33, 300);
        check_stale_state(run_changed, p, 40);
    }
    if (harness.n < 0 && simt_read && !is_checked()) {
        check_wide(p);
        check_long(p);
    }
    printf("%s: right in %lld run%s; at most %.1f %% of the error allowed\n", source_name(harness.file), harness.runs,
           plural(harness.runs), 100 * p->share);
}

static void measure_times(struct matmul *p, int m, int k)
{
    const int sizes[] = {1024, 2048, 4096, 8192};
    if (harness.n >= 0 || !harness.bench) {
        int n = harness.n >= 0 ? (int)harness.n : 4096;
        run_case(p, &INPUTS[WHOLE], m < 0 ? n : m, n, k < 0 ? n : k, 0);
        run_case(p, &INPUTS[RANDOM], m < 0 ? n : m, n, k < 0 ? n : k, 1);
        return;
    }
    for (int i = 0; i < 4; i++) {
        run_case(p, &INPUTS[WHOLE], sizes[i], sizes[i], sizes[i], 0);
        run_case(p, &INPUTS[RANDOM], sizes[i], sizes[i], sizes[i], 1);
    }
}

static int drive(struct invocation own, struct matmul *p)
{
    int m = (int)take_option(&own, "--m", 0, LONGEST, -1);
    int k = (int)take_option(&own, "--k", 0, LONGEST, -1);
    read_options(own, LONGEST);
    skip_bench_without_gpu(512);
    if (harness.n < 0 && (m >= 0 || k >= 0))
        fail(BROKEN, "--m and --k go with --n");
    run_large(check_largest, p, 0);
    int n = harness.n >= 0 ? (int)harness.n : 128;
    if (only_counted())
        run_drawn(p, 1, max(n, 1), max(n, 1));
    else if (!harness.bench)
        check_all(p, m < 0 ? n : m, k < 0 ? n : k);
    if (is_timed())
        measure_times(p, m, k);
    begin_counted();
    run_case(p, &INPUTS[RANDOM], m < 0 ? n : m, n, k < 0 ? n : k, 0);
    if (simt_read && !harness.check) {
        printf("input %s; ", harness.input);
        report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    }
    if (count_ragged())
        run_case(p, &INPUTS[RANDOM], n - 3, n - 3, n - 3, 0);
    finish_counted(check_largest, p, 0, 0, 0);
}

static inline int drive_matmul(struct invocation own, matmul_function *multiply, enum storage storage)
{
    struct matmul p = {};
    p.floats = multiply;
    p.transposed = storage == TRANSPOSED;
    return drive(own, &p);
}

static inline int drive_matmul_bf16(struct invocation own, matmul_bf16_function *multiply)
{
    struct matmul p = {};
    p.bf16 = multiply;
    return drive(own, &p);
}
