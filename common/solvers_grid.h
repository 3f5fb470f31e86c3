// solvers_grid.h: steps 06 to 08 of chapter 06-iterative-solvers: grids, and no matrix. Read solvers.h and
// solvers_quads.h first: what a grid is, and what a sweep does.
//
// An exercise hands its function to plane_main (the plane) or space_main (step 9: see solvers_loop.h):
//
//     float *solve(float *d_x, float *d_new, struct grid g, int sweeps)
//
//   returns  d_x or d_new: where x stands after the last sweep, the border with it. The other one holds anything then.
//   d_x      the grid to start from. d_new has room for the same and holds rubbish.
//   sweeps   may be 0; a grid may be so small that all of it is border, or nothing. Work goes to the default stream.
//
// The rate. Let w = pi / (width - 1), h = pi / (height - 1). Since sin(a - w) + sin(a + w) = 2 cos(w) sin(a), a sweep
// multiplies the wave sin(p w column) sin(q h row), which is 0 on the border, by (cos(p w) + cos(q h)) / 2. All errors
// are sums of such waves. The lowest one, p = q = 1, is the slowest to go: its factor is the rate. In space there is a
// third wave, and the average is of three cosines.
//
// Inputs. Border and solution are a polynomial which equals the average of its neighbours everywhere, column^2 - row^2
// and the like. "wave" starts from the solution plus the lowest wave: what stands in every cell after k sweeps is known
// without any sweep, solution + rate^k wave, up to rounding. One sweep rounds by less than 4 u times the largest value,
// and M enlarges nothing. All inputs are compared bit for bit with plain sweeps in float on the host, too.
#ifndef SOLVERS_GRID_H
#define SOLVERS_GRID_H

#include "solvers.h"
#include "solvers_quads.h"

struct problem {
    float *(*solve)(float *, float *, struct grid, int);
    float *(*loop)(float *, float *, float *, struct grid, struct stop *); // of step 9; or NULL
    struct grid g;
    int space, sweeps;
    double rate;
    struct stop stop, *d_stop;
    float *start, *d_x, *d_new, *d_sums, *d_result;
};

static size_t cells(struct grid g)
{
    return (size_t)g.pitch * (size_t)g.height * (size_t)g.depth;
}

static int is_border(const struct problem *p, int plane, int row, int column)
{
    return on_border(p->g, row, column) || (p->space && (plane == 0 || plane == p->g.depth - 1));
}

// ---- Inputs ----------------------------------------------------------------------------------------------
static double solution(const struct problem *p, int plane, int row, int column)
{
    double c = column, r = row, z = plane, scale = 1.0 / (p->g.width + p->g.height + p->g.depth);
    double value = p->space ? c * c + r * r - 2 * z * z + c * z : c * c - r * r + 3 * c * r;
    return value * scale * scale + scale * (c - 2 * r) - 0.5;
}

static double wave(const struct problem *p, int plane, int row, int column)
{
    double s = sin(M_PI * column / (p->g.width - 1)) * sin(M_PI * row / (p->g.height - 1));
    return p->space ? s * sin(M_PI * plane / (p->g.depth - 1)) : s;
}

static float start_wave(const struct problem *p, int plane, int row, int column, uint64_t * /* state */)
{
    int border = is_border(p, plane, row, column);
    return (float)(solution(p, plane, row, column) + (border ? 0 : wave(p, plane, row, column)));
}

static float start_random(const struct problem *, int, int, int, uint64_t *state)
{
    return (float)random_in(state, -1, 1);
}

static float start_border(const struct problem *p, int plane, int row, int column, uint64_t *state)
{
    return is_border(p, plane, row, column) ? (float)random_in(state, 1, 2) : 0;
}

// From 2^-140, which float holds with few bits, to 2^120: no sum of six is beyond float.
static float start_wild(const struct problem *, int, int, int, uint64_t *state)
{
    int power = (int)(random_bits(state) % 261) - 140;
    return (float)ldexp(random_in(state, -1, 1), power);
}

struct input {
    const char *name;
    float (*start)(const struct problem *p, int plane, int row, int column, uint64_t *state);
};

static const struct input INPUTS[] = {
    {"wave", start_wave}, {"random", start_random}, {"random border", start_border}, {"2^-140 to 2^120", start_wild}};
enum { INPUT_COUNT = sizeof INPUTS / sizeof INPUTS[0] };

// ---- The reference ---------------------------------------------------------------------------------------
// x after the sweeps, in float, in x; other has room for the same.
static float *reference(const struct problem *p, float *x, float *other, int sweeps)
{
    struct grid g = p->g;
    ptrdiff_t row = g.pitch, plane = row * g.height;
    memcpy(x, p->start, cells(g) * sizeof *x);
    memcpy(other, p->start, cells(g) * sizeof *x); // for the border
    for (int k = 0; k < sweeps; k++) {
        for (int z = p->space; z < g.depth - p->space; z++)
            for (int r = 1; r < g.height - 1; r++)
                for (int c = 1; c < g.width - 1; c++) {
                    const float *i = x + z * plane + r * row + c;
                    other[i - x] = p->space ? average_6(i[-1], i[1], i[-row], i[row], i[-plane], i[plane])
                                            : average(i[-1], i[1], i[-row], i[row]);
                }
        float *swap = x;
        x = other;
        other = swap;
    }
    return x;
}

