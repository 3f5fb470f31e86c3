// Estimates the total time from the blocks that have ended. A kernel launched in a loop gets one line.
#include "exec/progress.h"

#include <stdio.h>

#include "report/names.h"

#define ADVICE "; SIMT_SAMPLE=first,last,spread:8 runs some blocks of each grid instead"

// The total time, if the remaining blocks take as long as those that have ended.
static void estimate(char *out, size_t size, double seconds, uint64_t ended, uint64_t all)
{
    double whole = seconds / (double)ended * (double)all;
    const char *unit = whole < 120 ? "s" : whole < 7200 ? "minutes" : "hours";
    double units = whole < 120 ? whole : whole < 7200 ? whole / 60 : whole / 3600;
    snprintf(out, size, "; estimated time for all of them: %.0f %s", units, unit);
}

void progress_print(const struct launch *launch, double seconds, uint64_t ended)
{
    static const struct code *last;
    char whole[80] = "";
    if (last == launch->code)
        return;
    last = launch->code;
    if (ended)
        estimate(whole, sizeof whole, seconds, ended, executed_blocks(launch));
    fprintf(stderr, "simt: %s has run for %.0f s; blocks done: %llu of %llu%s%s\n",
            kernel_name(launch->code->ptx->name), seconds, (unsigned long long)ended,
            (unsigned long long)executed_blocks(launch), whole, launch->partial ? "" : ADVICE);
}
