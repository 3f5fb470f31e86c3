// Reads the course table and finds the step that a student names.
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct course course;

// Splits line at tabs, in place. Returns the fields, ended by NULL.
static char **split(char *line)
{
    char **fields = checked(calloc(strlen(line) + 2, sizeof *fields));
    int count = 0;

    for (char *field = strsep(&line, "\t"); field; field = strsep(&line, "\t"))
        fields[count++] = field;
    return fields;
}

// The lines before the steps: strings, all of them required, and numbers.
static const struct {
    const char *key;
    char **word;
    long *number;
} SETTINGS[] = {{"source", &course.source, NULL},
                {"build", &course.build, NULL},
                {"cmake", &course.cmake, NULL},
                {"nvcc", &course.nvcc, NULL},
                {"cxx", &course.cxx, NULL},
                {"grade", &course.grade, NULL},
                {"gpu", &course.gpu, NULL},
                {"library", &course.library, NULL},
                {"strict", NULL, &course.strict},
                {"jobs", NULL, &course.jobs},
                {"timeout", NULL, &course.timeout},
                {"memory_kb", NULL, &course.memory_kb},
                {"gpu_memory_kb", NULL, &course.gpu_memory_kb}};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof *SETTINGS };

static void set(const char *key, char *value)
{
    if (strcmp(key, "xray") == 0 && course.count > 0) // belongs to the step above
        course.steps[course.count - 1].xray = value;
    for (int i = 0; i < SETTING_COUNT; i++)
        if (strcmp(key, SETTINGS[i].key) == 0) {
            if (SETTINGS[i].word)
                *SETTINGS[i].word = value;
            else
                *SETTINGS[i].number = atol(value);
        }
}

static bool all_set(void)
{
    for (int i = 0; i < SETTING_COUNT; i++)
        if (SETTINGS[i].word && !*SETTINGS[i].word)
            return false;
    return course.count > 0;
}

void course_load(const char *path)
{
    char *text = file_read(path), *line;

    if (!text) {
        fprintf(stderr, "workbook: cannot read %s\nConfigure the workbook again: cmake --preset default\n", path);
        exit(1);
    }
    while ((line = strsep(&text, "\n"))) { // the fields point into text, which is kept
        char **fields = split(line);

        if (!fields[0] || !fields[1] || !fields[2] || !fields[3] || !fields[4] || !fields[5]) {
            if (fields[0] && fields[1])
                set(fields[0], fields[1]);
            free(fields);
            continue;
        }
        course.steps = checked(realloc(course.steps, (size_t)(course.count + 1) * sizeof *course.steps));
        course.steps[course.count++] = (struct step){.chapter = fields[0],
                                                     .name = fields[1],
                                                     .n = fields[2],
                                                     .arch = fields[3],
                                                     .lesson = atoi(fields[4]),
                                                     .judge = strsep(&fields[5], " "),
                                                     .driver = fields[5],
                                                     .bounds = fields + 6};
    }
    if (!all_set()) {
        fprintf(stderr, "workbook: %s is not a course table; configure again: cmake --preset default\n", path);
        exit(1);
    }
}

const char *const level_names[PROJECT_LEVELS] = {"works", "memory", "floor"};

static void add_project(char *chapter, char *name)
{
    static char *none[] = {NULL};
    struct step step = {.chapter = chapter,
                        .name = name,
                        .n = "",
                        .arch = "80",
                        .judge = "",
                        .driver = "",
                        .bounds = none,
                        .project = true};

    course.steps = checked(realloc(course.steps, (size_t)(course.count + 1 + PROJECT_LEVELS) * sizeof *course.steps));
    course.steps[course.count++] = step;
    for (step.level = 1; step.level <= PROJECT_LEVELS; step.level++) {
        step.name = text_format("%s.%s", name, level_names[step.level - 1]);
        course.steps[course.count++] = step;
    }
}

void course_add_projects(void)
{
    char *path = text_format("%s/common/projects/projects.txt", course.source), *text = file_read(path);
    char chapter[64], name[64];

    for (const char *line = text ? text : ""; *line; line = line_end(line))
        if (sscanf(line, "## %63s %63s", chapter, name) == 2)
            add_project(text_format("%s", chapter), text_format("%s", name));
    free(text);
    free(path);
}

static const char *slug(const char *name)
{
    const char *dash = strchr(name, '-');

    return dash ? dash + 1 : name;
}

// Whether text matches name "05-sequential": 2 by name, number or slug; 1 by prefix; 0 not at all.
static int match(const char *text, const char *name)
{
    size_t length = strlen(text);

    if (length == 0)
        return 0;
    if (strcmp(text, name) == 0 || strcasecmp(text, slug(name)) == 0)
        return 2;
    if (strspn(text, "0123456789") == length)
        return atoi(text) == atoi(name) && isdigit((unsigned char)name[0]) ? 2 : 0;
    return strncmp(text, name, length) == 0 || strncasecmp(text, slug(name), length) == 0;
}