// The first cell that is wrong, as a row and column, for the message.
static void note_cell(const struct problem *p, size_t i)
{
    static char note[200];
    size_t row = i / (size_t)p->g.pitch;
    snprintf(note, sizeof note, "%s\n  where   plane %zu, row %zu, column %zu", harness.note, row / (size_t)p->g.height,
             row % (size_t)p->g.height, i % (size_t)p->g.pitch);
    harness.note = note;
}

// got must equal want, bit for bit.
static void check_bits(const struct problem *p, const float *got, const float *want)
{
    char got_text[64], want_text[64];
    long long wrong = 0;
    size_t first = 0, count = cells(p->g);
    for (size_t i = 0; i < count; i++) {
        int inside = i % (size_t)p->g.pitch < (size_t)p->g.width;
        int same = got[i] == want[i] || (isnan(got[i]) && isnan(want[i])); // NaN only where the reference has it
        if (inside && !same && wrong++ == 0)
            first = i;
    }
    if (wrong == 0)
        return;
    note_cell(p, first);
    snprintf(got_text, sizeof got_text, "%.9g%s", got[first], poison_note(&got[first]));
    snprintf(want_text, sizeof want_text, "%.9g, the same bits", want[first]);
    judge(wrong, (long long)count, (long long)first, got_text, want_text, 0);
}

// After "wave": solution + rate^sweeps wave, which no recurrence has made.
static void check_wave(const struct problem *p, const float *got, int sweeps)
{
    double largest = 0, factor = pow(p->rate, sweeps);
    for (size_t i = 0; i < cells(p->g); i++)
        if (i % (size_t)p->g.pitch < (size_t)p->g.width)
            largest = fmax(largest, fabs(p->start[i]));
    for (int z = 0; z < p->g.depth; z++)
        for (int r = 0; r < p->g.height; r++)
            for (int c = 0; c < p->g.width; c++) {
                size_t i = ((size_t)z * (size_t)p->g.height + (size_t)r) * (size_t)p->g.pitch + (size_t)c;
                double want = solution(p, z, r, c);
                want += is_border(p, z, r, c) ? 0 : factor * wave(p, z, r, c);
                if (fabs(got[i] - want) <= (sweeps + 2) * 4 * ldexp(largest, -24))
                    continue;
                note_cell(p, i);
                fail(WRONG, "wrong answer: the lowest wave should have shrunk by %.6f\n  got     %.9g\n  wanted  %.9g",
                     factor, got[i], want);
            }
}

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct problem *p = (struct problem *)context;
    if (p->loop)
        p->d_result = p->loop(p->d_x, p->d_new, p->d_sums, p->g, p->d_stop);
    else
        p->d_result = p->solve(p->d_x, p->d_new, p->g, p->sweeps);
}

static void check_result(const struct problem *p, const struct input *input)
{
    size_t count = cells(p->g);
    float *x = (float *)host_alloc(3 * count * sizeof *x), *other = x + count, *got = other + count;
    if (p->d_result != p->d_x && p->d_result != p->d_new)
        fail(WRONG, "wrong: solve returned neither d_x nor d_new");
    check_cuda(cudaMemcpy(got, p->d_result, count * sizeof *got, cudaMemcpyDeviceToHost));
    check_bits(p, got, reference(p, x, other, p->sweeps));
    if (input == &INPUTS[0])
        check_wave(p, got, p->sweeps);
    host_free(x);
}

static void prepare(struct problem *p, const struct input *input, struct grid g)
{
    size_t count, padding = (size_t)(g.pitch - g.width), rows = (size_t)g.height * (size_t)g.depth;
    uint64_t state = case_seed((uint64_t)g.width);
    double cosines = cos(M_PI / (g.width - 1)) + cos(M_PI / (g.height - 1));
    p->g = g;
    p->rate = p->space ? (cosines + cos(M_PI / (g.depth - 1))) / 3 : cosines / 2;
    count = cells(g);
    p->start = (float *)host_alloc(count * sizeof *p->start);
    for (size_t i = 0; i < count; i++) {
        int column = (int)(i % (size_t)g.pitch), row = (int)(i / (size_t)g.pitch % (size_t)g.height);
        int plane = (int)(i / (size_t)g.pitch / (size_t)g.height);
        p->start[i] = column < g.width ? input->start(p, plane, row, column, &state) : NAN;
    }
    p->d_x = (float *)device_copy(p->start, count * sizeof *p->d_x, 0);
    p->d_new = (float *)device_alloc(count * sizeof *p->d_new);
    p->d_sums = (float *)device_alloc(2 * sizeof *p->d_sums);
    if (padding > 0 && rows > 0)
        check_cuda(cudaMemcpy2D(p->d_new + g.width, (size_t)g.pitch * sizeof(float), p->start + g.width,
                                (size_t)g.pitch * sizeof(float), padding * sizeof(float), rows,
                                cudaMemcpyHostToDevice));
}

