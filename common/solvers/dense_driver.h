// solvers/dense_driver.h: steps 01 to 04 of chapter 06-iterative-solvers: inputs, reference, checks and figures.
// common/solvers_01_04.h defines a right answer and includes this file.
#pragma once

#include "harness.h"
#include "solvers/iteration.h"
#include "solvers/matrix.h"

// ---- The reference ---------------------------------------------------------------------------------------
// next = x after one sweep, in double. Returns the sum of the squared residuals of x; *added: the error bound of a
// sweep in float.
static double sweep_on_host(const struct dense *p, double *next, const double *x, double *added)
{
    double squares = 0;
    *added = 0;
    for (int i = 0; i < p->n; i++) {
        const float *row = p->a + (size_t)i * (size_t)p->pitch;
        double residual = p->f[i], sizes = fabs(residual);
        for (int j = 0; j < p->n; j++) {
            residual -= row[j] * x[j];
            sizes += fabs(row[j] * x[j]);
        }
        double step = p->method == SIMPLE ? -(double)p->alpha : 1 / (double)row[i];
        next[i] = x[i] + step * residual;
        squares += residual * residual;
        *added = fmax(*added, rounding(p->n) * (fabs(step) * sizes + fabs(x[i])));
    }
    return squares;
}

// x after sweeps sweeps, into want. Returns the rounding bound. tests, if not NULL: the sums at the tests.
static double reference(const struct dense *p, double *want, int sweeps, double *tests)
{
    double *x = (double *)host_alloc((size_t)p->n * sizeof *x), bound = 0, added, sum;
    for (int i = 0; i < p->n; i++)
        want[i] = p->start[i];
    for (int k = 0; k < sweeps; k++) {
        memcpy(x, want, (size_t)p->n * sizeof *x);
        sum = sweep_on_host(p, want, x, &added);
        bound = p->rate * bound + added;
        if (tests && (k + 1) % p->stop.every == 0)
            tests[(k + 1) / p->stop.every - 1] = sum;
    }
    host_free(x);
    return bound;
}

// The sum of the squared residuals of x itself, in double, without a recurrence.
static double residual_of(const struct dense *p, const float *x)
{
    double squares = 0;
    for (int i = 0; i < p->n; i++) {
        double residual = p->f[i];
        for (int j = 0; j < p->n; j++)
            residual -= (double)p->a[(size_t)i * (size_t)p->pitch + (size_t)j] * x[j];
        squares += residual * residual;
    }
    return squares;
}

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct dense *p = (struct dense *)context;
    int pitch = p->wide > 0 ? p->wide : p->pitch;
    if (harness.often)
        check_cuda(cudaMemcpy(p->d_x, p->start, (size_t)p->n * sizeof *p->start, cudaMemcpyHostToDevice));
    if (p->method == CONVERGE)
        p->d_result = p->until(p->d_x, p->d_new, p->d_sum, p->d_a, p->d_f, p->n, pitch, &p->stop);
    else
        p->d_result = p->fixed(p->d_x, p->d_new, p->d_a, p->d_f, p->n, pitch, p->alpha, p->sweeps);
}

// Fails if stop->first, the sum of the first test, is set and differs from want by more than the tolerance.
static void check_first_sum(const struct stop *stop, double want)
{
    if (stop->first != 0 && stop->diverged == 0 && !(fabs(stop->first - want) <= 0.005 * want + 0.001 * stop->enough))
        fail(WRONG, "wrong: stop->first is %g; at the first test the sum is %g", stop->first, want);
}

