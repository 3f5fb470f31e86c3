// solvers/sparse_driver.h: step 05 of chapter 06-iterative-solvers: inputs, reference, checks and figures.
// common/solvers_05.h defines a right answer and includes this file.
#pragma once

#include "harness.h"
#include "solvers/iteration.h"
#include "solvers/sparse_calls.h"
#include "solvers/sparse_inputs.h"

struct problem {
    sparse_function *solve;
    struct sparse host, device;
    int entries, padded; // of CSR and of the slices
    int sweeps, refused;
    double rate, margin;
    float *f, *start, *d_f, *d_x, *d_new, *d_result;
    double *exact;
};

// ---- Matrices --------------------------------------------------------------------------------------------
// Values for the columns of a row, sorted with the diagonal among them. Returns f of the row.
static double fill_row(struct problem *p, int row, const int *column, int count, const struct input *input,
                       uint64_t *state)
{
    double theta = input->theta, scale = input->tiny ? ldexp(1, -30) : 1, others = 0, f = 0;
    int *to_column = (int *)p->host.column + p->entries, diagonal = 0;
    float *to_value = (float *)p->host.value + p->entries;
    while (diagonal < count && column[diagonal] < row)
        diagonal++;
    for (int k = 0; k < count; k++) {
        int to = k + (k >= diagonal);
        to_column[to] = column[k];
        to_value[to] = (float)(scale * random_in(state, -1, theta > 1 || k % 3 ? 0 : 1));
        others += fabs(to_value[to]);
    }
    to_column[diagonal] = row;
    double size = others > 0 ? others / theta : 2 * scale;
    to_value[diagonal] = (float)(size * (theta > 1 || random_bits(state) % 2 ? 1 : -1));
    for (int k = 0; k <= count; k++)
        f += to_value[k] * p->exact[to_column[k]];
    p->entries += count + 1;
    p->rate = fmax(p->rate, others / fabs(to_value[diagonal]));
    p->margin = fmin(p->margin, fabs(to_value[diagonal]) - others);
    return f;
}

// The solution for an f with sources. Each sweep of Gauss and Seidel divides the error by 1 / THETA or more.
static void solve_exactly(struct problem *p)
{
    for (int k = 0; k < 130; k++)
        for (int i = 0; i < p->host.rows; i++) {
            double residual = p->f[i], diagonal = 1;
            for (int e = p->host.start[i]; e < p->host.start[i + 1]; e++) {
                residual -= p->host.value[e] * p->exact[p->host.column[e]];
                diagonal = p->host.column[e] == i ? p->host.value[e] : diagonal;
            }
            p->exact[i] += residual / diagonal;
        }
}

static void fill(struct problem *p, const struct input *input, uint64_t *state)
{
    int rows = p->host.rows, *start = (int *)p->host.start, *slice = (int *)p->host.slice;
    int *column = (int *)host_alloc((size_t)(rows + 404) * sizeof *column), longest = 0;
    p->entries = p->padded = 0;
    p->rate = 0;
    p->margin = INFINITY;
    slice[0] = start[0] = 0;
    for (int i = 0; i < rows; i++) {
        double f = fill_row(p, i, column, input->columns(column, i, rows, state), input, state);
        p->f[i] = (float)(input->sources && i % 4 ? 0 : f);
        start[i + 1] = p->entries;
        longest = max(longest, start[i + 1] - start[i]);
        if (i % SLICE == SLICE - 1 || i == rows - 1) {
            slice[i / SLICE + 1] = p->padded += longest * SLICE;
            longest = 0;
        }
    }
    host_free(column);
    if (input->sources)
        solve_exactly(p);
}

