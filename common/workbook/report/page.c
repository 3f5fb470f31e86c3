// The report as one self-contained page, including its style and drawings.
#include "report/page.h"
#include "report/chart.h"
#include "report/charts.h"
#include "report/results.h"
#include "report/roofline.h"
#include "judge/progress.h"
#include "course/course.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
    ":root { color-scheme: light dark; --ink: #1f2933; --faint: #52606d; --paper: #fff; --line: #cbd2d9;\n"
    "  --passed: #c6e9df; --failed: #fadbd8; --skipped: #fdf0c4 }\n"
    "@media screen and (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --faint: #a3b0bd; --paper: #161b21;\n"
    "  --line: #3e4c59; --passed: #1c5244; --failed: #6b2d2a; --skipped: #5f4c12 } }\n"
    "body { font: 16px/1.45 system-ui, Helvetica, Arial, sans-serif; color: var(--ink); background: var(--paper);\n"
    "  max-width: 72rem; margin: 2rem auto; padding: 0 1rem }\n"
    "h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }\n"
    "table { border-collapse: collapse; display: block; overflow-x: auto }\n"
    "td, th { padding: .15rem .6rem; text-align: left; white-space: nowrap }\n"
    "table:not(.marks) td + td { white-space: normal }\n"
    ".marks td, .marks th { padding: .15rem 0; min-width: 1.1rem; text-align: center; font-size: .75rem }\n"
    ".marks td:nth-child(2) { padding-right: .5rem } .marks [colspan] { border-left: 1px solid var(--line);\n"
    "  max-width: 0; overflow: hidden; text-overflow: ellipsis }\n"
    ".marks th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper);\n"
    "  max-width: 10rem; padding-right: .5rem; overflow: hidden; text-overflow: ellipsis }\n"
    ".passed { background: var(--passed) } .failed { background: var(--failed) }\n"
    ".skipped { background: var(--skipped) } .none { color: var(--faint) }\n"
    ".charts { display: flex; flex-wrap: wrap; gap: 1rem; margin-top: 1rem }\n"
    "figure { margin: 0; max-width: 100% } figcaption { font-size: .85rem; color: var(--faint); max-width: 32rem }\n"
    "svg { max-width: 100%; height: auto }\n"
    "svg text { font: 12px system-ui, Helvetica, Arial, sans-serif; fill: var(--ink) }\n"
    "svg .title { font-weight: bold }\n"
    ".course p, .course li, .course h1 { overflow-wrap: anywhere }\n"
    ".course .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }\n"
    ".course pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .5rem; font-size: .85rem;\n"
    "  border: 1px solid var(--line) }\n"
    ".hint { border-left: 4px solid var(--line); padding-left: .75rem; white-space: pre-line }\n"
    ".sorted button { font: inherit; font-weight: bold; color: inherit; background: none; border: 0; padding: 0;\n"
    "  cursor: pointer; text-decoration: underline dotted } [aria-sort=descending] button::after { content: ' ↓' }\n"
    "[aria-sort=ascending] button::after { content: ' ↑' }\n"
    ".course circle { fill: #2a7f9e; opacity: .35 } .course svg path { fill: none; stroke: #d9822b; stroke-width: 2 }\n"
    ".course svg line { stroke: var(--line) } .same { margin: 0; color: var(--faint); font-size: .85rem; width: "
    "100% }\n"
    "@media print { body { max-width: none; margin: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact }\n"
    "  figure, tr { break-inside: avoid } h2 { break-after: avoid } .marks { display: table; width: 100% }\n"
    "  .marks td, .marks th { min-width: 0; font-size: 6pt } }\n"
    "</style>\n";

void page_begin(FILE *file, const char *title)
{
    fprintf(file, "%s<title>", head);
    write_escaped(file, title, false);
    fprintf(file, "</title>\n");
}

static const char *class_of(const struct result *result)
{
    return result->exit == 0                               ? "passed"
           : result->exit == 77                            ? "skipped"
           : strcmp(result->verdict, state_word(NEW)) == 0 ? "none"
                                                           : "failed";
}

static int passed_of(const struct results *results, const char *student, const struct step *step)
{
    int passed = 0;

    for (int i = 0; i < results->count; i++)
        passed += results->list[i].exit == 0 && (!student || strcmp(results->list[i].student, student) == 0) &&
                  (!step || results->list[i].step == step);
    return passed;
}

static void write_verdict(FILE *file, const struct result *result)
{
    fprintf(file, "<tr><td>%s</td><td class=\"%s\">", result->step->name, class_of(result));
    write_escaped(file, result->verdict, false);
    fprintf(file, "</td></tr>\n");
}

static void write_student(FILE *file, const struct results *results)
{
    const char *student = results->list[0].student, *chapter = "";

    fprintf(file, "<p><strong>");
    write_escaped(file, student, false);
    fprintf(file, "</strong>: %d of %d steps passed.</p>\n", passed_of(results, student, NULL), results->count);
    for (int i = 0; i < results->count; i++) {
        const struct step *step = results->list[i].step;
        bool last = i + 1 == results->count || strcmp(results->list[i + 1].step->chapter, step->chapter) != 0;

        if (strcmp(chapter, step->chapter) != 0)
            fprintf(file, "<h2>%s</h2>\n<table>\n", chapter = step->chapter);
        write_verdict(file, &results->list[i]);
        if (!last)
            continue;
        fprintf(file, "</table>\n<div class=\"charts\">\n");
        for (int k = 0; k < CHARTS; k++) {
            struct chart chart = {0};

            if (make_chart(&chart, k, chapter, results->own))
                write_chart(file, &chart);
        }
        if (results->own && results->estimate)
            write_roofline(file, chapter);
        fprintf(file, "</div>\n");
    }
}

