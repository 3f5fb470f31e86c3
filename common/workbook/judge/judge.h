// judge.c: the parts of grading.
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "process/process.h"
#include "course/course.h"

enum { PARTS = 3 };

struct part {
    const char *name, *checks, *meaning;
    int multiprocessors; // of the device it runs on; 0: the machine's usual one
};

extern const struct part parts[PARTS];

// Runs one part of step with its program; the result in every order and, where there is one, on the GPU. A result that
// is wrong or broken is run again with every check on, and what they find stands under it. seed may be NULL. job says
// where and how, and keeps the last run's output.
struct outcome judge_part(const struct step *step, int part, const char *program, const char *seed, struct job *job);

// All parts of one program, run side by side and taken in their order: the plain run of the result is spared where the
// run with every check on and the one in random order are right. As judge_part otherwise.
struct judging;
struct judging *judge_open(const struct step *step, const char *program, const struct job *job);
struct outcome judge_take(struct judging *judging, int part, struct job *job);
void judge_close(struct judging *judging); // ends what was not taken

// Why the source of a program is refused, or NULL; *altered: see check_source. list: of the files that the compiler has
// read for it, or NULL.
char *judge_source(const struct step *step, const char *source, const char *list, char **altered);

// Prints both; returns the exit status, 2 for a refusal.
int judge_say(const char *why, const char *altered);

#endif
