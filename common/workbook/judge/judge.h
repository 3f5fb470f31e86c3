// judge.c: the parts of grading.
#pragma once

#include "process/process.h"
#include "course/course.h"

#include <stdbool.h>
#include <stdint.h>

enum { PART_RESULT, PART_SAFETY, PART_LESSON, PARTS };

struct part {
    const char *name, *meaning;
};

extern const struct part parts[PARTS];

// One run in the table of all runs that grade a program.
struct trial {
    int part;
    bool counted; // with the lesson's n and bounds; else with --check
    const char *checks, *order;
    enum { SMALL_DEVICE = 1, USUAL_DEVICE = 16, LARGE_DEVICE = 132 } multiprocessors;
    enum { ALWAYS, ON_GPU, IF_SIZED, IF_SIZED_AND_POLLING, IF_POLLING, NOT_INTERACTIVE } when;
};

extern const char random_order[]; // of warps and blocks, in the trials' syntax
extern const char every_check[];  // of the machine, likewise

const struct trial *first_trial(int part);
void judge_print_trials(void); // as the table of docs/grading.md

// The submission, and how to judge it.
struct submission {
    struct job job;      // step, folder and order; keeps the last run's output, which the caller frees
    const char *program; // the half that a judge starts
    const char *seed;    // NULL: the usual one
    bool interactive;        // a user is waiting
    bool unexplained;    // a failed result is not repeated
};

// Runs one part of the program; the result in every order and, if there is one, on the GPU. A wrong or broken result is
// run again with every check on, and the findings follow it.
struct outcome judge_part(struct submission *submission, int part);

// All parts of one program, run concurrently and reported in order. The plain run of the result is omitted if both the
// run with every check on and the one in random order are right. Otherwise as judge_part.
struct judging;
struct judging *judge_open(struct submission *submission);
struct outcome judge_take(struct judging *judging, int part);
void judge_close(struct judging *judging); // stops a run whose outcome was not taken

// A hash of what grades a step: headers and tables, the judge with the machine in it, and the library that a submission
// is linked with. It is kept: a course has thousands of files, and these have megabytes.
uint64_t judge_hash(const struct step *step);

// Why the source of a program is refused, or NULL; *altered: see check_source. list: of the files that the compiler has
// read for it, or NULL.
char *judge_source(const struct step *step, const char *source, const char *list, char **altered);

// Prints both; returns the exit status, 2 for a refusal.
int judge_print(const char *why, const char *altered);
