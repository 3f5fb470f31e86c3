// tridiagonal.h: chapter 05-tridiagonal: the problem, its inputs, its tolerance and the driver of its programs.
//
// The problem. Systems of equations in which row i has three unknowns:
//
//     a_i x_{i-1} + b_i x_i + c_i x_{i+1} = f_i        i = 0, ..., size - 1; a_0 = 0 and c_{size-1} = 0
//
// An exercise hands its function to tridiagonal_main:
//
//     void solve(float *d_x, struct bands d, float *d_tmp, int size, int systems)
//
//   d         the bands a, b, c and the right sides f of all systems, n = size * systems rows. Not to be modified.
//             CONTIGUOUS: row i of system s is element s * size + i; INTERLEAVED: element i * systems + s.
//   d_x       takes the solutions in the same order. Like the bands it is aligned to 16 bytes at its start.
//   d_tmp     has room for n + 1024 values, aligned to 16 bytes. It holds rubbish at first, as does d_x.
//   size      is at least 1 and at most what the exercise said to tridiagonal_main; systems may be 0; n <= 2^30.
//   Work goes to the default stream; the driver waits for it.
//
// Inputs: matrices.h. All sets at all shapes below; counters and times are taken with the second one.
//
// Nobody exchanges rows here. That is safe where the matrix is dominant, |b_i| >= |a_i| + |c_i| in every row, and the
// driver refuses any other, but for `--pivoting`, which shows what becomes of two matrices that need an exchange.
//
// Tolerance. u = 2^-24 is half the distance of neighbouring floats. Scale every equation so that b = 1: then
// |a| + |c| <= 1, and |f| <= 2 max|x|. One elimination adds to an equation its neighbours times k1, k2 with
// |k1| + |k2| <= 1. Times the unknowns, all that is added up comes to 6 max|x| at most: 2 for the bands, 4 for the
// right sides. Each term meets 13 roundings at most: 5 in a multiplier (4 if it is from __fdividef, and a product), 3
// in the product and its sums, 5 in scaling. So one level of elimination errs by 78 u max|x| in its own equation. Seen
// in the given equation that is b' times as much for every level before, b' = 1 + t with t <= |a| + |c|; but the
// equation it leaves has |a'| + |c'| <= (|a| + |c| - t) / (1 + t), so that the product of all b' is at most 2. There
// are L = log2 size levels, rounded up, and one more for the way back (Thomas's algorithm has one level in all):
//
//     |f_i - a_i x_{i-1} - b_i x_i - c_i x_{i+1}| <= 156 (L + 1) u |b_i| max|x|                    the residual
//
// What that means for x tells y, the solution of |b_i| y_i - |a_i| y_{i-1} - |c_i| y_{i+1} = |b_i|: for a dominant
// matrix no element of the inverse is larger than that of this one's, whose elements are all positive. Hence
//
//     |x_i - exact| <= 156 (L + 1) u max|x| y_i                                                 the forward error
//
// Steps with PARALLEL cyclic reduction promise less. A row that errs there has its old self in two more rows, which do
// not err with it: no change of one given equation explains the error. But y never grows from level to level, so that
// the error in x is half the above, and the residual is at most |b| times 156 (L + 1) u max|x| y_i.
//
// Both are tested in every row, in double, against Thomas's algorithm in double on the host: 8 operations a row.
#ifndef TRIDIAGONAL_H
#define TRIDIAGONAL_H

#define CHAPTER_OPTIONS ", --size S, --pivoting"
#define BENCH_HELP "2^16, 2^20, 2^24"
#define CHAPTER_HELP \
    "  --size S       with --n: systems of S rows (256, or N where that does not do)\n" \
    "  --pivoting     show what becomes of matrices that need their rows exchanged;\n" \
    "                 nothing is passed by this, exit 2\n"
#include "harness.h"
#include "random.h"
#include "rows.h"
#include "matrices.h"
#include "timing.h"

enum layout { CONTIGUOUS, INTERLEAVED };
enum method { DIRECT, PARALLEL }; // with parallel cyclic reduction or without: what residual is right
#define LONG (1 << 30)            // rows of a system: as many as there are in all

