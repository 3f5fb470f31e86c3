// grid_case.h: one case of steps 06 to 09 of chapter 06-iterative-solvers: a grid that starts from one of the inputs,
// swept by the exercise and by the host. solvers_06_08.h defines a right answer.
#pragma once

#include "device/grid.h"
#include "device/solvers_stopping.h"
#include "harness.h"
#include "solvers/iteration.h"

struct problem {
    float *(*solve)(float *, float *, struct grid, int);
    float *(*loop)(float *, float *, float *, struct grid, struct stop *);    // of step 9; or NULL
    float *(*ways[2])(float *, float *, float *, struct grid, struct stop *); // it is one of them
    struct grid g;
    int space, sweeps, by_graph; // by_graph: step 9, its second way
    int wide;                    // pitch on the device, if it differs
    double rate;
    struct stop stop, *d_stop;
    float *start, *d_x, *d_new, *d_sums, *d_result;
};

static size_t rows_of(struct grid g)
{
    return (size_t)g.height * (size_t)g.depth;
}

static size_t cells(struct grid g)
{
    return (size_t)g.pitch * (size_t)g.height * (size_t)g.depth;
}

static struct grid on_device(const struct problem *p)
{
    struct grid g = p->g;
    g.pitch = p->wide > 0 ? p->wide : g.pitch;
    return g;
}

static bool is_border(const struct problem *p, int plane, int row, int column)
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

// From 2^-140, which float holds with few bits, to 2^120, so that no sum of six overflows a float.
static float start_extreme(const struct problem *, int, int, int, uint64_t *state)
{
    int power = (int)(random_bits(state) % 261) - 140;
    return (float)ldexp(random_in(state, -1, 1), power);
}

// A program may not take it for 0.
static float start_tiny(const struct problem *, int, int, int, uint64_t *state)
{
    return (float)ldexp(random_in(state, -1, 1), -100);
}

struct input {
    const char *name;
    float (*start)(const struct problem *p, int plane, int row, int column, uint64_t *state);
};

static const struct input INPUTS[] = {{"wave", start_wave},
                                      {"random", start_random},
                                      {"random border", start_border},
                                      {"2^-140 to 2^120", start_extreme}};
enum { INPUT_COUNT = sizeof INPUTS / sizeof INPUTS[0] };
static const struct input TINY = {"2^-100", start_tiny};

// ---- The reference ---------------------------------------------------------------------------------------
// x after the sweeps, in float, in x; other has the same size.
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
static void describe_cell(const struct problem *p, size_t i)
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
    describe_cell(p, first);
    snprintf(got_text, sizeof got_text, "%.9g%s", got[first], record_wrong_word(&got[first]));
    snprintf(want_text, sizeof want_text, "%.9g, the same bits", want[first]);
    judge(wrong, (long long)count, (long long)first, got_text, want_text, 0);
}

// After "wave": solution + rate^sweeps wave, computed without a recurrence.
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
                describe_cell(p, i);
                record_wrong_word(&got[i]);
                fail(WRONG, "wrong answer: the lowest wave should have shrunk by %.6f\n  got     %.9g\n  wanted  %.9g",
                     factor, got[i], want);
            }
}

// ---- One case --------------------------------------------------------------------------------------------
// The start on the device, for one more call.
static void restart(const struct problem *p)
{
    copy_rows(p->d_x, (size_t)on_device(p).pitch, p->start, (size_t)p->g.pitch, rows_of(p->g));
    if (p->loop)
        check_cuda(cudaMemcpy(p->d_stop, &p->stop, sizeof p->stop, cudaMemcpyHostToDevice));
}

static void call(void *context)
{
    struct problem *p = (struct problem *)context;
    struct grid g = on_device(p);
    if (harness.often)
        restart(p);
    if (p->loop)
        p->d_result = p->loop(p->d_x, p->d_new, p->d_sums, g, p->d_stop);
    else
        p->d_result = p->solve(p->d_x, p->d_new, g, p->sweeps);
}

static void check_result(const struct problem *p, const struct input *input)
{
    size_t count = cells(p->g);
    float *x = (float *)host_alloc(3 * count * sizeof *x), *other = x + count, *got = other + count;
    if (p->d_result != p->d_x && p->d_result != p->d_new)
        fail(WRONG, "wrong: solve returned neither d_x nor d_new");
    copy_rows(got, (size_t)p->g.pitch, p->d_result, (size_t)on_device(p).pitch, rows_of(p->g));
    check_bits(p, got, reference(p, x, other, p->sweeps));
    if (input == &INPUTS[0])
        check_wave(p, got, p->sweeps);
    host_free(x);
}

static void prepare(struct problem *p, const struct input *input, struct grid g)
{
    size_t count, padding = (size_t)(g.pitch - g.width), rows = rows_of(g);
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
    size_t pitch = (size_t)on_device(p).pitch, bytes = rows * pitch * sizeof *p->d_x;
    p->d_x = (float *)device_alloc(bytes);
    p->d_new = (float *)device_alloc(bytes);
    copy_rows(p->d_x, pitch, p->start, (size_t)g.pitch, rows);
    p->d_sums = (float *)device_alloc(2 * sizeof *p->d_sums);
    if (padding > 0 && rows > 0)
        check_cuda(cudaMemcpy2D(p->d_new + g.width, pitch * sizeof(float), p->start + g.width,
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

static struct grid grid_of(int width, int height, int depth, int extra)
{
    struct grid g = {width, height, depth, ceil_div(width, 4) * 4 + 4 * extra};
    return g;
}

static struct grid cube(const struct problem *p, int n)
{
    return grid_of(n, n, p->space ? n : 1, 0);
}
