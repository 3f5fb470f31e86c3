// Reads NN-topic/hunts/hunts.txt. A hunt begins with its name and ends at the next one or at the end of the file:
//
//     ## c
//     symptom: one paragraph, which continues in lines that begin with a blank
//     inputs: 1000 1, 1 1
//     arch: 90a                (80 if left out)
//     lines: 2
//     keep: words of a line that stay, since the program without them is slower (may be left out)
//     hint: one paragraph
//
// hunts.tsv in the build tree has a line for each hunt that was begun: its place, the help requested,
// whether it is solved.
#include "learn/hunts.h"
#include "learn/section.h"
#include "course/course.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- hunts.txt

static void add_hunt(struct hunts *hunts, const char *chapter, const char *section)
{
    char *lines = section_value(section, "lines"), *arch = section_value(section, "arch");
    struct hunt hunt = {.chapter = text_format("%s", chapter),
                        .name = text_format("%.*s", (int)strcspn(section, "\n"), section),
                        .symptom = section_value(section, "symptom"),
                        .hint = section_value(section, "hint"),
                        .inputs = section_list(section_value(section, "inputs")),
                        .arch = text_format("%s", *arch ? arch : "80"),
                        .keep = section_value(section, "keep"),
                        .lines = atoi(lines)};

    hunt.place = text_format("%d/%s", atoi(chapter), hunt.name);
    hunts->all = checked(realloc(hunts->all, (size_t)(hunts->count + 1) * sizeof *hunts->all));
    hunts->all[hunts->count++] = hunt;
    free(arch);
    free(lines);
}

static void read_chapter(struct hunts *hunts, const char *chapter)
{
    char *path = text_format("%s/%s/hunts/hunts.txt", course.source, chapter), *text = file_read(path);

    for (const char *at = text ? strstr(text, "\n## ") : NULL; at; at = strstr(at + 1, "\n## "))
        add_hunt(hunts, chapter, at + 4);
    free(text);
    free(path);
}

// ---- how far

static char *record_path(void)
{
    return text_format("%s/hunts.tsv", course.build);
}

static void read_record(struct hunts *hunts)
{
    char *path = record_path(), *text = file_read(path), place[64];
    int asked, found;

    for (const char *line = text ? text : ""; *line; line = line_end(line))
        if (sscanf(line, "%63s %d %d", place, &asked, &found) == 3)
            for (int i = 0; i < hunts->count; i++)
                if (strcmp(hunts->all[i].place, place) == 0) {
                    hunts->all[i].begun = true;
                    hunts->all[i].asked = asked;
                    hunts->all[i].found = found;
                }
    free(text);
    free(path);
}

void hunts_save(const struct hunts *hunts)
{
    char *path = record_path();
    FILE *file = fopen(path, "w");

    for (int i = 0; file && i < hunts->count; i++)
        if (hunts->all[i].begun)
            fprintf(file, "%s\t%d\t%d\n", hunts->all[i].place, hunts->all[i].asked, hunts->all[i].found);
    file_finish(file, path);
    free(path);
}

struct hunts hunts_load(void)
{
    struct hunts hunts = {NULL, 0};

    for (int i = 0; i < course.count; i++)
        if (i == 0 || strcmp(course.steps[i].chapter, course.steps[i - 1].chapter) != 0)
            read_chapter(&hunts, course.steps[i].chapter);
    read_record(&hunts);
    return hunts;
}

void hunts_free(struct hunts *hunts)
{
    for (int i = 0; i < hunts->count; i++) {
        struct hunt *hunt = &hunts->all[i];

        section_list_free(hunt->inputs);
        free(hunt->chapter);
        free(hunt->name);
        free(hunt->place);
        free(hunt->symptom);
        free(hunt->hint);
        free(hunt->keep);
        free(hunt->arch);
    }
    free(hunts->all);
}

struct hunt *hunts_find(const struct hunts *hunts, const char *text)
{
    const char *chapter = course_find_chapter(text), *slash = strchr(text, '/');

    if (!chapter)
        return NULL;
    for (int i = 0; slash && i < hunts->count; i++)
        if (strcmp(hunts->all[i].chapter, chapter) == 0 && strcmp(hunts->all[i].name, slash + 1) == 0)
            return &hunts->all[i];
    fprintf(stderr, "workbook: there is no hunt '%s'; `workbook hunt` lists them\n", text);
    return NULL;
}

char *hunt_given(const struct hunt *hunt)
{
    return text_format("%s/%s/hunts/%s.cu", course.source, hunt->chapter, hunt->name);
}

char *hunt_user_path(const struct hunt *hunt)
{
    return text_format("%s/%s/hunts/mine/%s.cu", course.source, hunt->chapter, hunt->name);
}
