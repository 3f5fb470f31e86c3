// reference.h: the expected map: the sums of chapter 09-gather in double, and the tolerance derived in gather.h.
#pragma once

#include "gather/calls.h"
#include "harness.h"

struct gather {
    gather_function *all;    // either this
    binned_function *binned; // or this
    int cut;                                  // only atoms within CUTOFF count
    int crowded;                              // counters are read with atoms in clusters
    int n;
    struct plane p;
    float4 *atoms, *d_atoms;
    float *d_map;
    struct bins bins;
    double share; // the largest share of the tolerance that was used
};

// At one point: the sum, the sum of the absolute values, and the extra error allowed for positions and for pairs
// near the cutoff.
struct sum {
    double value, absolute, cutoff_error;
    int terms;
};

static bool is_integer(double x)
{
    return x == floor(x) && fabs(x) < 1024;
}

// The error of a difference of coordinates that is computed in two steps.
static double blur(double point, double atom)
{
    return ldexp(fabs(point) + fabs(atom), -23);
}

static void add_pair(struct sum *s, const float4 *atom, int x, int y, int cut)
{
    double dx = x - (double)atom->x, dy = y - (double)atom->y, dz = atom->z, d2 = dx * dx + dy * dy + dz * dz;
    int exact = is_integer(dx) && is_integer(dy) && is_integer(dz);
    double off = exact ? 0 : 2 * (fabs(dx) * blur(x, atom->x) + fabs(dy) * blur(y, atom->y));
    double to_edge = cut ? CUTOFF2 - d2 : 1, unsure = cut && !exact ? off + ldexp(8 * CUTOFF2, -24) : 0;
    if (atom->w == 0 || to_edge <= -unsure)
        return;
    double term = atom->w / sqrt(d2 + SOFTENING), size = fabs(term);
    s->value += to_edge > 0 ? term : 0;
    s->absolute += size;
    s->cutoff_error += to_edge < unsure ? size : size * off / (2 * (d2 + SOFTENING));
    s->terms++;
}

static double allowed(const struct sum *s)
{
    return ldexp(s->terms + 10, -24) * s->absolute + s->cutoff_error;
}

// ---- Every point, or some of them if that takes too long -------------------------------------------------------
static const double MAX_PAIRS = 1 << 28;

// The points first ... last - 1 of `count` in a row that an atom at `at` can reach.
static void reach_of(float at, int count, int cut, int *first, int *last)
{
    double low = cut ? fmin(fmax(at - 17.0, 0), count) : 0, high = cut ? fmin(fmax(at + 18.0, 0), count) : count;
    *first = (int)low;
    *last = (int)high;
}

// Rows first ... last - 1 of the map.
static void sum_rows(const struct gather *g, int first, int last, struct sum *sums)
{
    size_t width = (size_t)g->p.width;
    memset(sums, 0, (size_t)(last - first) * width * sizeof *sums);
    for (int i = 0; i < g->n; i++) {
        int x0, x1, y0, y1;
        reach_of(g->atoms[i].x, g->p.width, g->cut, &x0, &x1);
        reach_of(g->atoms[i].y, g->p.height, g->cut, &y0, &y1);
        for (int y = max(first, y0); y < min(last, y1); y++)
            for (int x = x0; x < x1; x++)
                add_pair(&sums[(size_t)(y - first) * width + (size_t)x], &g->atoms[i], x, y, g->cut);
    }
}

static void record_share(struct gather *g, float got, double want, double bound)
{
    if (bound > 0 && fabs(got - want) <= bound)
        g->share = fmax(g->share, fabs(got - want) / bound);
}

static void check_sums(struct gather *g, const float *got, const struct sum *sums, size_t count)
{
    struct float_mistakes m = {};
    for (size_t i = 0; i < count; i++) {
        double bound = allowed(&sums[i]);
        record_share(g, got[i], sums[i].value, bound);
        compare_float(&m, &got[i], sums[i].value, bound, (long long)i);
    }
    judge(m.wrong, (long long)count, m.first, m.got, m.want, 0);
}

static void check_some_points(struct gather *g, const float *map)
{
    enum { SOME = 64 };
    uint64_t state = harness.seed;
    struct sum sums[SOME] = {};
    float got[SOME];
    for (int k = 0; k < SOME; k++) {
        int x = (int)(random_bits(&state) % (uint64_t)g->p.width);
        int y = (int)(random_bits(&state) % (uint64_t)g->p.height);
        x = k % 8 == 0 ? g->p.width - 1 : x;
        y = k % 8 == 1 ? g->p.height - 1 : y;
        got[k] = map[(size_t)y * (size_t)g->p.width + (size_t)x];
        for (int i = 0; i < g->n; i++)
            add_pair(&sums[k], &g->atoms[i], x, y, g->cut);
    }
    check_sums(g, got, sums, SOME);
}

// A map so large that the sums of all its points would take too much memory: a few rows at a time.
static const size_t LARGE_MAP = 1 << 23;
enum { ROWS_AT_ONCE = 16 };

static void check_large_map(struct gather *g, const float *map)
{
    size_t width = (size_t)g->p.width;
    struct sum *sums = (struct sum *)host_alloc(ROWS_AT_ONCE * width * sizeof *sums);
    struct float_mistakes mistakes = {};
    for (int y = 0; y < g->p.height; y += ROWS_AT_ONCE) {
        int last = min(g->p.height, y + ROWS_AT_ONCE);
        sum_rows(g, y, last, sums);
        for (size_t i = 0, at = (size_t)y * width; i < (size_t)(last - y) * width; i++, at++) {
            record_share(g, map[at], sums[i].value, allowed(&sums[i]));
            compare_float(&mistakes, &map[at], sums[i].value, allowed(&sums[i]), (long long)at);
        }
    }
    host_free(sums);
    judge(mistakes.wrong, (long long)points_of(g->p), mistakes.first, mistakes.got, mistakes.want, 0);
}

// Pairs of a point and an atom that the host computes.
static double pairs_to_sum(const struct gather *g)
{
    double points = (double)points_of(g->p);
    return g->n * (g->cut ? fmin(points, 35 * 35) : points);
}

static void check_map(struct gather *g)
{
    size_t points = points_of(g->p);
    float *map = (float *)host_alloc(points * sizeof *map);
    check_cuda(cudaMemcpy(map, g->d_map, points * sizeof *map, cudaMemcpyDeviceToHost));
    if (pairs_to_sum(g) > MAX_PAIRS && points > 0) {
        check_some_points(g, map);
    } else if (points > LARGE_MAP) {
        check_large_map(g, map);
    } else {
        struct sum *sums = (struct sum *)host_alloc(points * sizeof *sums);
        sum_rows(g, 0, g->p.height, sums);
        check_sums(g, map, sums, points);
        host_free(sums);
    }
    host_free(map);
    check_untouched(g->d_atoms, g->atoms, (size_t)g->n * sizeof *g->atoms);
}
