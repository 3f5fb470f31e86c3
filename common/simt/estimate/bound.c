// Each part of the GPU bounds the launch, as in a roofline. Waits for latency, memory and atomics overlap only in part.
#include "estimate/bound.h"

#include <math.h>

#define UNEVEN 4    // a multiple of the mean over all slices
#define OVERLAP 1.5 // exponent of the norm; 1: waits add up; infinite: the longest hides the others

const char *limit_words(enum limit limit)
{
    static const char *const words[] = {
#define LIMIT_WORDS(name, words) words,
        LIMITS(LIMIT_WORDS)
#undef LIMIT_WORDS
            "launches"};
    return words[limit];
}

// The share of the work on the multiprocessor with the most blocks.
static double largest_share(double blocks, double multiprocessors)
{
    return blocks > 0 ? ceil(blocks / multiprocessors) / blocks : 0;
}

// GB/s, or bytes/ns. With as many writes as reads it is the rate of a copy.
static double dram_rate(const struct totals *t, const struct gpu *g)
{
    double all = t->read + t->written, written = all > 0 ? t->written / all : 0;
    return g->dram_read_gb_per_s + (g->dram_copy_gb_per_s - g->dram_read_gb_per_s) * fmin(1, 2 * written);
}

// Bounds from the busiest multiprocessor, for each of its parts.
static void bound_multiprocessor(struct bounds *b, const struct totals *t, const struct gpu *g)
{
    double share = largest_share(t->blocks, g->multiprocessors), us = share / (g->clock_ghz * 1e3);
    double pass_bytes = g->shared_gb_per_s / g->multiprocessors / g->clock_ghz;
    b->us[LIMIT_BY_ISSUE] = t->issues / g->issue_per_clock * us;
    b->us[LIMIT_BY_L1] = t->passes * 128 / pass_bytes * us;
    b->us[LIMIT_BY_INTEGER] = t->unit[UNIT_INTEGER] * us;
    b->us[LIMIT_BY_FLOAT] = t->unit[UNIT_FLOAT] * us;
    b->us[LIMIT_BY_DOUBLE] = t->unit[UNIT_DOUBLE] * us;
    b->us[LIMIT_BY_SPECIAL] = t->unit[UNIT_SPECIAL] * us;
    b->us[LIMIT_BY_ACCESSES] = t->unit[UNIT_MEMORY] * us;
    b->us[LIMIT_BY_CONSTANT] = t->unit[UNIT_CONSTANT] * us;
    b->us[LIMIT_BY_TENSOR] = t->unit[UNIT_TENSOR] * us;
}

// Bounds from atomics. If one slice of the L2 cache gets far more than the others, accesses queue there.
static void bound_atomics(struct bounds *b, const struct totals *t, const struct gpu *g)
{
    double even = fmax(t->atomics / g->atomics_apart_per_ns, t->atomic_passes / g->atomics_by_chance_per_ns) / 1e3;
    double most = t->atomics_on_slice / g->atomics_on_word_per_ns / 1e3;
    b->us[LIMIT_BY_ATOMICS] = most > UNEVEN * even ? even : fmax(even, most);
    b->us[LIMIT_BY_ONE_ADDRESS] = most > UNEVEN * even ? most : 0;
}

// The first blocks begin together: little happens until their first loads arrive, or while the last stores are in
// flight. This takes no longer than a block does.
static double ramp_us(const struct totals *t, const struct gpu *g)
{
    double ramp = g->block_clocks + 2 * g->dram_latency;
    return (t->block < ramp ? t->block : ramp) / (g->clock_ghz * 1e3);
}

// The part that takes longest. Issue is chosen only if no unit is nearly as busy, because issue feeds the units.
enum limit find_limit(const double *us)
{
    enum limit found = LIMIT_BY_LATENCY;
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++)
        found = us[i] > us[found] ? (enum limit)i : found;
    for (int i = LIMIT_BY_INTEGER; found == LIMIT_BY_ISSUE && i <= LIMIT_BY_TENSOR; i++)
        found = us[i] > 0.75 * us[LIMIT_BY_ISSUE] ? (enum limit)i : found;
    return found;
}

// The waits of a launch, in us: its path without the ramp, device memory or the L2 cache, atomics.
struct waits {
    double path, memory, atomics;
};

