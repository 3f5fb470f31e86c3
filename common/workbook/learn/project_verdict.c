// A project's level. 1: the machine finds nothing on any input in any order, and every answer is right. 2 and 3: the
// counted run also meets that level's bounds.
#include "learn/project_verdict.h"
#include "learn/counts.h"
#include "learn/lab.h"
#include "course/course.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- bounds

// "COUNTER <= 12", "COUNTER / COUNTER >= 0.5".
static struct project_bound_result bound_result(const char *what, const char *json)
{
    const char *sign = strpbrk(what, "<>");
    struct project_bound_result result = {0, false};
    double limit = sign ? atof(sign + 2) : 0;
    char *expression = text_format("%.*s", sign ? (int)(sign - what) : 0, what);

    if (count_value(json, expression, &result.counted))
        result.met = *sign == '<' ? result.counted <= limit : result.counted >= limit;
    free(expression);
    return result;
}

static void find_level(struct project_verdict *verdict, const struct project *project, const char *json)
{
    verdict->bounds = checked(calloc((size_t)project->bound_count + 1, sizeof *verdict->bounds));
    verdict->level = LEVELS;
    for (int i = 0; i < project->bound_count; i++) {
        const struct project_bound *bound = &project->bounds[i];

        verdict->bounds[i] = bound_result(bound->what, json);
        if (!verdict->bounds[i].met && verdict->level >= bound->level)
            verdict->level = bound->level - 1;
    }
}

// ---- the file

// The file must take its main and its check from the project's header.
static bool includes_check(const struct project *project, const char *source)
{
    char *text = file_read(source), *line = text_format("#include \"%s\"", project->header);
    bool is = text && strstr(text, line);

    free(line);
    free(text);
    return is;
}

struct project_verdict project_judge(const struct project *project, char *source)
{
    struct project_verdict verdict = {.included = includes_check(project, source)};
    char *folder = text_format("%s/projects/%d", course.build, (int)getpid()); // grade judges several at once
    char *program = text_format("%s/%s", folder, project->name), *json = NULL;

    folder_make(folder);
    if (verdict.included)
        verdict.built = lab_build(project->arch, source, program, &verdict.said);
    if (verdict.built) {
        struct lab_trial trial =
            lab_try(program, project->arch, (const char *const *)project->inputs, false, project->counted);

        free(verdict.said);
        verdict.said = trial.said;
        verdict.findings = trial.findings;
        verdict.wrong = trial.wrong;
        if (!trial.findings && !trial.wrong)
            json = lab_counts(program, project->counted);
    }
    if (json)
        find_level(&verdict, project, json);
    folder_remove(folder);
    free(json);
    free(program);
    free(folder);
    return verdict;
}

void project_verdict_free(struct project_verdict *verdict)
{
    free(verdict->bounds);
    free(verdict->findings);
    free(verdict->said);
}
