// projects.c: the projects of the course, and the user's progress in each.
#pragma once

#include <stdbool.h>

enum { LEVELS = 3 }; // 1: right and safe; 2 and 3: also within the bounds of common/projects/projects.txt

// What the counted run must show for a level: "COUNTER <= 12" or "COUNTER / COUNTER >= 0.5".
struct project_bound {
    int level;
    char *what, *why;
};

// A function to write from its contract: common/projects/NAME.h has the contract and the check.
struct project {
    char *chapter, *name; // "02-scan", "segmented-sum"
    char *place;          // "2"
    char *title, *task;   // in words
    char *header;         // "projects/segmented_sum.h"
    char *arch;           // the virtual architecture it is compiled for
    char **inputs;        // arguments of the checked runs, ended by NULL
    char *counted;        // arguments of the counted run
    struct project_bound *bounds;
    int bound_count;
    int level; // the highest level reached
    bool begun;
};

struct projects {
    struct project *all;
    int count;
};

struct projects projects_load(void);
void projects_free(struct projects *projects);
void projects_save(const struct projects *projects); // the user's progress; in the build tree

// The project of the chapter that text names, "2" or "scan"; NULL after a message.
struct project *projects_find(const struct projects *projects, const char *text);

char *project_user_path(const struct project *project); // the path of the user's file; to be freed
