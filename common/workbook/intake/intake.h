// intake.c: submissions, whatever their packing.
#pragma once

#include "course/course.h"

#include <stdbool.h>

struct student {
    char *id;           // the system's number or name for them, as text; the roster's, if it has one
    char *exported;     // the learning system's own id if the roster has another, or NULL
    char *name, *email; // or NULL
    char *folder;       // the id as a unique folder name
    char *note;         // text that is not part of the mark, or NULL
    bool late;          // according to the learning system
    double handed_in;   // seconds since 1970 in UTC; 0: not known
    double share;       // the share of the points that counts, 0 to 1; below 1 if late
    bool listed;        // on the roster
    int first;          // no earlier item is theirs
};

// A file, and its outcome. step: NULL if it is not graded; then why gives the reason. like: the step whose name is in
// the file's.
struct item {
    int student; // of intake.students; -1: it names no student
    const struct step *step, *like;
    char *path, *shown; // its path; its name in the submission
    char *why;
    int copy;
};

struct intake {
    struct student *students;
    int student_count;
    struct item *items;
    int item_count;
    char *work;   // the folder for what is unpacked
    int unpacked; // archives so far
    bool no_room; // the disk was full before all were unpacked
};

// Reads a folder or an archive. work: our own folder for unpacked files; out: the folder of the marks, which holds no
// submissions. False after a message.
bool intake_read(struct intake *in, const char *from, const char *work, const char *out);
void intake_free(struct intake *in);

// The student with this id, added if new.
int intake_student(struct intake *in, const char *id, const char *name);
void student_note(struct student *student, const char *note); // after the existing ones

// Keeps only the students of part k of n, by a hash of their ids.
void intake_keep_part(struct intake *in, int k, int n);

// Sorts the students by id and the files by student, so that packing does not affect the order. Returns the new index
// of each student, which the caller frees.
int *intake_sort(struct intake *in);

// Reports on stderr which files are not graded, and why: at most a few per student.
void intake_say(const struct intake *in);

// Prints a line for each file, and one for each student without files.
void intake_list(const struct intake *in);
