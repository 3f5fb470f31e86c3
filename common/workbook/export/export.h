// sheet.c, autograder.c, classroom.c, sarif.c: marks in other formats.
#pragma once

#include "report/marks.h"

// A table written by a learning system, with one column for the marks.
struct sheet {
    const char *path;             // the downloaded table
    const char *grade, *feedback; // headers of the columns, or NULL: the system's usual ones
    const char *maximum;          // Moodle: of the one with the maximum grade
    bool new_column;              // Canvas: whether a title that is not in the table may be added
};

// Writes the table with the marks to `to`. Returns the exit status: 0, or 1 after a message about each student without
// a row, or about a table of another kind.
int export_moodle(const struct class *class, const struct sheet *sheet, const char *to);
int export_canvas(const struct class *class, const struct sheet *sheet, const char *to);

// An autograder's output for one student.
void write_gradescope(FILE *to, const struct class *class, int student);
void write_prairielearn(FILE *to, const struct class *class, int student);

// result.json of Classroom 50 for a student. Its runner names the submission in the environment; false, after a
// message, if it does not.
bool classroom_ready(void);
void write_classroom(FILE *to, const struct class *class, int student);

void write_sarif(FILE *to, const struct class *class);

// "2 of 3, unsafe: ..." for a mark, in one line; the caller frees it.
char *mark_line(const struct mark *mark);
