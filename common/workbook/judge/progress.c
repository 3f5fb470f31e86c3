// A student's progress. The first line names the step that was graded last. Then one line per step that was tried:
// name, state, hash of the file, hints shown, and whether the hints for the last failure were shown. The output of that
// failure has its own file.
#include "judge/progress.h"
#include "process/process.h"
#include "course/course.h"
#include "course/source.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct progress *all; // parallel to course.steps
static char *last_chapter;
static const struct step *last_step; // graded last, or NULL

static const struct {
    const char *word, *colour;
} states[STATES] = {
    [NEW] = {"not tried", "dim"},      [NOT_DONE] = {"not done", "dim"}, [BROKEN] = {"broken", "red"},
    [WRONG] = {"wrong", "red"},        [UNSAFE] = {"unsafe", "red"},     [MISSED] = {"lesson missed", "yellow"},
    [SKIPPED] = {"skipped", "yellow"}, [PASSED] = {"passed", "green"},
};

const char *state_word(enum state state)
{
    return states[state].word;
}

enum state state_named(const char *word)
{
    int s = 0;

    while (s < STATES && strcmp(states[s].word, word) != 0)
        s++;
    return (enum state)s;
}

const char *state_colour(enum state state)
{
    return colour(states[state].colour);
}

// The state that follows from a program's end; source is the text it was built from.
enum state state_of(struct outcome outcome, const char *source)
{
    if (outcome.timed_out)
        return BROKEN;
    switch (outcome.exit) {
    case 0: return PASSED;
    case 2: return source && open_todo(source) ? NOT_DONE : WRONG;
    case 3: return UNSAFE;
    case 4: return MISSED;
    case 77: return SKIPPED;
    default: return BROKEN;
    }
}

int state_exit(enum state state)
{
    static const int exits[STATES] = {
        [NEW] = 2, [NOT_DONE] = 2, [BROKEN] = 1, [WRONG] = 2, [UNSAFE] = 3, [MISSED] = 4, [SKIPPED] = 77, [PASSED] = 0};

    return exits[state];
}

static char *progress_path(void)
{
    return text_format("%s/progress.tsv", course.build);
}

static void load_last(const char *chapter, const char *name)
{
    const struct step *step = course_step(chapter, name);

    free(last_chapter);
    last_chapter = text_format("%s", chapter);
    last_step = step ? step : last_step;
}

bool progress_line(const char *line, const struct step **step, struct progress *progress)
{
    char chapter[128], name[128], word[64];
    unsigned long long hash;
    int hints, aimed = 0;

    if (sscanf(line, "%127[^.\t\n].%127[^\t\n]\t%63[^\t\n]\t%llx\t%d\t%d", chapter, name, word, &hash, &hints, &aimed) <
        5)
        return false;
    *step = course_step(chapter, name);
    *progress = (struct progress){state_named(word), hash, hints, aimed};
    return *step && progress->state != STATES;
}

static void load_line(const char *line)
{
    char chapter[256], name[256] = "";
    const struct step *step;
    struct progress progress;

    if (sscanf(line, "last\t%255[^\t\n]\t%255[^\t\n]", chapter, name) >= 1)
        load_last(chapter, name);
    if (progress_line(line, &step, &progress))
        *progress_of(step) = progress;
}

void progress_load(void)
{
    char *path = progress_path(), *text = file_read(path);

    all = checked(calloc((size_t)course.count, sizeof *all));
    for (const char *line = text ? text : ""; *line; line = line_end(line))
        load_line(line);
    free(text);
    free(path);
}

void progress_save(const struct step *last)
{
    char *path = progress_path(), *text;

    if (last)
        load_last(last->chapter, last->name);
    text = last_step      ? text_format("last\t%s\t%s\n", last_step->chapter, last_step->name)
           : last_chapter ? text_format("last\t%s\n", last_chapter)
                          : text_format("%s", "");
    for (int i = 0; i < course.count; i++) {
        const struct step *step = &course.steps[i];
        char *longer;

        if (all[i].state == NEW && all[i].hints == 0)
            continue;
        longer = text_format("%s%s.%s\t%s\t%llx\t%d\t%d\n", text, step->chapter, step->name, states[all[i].state].word,
                             (unsigned long long)all[i].hash, all[i].hints, all[i].aimed);
        free(text);
        text = longer;
    }
    if (!file_write(path, text))
        fprintf(stderr, "workbook: cannot write %s: this result will not be remembered\n", path);
    free(text);
    free(path);
}

struct progress *progress_of(const struct step *step)
{
    return &all[step - course.steps];
}

bool progress_stale(const struct step *step)
{
    const struct progress *progress = progress_of(step);
    char *path, *text;
    bool stale;

    if (progress->state == NEW)
        return false;
    path = source_path(step, grades_own());
    text = file_read(path);
    stale = !text || text_hash(text) != progress->hash;
    free(text);
    free(path);
    return stale;
}

static char *failure_path(const struct step *step)
{
    return text_format("%s/failures/%s.%s.txt", course.build, step->chapter, step->name);
}

void failure_save(const struct step *step, const char *words)
{
    char *path = failure_path(step), *folder = text_format("%s/failures", course.build);

    mkdir(folder, 0777);
    if (*words)
        file_write(path, words); // if this fails, the hints are the general ones
    else
        remove(path);
    free(folder);
    free(path);
}

char *failure_read(const struct step *step)
{
    char *path = failure_path(step), *words = file_read(path);

    free(path);
    return words ? words : text_format("%s", "");
}

const char *progress_chapter(void)
{
    return last_chapter;
}

static bool is_open(const struct step *step)
{
    return progress_of(step)->state != PASSED || progress_stale(step);
}

const struct step *progress_last(void)
{
    return last_step && is_open(last_step) ? last_step : progress_next();
}

const struct step *progress_next(void)
{
    int first = 0;

    while (last_chapter && first < course.count && strcmp(course.steps[first].chapter, last_chapter) != 0)
        first++;
    for (int i = 0; i < course.count; i++) {
        int at = (first + i) % course.count;

        if (is_open(&course.steps[at]))
            return &course.steps[at];
    }
    return NULL;
}
