// The report's charts of a chapter: counters of the student's own programs, times on this computer's GPU,
// recorded times.
#include "report/charts.h"
#include "report/chart.h"
#include "judge/progress.h"
#include "process/measure.h"
#include "process/process.h"
#include "course/course.h"
#include "base/bar.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *title, *over, *plus;
} counters[] = {
    {"Warp instructions", "warp_instructions", NULL},
    {"Global memory, sectors of 32 bytes", "global_load_sectors", "global_store_sectors"},
    {"Bank conflicts", "shared_excess", NULL},
    {"Block barriers", "barriers", NULL},
    {"Atomic operations", "global_atomics", "shared_atomics"},
};

enum { COUNTERS = sizeof counters / sizeof *counters };
_Static_assert(CHARTS == COUNTERS + 2, "a chart for each counter, one of this GPU's times, one of recorded times");

bool runs_unchanged(const struct step *step, const char *chapter)
{
    return strcmp(step->chapter, chapter) == 0 && progress_of(step)->state == PASSED && !progress_stale(step) &&
           step_is_built(step, grades_own());
}

// Reports of the chapter's passed programs, run once and kept for the charts of all counters; NULL: none.
static char **chapter_reports(const char *chapter)
{
    static const char *current;
    static char **reports;
    const char *n = common_n(chapter);

    if (current == chapter)
        return reports;
    for (int i = 0; reports && i < course.count; i++)
        free(reports[i]);
    free(reports);
    current = chapter;
    reports = checked(calloc((size_t)course.count, sizeof *reports));
    bar_open(course.count);
    for (int i = 0; i < course.count; i++) {
        const struct step *step = &course.steps[i];
        const char *const arguments[] = {"--n", n ? n : step->n, NULL};
        char *program = graded_path(step, grades_own());
        struct outcome outcome;

        bar_part(step->name);
        if (runs_unchanged(step, chapter) && file_is(program))
            reports[i] = program_report(step, "none", program, arguments, &outcome);
        free(program);
    }
    bar_close();
    return reports;
}

static void counter_chart(struct chart *chart, int which, const char *chapter)
{
    char **reports = chapter_reports(chapter);
    const char *n = common_n(chapter);

    chart->tint = "#7bb8a8";
    snprintf(chart->title, sizeof chart->title, "%s", counters[which].title);
    snprintf(chart->note, sizeof chart->note, "Your programs that passed, counted by the SIMT machine, %s%s.",
             n ? "n = " : "each at its own n", n ? n : "");
    for (int i = 0; i < course.count; i++) {
        double value, plus = 0;
        char *words;

        if (!reports[i] || !json_number(reports[i], counters[which].over, &value) ||
            (counters[which].plus && !json_number(reports[i], counters[which].plus, &plus)))
            continue;
        words = text_format("%.0f", value + plus);
        chart_add(chart, course.steps[i].name, value + plus, words);
        free(words);
    }
}

static void add_time(struct chart *chart, const char *label, double ms, double rate, bool flops)
{
    char *words = text_format("%.0f %s, %.3f ms", rate, flops ? "Gflop/s" : "GB/s", ms);

    chart_add(chart, label, rate, words);
    free(words);
}

// Every passed program on this computer's GPU, at the largest n of its list of times.
static void gpu_chart(struct chart *chart, const char *chapter)
{
    const char *const bench[] = {"--bench", NULL};

    chart->tint = "#e8b04a";
    snprintf(chart->title, sizeof chart->title, "On this computer's GPU");
    snprintf(chart->note, sizeof chart->note, "Your programs that passed, median times of --bench at its largest n.");
    for (int i = 0; i < course.count && *course.gpu; i++) {
        const struct step *step = &course.steps[i];
        char *program = program_path(step, grades_own()), *gpu = text_format("%s.gpu", program), *json;
        struct outcome outcome;
        double n = 0, ms = 0, rate = 0;
        bool flops = false;

        if (runs_unchanged(step, chapter) && file_is(gpu)) {
            json = program_report(NULL, "all", gpu, bench, &outcome);
            for (const char *at = json_find(json, "times"); at && (at = json_find(at, "n")) && strtod(at, NULL) > n;) {
                n = strtod(at, NULL);
                json_number(at, "ms", &ms);
                flops = !json_number(at, "gb_per_s", &rate) && json_number(at, "gflop_per_s", &rate);
            }
            if (ms > 0)
                add_time(chart, step->name, ms, rate, flops);
            free(json);
        }
        free(gpu);
        free(program);
    }
}

// The most frequent n of a .times.csv, and the largest of these.
static double typical_n(const char *csv)
{
    double best = 0;
    int most = 0;

    for (const char *line = csv ? csv : ""; *line; line = line_end(line)) {
        char *key;
        int count = 0;
        double n;

        if (*line == '#' || sscanf(line, "%*[^,],%lf,", &n) != 1)
            continue;
        key = text_format(",%.0f,", n);
        for (const char *at = strstr(csv, key); at; at = strstr(at + 1, key))
            count++;
        free(key);
        if (count > most || (count == most && n > best)) {
            most = count;
            best = n;
        }
    }
    return best;
}

static void recorded_chart(struct chart *chart, const char *chapter)
{
    char *path = text_format("%s/tests/hardware/%s.times.csv", course.source, chapter), *csv = file_read(path);
    double wanted = csv ? typical_n(csv) : 0;
    bool flops = csv && strstr(csv, ",gflop_per_s\n");

    chart->tint = "#9aa9c9";
    snprintf(chart->title, sizeof chart->title, "Recorded: the reference solutions on a GPU");
    snprintf(chart->note, sizeof chart->note, "Recorded, not measured here, n = %.0f: %.*s.", wanted,
             csv ? (int)strcspn(csv + 1, "\n") : 0, csv ? csv + 1 : "");
    for (const char *line = csv ? csv : ""; *line; line = line_end(line)) {
        char name[64];
        double n, ms, rate;

        if (*line != '#' && sscanf(line, "%63[^,],%lf,%lf,%lf", name, &n, &ms, &rate) == 4 && n == wanted)
            add_time(chart, name, ms, rate, flops);
    }
    free(csv);
    free(path);
}

bool make_chart(struct chart *chart, int which, const char *chapter, bool own)
{
    if (which < COUNTERS && own)
        counter_chart(chart, which, chapter);
    else if (which == COUNTERS && own)
        gpu_chart(chart, chapter);
    else if (which > COUNTERS)
        recorded_chart(chart, chapter);
    return chart->count > 0;
}
