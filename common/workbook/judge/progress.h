// progress.c: the student's progress, kept in the build tree.
#pragma once

#include "process/process.h"
#include "course/course.h"
#include <stdbool.h>
#include <stdint.h>

enum state { NEW, NOT_DONE, BROKEN, WRONG, UNSAFE, MISSED, SKIPPED, PASSED, STATES };

struct progress {
    enum state state;
    uint64_t hash; // of the file in this state
    int hints;     // number shown so far
    int aimed;     // the hints for the last failure were shown, too
};

// Parses a line of progress.tsv about a step; false: it is not one.
bool progress_line(const char *line, const struct step **step, struct progress *progress);
void progress_load(void);
void progress_save(const struct step *last); // last: the step just worked on, or NULL
struct progress *progress_of(const struct step *step);
bool progress_stale(const struct step *step); // whether the file has changed since its state was saved

// The output of the step's last run if it failed, "" if it passed; for the hints.
void failure_save(const struct step *step, const char *words);
char *failure_read(const struct step *step); // to be freed

const char *progress_chapter(void); // of the last step worked on, or NULL
// The first step that has not passed: first in the chapter last worked on, then after it, then before it; NULL: none.
const struct step *progress_next(void);
// The step graded last or, if that has passed, the next one.
const struct step *progress_last(void);
enum state state_of(struct outcome outcome, const char *source);
int state_exit(enum state state);
const char *state_word(enum state state);
enum state state_named(const char *word); // STATES: no such word
const char *state_colour(enum state state);
