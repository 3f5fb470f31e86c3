// The report: the progress of a student or a class, as one HTML page, as JUnit and as JSON.
#include "commands/commands.h"
#include "report/page.h"
#include "report/results.h"
#include "judge/progress.h"
#include "judge/reason.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form { PAGE, JUNIT, JSON, FORMS };

static int by_student_and_step(const void *a, const void *b)
{
    const struct result *x = a, *y = b;
    int order = strcmp(x->student, y->student);

    return order ? order : (x->step > y->step) - (x->step < y->step);
}

// Why the step's last run failed, in one line; "" if that does not apply to the current file.
static char *own_reason(const struct step *step, bool stale)
{
    enum state state = progress_of(step)->state;
    char *said = failure_read(step), *why = stale || state == NEW ? NULL : reason_of(step, state, said);

    free(said);
    return why ? why : text_format("%s", "");
}

// The record of this tree's runs. A file that has changed since counts as not tried.
static void own_results(struct results *results, const char *student)
{
    for (int i = 0; i < course.count; i++) {
        const struct step *step = &course.steps[i];
        enum state state = progress_of(step)->state;
        bool stale = progress_stale(step);

        results_add(results,
                    (struct result){.student = text_format("%s", student),
                                    .step = step,
                                    .exit = stale ? 2 : state_exit(state),
                                    .verdict = text_format("%s%s", state_word(state), stale ? ", changed since" : ""),
                                    .why = own_reason(step, stale)});
    }
    results->own = true;
}

static bool results_write(const struct results *results, const char *path, enum form form)
{
    FILE *file = fopen(path, "w");

    if (file && form == JSON)
        results_json(file, results);
    else if (file && form == JUNIT)
        results_junit(file, results);
    else if (file)
        write_page(file, results);
    if (file && !ferror(file) && fclose(file) == 0) {
        printf("wrote %s\n", shown(path));
        return true;
    }
    fprintf(stderr, "workbook: cannot write %s\n", path);
    return false;
}

static const char *user_name(void)
{
    const char *name = getenv("USER");

    return name && *name ? name : "student";
}

int command_report(int argc, char **argv)
{
    static const char *const options[] = {[PAGE] = "--html", [JUNIT] = "--junit", [JSON] = "--json"};
    const char *out[FORMS] = {NULL}, *student = NULL;
    struct results results = {0};
    char *usual = text_format("%s/report.html", course.build);
    bool good = true;

    for (int i = 0; i < argc && good; i++) {
        int form = 0;

        while (form < FORMS && strcmp(argv[i], options[form]) != 0)
            form++;
        if ((form < FORMS || strcmp(argv[i], "--student") == 0) && i + 1 == argc)
            good = !usage_error("report ", "a name is missing after", argv[i]);
        else if (form < FORMS)
            out[form] = argv[++i];
        else if (strcmp(argv[i], "--student") == 0)
            student = argv[++i];
        else if (strcmp(argv[i], "--estimate") == 0)
            results.estimate = true;
        else if (argv[i][0] == '-')
            good = !usage_error("report ", "unknown option", argv[i]);
        else
            good = results_read(&results, argv[i]);
    }
    if (good && results.count == 0)
        own_results(&results, student ? student : user_name());
    if (good)
        qsort(results.list, (size_t)results.count, sizeof *results.list, by_student_and_step);
    if (!out[PAGE])
        out[PAGE] = usual;
    for (int form = 0; form < FORMS && good; form++)
        good = !out[form] || results_write(&results, out[form], (enum form)form);
    results_free(&results);
    free(usual);
    return !good;
}
