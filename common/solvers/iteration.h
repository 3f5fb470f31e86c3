// iteration.h: chapter 06-iterative-solvers: what its ten programs share. Each kind of problem has its own face, since
// it has its own reference, inputs and tolerance:
//
//     solvers_01_04.h    a full matrix (matrix.h: its inputs)
//     solvers_05.h       a matrix of mostly zeros, by rows
//     solvers_06_08.h    no matrix: the average of the neighbours, in the plane and in space
//     solvers_09.h       the same, until it is good enough
//     solvers_10.h       the same on several GPUs
//
// The problem. A x = f: the matrix A and f are given, x is sought. An iterative solver starts anywhere and improves x
// sweep by sweep:
//
//     simple iteration   x' = x + alpha (A x - f) = (E + alpha A) x - alpha f
//     Jacobi             x'_i = x_i + (f_i - sum over j of a_ij x_j) / a_ii
//
// Both have the form x' = M x + g, and their fixed point solves A x = f. So the error e = x - solution obeys e' = M e:
// it shrinks at least by the norm of M in every sweep, and in the long run by the largest |eigenvalue| of M, its rate.
// A norm below 1 proves that the iteration converges from every start. The driver computes the rate before anything
// runs; if it is 1 or more, the driver refuses the matrix and says so.
//
// Rounding. A sweep in float adds an error of its own, and M shrinks those of earlier sweeps: with d the largest error
// of one sweep, bound' = rate bound + d. The drivers run the recurrence in double on the same data and carry this bound
// along. A sum of n terms in any order is off by at most (n - 1) u times the sum of their magnitudes, u = 2^-24, and
// with a probability above 1 - 2 exp(-32) by 8 sqrt(n) u times (Higham and Mary, 2019): the smaller one counts.
#pragma once

#include "harness.h"

#define LESSON_SWEEPS 8 // of the run whose counters are read, if their number is not forecast
#define MANY_SWEEPS 257 // more than 8 bits count

// Sweeps after which rate^sweeps <= tolerance, at least 1.
static inline int forecast(double rate, double tolerance)
{
    double sweeps = rate > 0 ? ceil(log(tolerance) / log(rate)) : 1;
    return sweeps > 1 ? (int)sweeps : 1;
}

// The error of a rounded sum of this many terms, relative to the sum of their magnitudes.
static inline double rounding(double terms)
{
    double u = ldexp(1, -24), worst = (terms + 3) * u, likely = 8 * sqrt(terms + 3) * u;
    return worst < likely ? worst : likely;
}

// A random number in [low, high), with 24 bits: exact in float if the bounds are small integers.
static inline double random_in(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(random_bits(state) >> 40) / (1 << 24);
}

// Notes, once for every name, that an input is not solved; silently skips small ones. A right run reports it at its
// end, so that a wrong one begins with what is wrong.
static inline void refuse(const char *name, int n, double rate)
{
    static const char *said[8];
    size_t length = strlen(harness.not_run);
    int i = 0;
    while (i < 8 && said[i] && said[i] != name)
        i++;
    if (n < 31 || i == 8 || said[i])
        return;
    said[i] = name;
    snprintf(harness.not_run + length, sizeof harness.not_run - length,
             "not run: '%s': the iteration would diverge, the norm of M is %.2f at n = %d\n", name, rate, n);
}

// Reported by all drivers.
static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"blocks", "blocks"},
    {"warp instructions", "warp_instructions"},
    {"lanes at work, %", "100 * thread_instructions / (32 * warp_instructions)"},
    {"block barriers", "barriers"},
    {"shuffles", "shuffles"},
    {"global load requests", "global_load_requests"},
    {"sectors per request", "global_load_sectors / global_load_requests"},
    {"bytes loaded", "32 * global_load_sectors"},
    {"bytes stored", "32 * global_store_sectors"},
    {"shared accesses", "shared_load_requests + shared_store_requests"},
    {"bank conflicts", "shared_excess"},
    {"global atomics", "global_atomics"},
    {"host reads", "host_reads"},
};

static inline void report_figures(const char *what)
{
    if (!simt_read || harness.check)
        return;
    printf("%s; ", what);
    report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
}
