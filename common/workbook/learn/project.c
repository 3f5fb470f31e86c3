// `workbook project`: a contract and a blank page. The user writes one function; the machine checks answers and safety
// and counts. The result is one of three levels.
#include "learn/learn.h"
#include "learn/project_verdict.h"
#include "learn/projects.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_words[] = {"not right yet", "level 1 of 3: works", "level 2 of 3", "level 3 of 3"};

// ---- list

static void print_projects(const struct projects *projects)
{
    for (int i = 0; i < projects->count; i++) {
        const struct project *project = &projects->all[i];

        print_line("  %s  %s: %s%s%s%s", project->place, project->name, project->title, project->begun ? " [" : "",
                   project->begun ? level_words[project->level] : "", project->begun ? "]" : "");
    }
    printf("\n");
    print_line("`%s project %s` begins one; docs/projects.md has the contracts.", program_name,
               projects->count ? projects->all[0].place : "");
}

// ---- begin

static char *blank_page(const struct project *project)
{
    return text_format("// Project %s, %s: %s.\n"
                       "// The contract is in docs/projects.md; the header declares the function to write.\n"
                       "#include \"%s\"\n",
                       project->place, project->name, project->title, project->header);
}

static void print_task(const struct project *project, const char *mine)
{
    printf("%s%s %s%s  %s\n\n", colour("bold"), project->place, project->name, colour("off"), shown(mine));
    print_wrapped(project->task);
    printf("\n");
    print_line("Level 1: right on every input, and the machine reports nothing.");
    for (int i = 0; i < project->bound_count; i++)
        print_line("Level %d: %s: %s", project->bounds[i].level, project->bounds[i].what, project->bounds[i].why);
    printf("\n");
    print_line("common/%s declares the function and has the check. `%s project %s` judges your file.", project->header,
               program_name, project->place);
}

static int begin(struct project *project, char *mine)
{
    char *folder = text_format("%.*s", (int)(strrchr(mine, '/') - mine), mine), *text = blank_page(project);
    bool good = folder_make(folder) && file_write(mine, text);

    if (good) {
        project->begun = true;
        print_task(project, mine);
    } else {
        fprintf(stderr, "workbook: cannot write %s\n", mine);
    }
    free(text);
    free(folder);
    return !good;
}

// ---- the verdict

static void print_mark(bool good, const char *words)
{
    print_line("%s%s%s %s", colour(good ? "green" : "red"), verdict_sign(good), colour("off"), words);
}

static void print_passed(const struct project_verdict *verdict)
{
    char *words = verdict->wrong ? text_format("wrong with the arguments %s", verdict->wrong)
                                 : text_format("right on every input");

    print_mark(!verdict->findings, verdict->findings ? "the machine reports findings" : "the machine reports nothing");
    if (verdict->findings)
        printf("%s", verdict->findings);
    print_mark(!verdict->wrong, words);
    if (verdict->wrong && !verdict->findings)
        printf("%s", verdict->said);
    free(words);
}

static void print_bounds(const struct project *project, const struct project_verdict *verdict)
{
    for (int i = 0; i < project->bound_count; i++) {
        const struct project_bound *bound = &project->bounds[i];
        char *words = text_format("level %d: %s, counted %.6g", bound->level, bound->what, verdict->bounds[i].counted);

        print_mark(verdict->bounds[i].met, words);
        if (!verdict->bounds[i].met)
            print_line("    %s", bound->why);
        free(words);
    }
}

// The exit status is a step's: 0 the highest level, 1 not built, 2 wrong, 3 unsafe, 4 a lower level.
static int print_verdict(const struct project *project, const struct project_verdict *verdict)
{
    char *include = text_format("it has no line #include \"%s\"", project->header);

    if (!verdict->included)
        print_mark(false, include);
    else if (!verdict->built) {
        printf("%s", verdict->said ? verdict->said : "");
        print_mark(false, "it does not compile or link");
    } else {
        print_passed(verdict);
        if (verdict->bounds)
            print_bounds(project, verdict);
        printf("\n%s\n", level_words[verdict->level]);
    }
    free(include);
    return !verdict->built ? 1 : verdict->findings ? 3 : verdict->level == 0 ? 2 : verdict->level < LEVELS ? 4 : 0;
}

static int judge_file(struct project *project, char *file, bool mine)
{
    struct project_verdict verdict = project_judge(project, file);
    int status;

    printf("%s%s %s%s  %s\n", colour("bold"), project->place, project->name, colour("off"), shown(file));
    status = print_verdict(project, &verdict);
    if (mine && verdict.level > project->level)
        project->level = verdict.level;
    project_verdict_free(&verdict);
    return status;
}

static bool is_blank(const struct project *project, const char *mine)
{
    char *text = file_read(mine), *blank = blank_page(project);
    bool is = !text || strcmp(text, blank) == 0;

    free(blank);
    free(text);
    return is;
}

static int work_on(struct project *project)
{
    char *mine = project_user_path(project);
    int status = is_blank(project, mine) ? begin(project, mine) : judge_file(project, mine, true);

    project->begun |= status != 1;
    free(mine);
    return status;
}

int command_project(int argc, char **argv)
{
    bool judge = argc == 3 && strcmp(argv[1], "--judge") == 0;
    struct projects projects = projects_load();
    struct project *project = argc ? projects_find(&projects, argv[0]) : NULL;
    int status = 0;

    if (argc > 1 && !judge)
        status = usage_error("project ", "one project at a time, not", argv[argc - 1]);
    else if (!argc)
        print_projects(&projects);
    else if (!project)
        status = 1;
    else if (judge)
        status = judge_file(project, argv[2], false);
    else {
        status = work_on(project);
        projects_save(&projects);
    }
    projects_free(&projects);
    return status;
}