// ---- One case ----------------------------------------------------------------------------------------------
struct tridiagonal {
    void (*solve)(float *d_x, struct bands d, float *d_tmp, int size, int systems);
    enum layout layout;
    enum method method;
    int limit, size, systems;
    float *band[4], *x;      // on the host: a, b, c, f as the device gets them; the device's answer
    double *exact, *y, *tmp; // of one system: the solution, the y of the tolerance
    float *d_band[4], *d_x, *d_tmp;
    long long wrong, first; // wrong rows, and where the first one stands
    double residual, error; // the largest seen in all runs, as shares of what the tolerance allows
};

static size_t place(const struct tridiagonal *t, int system, int i)
{
    return t->layout == CONTIGUOUS ? (size_t)system * t->size + i : (size_t)i * t->systems + system;
}

static struct row row_at(const struct tridiagonal *t, int system, int i)
{
    size_t at = place(t, system, i);
    return make_row(t->band[0][at], t->band[1][at], t->band[2][at], t->band[3][at]);
}

// Fills all systems. The right sides are those of an x between 0.5 and 1 with any sign, as nearly as a float can say.
static void fill(struct tridiagonal *t, const struct input *input, uint64_t *state)
{
    double *x = t->exact;
    for (int system = 0; system < t->systems; system++) {
        for (int i = 0; i < t->size; i++)
            x[i] = random_sign(state) * random_between(state, 0.5, 1);
        for (int i = 0; i < t->size; i++) {
            struct row r = input->row(state, i);
            size_t at = place(t, system, i);
            r.a = i > 0 ? r.a : 0;
            r.c = i + 1 < t->size ? r.c : 0;
            r.f = (float)(r.b * x[i] + (i > 0 ? r.a * x[i - 1] : 0) + (i + 1 < t->size ? r.c * x[i + 1] : 0));
            t->band[0][at] = r.a, t->band[1][at] = r.b, t->band[2][at] = r.c, t->band[3][at] = r.f;
        }
    }
}

// Thomas's algorithm in double, 8 operations a row, twice: t->exact and t->y. Ends the program where it is not safe.
static void solve_on_host(struct tridiagonal *t, int system)
{
    double *x = t->exact, *y = t->y, *c = t->tmp, *cy = c + t->size;
    for (int i = 0; i < t->size; i++) {
        struct row r = row_at(t, system, i);
        double a = r.a, size_of_b = fabs(r.b), above = i > 0;
        if (!(size_of_b > 0 && size_of_b >= fabs(a) + fabs(r.c)))
            fail(BROKEN, "refused: not dominant, |b| < |a| + |c| in system %d, row %d; rows might need an exchange",
                 system, i);
        double pivot = r.b - (above ? a * c[i - 1] : 0), pivot_y = size_of_b - (above ? fabs(a) * cy[i - 1] : 0);
        c[i] = r.c / pivot;
        x[i] = (r.f - (above ? a * x[i - 1] : 0)) / pivot;
        cy[i] = fabs(r.c) / pivot_y;
        y[i] = (size_of_b + (above ? fabs(a) * y[i - 1] : 0)) / pivot_y;
    }
    for (int i = t->size - 2; i >= 0; i--) {
        x[i] -= c[i] * x[i + 1];
        y[i] += cy[i] * y[i + 1];
    }
}

static double tolerance(int size)
{
    return 156 * (ceil(log2(size)) + 1) * ldexp(1, -24);
}

// f - a x_{i-1} - b x_i - c x_{i+1} of a row, as a share of |b|.
static double residual(const struct tridiagonal *t, int system, int i)
{
    struct row r = row_at(t, system, i);
    double sum = r.f - (double)r.b * t->x[place(t, system, i)];
    sum -= i > 0 ? (double)r.a * t->x[place(t, system, i - 1)] : 0;
    sum -= i + 1 < t->size ? (double)r.c * t->x[place(t, system, i + 1)] : 0;
    return sum / fabs(r.b);
}