// Requests of other warps delay a warp that waits for memory only in part: the total is less than the sum of both, and
// more than the longer one.
static double add_waits(const struct waits *w)
{
    double powers = pow(w->path, OVERLAP) + pow(w->memory, OVERLAP) + pow(w->atomics, OVERLAP);
    return pow(powers, 1 / OVERLAP);
}

// Attributes the path to what its blocks waited for: a part of the multiprocessor, or latency alone.
static void divide_path(struct bounds *b, const struct totals *t, double path)
{
    double all = 0;
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++)
        all += t->spent[i];
    for (int i = 0; i < LIMIT_BY_LAUNCHES && all > 0; i++)
        b->goes_to[i] += path * t->spent[i] / all;
    b->goes_to[LIMIT_BY_LATENCY] += all > 0 ? 0 : path;
}

static void divide_waits(struct bounds *b, const struct totals *t, const struct waits *w, double total)
{
    double share = total > 0 ? total / pow(total, OVERLAP) : 0;
    enum limit memory = b->us[LIMIT_BY_DRAM] >= b->us[LIMIT_BY_L2] ? LIMIT_BY_DRAM : LIMIT_BY_L2;
    enum limit atomics =
        b->us[LIMIT_BY_ONE_ADDRESS] > b->us[LIMIT_BY_ATOMICS] ? LIMIT_BY_ONE_ADDRESS : LIMIT_BY_ATOMICS;
    divide_path(b, t, share * pow(w->path, OVERLAP));
    b->goes_to[memory] += share * pow(w->memory, OVERLAP);
    b->goes_to[atomics] += share * pow(w->atomics, OVERLAP);
}

// A launch that waits for a unit of a multiprocessor is limited by that unit.
static void divide_latency(struct bounds *b, const struct totals *t)
{
    double path = b->us[LIMIT_BY_LATENCY], all = 0;
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++)
        all += t->spent[i];
    for (int i = 0; i < LIMIT_BY_LAUNCHES && all > 0; i++)
        b->us[i] = fmax(i == LIMIT_BY_LATENCY ? 0 : b->us[i], path * t->spent[i] / all);
}

// Returns the time that loads take in the L2 cache.
static double bound_memory(struct bounds *b, const struct totals *t, const struct gpu *g)
{
    double busy = fmin(t->blocks / g->multiprocessors, 1);
    double loads = busy > 0 ? t->l2_sectors * 32 / (g->l2_gb_per_s * busy) / 1e3 : 0;
    b->us[LIMIT_BY_DRAM] = (t->read + t->written) / dram_rate(t, g) / 1e3;
    b->us[LIMIT_BY_L2] = fmax(t->l2_stores_ps / 1e6, loads);
    return loads;
}

struct bounds find_bounds(const struct totals *t, const struct gpu *g)
{
    struct bounds b = {.total = 0};
    double ramp = ramp_us(t, g), most = 0;
    enum limit longest = LIMIT_BY_LATENCY;
    bound_multiprocessor(&b, t, g);
    bound_atomics(&b, t, g);
    double loads = bound_memory(&b, t, g);
    b.us[LIMIT_BY_LATENCY] = t->path / (g->clock_ghz * 1e3);
    b.us[LIMIT_BY_BLOCKS] = t->blocks * g->block_ns / 1e3;
    for (int i = LIMIT_BY_LATENCY + 1; i < LIMIT_BY_LAUNCHES; i++) {
        longest = b.us[i] > most ? (enum limit)i : longest;
        most = fmax(most, b.us[i]);
    }
    struct waits w = {fmax(0, b.us[LIMIT_BY_LATENCY] - ramp), fmax(b.us[LIMIT_BY_DRAM], loads),
                      fmax(b.us[LIMIT_BY_ATOMICS], b.us[LIMIT_BY_ONE_ADDRESS])};
    double waited = add_waits(&w);
    b.total = ramp + fmax(most, waited);
    b.goes_to[LIMIT_BY_LATENCY] = ramp;
    if (waited < most)
        b.goes_to[longest] += most;
    else
        divide_waits(&b, t, &w, waited);
    divide_latency(&b, t);
    return b;
}