static int distance(const char *a, const char *b)
{
    enum { MOST = 64 };
    int row[MOST + 1], la = (int)strnlen(a, MOST), lb = (int)strnlen(b, MOST);

    for (int j = 0; j <= lb; j++)
        row[j] = j;
    for (int i = 1; i <= la; i++) {
        int diagonal = row[0];

        row[0] = i;
        for (int j = 1; j <= lb; j++) {
            int best = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[lb];
}

const char *nearest(const char *text, const char *const names[], int count)
{
    const char *found = NULL;
    int best = 1 + (int)strlen(text) / 2;

    for (int i = 0; i < count; i++) {
        int d = distance(text, names[i]);

        if (d < best) {
            best = d;
            found = names[i];
        }
    }
    return found;
}

// Splits "…/01-reduction/05-sequential.cu", "01-reduction.05" or "05" into chapter ("" if not given) and step.
static void split_name(const char *text, char *chapter, char *name, size_t size)
{
    const char *end = text + strlen(text), *cut, *begin;

    if (end - text > 3 && strcmp(end - 3, ".cu") == 0)
        end -= 3;
    for (cut = end; cut > text && cut[-1] != '/';)
        cut--;
    if (cut == text) // without a directory, a dot may separate them
        for (cut = end; cut > text && cut[-1] != '.';)
            cut--;
    snprintf(name, size, "%.*s", (int)(end - cut), cut);
    if (cut == text)
        cut++;
    for (begin = cut - 1; begin > text && begin[-1] != '/';)
        begin--;
    snprintf(chapter, size, "%.*s", (int)(cut - 1 - begin), begin);
}

static void say_unknown(const char *text)
{
    const char **names = checked(calloc((size_t)course.count * 2, sizeof *names));
    const char *near;

    for (int i = 0; i < course.count; i++) {
        names[2 * i] = course.steps[i].name;
        names[2 * i + 1] = slug(course.steps[i].name);
    }
    near = nearest(text, names, 2 * course.count);
    fprintf(stderr, "workbook: there is no step '%s'%s%s%s `%s list` shows them all\n", text,
            near ? "; did you mean '" : ";", near ? near : "", near ? "'?" : "", program_name);
    free(names);
}

static void say_several(const char *text, const char *name, const char *chapter, int quality)
{
    fprintf(stderr, "workbook: '%s' could be", text);
    for (int i = 0; i < course.count; i++) {
        const struct step *step = &course.steps[i];

        if (match(name, step->name) == quality && (!*chapter || match(chapter, step->chapter)))
            fprintf(stderr, " %s/%s", step->chapter, step->name);
    }
    fprintf(stderr, "; name one of them\n");
}

const struct step *course_step(const char *chapter, const char *name)
{
    for (int i = 0; i < course.count; i++)
        if (strcmp(course.steps[i].chapter, chapter) == 0 && strcmp(course.steps[i].name, name) == 0)
            return &course.steps[i];
    return NULL;
}

const struct step *course_find(const char *text, const char *last)
{
    char chapter[256], name[256];
    const struct step *found = NULL, *in_last = NULL;

    split_name(text, chapter, name, sizeof name);
    for (int quality = 2; quality > 0; quality--) {
        int count = 0;

        for (int i = 0; i < course.count; i++) {
            const struct step *step = &course.steps[i];

            if (match(name, step->name) != quality || (*chapter && !match(chapter, step->chapter)))
                continue;
            found = step;
            count++;
            if (last && strcmp(step->chapter, last) == 0)
                in_last = step;
        }
        if (count == 1)
            return found;
        if (count > 1 && in_last)
            return in_last;
        if (count > 1) {
            say_several(text, name, chapter, quality);
            return NULL;
        }
    }
    say_unknown(text);
    return NULL;
}

const char *course_find_chapter(const char *text)
{
    char name[256];
    size_t length = strcspn(text, "/");

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    for (int i = 0; i < course.count; i++)
        if (match(name, course.steps[i].chapter))
            return course.steps[i].chapter;
    fprintf(stderr, "workbook: there is no chapter '%s'; there are", text);
    for (int i = 0; i < course.count; i++)
        if (i == 0 || strcmp(course.steps[i].chapter, course.steps[i - 1].chapter) != 0)
            fprintf(stderr, " %s", course.steps[i].chapter);
    fprintf(stderr, "\n");
    return NULL;
}

char *source_path(const struct step *step, bool own)
{
    return text_format("%s/%s%s/%s.cu", course.source, own ? "" : "solutions/", step->chapter, step->name);
}

char *program_path(const struct step *step, bool own)
{
    return text_format("%s/%s%s/%s", course.build, own ? "" : "solutions/", step->chapter, step->name);
}

char *graded_path(const struct step *step, bool own)
{
    return text_format("%s/graded/%s%s/%s", course.build, own ? "" : "solutions/", step->chapter, step->name);
}

char *graded_list(const struct step *step, bool own)
{
    return text_format("%s/objects/%s%s/%s.o.d", course.build, own ? "" : "solutions/", step->chapter, step->name);
}

char *judge_path(const struct step *step)
{
    return text_format("%s/judges/%s", course.build, step->judge);
}

bool runs_on_gpu(const struct step *step)
{
    const int usual = 80; // also compiled for older GPUs
    int needed = atoi(step->arch);
    bool found = *course.gpu && needed <= usual;

    for (const char *at = course.gpu; *at && !found; at += strcspn(at, ";"), at += *at == ';')
        found = strchr(step->arch, 'a') ? atoi(at) == needed : atoi(at) >= needed;
    return found;
}

char *target_name(const struct step *step, bool own)
{
    return text_format("%s.%s%s%s", step->chapter, step->name, own ? "" : ".solution",
                       runs_on_gpu(step) ? ".gpu" : ".graded");
}

bool grades_own(void)
{
    return strcmp(course.grade, "starters") == 0;
}

char *step_place(const struct step *step)
{
    return text_format("%d/%d", atoi(step->chapter), atoi(step->name));
}
