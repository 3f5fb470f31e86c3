// run.c: grading one step.
#pragma once

#include "judge/progress.h"
#include "process/process.h"
#include "course/course.h"
#include <stdbool.h>

enum { BUILD, RESULT, SAFETY, LESSON, STAGES };

struct grading {
    enum state state;
    int failed;             // the part that failed, STAGES: none
    bool unbuilt;           // it was refused before the build
    struct outcome outcome; // of that part
    char *words;            // its output, to be freed
    char *warnings;         // the compiler's, for a file that was built; to be freed
};

const char *part_name(int part);

// What grade_step shows of a finished part: nothing; the summary of a part that passed (brief.h); all of its output.
enum shown_words { SILENT, IN_BRIEF, ALL_WORDS };

// Builds and grades the file as it stands, and records the state.
struct grading grade_step(const struct step *step, enum shown_words aloud);

// Offers the x-ray of a program that was built and refused.
void say_xray(const struct step *step, const struct grading *grading);
