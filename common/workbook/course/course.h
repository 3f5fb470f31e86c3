// course.c: the course table that CMake wrote into the build tree.
#pragma once

#include <stdbool.h>

struct step {
    char *chapter; // "01-reduction"
    char *name;    // "05-sequential"
    char *n;       // the size at which its counters are measured
    char *xray;    // the size of its x-ray
    char *arch;    // the virtual architecture it is compiled for
    int lesson;    // the number of bounds in its lesson: the first ones
    char *judge;   // its driver's header, "scan"
    char *driver;  // what main calls with which arguments: "scan INCLUSIVE *"
    char **bounds; // the bounds that they must meet, ended by NULL
    bool project;  // a project, or one of its levels: graded by `workbook project`
    int level;     // of a project's levels; 0: the project itself, or a step
};

enum { PROJECT_LEVELS = 3 };
extern const char *const level_names[PROJECT_LEVELS]; // "works", ...

struct course {
    char *source, *build; // directories
    char *cmake, *nvcc, *cxx;
    char *grade; // "starters" or "solutions"
    char *gpu;   // architectures found at configuration, "" for none
    long jobs;
    long timeout;       // seconds for one program
    long memory_kb;     // for one program, 0: no limit
    long gpu_memory_kb; // the same on a GPU
    char *library;      // build/program.sh links submissions with it
    long strict;        // 1: a difference outside the TODO is refused
    struct step *steps;
    int count;
};

extern struct course course;

// Fills course from path; ends the program with a message when it cannot.
void course_load(const char *path);

// Adds the projects as steps, each followed by a step for each of its levels: 02-scan/segmented-sum, and
// 02-scan/segmented-sum.works. Before any step is pointed to.
void course_add_projects(void);

// The step that text names: "05", "5", "05-sequential", "sequential", "01-reduction/05", "01-reduction.05", or the path
// of its file. If several chapters have "05", chapter decides; NULL: none does. If none or several match, prints that
// and the nearest name to stderr, and returns NULL.
const struct step *course_find(const char *text, const char *chapter);
const struct step *course_step(const char *chapter, const char *name); // "01-reduction", "05-sequential"; NULL: none

// The chapter that text names ("01-reduction", "01", "1", "reduction"), or NULL after a message.
const char *course_find_chapter(const char *text);

// The nearest of count names to text, or NULL if none is close.
const char *nearest(const char *text, const char *const names[], int count);

// Paths, which the caller frees. own: the student's file; otherwise the reference solution.
char *source_path(const struct step *step, bool own);
char *program_path(const struct step *step, bool own);
char *graded_path(const struct step *step, bool own); // the half of it that a judge starts
char *graded_list(const struct step *step, bool own); // of the files that the compiler read for it
char *judge_path(const struct step *step);
char *target_name(const struct step *step, bool own);
bool grades_own(void);

// Whether a GPU here runs the step, which may need a newer architecture or exactly one, such as 90a.
bool runs_on_gpu(const struct step *step);

char *step_place(const struct step *step); // "1/5", which is accepted wherever a step is named; to be freed
