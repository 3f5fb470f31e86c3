// The summary of a part that passed (common/workbook/commands/brief.h): the guilty lines are left out, their
// innocent twins stay.
#include "commands/brief.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void hold(char *got, const char *wanted)
{
    if (strcmp(got, wanted) != 0) {
        printf("FAILED: wanted\n%s\ngot\n%s\n", wanted, got);
        failures++;
    }
    free(got);
}

int main(void)
{
    char *bounds[] = {"shared_excess == 0", "launches <= 3", NULL};
    struct step step = {.chapter = "01-reduction", .name = "05-sequential", .lesson = 1, .bounds = bounds};
    const char *counted = "counted by the SIMT machine at n = 65536:\n"
                          "  launches                           2   blocks                           257\n"
                          "met      bank conflicts: 0, must be 0 (shared_excess == 0)\n"
                          "met      launches: 2, at most 3 (launches <= 3)\n";
    const char *result = "not run: 'not dominant': the iteration would diverge\n"
                         "altered: a.cu:11: differs\n  handed out  1\n  here        2\n"
                         "simt: information: overlaps\n"
                         "  indented below no note is kept below one\n"
                         "printed by the program\n"
                         "  and this\n"
                         "01-reduction/05-sequential.cu: right in 140 runs, n up to 16777217\n";

    hold(brief_lines(&step, counted), "met      bank conflicts: 0, must be 0 (shared_excess == 0)\n");
    hold(brief_figures(counted, true), "2 of 2 bounds are met at n = 65536");
    hold(brief_lines(&step, result), "altered: a.cu:11: differs\n  handed out  1\n  here        2\n"
                                     "simt: information: overlaps\n  indented below no note is kept below one\n");
    hold(brief_figures(result, false), "140 runs, n up to 16777217");
    hold(brief_lines(&step, ""), "");
    hold(brief_figures("", false), "");
    hold(brief_figures("", true), "");
    step.lesson = 2;
    hold(brief_lines(&step, counted), "met      bank conflicts: 0, must be 0 (shared_excess == 0)\n"
                                      "met      launches: 2, at most 3 (launches <= 3)\n");
    printf("%d failures\n", failures);
    return failures > 0;
}