// One system of t->x against the tolerance; counts wrong rows, and says of the first what is wrong with it.
static void check_system(struct tridiagonal *t, int system, char *got, char *want)
{
    static char note[200];
    double largest = 0, bound;
    solve_on_host(t, system);
    for (int i = 0; i < t->size; i++)
        largest = fmax(largest, fabs(t->exact[i]));
    bound = tolerance(t->size) * largest;
    for (int i = 0; i < t->size; i++) {
        float x = t->x[place(t, system, i)];
        double allowed = t->method == DIRECT ? bound : bound * t->y[i];
        double r = fabs(residual(t, system, i)) / allowed, e = fabs(x - t->exact[i]) / (bound * t->y[i]);
        int right = r <= 1 && e <= 1; // NaN is neither
        if (!right && t->wrong++ == 0) {
            t->first = (long long)place(t, system, i);
            snprintf(got, 64, "%.9g%s", x, poison_note(&t->x[t->first]));
            snprintf(want, 64, "%.9g +- %.3g", t->exact[i], bound * t->y[i]);
            snprintf(note, sizeof note, "%s\n  where   system %d, row %d\n  residual  %.3g |b|, allowed is %.3g |b|",
                     harness.note, system, i, r * allowed, allowed);
            harness.note = note;
        }
        t->residual = fmax(t->residual, r);
        t->error = fmax(t->error, e);
    }
}

