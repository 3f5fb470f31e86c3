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
        const char *end = i % 2 ? "\n" : " ";
        if (isfinite(value))
            printf("  %-24s%12.*f%s", figure[i].label, value == floor(value) ? 0 : 2, value, end);
        else // of nothing
            printf("  %-24s%12s%s", figure[i].label, "-", end);
    }
    printf(figures % 2 ? "\n" : "");
}

// Holds the counters of the last run against every --expect. And in none of the runs, whatever its n, may the host have
// read: who computes on the host has to read there first.
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
    if (harness.read_input)
        fail(UNLEARNT,
             "lesson not learnt: the host read device memory while it ran with input %s, n = %lld\n"
             "  The work is to be done by kernels: no copy to the host in the function that launches them.",
             harness.read_input, harness.read_n);
    if (harness.met < harness.expects)
        fail(UNLEARNT, "lesson not learnt, %d of %d not met", harness.expects - harness.met, harness.expects);
}
#endif
