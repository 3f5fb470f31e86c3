// lab.c: whole programs, each with the machine in it.
#pragma once

#include <stdbool.h>

// Compiles source to program, for a virtual architecture such as "80". words: the compiler's output, which the caller
// frees.
bool lab_build(char *arch, char *source, char *program, char **words);

struct lab_run {
    int exit;   // 128 and more: it crashed or was stopped
    char *said; // all of its output, to be freed
};

// Runs program with these arguments, separated by blanks, these checks (SIMT_CHECK) and this order (SIMT_SCHEDULE).
struct lab_run lab_run(char *program, const char *arguments, const char *checks, const char *order);

// The outcome of a program's runs on several inputs: each in several orders of blocks and warps, on devices of several
// sizes, with the checks that grade steps.
struct lab_trial {
    char *findings;    // with their explanations, causes before effects; NULL: none
    const char *wrong; // the first input on which a run did not end with 0 and print PASSED; NULL: none
    const char *order; // of the blocks and warps in this run, as in SIMT_SCHEDULE
    char *said;        // all output of this run, or NULL; the caller frees this and findings
};

// arch: the program's. inputs: arguments, ended by NULL. own: first without arguments. counted: the arguments of a run
// that is counted later. If all others are right, it is tried on the smallest device: it has more blocks. NULL: none.
struct lab_trial lab_try(char *program, const char *arch, const char *const *inputs, bool own, const char *counted);

// Its counters as JSON, from a run with these arguments, in order and without checks; the caller frees them. NULL: the
// exit status was not 0.
char *lab_counts(char *program, const char *arguments);
