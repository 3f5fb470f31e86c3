// lab.c: whole programs, each with the machine in it.
#ifndef LEARN_LAB_H
#define LEARN_LAB_H

#include <stdbool.h>

// Compiles source to program. words: the compiler's, to be freed.
bool lab_build(char *source, char *program, char **words);

struct lab_run {
    int exit;   // exit status; 128 and more: it crashed or was stopped
    char *said; // all that it printed, to be freed
};

// Runs program with these arguments, parted by blanks, these checks (SIMT_CHECK) and this order (SIMT_SCHEDULE).
struct lab_run lab_run(char *program, const char *arguments, const char *checks, const char *order);

#endif
