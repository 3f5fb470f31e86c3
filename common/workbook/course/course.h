// course.c: the course table that CMake wrote into the build tree.
#pragma once

#include <stdbool.h>

struct step {
    char *chapter; // "01-reduction"
    char *name;    // "05-sequential"
    char *n;       // the size at which its counters are read
    char *xray;    // the size at which an x-ray shows it
    char *arch;    // for which virtual architecture it is compiled
    int lesson;    // how many of its bounds are its lesson: the first ones
    char *judge;   // header of its driver, "scan"
    char *driver;  // what main calls, and with which numbers: "scan INCLUSIVE *"
    char **bounds; // what they must show, ended by NULL
};

struct course {
    char *source, *build; // directories
    char *cmake, *nvcc, *cxx;
    char *grade; // "starters" or "solutions"
    char *gpu;   // architectures found when the tree was configured, "" for none
    long jobs;
    long timeout;       // seconds for one program
    long memory_kb;     // for one program, 0: no limit
    long gpu_memory_kb; // and on a GPU
    char *library;      // that build/program.sh links submissions with
    long strict;        // 1: a difference outside the TODO is refused
    struct step *steps;
    int count;
};

extern struct course course;

// Fills course from path; ends the program with a message when it cannot.
void course_load(const char *path);

// The step that text names: "05", "5", "05-sequential", "sequential", "01-reduction/05", "01-reduction.05", or the
// path of its file. chapter settles "05" where several chapters have one; NULL: nothing does. When none or several
// match, says so on stderr, with the nearest name, and returns NULL.
const struct step *course_find(const char *text, const char *chapter);
const struct step *course_step(const char *chapter, const char *name); // "01-reduction", "05-sequential"; NULL: none

// The chapter that text names ("01-reduction", "01", "1", "reduction"), or NULL after a message.
const char *course_find_chapter(const char *text);

// The nearest of count names to text, or NULL when none is near.
const char *nearest(const char *text, const char *const names[], int count);

// Paths, to be freed. own: what the student edits; otherwise the reference solution.
char *source_path(const struct step *step, bool own);
char *program_path(const struct step *step, bool own);
char *graded_path(const struct step *step, bool own); // the half of it that a judge calls
char *graded_list(const struct step *step, bool own); // of the files that the compiler has read for it
char *judge_path(const struct step *step);
char *target_name(const struct step *step, bool own);
bool grades_own(void);

// Is there a GPU that runs the step? Its architecture may need a newer one, or, as 90a, one of this very architecture.
bool runs_on_gpu(const struct step *step);

char *step_place(const struct step *step); // "1/5", which names a step wherever a name is asked for; to be freed
