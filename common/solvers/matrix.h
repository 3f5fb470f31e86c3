// matrix.h: the full matrices of steps 01 to 04 of chapter 06-iterative-solvers, and how fast the iterations converge
// on them. Read solvers_01_04.h first.
//
// The choice of alpha. For a row with diagonal a_ii > 0 and s_i the sum of its other |a_ij|, the row of E + alpha A
// with alpha < 0 sums up to max(1 - |alpha| (a_ii - s_i), |alpha| (a_ii + s_i) - 1). With low the least a_ii - s_i and
// high the largest a_ii + s_i, the largest of these sums is smallest for alpha = -2 / (low + high), where it is (high -
// low) / (high + low). This is below 1 if low > 0: if the diagonal dominates every row. For Jacobi it is the largest
// s_i / |a_ii|: the scale of a row and its sign do not matter.
//
// Inputs. Diagonals are s_i / THETA: Jacobi's norm is THETA. Rows are scaled by 1 to 4. The solution is known: f = A
// times a random one, in double. For "two scales" the norms are the rates themselves, and the number of sweeps can be
// forecast. Its rows of scale 1 are coupled only to each other, and so are those of scale 4. All off-diagonal entries
// are negative, and their sum is the same in all rows of a scale. So in M, too, all rows of a scale have the same sum,
// with no negative entry for scale 1. There (1, ..., 1) in scale 1 and 0 elsewhere is an eigenvector: M multiplies it
// by THETA, or 1 + alpha low.
//
// A program may leave out no row, of whatever kind: in "f and start mostly 0" there are rows with f = 0, rows that
// start from 0, rows that move only after their neighbours have, and rows with nothing but a diagonal.
#pragma once

#include "harness.h"
#include "solvers/dense_calls.h"
#include "solvers/iteration.h"

#define THETA 0.5
#define FEWER 0.001 // of the residual at the start, in the run whose counters are read

enum method { SIMPLE, JACOBI, CONVERGE };

struct dense {
    enum method method;
    simple_function *fixed;
    converge_function *until;
    int n, pitch, sweeps;
    int wide; // pitch on the device, if it differs
    int nan;  // the start has one
    float alpha;
    double rate, left; // left: residual of x over the residual of the start, in the 2-norm
    struct stop stop;
    float *a, *f, *start, *d_a, *d_f, *d_x, *d_new, *d_sum, *d_result;
    double *exact; // the solution
};

// ---- Inputs ----------------------------------------------------------------------------------------------
struct input {
    const char *name;
    double theta, low, high; // the other entries: from low to high
    int edges;               // only those in the first and in the last column
    int flips;               // rows of either sign
    int classes;             // alternating scales of 1 and 4, entries only between rows of one scale
    int tiny;                // x is from 2^-30 to 2^-29: a row hardly moves, and it matters; so are entries, see fill
    int near;                // the start is off by 2^-17 of it at most, likewise
    int sources;             // only f of every fourth row is not 0, nor any start; every fifth row is a diagonal alone
};

static const struct input INPUTS[] = {
    {"two scales", THETA, -1, 0, 0, 0, 1, 0, 0, 0},
    {"entries of both signs", THETA, -1, 1, 0, 0, 0, 0, 0, 0},
    {"first and last column only", THETA, -1, 0, 1, 0, 0, 0, 0, 0},
    {"rows of both signs", THETA, -1, 1, 0, 1, 0, 0, 0, 0},
    {"tiny solution", THETA, -1, 1, 0, 0, 0, 1, 0, 0},
    {"f and start mostly 0", THETA, -1, 1, 0, 0, 0, 0, 0, 1},
    {"not dominant", 2.4 * THETA, -1, 0, 0, 0, 0, 0, 0, 0},
};
enum { INPUT_COUNT = sizeof INPUTS / sizeof INPUTS[0] };
static const struct input NEAR = {"start near the solution", THETA, -1, 1, 0, 0, 0, 0, 1, 0};