// Whether solve stopped at the same test as the reference, within one test if rounding decides.
static void check_stop(struct dense *p, const double *tests, int exact_rate)
{
    const struct stop *stop = &p->stop;
    int test = stop->sweeps / stop->every - 1, expected = forecast(p->rate, FEWER);
    if (stop->sweeps < stop->every || stop->sweeps > stop->most || stop->sweeps % stop->every)
        fail(WRONG, "wrong: stop->sweeps is %d; tests come every %d sweeps, the last at %d", stop->sweeps, stop->every,
             stop->most);
    if (p->nan) {
        if (stop->diverged != 1 || stop->sweeps > stop->every)
            fail(WRONG, "wrong: the first sum is NaN, but stop->diverged is %d after %d sweeps", stop->diverged,
                 stop->sweeps);
        return;
    }
    if (p->rate >= 1) {
        if (stop->diverged != 1 || stop->sweeps > stop->most / 2)
            fail(WRONG, "wrong: the iteration diverges, but stop->diverged is %d after %d sweeps", stop->diverged,
                 stop->sweeps);
        if (test > 0 && tests[test - 1] > 1.001 * 16 * tests[0])
            fail(WRONG, "wrong: stopped late: the test before found %g, the first %g", tests[test - 1], tests[0]);
        if (tests[test] < 0.999 * 16 * tests[0]) // false for NaN
            fail(WRONG, "wrong: stopped at %g, less than 16 times the first test's %g", tests[test], tests[0]);
        return;
    }
    if (stop->diverged)
        fail(WRONG, "wrong: stop->diverged is %d, but the iteration converges, rate %.2f", stop->diverged, p->rate);
    if (tests[test] > 1.001 * stop->enough && stop->sweeps < stop->most)
        fail(WRONG, "wrong: stopped after %d sweeps, where the squared residuals sum up to %g; %g is enough",
             stop->sweeps, tests[test], stop->enough);
    if (test > 0 && tests[test - 1] < 0.999 * stop->enough)
        fail(WRONG, "wrong: stopped only after %d sweeps; %g was enough, and the test before found %g", stop->sweeps,
             stop->enough, tests[test - 1]);
    if (exact_rate && p->n > 30 && abs(stop->sweeps - expected) > stop->every + 4)
        fail(WRONG, "wrong: %d sweeps were forecast, but %d done", expected, stop->sweeps);
}

