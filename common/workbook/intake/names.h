// names.c: parses the names of submitted files.
#pragma once

#include "course/course.h"

#include <stdbool.h>

// The student of an entry of an export.
struct who {
    char *id, *name;  // to be freed; name: NULL if the entry does not tell
    const char *file; // in a flat export: the student's file name; NULL: the entry is a student's folder
    bool late;        // according to the system
};

// Parses a Moodle, Canvas or plain name. False: the file name does not tell the student.
bool names_who(const char *entry, bool folder, struct who *who);
bool names_exported(const char *entry); // whether a learning system made this name
void who_free(struct who *who);

// more: chapters that have a step of this name; like: the name has a step's in it, "05-sequential - Copy.cu"
enum fit { NO_STEP, ONE_STEP, LIKE_STEP, MORE_STEPS };

// Which step a file is for: NN-topic/SS-step.cu, NN-topic.SS-step.cu or SS-step.cu, in any case, with .txt after it or
// a browser's " (2)" or "-2" in it; or for which it may be. chapter: the folder that it is in, or NULL. *copy: that
// number, or 0.
enum fit names_step(const char *chapter, const char *file, const struct step **step, int *copy);

bool names_begins(const char *file); // whether the name begins with a step's

// The chapter that a folder is named after, in any case; NULL: none.
const char *names_chapter(const char *folder);
