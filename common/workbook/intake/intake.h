// intake.c: what was handed in, however a learning system or a person packed it.
#pragma once

#include "course/course.h"

#include <stdbool.h>

struct student {
    char *id;           // the system's number or name for them, as text: also the roster's where that has one
    char *exported;     // the learning system's own id, where the roster has another, or NULL
    char *name, *email; // or NULL
    char *folder;       // the id as the name of a folder, no two alike
    char *note;         // text that the marks do not have, or NULL
    bool late;          // by the system's own mark
    double handed_in;   // seconds since 1970 in UTC; 0: not known
    double share;       // of the points that counts, 0 to 1: less where it is late
    bool listed;        // on the roster
    int first;          // no item before this one is theirs
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

// Reads a folder or an archive. work: a folder of our own for unpacked files; out: the folder of the marks, which holds
// no submissions. False after a message.
bool intake_read(struct intake *in, const char *from, const char *work, const char *out);
void intake_free(struct intake *in);

// The student with this id, created if there is none yet.
int intake_student(struct intake *in, const char *id, const char *name);
void student_note(struct student *student, const char *note); // after the existing ones

// Leaves out all students but those of part k of n, by a hash of their ids.
void intake_keep_part(struct intake *in, int k, int n);

// Orders the students by their ids, and the files by student: the same order however they were packed.
// Returns where each student is now, to be freed.
int *intake_sort(struct intake *in);

// Says on stderr which files are not graded, and why: at most a few of each student.
void intake_say(const struct intake *in);

// Prints a line for each file, and one for each student who has none.
void intake_list(const struct intake *in);