// ---- The reference ---------------------------------------------------------------------------------------
// x after the sweeps, in double. Returns the rounding bound; see solvers/iteration.h.
static double reference(const struct problem *p, double *want)
{
    size_t bytes = (size_t)p->host.rows * sizeof *want;
    double *x = (double *)host_alloc(bytes), bound = 0;
    for (int i = 0; i < p->host.rows; i++)
        want[i] = p->start[i];
    for (int k = 0; k < p->sweeps; k++) {
        double added = 0;
        memcpy(x, want, bytes);
        for (int i = 0; i < p->host.rows; i++) {
            double residual = p->f[i], sizes = fabs(residual), diagonal = 1;
            for (int e = p->host.start[i]; e < p->host.start[i + 1]; e++) {
                residual -= p->host.value[e] * x[p->host.column[e]];
                sizes += fabs(p->host.value[e] * x[p->host.column[e]]);
                diagonal = p->host.column[e] == i ? p->host.value[e] : diagonal;
            }
            want[i] = x[i] + residual / diagonal;
            int terms = p->host.start[i + 1] - p->host.start[i];
            added = fmax(added, rounding(terms) * (sizes / fabs(diagonal) + fabs(x[i])));
        }
        bound = p->rate * bound + added;
    }
    host_free(x);
    return bound;
}

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct problem *p = (struct problem *)context;
    if (harness.often)
        check_cuda(cudaMemcpy(p->d_x, p->start, (size_t)p->host.rows * sizeof *p->start, cudaMemcpyHostToDevice));
    p->d_result = p->solve(p->d_x, p->d_new, p->d_f, p->device, p->sweeps);
}

