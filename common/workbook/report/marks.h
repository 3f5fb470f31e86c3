// marks.c: a folder of submissions, graded.
#ifndef REPORT_MARKS_H
#define REPORT_MARKS_H

#include "judge/progress.h"
#include "course/course.h"
#include <stdbool.h>

struct mark {
    const char *student;
    const struct step *step;
    enum state state;
    int points; // parts passed, of PARTS
    bool altered;
    double seconds;
    char *why, *log; // why it was not passed, or NULL; the path of what was printed
};

struct class
{
    char **students;
    int student_count;
    struct mark *marks;
    int count;
    const char *seed;
    double seconds;
};

// Prints the table and writes the files. Returns the exit status.
int marks_write(const struct class *class, const char *out);

#endif
