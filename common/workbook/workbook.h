// The runner's parts. commands (workbook.c) -> ladder, grade -> progress, process -> source, json -> course, terminal:
// each file knows only those to its right.
#ifndef WORKBOOK_H
#define WORKBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// course.c: the course table that CMake wrote into the build tree.

struct step {
    char *chapter; // "01-reduction"
    char *name;    // "05-sequential"
    char *n;       // the size at which its counters are read
    char **bounds; // what they must show, ended by NULL
};

struct course {
    char *source, *build; // directories
    char *cmake;
    char *grade; // "starters" or "solutions"
    char *gpu;   // architectures found when the tree was configured, "" for none
    int jobs;
    int timeout;    // seconds for one program
    long memory_kb; // for one program, 0: no limit
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

// The chapter that text names ("01-reduction", "01", "1", "reduction"), or NULL after a message.
const char *course_find_chapter(const char *text);

// The nearest of count names to text, or NULL when none is near.
const char *nearest(const char *text, const char *const names[], int count);

// Paths, to be freed. own: what the student edits; otherwise the reference solution.
char *source_path(const struct step *step, bool own);
char *program_path(const struct step *step, bool own);
char *target_name(const struct step *step, bool own);
bool grades_own(void);

// source.c: exercise files.

// The whole file, ended by 0, or NULL.
char *file_read(const char *path);
bool file_write(const char *path, const char *text);
uint64_t text_hash(const char *text);

// The starter of a solution (or of a student's file): the code between `// TODO:`, with the comment lines that directly
// follow it, and `// END TODO` gives way to the line `#define TODO_OPEN`. NULL when a region is not closed or there is
// none.
char *starter_text(const char *text);

// The line of the first `#define TODO_OPEN`; 0 when there is none.
int open_todo(const char *text);

// Words of the TODO regions, without slashes; to be freed.
char *todo_words(const char *text);

// process.c: programs.

struct outcome {
    int exit; // exit status, 128 + signal, or 127 when it could not be started
    bool timed_out;
};

struct job {
    char *const *argv;
    const char *checks; // SIMT_CHECK, NULL: as it is
    const char *order;  // SIMT_SCHEDULE, likewise
    bool limited;       // by course.timeout and course.memory_kb
    bool capture;       // into output, instead of the terminal
    char *output;       // what was captured, to be freed
};

struct outcome process_run(struct job *job);

// Builds one target; on failure shows the compiler's words. Returns whether it built.
bool build_target(const char *target);

// json.c: the report of one program. Values are found by key, at any depth.

// The text behind the first `"key":`, where its value begins, or NULL.
const char *json_find(const char *text, const char *key);

// The number, or string, behind the first key of this name. False when there is none.
bool json_number(const char *text, const char *key, double *value);
bool json_string(const char *text, const char *key, char *value, size_t size);

// progress.c: what was reached, kept in the build tree.

enum state { NEW, NOT_DONE, BROKEN, WRONG, UNSAFE, MISSED, SKIPPED, PASSED, STATES };

struct progress {
    enum state state;
    uint64_t hash; // of the file when this was reached
    int hints;     // shown so far
};

void progress_load(void);
void progress_save(const struct step *last); // last: the step just worked on, or NULL
struct progress *progress_of(const struct step *step);
bool progress_stale(const struct step *step); // the file changed since
const char *progress_chapter(void);           // of the step last worked on, or NULL
const struct step *progress_next(void);       // the first that has not passed, or NULL
enum state state_of(struct outcome outcome, const char *source);
const char *state_word(enum state state);
const char *state_colour(enum state state);

// ladder.c: the table of one chapter's counters.

struct ladder_options {
    bool own;      // the student's programs, not the solutions
    bool built;    // do not build
    bool markdown; // a table for docs/, exact numbers
    const char *n; // NULL: the largest n of the chapter's table
};

int ladder(const char *chapter, const struct ladder_options *options);

// terminal.c

extern const char *program_name; // as the user called it

void terminal_open(void);
int terminal_width(void);
bool terminal_utf8(void);
const char *colour(const char *name); // "red", "green", "yellow", "bold", "dim", "off"; "" where there is no colour
void status_line(const char *text);   // shown until the next one, on a terminal only; NULL: wipe
void *checked(void *memory);          // ends the program when NULL
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
