// lesson.h: what a run cost, and whether it shows the lesson. The end of harness.h, which includes it.
#ifndef LESSON_H
#define LESSON_H

#include "harness.h"

struct figure {
    const char *label, *sum; // sum: over the counters, see expect.h
};

static inline void report_counters(const struct figure *figure, int figures)
{
    printf("counted by the SIMT machine at n = %lld:\n", harness.case_n);
    for (int i = 0; i < figures; i++) {
        double value = evaluate_sum(figure[i].sum, &harness.counters, (double)harness.case_n);
        printf("  %-24s%12.*f%s", figure[i].label, value == floor(value) ? 0 : 2, value, i % 2 ? "\n" : " ");
    }
    printf(figures % 2 ? "\n" : "");
}

// Does an --expect speak of this counter?
static inline int expected(const char *counter)
{
    int found = 0;
    for (int i = 0; i < harness.expects; i++)
        found |= names(harness.expect[i], counter);
    return found;
}

// Holds the counters of the last run against every --expect. Where none speaks of host_reads there are to be none: who
// computes on the host has to read there first.
static inline void check_expectations(void)
{
    fflush(stdout); // before what goes to stderr
    if (harness.expects > 0 && !simt_read)
        fail(SKIPPED, "skipped: --expect needs the counters of the SIMT machine, link with libsimt.a");
    for (int i = 0; i < harness.expects; i++) {
        const char *text = harness.expect[i];
        struct relation r = evaluate_relation(text, &harness.counters, (double)harness.case_n);
        fprintf(r.met ? stdout : stderr, "%-7s  %s: %.15g, %.15g\n", r.met ? "met" : "NOT MET", text, r.left, r.right);
        if (!r.met)
            print_contributors(stderr, text);
        harness.met += r.met;
    }
    if (harness.expects > 0 && harness.counters.host_reads > 0 && !expected("host_reads"))
        fail(UNLEARNT, "lesson not learnt: the host read device memory during the run (host_reads: %" PRIu64
             "); the work is to be done by kernels", harness.counters.host_reads);
    if (harness.met < harness.expects)
        fail(UNLEARNT, "lesson not learnt, %d of %d not met", harness.expects - harness.met, harness.expects);
}
#endif
