// Results of one or of many students: read from JSON, written as JSON and as JUnit.
#include "report/results.h"
#include "course/course.h"
#include "base/files.h"
#include "base/json.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void results_add(struct results *results, struct result result)
{
    results->list = checked(realloc(results->list, (size_t)(results->count + 1) * sizeof *results->list));
    results->list[results->count++] = result;
}

void results_free(struct results *results)
{
    for (int i = 0; i < results->count; i++) {
        free(results->list[i].student);
        free(results->list[i].verdict);
        free(results->list[i].why);
    }
    free(results->list);
}

// One object: {"student": "...", "step": "...", "exit": 2, "verdict": "wrong"}. It may have "why".
static bool read_one(struct results *results, const char *path, const char *object)
{
    char *student = json_text(object, "student"), *step = json_text(object, "step");
    char *verdict = json_text(object, "verdict"), *why = json_text(object, "why");
    const struct step *known = step ? course_find(step, NULL) : NULL;
    double exit;
    bool good = student && verdict && known && json_number(object, "exit", &exit);

    if (good)
        results_add(results, (struct result){student, known, (int)exit, verdict, why ? why : text_format("%s", "")});
    else
        fprintf(stderr,
                "workbook: %s: %.60s%s is not a result; expected {\"student\": \"...\", \"step\": "
                "\"01-reduction.05-sequential\", \"exit\": 0, \"verdict\": \"passed\"}\n",
                path, object, strlen(object) > 60 ? "..." : "");
    if (!good) {
        free(student);
        free(verdict);
        free(why);
    }
    free(step);
    return good;
}

bool results_read(struct results *results, const char *path)
{
    char *text = file_read(path), *object;
    const char *at, *marks = text ? json_find(text, "marks") : NULL; // of a class's record
    int before = results->count;
    bool good = true;

    if (!text) {
        fprintf(stderr, "workbook: cannot read %s\n", path);
        return false;
    }
    at = marks ? marks : text;
    while (good && (object = json_object(&at))) {
        good = read_one(results, path, object);
        free(object);
    }
    if (good && results->count == before) {
        fprintf(stderr, "workbook: %s holds no results; `%s report --json FILE` writes such a file\n", path,
                program_name);
        good = false;
    }
    free(text);
    return good;
}

void results_json(FILE *file, const struct results *results)
{
    fprintf(file, "[");
    for (int i = 0; i < results->count; i++) {
        const struct result *result = &results->list[i];

        fprintf(file, "%s\n{\"student\": \"", i ? "," : "");
        write_escaped(file, result->student, true);
        fprintf(file, "\", \"step\": \"%s.%s\", \"exit\": %d, \"verdict\": \"", result->step->chapter,
                result->step->name, result->exit);
        write_escaped(file, result->verdict, true);
        if (*result->why) {
            fprintf(file, "\", \"why\": \"");
            write_escaped(file, result->why, true);
        }
        fprintf(file, "\"}");
    }
    fprintf(file, "\n]\n");
}

static void write_case(FILE *file, const struct result *result)
{
    fprintf(file, "    <testcase classname=\"%s\" name=\"%s\"", result->step->chapter, result->step->name);
    if (result->exit == 0) {
        fprintf(file, "/>\n");
        return;
    }
    fprintf(file, "><%s message=\"", result->exit == 77 ? "skipped" : "failure");
    write_escaped(file, result->verdict, false);
    if (*result->why) {
        fprintf(file, ": ");
        write_escaped(file, result->why, false);
    }
    fprintf(file, "\"/></testcase>\n");
}

void results_junit(FILE *file, const struct results *results)
{
    fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (int from = 0, to; from < results->count; from = to) {
        int failed = 0, skipped = 0;

        for (to = from; to < results->count && strcmp(results->list[to].student, results->list[from].student) == 0;
             to++) {
            skipped += results->list[to].exit == 77;
            failed += results->list[to].exit != 0 && results->list[to].exit != 77;
        }
        fprintf(file, "  <testsuite name=\"");
        write_escaped(file, results->list[from].student, false);
        fprintf(file, "\" tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n", to - from, failed, skipped);
        for (int i = from; i < to; i++)
            write_case(file, &results->list[i]);
        fprintf(file, "  </testsuite>\n");
    }
    fprintf(file, "</testsuites>\n");
}