static void check_solutions(struct tridiagonal *t)
{
    char got[64] = "", want[64] = "";
    size_t n = (size_t)t->size * t->systems;
    check_cuda(cudaMemcpy(t->x, t->d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
    t->wrong = 0;
    for (int system = 0; system < t->systems; system++)
        check_system(t, system, got, want);
    judge(t->wrong, (long long)n, t->first, got, want, 0);
    for (int k = 0; k < 4; k++)
        check_untouched(t->d_band[k], t->band[k], n * sizeof(float));
}

static void call(void *context)
{
    struct tridiagonal *t = (struct tridiagonal *)context;
    struct bands d = {t->d_band[0], t->d_band[1], t->d_band[2], t->d_band[3]};
    t->solve(t->d_x, d, t->d_tmp, t->size, t->systems);
}

// Host and device memory of one case, filled.
// False: this case is not to be run.
static int set_up(struct tridiagonal *t, const struct input *input, int size, int systems)
{
    static char note[80];
    size_t n = (size_t)size * systems;
    uint64_t state = case_seed(size);
    snprintf(note, sizeof note, ", %d system%s of %d rows", systems, systems == 1 ? "" : "s", size);
    begin_case(input->name, (long long)n, note);
    snprintf(harness.shape, sizeof harness.shape, " --size %d", max(size, 1));
    if (planned(n * 5 * sizeof(float) + (size_t)size * 4 * sizeof(double)))
        return 0;
    t->size = size;
    t->systems = systems;
    for (int k = 0; k < 4; k++)
        t->band[k] = (float *)host_alloc(n * sizeof(float));
    t->x = (float *)host_alloc(n * sizeof(float));
    t->exact = (double *)host_alloc((size_t)size * 4 * sizeof(double));
    t->y = t->exact + size;
    t->tmp = t->y + size;
    fill(t, input, &state);
    for (int k = 0; k < 4; k++)
        t->d_band[k] = (float *)device_copy(t->band[k], n * sizeof(float), 0);
    t->d_x = (float *)device_alloc(n * sizeof(float));
    t->d_tmp = (float *)device_alloc((n + 1024) * sizeof(float));
    return 1;
}

static void tear_down(struct tridiagonal *t)
{
    for (int k = 0; k < 4; k++) {
        check_cuda(cudaFree(t->d_band[k]));
        host_free(t->band[k]);
    }
    check_cuda(cudaFree(t->d_x));
    check_cuda(cudaFree(t->d_tmp));
    host_free(t->x);
    host_free(t->exact);
}

// Runs one case and checks it; with times to be taken, does so while it is on the device.
static void run_case(struct tridiagonal *t, const struct input *input, int size, int systems, int time)
{
    if (!set_up(t, input, size, systems))
        return;
    before_run();
    call(t);
    after_run();
    check_solutions(t);
    if (time) // every row has five numbers
        report_time(harness.case_n, median_ms(call, t), 5 * (double)sizeof(float) * (double)harness.case_n);
    tear_down(t);
}

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

#include "pivoting.h"

static void check_shape(struct tridiagonal *t, int size, int systems)
{
    for (int k = 0; k < INPUT_COUNT && size <= t->limit; k++)
        run_case(t, &INPUTS[k], size, systems, 0);
}

// Rows of a system where n are asked for in all: as --size says, else 256 or all of them.
static int size_for(const struct tridiagonal *t, long long n, int size)
{
    if (size == 0)
        size = t->limit == LONG || n < 256 || (n % 256 && n <= t->limit) ? (int)n : 256;
    size = size > 0 ? size : 1;
    if (n % size != 0 || size > t->limit)
        fail(BROKEN, "%lld rows are no whole systems of %d rows, or these are too long: accepted is --size up to %d", n,
             size, t->limit);
    return size;
}

static void check_all(struct tridiagonal *t, int size)
{
    int large = simt_read ? (1 << 19) + 7 : (1 << 24) + 4099; // a LONG one is cut in chunks of chunks of 1024
    for (int i = 0; i < SHAPE_COUNT && harness.n < 0; i++)
        check_shape(t, SHAPES[i][0], SHAPES[i][1]);
    for (int k = 1; k < 3 && harness.n < 0 && t->limit == LONG; k++)
        run_case(t, &INPUTS[k], large, 1, 0);
    if (harness.n < 0 && !simt_read)
        run_case(t, &INPUTS[2], 1000, 16411, 0);
    if (harness.n >= 0)
        check_shape(t, size_for(t, harness.n, size), (int)(harness.n / size_for(t, harness.n, size)));
    printf("%s: right in %lld runs; of what is allowed, the largest residual has %.1f %%, error %.1f %%\n",
           source_name(harness.file), harness.runs, 100 * t->residual, 100 * t->error);
}

// Takes the options that only this chapter has out of argv. Returns --size, or 0.
static int chapter_options(int *argc, char **argv, int *pivoting)
{
    int size = 0, kept = 1;
    for (int i = 1; i < *argc; i++) {
        if (!strcmp(argv[i], "--size"))
            size = (int)option_number(*argc, argv, i++, 1, LONG);
        else if (!strcmp(argv[i], "--pivoting"))
            *pivoting = 1;
        else
            argv[kept++] = argv[i];
    }
    *argc = kept;
    return size;
}

// solve, layout, method: see the top of this file. limit: rows of the largest system that solve takes.
#define tridiagonal_main(argc, argv, solve, layout, method, limit) \
    drive_tridiagonal(argc, argv, solve, layout, method, limit, __FILE__, TODO_IS_OPEN)

static inline int drive_tridiagonal(int argc, char **argv, void (*solve)(float *, struct bands, float *, int, int),
                                    enum layout layout, enum method method, int limit, const char *file, int todo_open)
{
    const int bench_sizes[] = {1 << 16, 1 << 20, 1 << 24};
    int pivoting = 0, asked = chapter_options(&argc, argv, &pivoting);
    struct tridiagonal t = {};
    t.solve = solve;
    t.layout = layout;
    t.method = method;
    t.limit = limit;
    read_options(argc, argv, file, todo_open, LONG);
    if (pivoting)
        show_pivoting(&t);
    if (harness.bench && simt_read)
        fail(SKIPPED, "skipped: --bench takes times, and times come from a GPU only");
    if (limit < 256)
        fail(WRONG, "wrong: systems of %d rows at most are another problem; 256 are asked for", limit);
    int n = harness.n >= 0 ? (int)harness.n : simt_read ? 1 << 16 : 1 << 24, bench = harness.bench && harness.n < 0;
    int size = size_for(&t, n, asked);
    if (!harness.bench)
        check_all(&t, asked);
    for (int i = 0; bench && i < 3; i++) {
        size = size_for(&t, bench_sizes[i], asked);
        run_case(&t, &INPUTS[1], size, bench_sizes[i] / size, 1);
    }
    begin_counted();
    run_case(&t, &INPUTS[1], size, n / size, !simt_read && !harness.check && !bench);
    if (simt_read && !harness.check) {
        printf("input %s%s; ", harness.input, harness.note);
        report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    }
    check_expectations();
    finish(RIGHT);
}
#endif