// The hunts that were begun, and the help requested; learn/hunts.c writes the file.
static void write_hunts(FILE *file)
{
    static const char *const help[] = {"no help", "the kind of the finding", "its lines", "the hint"};
    char *path = text_format("%s/hunts.tsv", course.build), *text = file_read(path), place[16];
    int asked, found;

    if (text && *text)
        fprintf(file, "<h2>Hunts</h2>\n<table>\n");
    for (const char *line = text ? text : ""; *line; line = line_end(line))
        if (sscanf(line, "%15[0-9a-z/] %d %d", place, &asked, &found) == 3 && asked >= 0 && asked < 4)
            fprintf(file, "<tr><td>%s</td><td class=\"%s\">%s; help: %s</td></tr>\n", place, found ? "passed" : "none",
                    found ? "found" : "begun", help[asked]);
    if (text && *text)
        fprintf(file, "</table>\n");
    free(text);
    free(path);
}

// The projects that were begun, and the level reached in each; learn/projects.c writes the file.
static void write_projects(FILE *file)
{
    char *path = text_format("%s/projects.tsv", course.build), *text = file_read(path), place[16], name[64];
    int level;

    if (text && *text)
        fprintf(file, "<h2>Projects</h2>\n<table>\n");
    for (const char *line = text ? text : ""; *line; line = line_end(line))
        if (sscanf(line, "%15[0-9] %d %63[a-z-]", place, &level, name) == 3)
            fprintf(file, "<tr><td>%s %s</td><td class=\"%s\">level %d of 3</td></tr>\n", place, name,
                    level > 0 ? "passed" : "none", level);
    if (text && *text)
        fprintf(file, "</table>\n");
    free(text);
    free(path);
}

// A row of marks: a cell for every step of the course, empty if there is no result.
static void write_marks(FILE *file, const struct results *results, int from, int to)
{
    const char *student = results->list[from].student;

    fprintf(file, "<tr><th>");
    write_escaped(file, student, false);
    fprintf(file, "</th><td>%d</td>", passed_of(results, student, NULL));
    for (int s = 0; s < course.count; s++) {
        const struct result *found = NULL;

        for (int i = from; i < to; i++)
            if (results->list[i].step == &course.steps[s])
                found = &results->list[i];
        if (!found) {
            fprintf(file, "<td class=\"none\">·</td>");
            continue;
        }
        fprintf(file, "<td class=\"%s\" title=\"%s/%s: ", class_of(found), found->step->chapter, found->step->name);
        write_escaped(file, found->verdict, false);
        if (found->exit == 0)
            fprintf(file, "\">✓</td>");
        else
            fprintf(file, "\">%d</td>", found->exit);
    }
    fprintf(file, "</tr>\n");
}

// Two header rows: chapters, and their steps.
static void write_heads(FILE *file)
{
    fprintf(file, "<tr><th></th><th></th>");
    for (int s = 0, end; s < course.count; s = end) {
        for (end = s; end < course.count && strcmp(course.steps[end].chapter, course.steps[s].chapter) == 0;)
            end++;
        fprintf(file, "<th colspan=\"%d\">%s</th>", end - s, course.steps[s].chapter);
    }
    fprintf(file, "</tr>\n<tr><th>student</th><th>passed</th>");
    for (int s = 0; s < course.count; s++)
        fprintf(file, "<th title=\"%s/%s\">%d</th>", course.steps[s].chapter, course.steps[s].name,
                atoi(course.steps[s].name));
    fprintf(file, "</tr>\n");
}

static void write_class(FILE *file, const struct results *results, int students)
{
    const char *chapter = "";

    fprintf(file,
            "<p>%d students. A mark is ✓, passed, or the exit status: 1 broken, 2 wrong or not done, 3 unsafe, "
            "4 lesson missed, 77 skipped.</p>\n<table class=\"marks\">\n",
            students);
    write_heads(file);
    for (int from = 0, to; from < results->count; from = to) {
        for (to = from; to < results->count && strcmp(results->list[to].student, results->list[from].student) == 0;)
            to++;
        write_marks(file, results, from, to);
    }
    fprintf(file, "</table>\n<h2>How many passed each step</h2>\n<div class=\"charts\">\n");
    for (int s = 0; s < course.count; s++) {
        struct chart chart = {.tint = "#7bb8a8", .most = students};

        if (strcmp(chapter, course.steps[s].chapter) == 0)
            continue;
        snprintf(chart.title, sizeof chart.title, "%s", chapter = course.steps[s].chapter);
        for (int k = s; k < course.count && strcmp(course.steps[k].chapter, chapter) == 0; k++) {
            int passed = passed_of(results, NULL, &course.steps[k]);
            char *words = text_format("%d of %d", passed, students);

            chart_add(&chart, course.steps[k].name, passed, words);
            free(words);
        }
        write_chart(file, &chart);
    }
    fprintf(file, "</div>\n");
}

void write_page(FILE *file, const struct results *results)
{
    int students = 0;

    for (int i = 0; i < results->count; i++)
        students += i == 0 || strcmp(results->list[i].student, results->list[i - 1].student) != 0;
    page_begin(file, "Warpbook: results");
    fprintf(file, "</head>\n<body>\n<h1>Warpbook: results</h1>\n");
    if (students == 1)
        write_student(file, results);
    if (students == 1 && results->own) {
        write_hunts(file);
        write_projects(file);
    }
    if (students != 1)
        write_class(file, results, students);
    fprintf(file, "</body>\n</html>\n");
}
