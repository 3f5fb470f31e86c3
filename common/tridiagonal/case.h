// case.h: one case of chapter 05-tridiagonal: systems of one size from one input set, solved by the exercise and
// compared with Thomas's algorithm on the host. The tolerance is derived in tridiagonal.h.
#pragma once

#include "harness.h"
#include "tridiagonal/calls.h"
#include "tridiagonal/matrices.h"

struct tridiagonal {
    tridiagonal_function *solve;
    enum layout layout;
    enum method method;
    int limit, size, systems;
    float *band[4], *x;      // on the host: a, b, c, f as the device gets them; the device's answer
    double *exact, *y, *tmp; // of one system: the solution, the y of the tolerance
    float *d_band[4], *d_x, *d_tmp;
    long long wrong, first; // the number of wrong rows, and the first one's index
    double residual, error; // the largest errors in all runs, as shares of the tolerance
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

// Fills all systems. The right sides are those of an x between 0.5 and 1 with any sign, rounded to float; or all but a
// few are 0, where x is not, since the rows are coupled.
static void fill(struct tridiagonal *t, const struct input *input, uint64_t *state)
{
    double *x = t->exact;
    for (int system = 0; system < t->systems; system++) {
        int tiny = input->tiny ? (int)(random_bits(state) % (uint64_t)t->size) : -1;
        int sources = random_bits(state) & 1 ? input->sources : 0;
        int source = sources ? (int)(random_bits(state) % (uint64_t)t->size) : -1; // one at least
        for (int i = 0; i < t->size; i++)
            x[i] = random_sign(state) * random_between(state, 0.5, 1);
        for (int i = 0; i < t->size; i++) {
            struct row r = input->row(state, i);
            size_t at = place(t, system, i);
            float scale = i == tiny ? 0x1p-100f : 1;
            r = make_row(r.a * scale, r.b * scale, r.c * scale, 0);
            r.a = i > 0 ? r.a : 0;
            r.c = i + 1 < t->size ? r.c : 0;
            r.f = (float)(r.b * x[i] + (i > 0 ? r.a * x[i - 1] : 0) + (i + 1 < t->size ? r.c * x[i + 1] : 0));
            if (sources && i != source && random_bits(state) % (uint64_t)sources != 0)
                r.f = 0;
            t->band[0][at] = r.a, t->band[1][at] = r.b, t->band[2][at] = r.c, t->band[3][at] = r.f;
        }
    }
}

// Thomas's algorithm in double, 8 operations a row, twice: t->exact and t->y. Ends the program if it is not safe.
static void solve_on_host(struct tridiagonal *t, int system)
{
    double *x = t->exact, *y = t->y, *c = t->tmp, *cy = c + t->size;
    for (int i = 0; i < t->size; i++) {
        struct row r = row_at(t, system, i);
        double a = r.a, size_of_b = fabs(r.b), above = i > 0;
        if (!(size_of_b > 0 && size_of_b >= fabs(a) + fabs(r.c)))
            fail(BROKEN, "refused: not dominant, |b| < |a| + |c| in system %d, row %d; it might need pivoting", system,
                 i);
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

// Compares one system of t->x with the tolerance; counts wrong rows, and describes the first.
static void check_system(struct tridiagonal *t, int system, char *got, char *want)
{
    static char note[200], reason[200];
    double largest = 0, bound;
    solve_on_host(t, system);
    for (int i = 0; i < t->size; i++)
        largest = fmax(largest, fabs(t->exact[i]));
    bound = tolerance(t->size) * largest;
    for (int i = 0; i < t->size; i++) {
        float x = t->x[place(t, system, i)];
        double allowed = t->method == DIRECT ? bound : bound * t->y[i];
        double r = fabs(residual(t, system, i)) / allowed, e = fabs(x - t->exact[i]) / (bound * t->y[i]);
        bool right = r <= 1 && e <= 1; // NaN is neither
        if (!right && t->wrong++ == 0) {
            t->first = (long long)place(t, system, i);
            snprintf(got, 64, "%.9g%s", x, record_wrong_word(&t->x[t->first]));
            snprintf(want, 64, "%.9g +- %.3g", t->exact[i], bound * t->y[i]);
            snprintf(reason, sizeof reason, "residual  %.3g |b|, allowed is %.3g |b|%s", r * allowed, allowed,
                     e <= 1   ? ": the residual is too large, though x itself is close enough"
                     : r <= 1 ? ": x fits the x next to it, which are wrong, too"
                              : "");
            harness.reason = reason;
            snprintf(note, sizeof note, "%s\n  where   system %d, row %d", harness.note, system, i);
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

// Host and device memory of one case, filled. False: do not run this case.
static bool set_up(struct tridiagonal *t, const struct input *input, int size, int systems)
{
    static char note[80];
    size_t n = (size_t)size * systems;
    uint64_t state = case_seed(size);
    snprintf(note, sizeof note, ", %d system%s of %d row%s", systems, systems == 1 ? "" : "s", size,
             size == 1 ? "" : "s");
    begin_case(input->name, (long long)n, note);
    snprintf(harness.shape, sizeof harness.shape, " --size %d", max(size, 1));
    if (planned(n * 5 * sizeof(float) + (size_t)size * 4 * sizeof(double)))
        return false;
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
    return true;
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

// Runs one case and checks it; if times are requested, measures it while the case is on the device.
static void run_case(struct tridiagonal *t, const struct input *input, int size, int systems, int time)
{
    if (!set_up(t, input, size, systems))
        return;
    run_calls(call, t, 1);
    check_solutions(t);
    if (time) // every row has five numbers
        report_time(harness.case_n, median_ms(call, t), 5 * (double)sizeof(float) * (double)harness.case_n);
    tear_down(t);
}