// Compares x with the reference, element by element, and with the known solution.
static void check_result(struct dense *p, double margin, int exact_rate)
{
    size_t n = (size_t)p->n;
    int sweeps = p->method == CONVERGE ? p->stop.sweeps : p->sweeps;
    double *want = (double *)host_alloc(3 * n * sizeof *want), *bound = want + n, *tests = bound + n;
    float *got = (float *)host_alloc(n * sizeof *got);
    if (p->method == CONVERGE) {
        tests = (double *)host_alloc((size_t)p->stop.most * sizeof *tests);
        if (sweeps >= 0 && sweeps <= p->stop.most)
            reference(p, want, sweeps, tests);
        check_stop(p, tests, exact_rate);
        check_first_sum(&p->stop, tests[0]);
        host_free(tests);
    }
    if (p->d_result != p->d_x && p->d_result != p->d_new)
        fail(WRONG, "wrong: solve returned neither d_x nor d_new");
    if (p->rate < 1 && n > 0 && !p->nan) {
        double rounded = reference(p, want, sweeps, NULL), first = 0, largest = 0;
        check_cuda(cudaMemcpy(got, p->d_result, n * sizeof *got, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < n; i++)
            bound[i] = rounded + ldexp(fabs(want[i]), -24);
        check_floats(got, want, bound, p->n, 0);
        for (size_t i = 0; i < n; i++) {
            first = fmax(first, fabs(p->start[i] - p->exact[i]));
            largest = fmax(largest, fabs(p->f[i]));
        }
        // f is rounded to float, which moves the solution by at most |change of f| / margin.
        for (size_t i = 0; i < n; i++)
            bound[i] = pow(p->rate, sweeps) * first * (1 + 1e-6) + 2 * rounded + ldexp(largest, -24) / margin;
        check_floats(got, p->exact, bound, p->n, 0);
        p->left = sqrt(residual_of(p, got) / residual_of(p, p->start));
        if (p->method == CONVERGE && residual_of(p, got) > 16 * (double)p->stop.enough && sweeps < p->stop.most)
            fail(WRONG, "wrong: the residual of the x returned is too large");
    }
    host_free(got);
    host_free(want);
}

// False: do not run this case.
static bool prepare(struct dense *p, const struct input *input, int n)
{
    static char note[100];
    size_t count = (size_t)n;
    uint64_t state = case_seed((uint64_t)n);
    p->n = n;
    p->pitch = ceil_div(n, 4) * 4 + 4 * (n % 3) + 4 * changed(OTHER_PITCH);
    snprintf(note, sizeof note, ", pitch %d", p->wide > 0 ? p->wide : p->pitch);
    begin_case(input->name, n, note);
    if (planned(count * ((size_t)p->pitch * sizeof(float) + 64) + 65536)) // the matrix, and some vectors
        return false;
    p->a = (float *)host_alloc(count * (size_t)p->pitch * sizeof(float));
    p->f = (float *)host_alloc(count * sizeof(float));
    p->start = (float *)host_alloc(count * sizeof(float));
    p->exact = (double *)host_alloc(count * sizeof(double));
    for (int i = 0; i < n; i++) {
        p->exact[i] = ldexp(random_in(&state, 1, 2), input->tiny ? -30 : 0);
        p->start[i] = (float)start_of(input, p->exact[i], random_in(&state, -0.125, 0.125));
    }
    fill(p, input, &state);
    p->d_a = (float *)device_alloc(count * (size_t)(p->wide > 0 ? p->wide : p->pitch) * sizeof(float));
    copy_rows(p->d_a, (size_t)(p->wide > 0 ? p->wide : p->pitch), p->a, (size_t)p->pitch, count);
    p->d_f = (float *)device_copy(p->f, count * sizeof(float), 0);
    p->d_x = (float *)device_copy(p->start, count * sizeof(float), 0);
    p->d_new = (float *)device_alloc(count * sizeof(float));
    p->d_sum = (float *)device_alloc(sizeof(float));
    return true;
}

static void release(struct dense *p)
{
    float *device[] = {p->d_a, p->d_f, p->d_x, p->d_new, p->d_sum}, *host[] = {p->a, p->f, p->start};
    for (int i = 0; i < 5; i++)
        check_cuda(cudaFree(device[i]));
    for (int i = 0; i < 3; i++)
        host_free(host[i]);
    host_free(p->exact);
}

static void check_matrix_untouched(const struct dense *p)
{
    size_t row = (size_t)p->pitch * sizeof(float);
    if (p->wide == 0)
        check_untouched(p->d_a, p->a, (size_t)p->n * row);
    for (int i = 0; i < p->n && p->wide > 0; i++)
        check_untouched(p->d_a + (size_t)i * (size_t)p->wide, p->a + (size_t)i * (size_t)p->pitch, row);
}

// Fills and runs one case and checks it. sweeps < 0: as many as are forecast for tolerance. time: measures one sweep.
static void run_case(struct dense *p, const struct input *input, int n, int sweeps, double tolerance, int time)
{
    static char note[160];
    double margin;
    struct stop stop = {0, 4, 400, -1, -1, 0};
    if (!prepare(p, input, n))
        return;
    analyse(p, &margin);
    p->sweeps = sweeps >= 0 ? sweeps : forecast(p->rate, tolerance);
    stop.enough = (float)(FEWER * FEWER * residual_of(p, p->start));
    stop.most = p->rate < 1 && sweeps >= 0 ? stop.every * (sweeps + 1) : stop.most;
    p->stop = stop;
    snprintf(note, sizeof note, "%s, %d sweeps, alpha %.3g", harness.note, p->sweeps, p->alpha);
    harness.note = p->method == CONVERGE ? harness.note : note;
    if (p->rate >= 1 && p->method != CONVERGE) {
        refuse(input->name, n, p->rate);
    } else {
        const float nan = NAN;
        if (p->nan)
            check_cuda(cudaMemcpy(p->d_x + n / 2, &nan, sizeof nan, cudaMemcpyHostToDevice));
        run_calls(call, p, 1);
        check_result(p, margin, input == &INPUTS[0]);
        check_matrix_untouched(p);
        check_untouched(p->d_f, p->f, (size_t)n * sizeof(float));
    }
    if (time) {
        p->sweeps = p->stop.most = p->stop.every = 2;
        report_time(n, median_ms(call, p) / 2, (double)n * n * sizeof(float)); // of one sweep
    }
    release(p);
}

// ---- The driver ------------------------------------------------------------------------------------------
static const int SIZES[] = {0, 1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 255, 256, 257, 513};
static const int BENCH_SIZES[] = {4096, 16384, 32768};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0], BENCH_COUNT = sizeof BENCH_SIZES / sizeof BENCH_SIZES[0] };

