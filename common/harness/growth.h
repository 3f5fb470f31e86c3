// growth.h: the counted run again, larger: does an element cost more there?
#pragma once

#include "harness/machine.h"

// Of the last run: global loads for each element, without those that repeat a poll.
static inline double loads_of_element(void)
{
    return ((double)harness.counters.global_load_requests - (double)harness.counters.global_polls) /
           (double)harness.case_n;
}

// After the counted run, if there is a bound on growth: how much more an element loads at a larger n. If tiles look
// back to the first one, since none publishes an inclusive prefix, that grows with their number. The run has no checks.
static inline void count_growth(void (*run)(void *context, long long n), void *context, long long larger)
{
    struct simt_counters counted = harness.counters;
    long long n = harness.case_n;
    double loads = loads_of_element();
    if (!is_bounded("growth") || is_checked() || n == 0)
        return;
    begin_counted();
    run(context, larger);
    load_growth = loads_of_element() / loads;
    harness.counters = counted;
    harness.case_n = n;
}