// Compares with the reference and with the known solution, from which rounding f to float has moved x.
static void check_result(const struct problem *p)
{
    size_t n = (size_t)p->host.rows;
    double *want = (double *)host_alloc(2 * n * sizeof *want), *bound = want + n, first = 0, largest = 0;
    float *got = (float *)host_alloc(n * sizeof *got);
    double rounded = reference(p, want);
    if (p->d_result != p->d_x && p->d_result != p->d_new)
        fail(WRONG, "wrong: solve returned neither d_x nor d_new");
    check_cuda(cudaMemcpy(got, p->d_result, n * sizeof *got, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) {
        bound[i] = rounded + ldexp(fabs(want[i]), -24);
        first = fmax(first, fabs(p->start[i] - p->exact[i]));
        largest = fmax(largest, fabs(p->f[i]));
    }
    check_floats(got, want, bound, (long long)n, 0);
    for (size_t i = 0; i < n; i++)
        bound[i] = pow(p->rate, p->sweeps) * first * (1 + 1e-6) + 2 * rounded + ldexp(largest, -24) / p->margin;
    check_floats(got, p->exact, bound, (long long)n, 0);
    check_untouched(p->device.start, p->host.start, (n + 1) * sizeof(int));
    check_untouched(p->device.slice, p->host.slice, ((n + SLICE - 1) / SLICE + 1) * sizeof(int));
    check_untouched(p->device.column, p->host.column, (size_t)p->entries * sizeof(int));
    check_untouched(p->device.value, p->host.value, (size_t)p->entries * sizeof(float));
    check_untouched(p->d_f, p->f, n * sizeof(float));
    host_free(got);
    host_free(want);
}

static size_t max_entries(const struct input *input, size_t rows)
{
    return 2 * rows + (input->columns == arrow ? rows : 14 * rows + 404);
}

static void prepare(struct problem *p, const struct input *input, int rows)
{
    size_t n = (size_t)rows, room = max_entries(input, n), slices = (n + SLICE - 1) / SLICE;
    uint64_t state = case_seed(n);
    p->host.rows = p->device.rows = rows;
    p->host.start = (int *)host_alloc((n + 1) * sizeof(int));
    p->host.slice = (int *)host_alloc((slices + 1) * sizeof(int));
    p->host.column = (int *)host_alloc(room * sizeof(int));
    p->host.value = (float *)host_alloc(room * sizeof(float));
    p->f = (float *)host_alloc(n * sizeof(float));
    p->start = (float *)host_alloc(n * sizeof(float));
    p->exact = (double *)host_alloc(n * sizeof(double));
    for (int i = 0; i < rows; i++) {
        p->exact[i] = ldexp(random_in(&state, 1, 2), input->tiny ? -30 : 0);
        p->start[i] = input->sources ? 0 : (float)ldexp(random_in(&state, -1, 1), input->tiny ? -30 : 0);
    }
    fill(p, input, &state);
    p->device.start = (int *)device_copy(p->host.start, (n + 1) * sizeof(int), 0);
    p->device.slice = (int *)device_copy(p->host.slice, (slices + 1) * sizeof(int), 0);
    p->device.column = (int *)device_copy(p->host.column, (size_t)p->entries * sizeof(int), 0);
    p->device.value = (float *)device_copy(p->host.value, (size_t)p->entries * sizeof(float), 0);
    p->device.slice_column = (int *)device_alloc((size_t)p->padded * sizeof(int));
    p->device.slice_value = (float *)device_alloc((size_t)p->padded * sizeof(float));
    p->d_f = (float *)device_copy(p->f, n * sizeof(float), 0);
    p->d_x = (float *)device_copy(p->start, n * sizeof(float), 0);
    p->d_new = (float *)device_alloc(n * sizeof(float));
}

static void release_device(struct problem *p)
{
    const void *device[] = {
        p->device.start,       p->device.slice, p->device.column, p->device.value, p->device.slice_column,
        p->device.slice_value, p->d_f,          p->d_x,           p->d_new};
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        check_cuda(cudaFree((void *)device[i]));
}

static void release(struct problem *p)
{
    const void *host[] = {p->host.start, p->host.slice, p->host.column, p->host.value, p->f, p->start, p->exact};
    release_device(p);
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        host_free((void *)host[i]);
}

static void run_case(struct problem *p, const struct input *input, int rows, int sweeps, int time)
{
    static char note[60];
    snprintf(note, sizeof note, ", %d sweeps", sweeps);
    begin_case(input->name, rows, note);
    if (planned((max_entries(input, (size_t)rows) + 404) * 8 + (size_t)rows * 64)) // the matrix, and some vectors
        return;
    prepare(p, input, rows);
    p->sweeps = sweeps;
    if (p->rate >= 1) {
        refuse(input->name, rows, p->rate);
    } else {
        run_calls(call, p, 1);
        check_result(p);
    }
    if (time)
        report_time(rows, median_ms(call, p), (double)sweeps * (8.0 * p->entries + 12.0 * rows));
    release(p);
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
static void run_once(void *context, long long rows)
{
    run_case((struct problem *)context, &INPUTS[1], (int)rows, 1, 0);
}

static void run_changed(void *context, long long rows)
{
    run_case((struct problem *)context, &INPUTS[1], (int)rows, 1 + changed(OTHER_COUNT), 0);
}

// d_to[i] = step * i for i < count. In pieces, since the machine would execute only both ends of a longer copy.
static void fill_steps(int *d_to, size_t count, int step)
{
    size_t most = 1 << 18;
    int *piece = (int *)host_alloc(most * sizeof *piece);
    for (size_t done = 0; done < count; done += most) {
        size_t now = count - done < most ? count - done : most;
        for (size_t i = 0; i < now; i++)
            piece[i] = (int)((done + i) * (size_t)step);
        check_cuda(cudaMemcpy(d_to + done, piece, now * sizeof *piece, cudaMemcpyHostToDevice));
    }
    host_free(piece);
}

// This many rows of 5 entries each, which are all zeros in column 0.
static void prepare_large(struct problem *p, int rows, size_t entries)
{
    size_t n = (size_t)rows, slices = (n + SLICE - 1) / SLICE;
    p->device.rows = rows;
    p->device.start = (int *)device_alloc((n + 1) * sizeof(int));
    p->device.slice = (int *)device_alloc((slices + 1) * sizeof(int));
    fill_steps((int *)p->device.start, n + 1, 5);
    fill_steps((int *)p->device.slice, slices + 1, 5 * SLICE);
    p->device.column = (int *)device_alloc(entries * sizeof(int));
    p->device.value = (float *)device_alloc(entries * sizeof(float));
    p->device.slice_column = (int *)device_alloc(entries * sizeof(int));
    p->device.slice_value = (float *)device_alloc(entries * sizeof(float));
    p->d_f = (float *)device_alloc(n * sizeof(float));
    p->d_x = (float *)device_alloc(n * sizeof(float));
    p->d_new = (float *)device_alloc(n * sizeof(float));
}

static void check_largest(void *context, long long largest)
{
    struct problem *p = (struct problem *)context;
    int rows = (int)largest;
    size_t entries = 5 * (((size_t)rows + SLICE - 1) / SLICE * SLICE);
    if (begin_large(rows, 20.0 * (double)rows + 16.0 * (double)entries, LARGE_NOTE)) {
        prepare_large(p, rows, entries);
        p->sweeps = 2;
        run_calls(call, p, 1);
        check_all_read(3 * 40.0 * rows); // the entries: once to reorder them, then in each sweep
        check_all_loaded(p->device.slice_value, entries * sizeof(float), 1);
        check_all_stored(p->d_new, (size_t)rows * sizeof(float), 1);
        check_all_stored(p->device.slice_value, entries * sizeof(float), 1);
        check_zeros(p->device.slice_value, entries * sizeof(float), 1);
        check_zeros(p->d_new, (size_t)rows * sizeof(float), 1);
        check_zeros(p->d_x, (size_t)rows * sizeof(float), 1);
        release_device(p);
    }
    end_large();
}

// ---- The driver ------------------------------------------------------------------------------------------
static const int SIZES[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 2049};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0] };

