// Reads common/projects/projects.txt, which has a section for each project:
//
//     ## 02-scan segmented-sum
//     title: the sum of every segment
//     task: one paragraph, which continues in lines that begin with a blank
//     arch: 90                 (80 if left out)
//     inputs: 1000 1, 1 1
//     counted: 65536 1
//     bound: 2 | global_load_sectors <= 9000 | why, in words
//
// projects.tsv in the build tree has a line for each project that was begun: its place and the level reached.
#include "learn/projects.h"
#include "learn/section.h"
#include "course/course.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- projects.txt

// Parses "LEVEL | BOUND | WHY" from the line at text.
static void add_bound(struct project *project, const char *text)
{
    const char *what = strstr(text, " | "), *why = what ? strstr(what + 3, " | ") : NULL;
    struct project_bound bound = {.level = atoi(text)};

    if (!why || why > line_end(text))
        return;
    bound.what = text_format("%.*s", (int)(why - what - 3), what + 3);
    bound.why = text_format("%.*s", (int)strcspn(why + 3, "\n"), why + 3);
    project->bounds = checked(realloc(project->bounds, (size_t)(project->bound_count + 1) * sizeof *project->bounds));
    project->bounds[project->bound_count++] = bound;
}

static char *header_of(const char *name)
{
    char *header = text_format("projects/%s.h", name);

    for (char *c = header; *c; c++)
        if (*c == '-')
            *c = '_';
    return header;
}

static void add_project(struct projects *projects, const char *section)
{
    struct project project = {.title = section_value(section, "title"),
                              .task = section_value(section, "task"),
                              .inputs = section_list(section_value(section, "inputs")),
                              .counted = section_value(section, "counted")};
    char *arch = section_value(section, "arch");
    int chapter = (int)strcspn(section, " "), line = (int)strcspn(section, "\n");

    project.chapter = text_format("%.*s", chapter, section);
    project.name = text_format("%.*s", line - chapter - 1, section + chapter + 1);
    project.place = text_format("%d", atoi(section));
    project.header = header_of(project.name);
    project.arch = text_format("%s", *arch ? arch : "80");
    free(arch);
    for (const char *at = line_end(section); *at && strncmp(at, "## ", 3) != 0; at = line_end(at))
        if (strncmp(at, "bound: ", 7) == 0)
            add_bound(&project, at + 7);
    projects->all = checked(realloc(projects->all, (size_t)(projects->count + 1) * sizeof *projects->all));
    projects->all[projects->count++] = project;
}

// ---- how far

static char *record_path(void)
{
    return text_format("%s/projects.tsv", course.build);
}

static void read_record(struct projects *projects)
{
    char *path = record_path(), *text = file_read(path), place[16];
    int level;

    for (const char *line = text ? text : ""; *line; line = line_end(line))
        if (sscanf(line, "%15s %d", place, &level) == 2)
            for (int i = 0; i < projects->count; i++)
                if (strcmp(projects->all[i].place, place) == 0) {
                    projects->all[i].begun = true;
                    projects->all[i].level = level;
                }
    free(text);
    free(path);
}

void projects_save(const struct projects *projects)
{
    char *path = record_path();
    FILE *file = fopen(path, "w");

    for (int i = 0; file && i < projects->count; i++)
        if (projects->all[i].begun)
            fprintf(file, "%s\t%d\t%s\n", projects->all[i].place, projects->all[i].level, projects->all[i].name);
    file_finish(file, path);
    free(path);
}

struct projects projects_load(void)
{
    char *path = text_format("%s/common/projects/projects.txt", course.source), *text = file_read(path);
    struct projects projects = {NULL, 0};

    for (const char *at = text ? strstr(text, "\n## ") : NULL; at; at = strstr(at + 1, "\n## "))
        add_project(&projects, at + 4);
    free(text);
    free(path);
    read_record(&projects);
    return projects;
}

static void project_free(struct project *project)
{
    for (int i = 0; i < project->bound_count; i++) {
        free(project->bounds[i].what);
        free(project->bounds[i].why);
    }
    section_list_free(project->inputs);
    free(project->bounds);
    free(project->counted);
    free(project->header);
    free(project->arch);
    free(project->task);
    free(project->title);
    free(project->place);
    free(project->name);
    free(project->chapter);
}

void projects_free(struct projects *projects)
{
    for (int i = 0; i < projects->count; i++)
        project_free(&projects->all[i]);
    free(projects->all);
}

struct project *projects_find(const struct projects *projects, const char *text)
{
    const char *chapter = course_find_chapter(text);

    if (!chapter)
        return NULL;
    for (int i = 0; i < projects->count; i++)
        if (strcmp(projects->all[i].chapter, chapter) == 0)
            return &projects->all[i];
    fprintf(stderr, "workbook: %s has no project; `workbook project` lists them\n", chapter);
    return NULL;
}

char *project_user_path(const struct project *project)
{
    return text_format("%s/%s/mine/%s.cu", course.source, project->chapter, project->name);
}