// The start of x, from which the solution is exact; by: a random number, 1/8 at most.
static double start_of(const struct input *input, double exact, double by)
{
    if (input->sources)
        return 0;
    return input->near ? exact * (1 + ldexp(by, -14)) : ldexp(by, input->tiny ? -30 : 0);
}

// The off-diagonal entries of row i. Returns the sum of their magnitudes.
static double fill_row(float *row, int i, int n, const struct input *input, double scale, uint64_t *state)
{
    double others = 0, factor = 1;
    for (int j = 0; j < n; j++) {
        int zero = (input->edges && j > 0 && j < n - 1) || (input->classes && (i + j) % 2) || j == i ||
                   (input->sources && i % 5 == 3);
        row[j] = zero ? 0 : (float)(scale * random_in(state, input->low, input->high));
        others += fabs(row[j]);
    }
    if (!input->classes || others == 0)
        return others;
    factor = scale / others; // all rows of a scale must have the same sum
    others = 0;
    for (int j = 0; j < n; j++)
        others += fabs(row[j] = (float)(row[j] * factor));
    return others;
}

// The solution for an f with sources. Each sweep of Gauss and Seidel divides the error by 1 / THETA or more.
static void solve_exactly(struct dense *p)
{
    for (int k = 0; k < 60; k++)
        for (int i = 0; i < p->n; i++) {
            const float *row = p->a + (size_t)i * (size_t)p->pitch;
            double residual = p->f[i];
            for (int j = 0; j < p->n; j++)
                residual -= row[j] * p->exact[j];
            p->exact[i] += residual / row[i];
        }
}

// Entries are as tiny as x, but not for CONVERGE, where the squares of residuals would be denormal.
static void fill(struct dense *p, const struct input *input, uint64_t *state)
{
    double unit = input->tiny && p->method != CONVERGE ? ldexp(1, -30) : 1;
    for (int i = 0; i < p->n; i++) {
        float *row = p->a + (size_t)i * (size_t)p->pitch;
        double scale = unit * (input->classes ? (i % 2 ? 4 : 1) : random_in(state, 1, 4)), f = 0;
        int sign = input->flips && random_bits(state) % 2 ? -1 : 1;
        double others = fill_row(row, i, p->n, input, scale, state);
        row[i] = (float)(sign * (others > 0 ? others / input->theta : scale));
        for (int j = p->n; j < p->pitch; j++)
            row[j] = NAN;
        for (int j = 0; j < p->n; j++)
            f += row[j] * p->exact[j];
        p->f[i] = (float)(input->sources && i % 4 ? 0 : f);
    }
    if (input->sources)
        solve_exactly(p);
}

// Sets alpha and the norm of M; see the top of this file. margin: the least |a_ii| - s_i.
static void analyse(struct dense *p, double *margin)
{
    double least = INFINITY, largest = 0, jacobi = 0;
    *margin = INFINITY;
    for (int i = 0; i < p->n; i++) {
        const float *row = p->a + (size_t)i * (size_t)p->pitch;
        double others = 0;
        for (int j = 0; j < p->n; j++)
            others += j != i ? fabs(row[j]) : 0;
        least = fmin(least, row[i] - others);
        largest = fmax(largest, fabs(row[i]) + others);
        jacobi = fmax(jacobi, others / fabs(row[i]));
        *margin = fmin(*margin, fabs(row[i]) - others);
    }
    if (p->method == SIMPLE && least > 0) {
        p->alpha = (float)(-2 / (least + largest));
        p->rate = (largest - least) / (largest + least);
    } else if (p->method == SIMPLE) { // no alpha works; this one as an example
        p->alpha = (float)(-1 / largest);
        p->rate = 1 - least / largest;
    } else {
        p->rate = jacobi;
    }
    p->rate = p->n > 0 ? p->rate : 0;
}