static void check_size(struct problem *p, int rows)
{
    for (int input = 0; input < INPUT_COUNT; input++)
        run_case(p, &INPUTS[input], rows, 4 + input % 2, 0);
    for (int sweeps = 0; sweeps < 2; sweeps++)
        run_case(p, &INPUTS[1], rows, sweeps, 0);
}

static void check_drawn(struct problem *p)
{
    for (int i = 0; i < DRAWN; i++)
        run_case(p, &INPUTS[i % INPUT_COUNT], (int)draw_size(drawn_part(1 << 13, i), drawn_part(1 << 13, i + 1)), 3, 0);
    if (wants_larger())
        run_case(p, &INPUTS[1], (int)draw_size(1 << 13, 1 << 18), 2, 0);
    if (begin_huge()) {
        run_case(p, &INPUTS[0], (int)draw_size(1 << 20, 1 << 21), 1, 0);
        end_huge();
    }
}

static void check_all(struct problem *p)
{
    for (int i = 0; i < SIZE_COUNT && harness.n < 0; i++)
        check_size(p, SIZES[i]);
    if (harness.n < 0)
        check_drawn(p);
    if (harness.n >= 0) {
        check_size(p, (int)harness.n);
    } else if (!simt_read) {
        check_size(p, (1 << 20) + 17);
    } else {
        run_case(p, &INPUTS[0], 66049, 2, 0); // more rows than 16 bits count
        run_case(p, &INPUTS[1], 33, MANY_SWEEPS, 0);
        check_repeated(run_once, p, 33, 300);
        check_stale_state(run_changed, p, 600);
    }
    print_right();
}

static inline int drive_sparse(struct invocation own, sparse_function *solve)
{
    struct problem p = {};
    p.solve = solve;
    read_options(own, 1 << 24); // the padded entries fit an int
    skip_bench_without_gpu(1 << 20);
    run_large(check_largest, &p, 1 << 24);
    if (only_counted())
        run_case(&p, &INPUTS[1], (int)draw_size(1, 1 << 13), 3, 0);
    else if (!harness.bench)
        check_all(&p);
    int n = harness.n >= 0 ? (int)harness.n : simt_read ? 4096 : 1 << 22, bench = harness.bench && harness.n < 0;
    if (bench)
        run_case(&p, &INPUTS[0], 1 << 24, LESSON_SWEEPS, 1);
    begin_counted();
    run_case(&p, &INPUTS[0], n, LESSON_SWEEPS, is_timed() && !bench);
    report_figures(harness.input);
    if (count_ragged())
        run_case(&p, &INPUTS[0], (int)draw_ragged(n / 2, n), LESSON_SWEEPS, 0);
    finish_counted(check_largest, &p, 1 << 18, 1 << 24, 0);
}