static void release(struct problem *p)
{
    check_cuda(cudaFree(p->d_sums));
    check_cuda(cudaFree(p->d_new));
    check_cuda(cudaFree(p->d_x));
    host_free(p->start);
}

static void run_case(struct problem *p, const struct input *input, struct grid g, int sweeps, int time)
{
    static char note[100];
    snprintf(note, sizeof note, ", %d x %d x %d cells, pitch %d, %d sweeps", g.width, g.height, g.depth, g.pitch,
             sweeps);
    begin_case(input->name, g.width, note);
    if (planned(4 * cells(g) * sizeof(float)))
        return;
    prepare(p, input, g);
    p->sweeps = sweeps;
    before_run();
    call(p);
    after_run();
    check_result(p, input);
    if (time)
        report_time(g.width, median_ms(call, p), 2 * sizeof(float) * (double)sweeps * g.width * g.height * g.depth);
    release(p);
}

// ---- The driver ------------------------------------------------------------------------------------------
// Widths, heights, depths: nothing, all border, around a warp's 128 cells and the blocks of the reference solutions.
static const int PLANES[][3] = {{0, 0, 1},   {1, 1, 1},    {2, 5, 1},    {3, 3, 1},    {4, 7, 1},    {5, 4, 1},
                                {31, 33, 1}, {32, 32, 1},  {33, 31, 1},  {127, 9, 1},  {40, 1, 1},   {128, 65, 1},
                                {1, 40, 1},  {129, 64, 1}, {121, 63, 1}, {257, 70, 1}, {391, 133, 1}};
static const int SPACES[][3] = {{0, 0, 0},  {1, 1, 1},  {3, 3, 3},    {2, 3, 4},  {4, 4, 4},    {32, 8, 8},  {31, 7, 6},
                                {33, 9, 5}, {5, 5, 40}, {34, 10, 11}, {40, 3, 3}, {64, 17, 33}, {66, 33, 20}};
enum { PLANE_COUNT = sizeof PLANES / sizeof PLANES[0], SPACE_COUNT = sizeof SPACES / sizeof SPACES[0] };

static struct grid grid_of(int width, int height, int depth, int extra)
{
    struct grid g = {width, height, depth, ceil_div(width, 4) * 4 + 4 * extra};
    return g;
}

static struct grid cube(const struct problem *p, int n)
{
    return grid_of(n, n, p->space ? n : 1, 0);
}

static void check_grid(struct problem *p, struct grid g)
{
    for (int input = 0; input < INPUT_COUNT; input++)
        run_case(p, &INPUTS[input], g, 1 + 2 * input, 0);
    for (int sweeps = 0; sweeps <= 12; sweeps += 4)
        run_case(p, &INPUTS[1], g, sweeps, 0);
}

static void check_grids(struct problem *p)
{
    const int(*list)[3] = p->space ? SPACES : PLANES;
    for (int i = 0; i < (p->space ? SPACE_COUNT : PLANE_COUNT) && harness.n < 0; i++)
        check_grid(p, grid_of(list[i][0], list[i][1], list[i][2], i % 3));
    if (harness.n >= 0)
        check_grid(p, cube(p, (int)harness.n));
    else if (!simt_read)
        check_grid(p, cube(p, p->space ? 261 : 4099));
    printf("%s: right in %lld runs, n %s %lld\n", source_name(harness.file), harness.runs,
           harness.n < 0 ? "up to" : "=", harness.case_n);
}

// solve: see the top of this file.
#define plane_main(argc, argv, solve) drive_grid(argc, argv, solve, 0, __FILE__, TODO_IS_OPEN)
#define space_main(argc, argv, solve) drive_grid(argc, argv, solve, 1, __FILE__, TODO_IS_OPEN)

static inline int drive_grid(int argc, char **argv, float *(*solve)(float *, float *, struct grid, int), int space,
                             const char *file, int todo_open)
{
    struct problem p = {};
    p.solve = solve;
    p.space = space;
    read_options(argc, argv, file, todo_open, space ? 1 << 11 : 1 << 16);
    if (harness.bench && simt_read)
        fail(SKIPPED, "skipped: --bench takes times, and times come from a GPU only");
    if (!harness.bench)
        check_grids(&p);
    int n = harness.n >= 0 ? (int)harness.n : space ? (simt_read ? 32 : 256) : simt_read ? 256 : 4096;
    int bench = harness.bench && harness.n < 0;
    for (int side = space ? 256 : 4096; bench && side <= (space ? 512 : 16384); side *= 2)
        run_case(&p, &INPUTS[1], cube(&p, side), LESSON_SWEEPS, 1);
    begin_counted();
    run_case(&p, &INPUTS[0], cube(&p, n), LESSON_SWEEPS, !simt_read && !harness.check && !bench);
    printf("rate %.6f: after %d sweeps %.4f of the wave is left, as derived\n", p.rate, LESSON_SWEEPS,
           pow(p.rate, LESSON_SWEEPS));
    report_figures(harness.input);
    check_expectations();
    finish(RIGHT);
}
#endif
