// pivoting.h: `--pivoting` of chapter 05-tridiagonal: two matrices on which elimination without exchanging rows fails.
//
// Both have a solution, and Gaussian elimination that exchanges neighbouring rows finds it. Their fourth, eighth, ...
// row from the first on has b = 0, a division by zero in elimination, or b = 1e-6: then the multiplier is a million,
// and rounding destroys the other rows' contribution.
#pragma once

#include "tridiagonal/case.h"

enum { DEMO_ROWS = 64 };

// Solves the case's only system on the host, in double. If allowed to, exchanges rows when the one below has the larger
// number. fill is the entry that an exchange creates: a third unknown, two below the row.
static void eliminate_on_host(const struct tridiagonal *t, double *x, int may_exchange)
{
    double a[DEMO_ROWS + 1] = {}, b[DEMO_ROWS + 1] = {}, c[DEMO_ROWS + 1] = {}, fill[DEMO_ROWS + 1] = {};
    for (int i = 0; i < DEMO_ROWS; i++)
        a[i] = t->band[0][i], b[i] = t->band[1][i], c[i] = t->band[2][i], x[i] = t->band[3][i];
    for (int i = 0; i + 1 < DEMO_ROWS; i++) {
        int exchange = may_exchange && fabs(a[i + 1]) > fabs(b[i]);
        if (exchange) {
            double upper[4] = {b[i], c[i], 0, x[i]};
            b[i] = a[i + 1], c[i] = b[i + 1], fill[i] = c[i + 1], x[i] = x[i + 1];
            a[i + 1] = upper[0], b[i + 1] = upper[1], c[i + 1] = upper[2], x[i + 1] = upper[3];
        }
        double k = a[i + 1] / b[i];
        b[i + 1] -= k * c[i];
        c[i + 1] -= k * fill[i];
        x[i + 1] -= k * x[i];
    }
    for (int i = DEMO_ROWS - 1; i >= 0; i--) {
        double below = i + 1 < DEMO_ROWS ? c[i] * x[i + 1] : 0, two_below = i + 2 < DEMO_ROWS ? fill[i] * x[i + 2] : 0;
        x[i] = (x[i] - below - two_below) / b[i];
    }
}

// The largest residual, in units of (|a| + |b| + |c|) max|x|; NaN if there is one anywhere.
static double demo_residual(const struct tridiagonal *t, const double *x)
{
    double largest = 0, share = 0;
    for (int i = 0; i < DEMO_ROWS; i++)
        largest = fabs(x[i]) <= largest ? largest : fabs(x[i]);
    for (int i = 0; i < DEMO_ROWS; i++) {
        struct row r = row_at(t, 0, i);
        double sum = r.f - (double)r.b * x[i] - (i > 0 ? (double)r.a * x[i - 1] : 0);
        sum -= i + 1 < DEMO_ROWS ? (double)r.c * x[i + 1] : 0;
        sum = fabs(sum) / ((fabs(r.a) + fabs(r.b) + fabs(r.c)) * largest);
        share = sum <= share ? share : sum;
    }
    return share;
}

static __attribute__((noreturn)) void show_pivoting(struct tridiagonal *t)
{
    double x[DEMO_ROWS];
    printf("largest residual, in units of (|a| + |b| + |c|) max|x|; %.2g would be allowed\n", tolerance(DEMO_ROWS));
    for (int k = 0; k < 2; k++) {
        set_up(t, &NEED_PIVOTING[k], DEMO_ROWS, 1);
        call(t);
        after_run();
        check_cuda(cudaMemcpy(t->x, t->d_x, sizeof(float) * DEMO_ROWS, cudaMemcpyDeviceToHost));
        printf("%s: row 0 has |b| = %g < |a| + |c| = %g\n", NEED_PIVOTING[k].name, fabs(t->band[1][0]),
               fabs(t->band[2][0]));
        eliminate_on_host(t, x, 1);
        printf("  host, double, rows exchanged      %10.2g\n", demo_residual(t, x));
        eliminate_on_host(t, x, 0);
        printf("  host, double, no row exchanged    %10.2g\n", demo_residual(t, x));
        for (int i = 0; i < DEMO_ROWS; i++)
            x[i] = t->x[i];
        printf("  this program                      %10.2g\n", demo_residual(t, x));
        tear_down(t);
    }
    fail(WRONG, "refused: these matrices are not dominant, and no step of this chapter exchanges rows");
}