// Reports the forecast and the outcome, and compares the two. At the end the error is FEWER times the first one. A
// residual is at most (1 + THETA) times the diagonal times the error, and the first one is about 1 - THETA times its
// mean. Rows of the larger scale count more at the start. A factor of 8 to either side covers all that, and 16 to the
// lower one the sweeps up to the next test.
static void check_forecast(const struct dense *p)
{
    int sweeps = p->method == CONVERGE ? p->stop.sweeps : p->sweeps;
    printf("rate %.3f: for a residual %g times the first, %d sweeps were forecast; %d done leave %.2g\n", p->rate,
           FEWER, forecast(p->rate, FEWER), sweeps, p->n > 0 ? p->left : 0);
    if (p->n > 30 && !(p->left <= 8 * FEWER && p->left >= FEWER / 16))
        fail(WRONG, "wrong: the residual of x is %g times the first, not about %g", p->left, FEWER);
}

static void check_size(struct dense *p, int n)
{
    for (int input = 0; input < INPUT_COUNT; input++)
        if (n <= 130 || !(INPUTS[input].tiny || INPUTS[input].sources))
            run_case(p, &INPUTS[input], n, n > 130 && p->method != CONVERGE ? 3 : -1, 0.25, 0);
    int cases = 2 + (n <= 5 && p->method != CONVERGE); // in longer rows rounding hides the contribution of the last one
    for (int k = 0; k < cases; k++)
        run_case(p, k == 2 ? &NEAR : &INPUTS[1], n, k, 0, 0);
    p->nan = p->method == CONVERGE && n > 0;
    if (p->nan)
        run_case(p, &INPUTS[0], n, -1, 0.25, 0);
    p->nan = 0;
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
// Rows so far apart that n * pitch exceeds 32 bits, even in units of 16 bytes.
static void check_wide(struct dense *p)
{
    int n = 65;
    p->wide = (1 << 28) + 4;
    if (begin_sparse((double)n * p->wide * sizeof(float))) {
        run_case(p, &INPUTS[1], n, p->method == CONVERGE ? -1 : 2, 0.25, 0);
        simt_sample(NULL);
    }
    p->wide = 0;
}

// One sweep; for CONVERGE it tests after 0, and so sweeps 4 times. In check_stale_state later calls do one more.
static void run_again(void *context, long long n)
{
    struct dense *p = (struct dense *)context;
    run_case(p, &INPUTS[1], (int)n, (p->method != CONVERGE) + changed(OTHER_COUNT), 0, 0);
}

static void run_drawn(struct dense *p, long long low, long long high)
{
    run_case(p, &INPUTS[1], (int)draw_size(low, high), p->method == CONVERGE ? -1 : 3, 0.25, 0);
}

static void check_drawn(struct dense *p)
{
    for (int i = 0; i < DRAWN; i++)
        run_drawn(p, drawn_part(260, i), drawn_part(260, i + 1));
    run_case(p, &INPUTS[1], (int)draw_size(725, 740), 1, 0, 0); // twice as many entries as the counted case
    if (wants_larger())
        run_drawn(p, 260, 1040);
    if (begin_huge()) { // 2^23 to 2^24 entries
        run_case(p, &INPUTS[1], (int)draw_size(2896, 4096), p->method == CONVERGE ? -1 : 1, 0.25, 0);
        end_huge();
    }
}

static void check_largest(void *context, long long largest)
{
    struct dense *p = (struct dense *)context;
    int n = (int)largest;
    struct stop stop = {0, 2, 4, -1, -1, 0};
    size_t bytes = (size_t)n * sizeof(float);
    if (begin_large(n, (double)bytes * (n + 16), LARGE_NOTE)) {
        p->n = n;
        p->pitch = ceil_div(n, 4) * 4 + 4;
        p->stop = stop;
        p->sweeps = 2;
        p->d_a = (float *)device_alloc(bytes * (size_t)p->pitch);
        p->d_f = (float *)device_alloc(bytes);
        p->d_x = (float *)device_alloc(bytes);
        p->d_new = (float *)device_alloc(bytes);
        p->d_sum = (float *)device_alloc(sizeof(float));
        run_calls(call, p, 1);
        check_all_read((double)bytes * n);
        check_all_loaded(p->d_a, bytes * (size_t)p->pitch, 1);
        check_all_stored(p->d_new, bytes, 1);
        check_zeros(p->d_x, bytes, 1);
        check_zeros(p->d_new, bytes, 1);
        float *device[] = {p->d_a, p->d_f, p->d_x, p->d_new, p->d_sum};
        for (int i = 0; i < 5; i++)
            check_cuda(cudaFree(device[i]));
    }
    end_large();
}

static void check_all(struct dense *p)
{
    for (int i = 0; i < SIZE_COUNT && harness.n < 0; i++)
        check_size(p, SIZES[i]);
    if (harness.n < 0)
        check_drawn(p);
    if (harness.n >= 0) {
        check_size(p, (int)harness.n);
    } else if (!simt_read) {
        check_size(p, 4099);
    } else {
        check_wide(p);
        run_case(p, &INPUTS[1], 3, p->method == CONVERGE ? -1 : MANY_SWEEPS, 0.25, 0);
        check_repeated(run_again, p, 9, 300);
        check_stale_state(run_again, p, 40);
    }
    print_right();
}

static inline int drive(struct invocation own, struct dense *p)
{
    read_options(own, 1 << 16);
    skip_bench_without_gpu(2048);
    run_large(check_largest, p, 1 << 16);
    if (only_counted())
        run_drawn(p, 1, 260);
    else if (!harness.bench)
        check_all(p);
    int n = harness.n >= 0 ? (int)harness.n : simt_read ? 64 : 4096, bench = harness.bench && harness.n < 0;
    for (int i = 0; bench && i < BENCH_COUNT; i++)
        run_case(p, &INPUTS[0], BENCH_SIZES[i], 1, 0, 1);
    begin_counted();
    run_case(p, &INPUTS[0], n, -1, FEWER, is_timed() && !bench);
    check_forecast(p);
    report_figures(harness.input);
    if (count_ragged())
        run_case(p, &INPUTS[0], n - 4 * (int)draw_size(1, max(n / 64, 1)), -1, FEWER, 0);
    finish_counted(check_largest, p, 512, is_checked() ? 4096 : 1 << 16, 0);
}

static inline int drive_simple(struct invocation own, simple_function *solve)
{
    struct dense p = {};
    p.method = SIMPLE;
    p.fixed = solve;
    return drive(own, &p);
}

static inline int drive_jacobi(struct invocation own, jacobi_function *solve)
{
    struct dense p = {};
    p.method = JACOBI;
    p.fixed = solve;
    return drive(own, &p);
}

static inline int drive_converge(struct invocation own, converge_function *solve)
{
    struct dense p = {};
    p.method = CONVERGE;
    harness.host_may_read = 1;
    p.until = solve;
    return drive(own, &p);
}
