// marks.c, record.c: a course, graded.
#pragma once

#include "intake/assignment.h"
#include "intake/intake.h"
#include "judge/progress.h"
#include "course/course.h"
#include <stdbool.h>
#include <stdio.h>

struct mark {
    int student; // of class.students
    const struct step *step;
    enum state state;  // NEW: due, but not handed in
    int parts;         // passed, of PARTS
    double points, of; // by the assignment
    bool altered;
    double seconds;
    char *why, *log; // why it was not passed, or NULL; the output, as a file in class.out, or NULL
};

struct class
{
    struct intake in; // its students and files
    struct mark *marks;
    int count;
    char *seed;
    char *out; // the folder of the record and of the logs, or NULL
    double seconds;
    int part, parts; // of a course graded in parts; else 1 of 1
};

const char *mark_word(const struct mark *mark);
char *mark_reason(const struct mark *mark); // the first line of why it was not passed; to be freed

// The submission, kept beside its log: a file in class.out, which the caller frees; NULL: none. mark_failure is the
// output of the part that failed, "" if it is not known; the caller frees it.
char *mark_source(const struct mark *mark);
char *mark_failure(const struct class *class, const struct mark *mark);

// Whether any student has a mark for the step.
bool class_has(const struct class *class, const struct step *step);

// The points of a student, after deductions for lateness, and the maximum.
double class_points(const struct class *class, int student, double *of);

// Sorts students by id, and marks by student and step.
void class_sort(struct class *class);

// Prints the table and writes grades.json, grades.csv, students.csv and grades.xml. Returns the exit status.
int marks_write(const struct class *class, const char *out);

// Writes the file out/name by calling `write`. False after a message.
bool class_write(const struct class *class, const char *out, const char *name,
                 void (*write)(FILE *to, const struct class *class));
void class_free(struct class *class);

void write_steps(FILE *to, const struct class *class);    // CSV, one row per step
void write_students(FILE *to, const struct class *class); // CSV, one row per student
void write_xml(FILE *to, const struct class *class);      // JUnit

// record.c: the course as grades.json; its schema is grades.schema.json. record_add adds the contents of a file to the
// class; false after a message.
void record_write(FILE *to, const struct class *class);
bool record_add(struct class *class, const char *path);
