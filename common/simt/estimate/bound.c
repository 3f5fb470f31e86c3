// Bounds (bound.h).
#include "estimate/bound.h"

#include <math.h>

const char *limit_words(enum limit limit)
{
    static const char *const words[] = {
#define LIMIT_WORDS(name, words) words,
        LIMITS(LIMIT_WORDS)
#undef LIMIT_WORDS
            "launches"};
    return words[limit];
}

// Of the multiprocessor that gets most blocks: its share of the work.
static double largest_share(double blocks, double multiprocessors)
{
    return blocks > 0 ? ceil(blocks / multiprocessors) / blocks : 0;
}

// GB/s, which is bytes/ns. Where as much is written as read it is what a copy reaches; so it is for as much as the L2
// cache holds: what is loaded drives out lines that were written before, by the flush of a benchmark for one.
static double dram_rate(const struct totals *t, const struct gpu *g)
{
    double all = t->read + t->written, written = all > 0 ? t->written / all : 0;
    double mixed = fmax(written < 0.5 ? 2 * written : 1, fmin(1, g->l2_bytes / all));
    return g->dram_read_gb_per_s + (g->dram_copy_gb_per_s - g->dram_read_gb_per_s) * mixed;
}

// Clocks of the busiest multiprocessor, by its parts.
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

// The first blocks begin together: little is done until their first loads are there, nor while the last stores are on
// their way. A block that is over before takes no longer than that.
static double ramp_us(const struct totals *t, const struct gpu *g)
{
    double ramp = g->block_clocks + 2 * g->dram_latency;
    return (t->block < ramp ? t->block : ramp) / (g->clock_ghz * 1e3);
}

// The part that takes longest. Issue is named only where no unit is nearly as busy: it is what feeds them.
enum limit find_limit(const double *us)
{
    enum limit found = LIMIT_BY_LATENCY;
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++)
        found = us[i] > us[found] ? (enum limit)i : found;
    for (int i = LIMIT_BY_INTEGER; found == LIMIT_BY_ISSUE && i <= LIMIT_BY_TENSOR; i++)
        found = us[i] > 0.75 * us[LIMIT_BY_ISSUE] ? (enum limit)i : found;
    return found;
}

// What the total goes to: the ramp to latency, the rest to the longest bound, or all to what the path was spent on.
static void divide_total(struct bounds *b, const struct totals *t, enum limit longest, double ramp, double all)
{
    b->goes_to[LIMIT_BY_LATENCY] = ramp;
    b->goes_to[longest] += b->total - ramp;
    if (longest != LIMIT_BY_LATENCY || all <= 0)
        return;
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++)
        b->goes_to[i] = b->total * t->spent[i] / all;
}

// The path goes to what its blocks waited for: other blocks at a part of the GPU, or latency alone.
static void divide_latency(struct bounds *b, const struct totals *t, double all)
{
    double path = b->us[LIMIT_BY_LATENCY];
    for (int i = 0; i < LIMIT_BY_LAUNCHES && all > 0; i++)
        b->us[i] = fmax(i == LIMIT_BY_LATENCY ? 0 : b->us[i], path * t->spent[i] / all);
}

struct bounds find_bounds(const struct totals *t, const struct gpu *g)
{
    struct bounds b = {.total = 0};
    double ramp = ramp_us(t, g), most = 0, all = 0,
           busy = t->blocks < g->multiprocessors ? t->blocks / g->multiprocessors : 1;
    bound_multiprocessor(&b, t, g);
    b.us[LIMIT_BY_LATENCY] = t->path / (g->clock_ghz * 1e3);
    b.us[LIMIT_BY_DRAM] = (t->read + t->written) / dram_rate(t, g) / 1e3;
    b.us[LIMIT_BY_L2] = fmax(t->l2_stores_ps / 1e6, busy > 0 ? t->l2_sectors * 32 / (g->l2_gb_per_s * busy) / 1e3 : 0);
    b.us[LIMIT_BY_ATOMICS] = t->atomics / g->atomics_apart_per_ns / 1e3;
    b.us[LIMIT_BY_ONE_PLACE] = t->atomics_on_line / g->atomics_on_line_per_ns / 1e3;
    b.us[LIMIT_BY_BLOCKS] = t->blocks * g->block_ns / 1e3;
    enum limit longest = LIMIT_BY_LATENCY;
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++) {
        double us = i == LIMIT_BY_LATENCY ? b.us[i] - ramp : b.us[i];
        longest = us > most ? (enum limit)i : longest;
        most = fmax(most, us);
        all += t->spent[i];
    }
    b.total = ramp + most;
    divide_total(&b, t, longest, ramp, all);
    divide_latency(&b, t, all);
    return b;
}
