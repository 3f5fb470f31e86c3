// hunts.c: the hunts of the course, and the user's progress in each.
#pragma once

#include <stdbool.h>

// A program with one defect that prints PASSED on its own input; see NN-topic/hunts/hunts.txt.
struct hunt {
    char *chapter, *name; // "02-scan", "c"
    char *place;          // "2/c"
    char *symptom, *hint; // in words
    char **inputs;        // its arguments for each run after the first, which has none; ended by NULL
    char *arch;           // the virtual architecture it is compiled for
    int lines;            // the number of lines that may change
    char *keep;           // words that stay: without them the program is slower; "": none
    int asked;            // help shown so far, see hunt.c
    bool begun, found;
};

struct hunts {
    struct hunt *all;
    int count;
};

struct hunts hunts_load(void);
void hunts_free(struct hunts *hunts);
void hunts_save(const struct hunts *hunts); // the user's progress; in the build tree

// The hunt that text names, "2/c" or "scan/c"; NULL after a message.
struct hunt *hunts_find(const struct hunts *hunts, const char *text);

char *hunt_given(const struct hunt *hunt); // the path of the program as it was handed out; to be freed
char *hunt_user_path(const struct hunt *hunt);  // the path of the user's copy; to be freed
