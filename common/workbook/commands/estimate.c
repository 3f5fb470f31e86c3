// The line about time after a pass: the SIMT machine's estimate for a GPU.
#include "commands/estimate.h"
#include "judge/progress.h"
#include "process/measure.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The previous step, if its current file has passed and it solves the same problem at the same size.
static bool before(const struct step *step, const struct estimate *of, struct estimate *e)
{
    const struct step *last = step - 1;
    char *program;
    bool found;

    if (step == course.steps || strcmp(last->chapter, step->chapter) != 0 || progress_of(last)->state != PASSED ||
        progress_stale(last))
        return false;
    program = graded_path(last, grades_own());
    found = file_is(program) && step_estimate(last, grades_own(), e) && e->n == of->n;
    free(program);
    return found;
}

// "0.25 ms": three significant digits, in us or ms.
static void time_words(char out[32], double ms)
{
    double shown = ms < 1 ? 1000 * ms : ms;

    snprintf(out, 32, "~%.*f %s", shown < 10 ? 2 : shown < 100 ? 1 : 0, shown, ms < 1 ? "us" : "ms");
}

void say_estimate(const struct step *step)
{
    struct estimate now, last;
    char time[32], earlier[32], *compared;

    if (!step_estimate(step, grades_own(), &now))
        return;
    compared = text_format("%s", "");
    time_words(time, now.ms);
    if (before(step, &now, &last)) {
        free(compared);
        time_words(earlier, last.ms);
        compared = text_format("; %s took %s", (step - 1)->name, earlier);
    }
    print_line("Estimated for an %s, not measured: %s at n = %.0f, limited by %s (%.0f %% of the time)%s", now.gpu,
               time, now.n, now.limit, 100 * now.limit_share, compared);
    free(compared);
}
