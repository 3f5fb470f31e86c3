// The runner's parts. workbook.c -> the commands: status, run, watch, hint, solution, reset, ladder, report, doctor,
// grade, handout, authors -> judge -> check, manifest -> progress, process, sandbox -> source, tokens, json -> course,
// bar, terminal: each file knows only those to its right.
#ifndef WORKBOOK_H
#define WORKBOOK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// course.c: the course table that CMake wrote into the build tree.

struct step {
    char *chapter; // "01-reduction"
    char *name;    // "05-sequential"
    char *n;       // the size at which its counters are read
    char *arch;    // for which virtual architecture it is compiled
    char **bounds; // what they must show, ended by NULL
};

struct course {
    char *source, *build; // directories
    char *cmake, *nvcc, *cxx;
    char *grade; // "starters" or "solutions"
    char *gpu;   // architectures found when the tree was configured, "" for none
    int jobs;
    int timeout;        // seconds for one program
    long memory_kb;     // for one program, 0: no limit
    long gpu_memory_kb; // and on a GPU
    char *lean;         // compile.sh, through which nvcc is called, or ""
    char *library;      // how `grade` builds: libsimt.a,
    char *sanitize;     // and the flag of the sanitizers, or ""
    int strict;         // a difference outside the TODO is refused
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

char *step_place(const struct step *step); // "1/5", which names a step wherever a name is asked for; to be freed
const char *shown(const char *path);       // as the user would type it from where he stands
char *shown_text(const char *text);        // the same for all paths in a text; to be freed

// source.c: exercise files.

// The whole file, ended by 0, or NULL.
char *file_read(const char *path);
bool file_is(const char *path); // a regular file is there
bool file_write(const char *path, const char *text);
uint64_t text_hash(const char *text);

// The starter of a solution (or of a student's file): the code between `// TODO:`, with the comment lines that directly
// follow it, and `// END TODO` gives way to the line `#define TODO_OPEN`. NULL when a region is not closed or there is
// none.
char *starter_text(const char *text);

// The line of the first `#define TODO_OPEN`; 0 when there is none.
int open_todo(const char *text);

// For every line of text, from 1 on, whether it is code of a TODO region; to be freed. *markers: how many lines open or
// close one.
bool *todo_lines(const char *text, int *markers);

int todo_line(const char *text); // of the first `// TODO:`; 0 when there is none

// Words of the TODO regions, without slashes; to be freed.
char *todo_words(const char *text);

// process.c: programs.

struct outcome {
    int exit;       // exit status, 128 + signal, or 127 when it could not be started; 2 where status 0 was no verdict
    bool timed_out; // or stopped at another limit
    char *why;      // what stopped it, or NULL
    char *again;    // options that run its last case alone; NULL: none is recorded, or the TODO is open
    const char *order; // SIMT_SCHEDULE of the run, NULL: as it is
};

struct job {
    char *const *argv;
    const char *directory; // to run in, NULL: here
    const char *checks;    // SIMT_CHECK, NULL: as it is
    const char *order;     // SIMT_SCHEDULE, likewise
    int seconds;           // instead of course.timeout
    bool limited;          // by course.timeout, course.memory_kb and a limit of output
    bool graded;           // limited, in the sandbox, and held to its verdict
    int patience;          // seconds of computing in which a block must end, 0: the usual
    bool gpu;              // runs on a GPU: with its limit of memory, and what the sandbox forbids
    bool capture;          // into output alone, not to the terminal
    bool alone;            // in a session of its own, which ends with it, and with a limit on files: the compiler
    bool build;            // make's percentages go to the bar
    char *output;          // what it printed, to be freed
};

struct outcome process_run(struct job *job);

// Adds text to what the job's program printed: to output, and to the terminal unless it is captured.
void job_say(struct job *job, const char *text);

// What `exec` and CTest return for an outcome: the exit status, 1 for whatever was stopped or crashed.
int outcome_status(struct outcome outcome);

// Builds one target. words: the compiler's, to be freed.
struct outcome build_target(const char *target, char **words);

double seconds(void); // on a clock that never jumps

// Set by a signal in watch.c; ends what process_run waits for.
extern volatile sig_atomic_t interrupted;

// sandbox.c: from now on, this process may not start others, send signals, open connections or change files. False:
// the system has no such thing.
bool sandbox_close(void);

// tokens.c: the words of a source.

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN };

struct token {
    char *text;
    enum token_kind kind;
    int line, depth; // of braces
    bool first;      // on its line
    bool directive;  // part of one
};

struct tokens {
    struct token *at;
    int count;
};

struct tokens tokens_of(const char *source);
void tokens_free(struct tokens *t);

// check.c: is a submission what may be graded? See there. NULL: yes; else one line that says why not, to be freed.
char *check_source(const struct step *step, const char *text, const char *given, char **altered);

// judge.c: the parts of grading.

enum { PARTS = 3 };

struct part {
    const char *name, *checks, *meaning;
};

extern const struct part parts[PARTS];

// Runs one part of step with its program; the result in every order and, where there is one, on the GPU. A result that
// is wrong or broken is run again with every check on, and what they find stands under it. seed may be NULL. job says
// where and how, and keeps the last run's output.
struct outcome judge_part(const struct step *step, int part, const char *program, const char *seed, struct job *job);

// Why the source of a program is refused, or NULL; *altered: see check_source.
char *judge_source(const struct step *step, const char *source, char **altered);

// Prints both; returns the exit status, 2 for a refusal.
int judge_say(const char *why, const char *altered);

// manifest.c: what was handed out.

// The step's file as it was handed out, to be freed; NULL after a message.
char *handed_out(const struct step *step);

// Hashes of all that grades: prints them; compares them with common/handout.manifest. NULL: as handed out.
int manifest_print(void);
char *manifest_check(void);

// Whether the manifest has the hash of text, a header, a table or a starter, for path.
bool manifest_agrees(const char *path, const char *text);
char *manifest_stale(void); // the first header or table of which it has another hash, or none, to be freed; or NULL

// json.c: the report of one program. Values are found by key, at any depth.

// The text behind the first `"key":`, where its value begins, or NULL.
const char *json_find(const char *text, const char *key);

// The number, or string, behind the first key of this name. False when there is none.
bool json_number(const char *text, const char *key, double *value);
bool json_string(const char *text, const char *key, char *value, size_t size);

// The same as a string of its own, unescaped, to be freed; NULL when there is none.
char *json_text(const char *text, const char *key);

// The next object at or behind *at that holds no other object, to be freed, and *at behind it; NULL: none.
char *json_object(const char **at);

// progress.c: what was reached, kept in the build tree.

enum state { NEW, NOT_DONE, BROKEN, WRONG, UNSAFE, MISSED, SKIPPED, PASSED, STATES };

struct progress {
    enum state state;
    uint64_t hash; // of the file when this was reached
    int hints;     // shown so far
    int aimed;     // the hints for what went wrong were shown, too
};

void progress_load(void);
void progress_save(const struct step *last); // last: the step just worked on, or NULL
struct progress *progress_of(const struct step *step);
bool progress_stale(const struct step *step); // the file changed since

// What the step's last run printed when it failed, "" when it passed; for the hints.
void failure_save(const struct step *step, const char *words);
char *failure_read(const struct step *step); // to be freed

const char *progress_chapter(void); // of the step last worked on, or NULL
// The first step that has not passed, of the chapter last worked on, then of the ones behind and before it; NULL: none.
const struct step *progress_next(void);
enum state state_of(struct outcome outcome, const char *source);
int state_exit(enum state state);
const char *state_word(enum state state);
const char *state_colour(enum state state);

// grade.c, marks.c: a folder of submissions.

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

int grade_folder(int argc, char **argv);

// Prints the table and writes the files. Returns the exit status.
int marks_write(const struct class *class, const char *out);

// run.c: grading one step.

enum { BUILD, RESULT, SAFETY, LESSON, STAGES };

struct grading {
    enum state state;
    int failed;             // the stage that failed, STAGES: none
    struct outcome outcome; // of that part
    char *words;            // what it wrote, to be freed
    char *warnings;         // of the compiler, about a file that was built; to be freed
};

const char *part_name(int part);

// Builds and grades the file as it stands, and remembers the state. aloud: each part's words are shown as it ends.
struct grading grade_step(const struct step *step, bool aloud);

// ladder.c: programs' reports.

// Runs a program with the arguments, ended by NULL, and returns what it wrote to --json, "" for nothing; to be freed.
char *program_report(char *program, const char *const arguments[], bool gpu, struct outcome *outcome);

// The n at which the steps of a chapter are compared, the largest of the course table; NULL, each step at its own,
// where they differ by more than 16 times: these steps solve different problems.
const char *common_n(const char *chapter);

// results.c, page.c, charts.c: the report.

struct result {
    char *student;
    const struct step *step;
    int exit;      // 0 passed, 77 skipped
    char *verdict; // in words
};

struct results {
    struct result *list;
    int count;
    bool own; // of this tree, whose programs can be run
};

enum form { PAGE, JUNIT, JSON, FORMS };

void results_add(struct results *results, char *student, const struct step *step, int exit, char *verdict);
void results_free(struct results *results);
bool results_read(struct results *results, const char *path); // false after a message
bool results_write(const struct results *results, const char *path, enum form form);
void write_page(FILE *file, const struct results *results);
void write_escaped(FILE *file, const char *text, bool json); // for JSON, otherwise for XML and HTML

enum { MOST_BARS = 64, CHARTS = 7 };

struct chart {
    char title[96], note[240];
    const char *tint;
    double most; // the value that takes the whole width, at least
    int count;
    struct bar {
        char label[64], words[64];
        double value;
    } bars[MOST_BARS];
};

void chart_add(struct chart *chart, const char *label, double value, const char *words);

// Chart number which, 0 to CHARTS - 1, of a chapter. own: of this tree's programs too. False when it has no bar.
bool make_chart(struct chart *chart, int which, const char *chapter, bool own);

// status.c: said by several commands.

void say_next(void);
void say_page(const struct step *step); // where docs/ has the step

// The commands, without their names in argv. Each returns the exit status.

int command_status(int argc, char **argv);
int command_list(int argc, char **argv);
int command_next(int argc, char **argv);
int command_run(int argc, char **argv);
int command_watch(int argc, char **argv);
int command_hint(int argc, char **argv);
int command_solution(int argc, char **argv);
int command_reset(int argc, char **argv);
int command_ladder(int argc, char **argv);
int command_report(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_starter(int argc, char **argv);
int command_part(int argc, char **argv);
int command_exec(int argc, char **argv);
int command_check(int argc, char **argv);
int command_manifest(int argc, char **argv);
int command_handout(int argc, char **argv);

// bar.c: shown on a terminal when two seconds have gone; wiped before anything else is printed.

void bar_open(int parts);
void bar_part(const char *what); // the next part begins
void bar_share(double share);    // of this part that is done
void bar_tick(void);             // draws it, at most five times a second
void bar_wipe(void);             // before something is printed; it comes back at the next tick
void bar_close(void);

// terminal.c

extern const char *program_name; // as the user called it

void terminal_open(void);
int terminal_width(void);
bool terminal_utf8(void);
const char *colour(const char *name); // "red", "green", "yellow", "bold", "dim", "off"; "" where there is no colour
const char *terminal_sign(const char *utf8, const char *ascii);
int utf8_length(const char *text);
char *text_plain(const char *text); // what strangers wrote, for a terminal
int text_columns(const char *text);
void terminal_clear(void); // on a terminal only
// A line and its end on stdout; where it is wider than width, broken at blanks, and what follows indented.
void say_folded(const char *line, int length, int width);
void say_line(const char *format, ...) __attribute__((format(printf, 1, 2))); // to the width of the terminal
int terminal_fold(void);            // the width for a program's lines: a file or a pipe gets them whole
void say_wrapped(const char *text); // on stdout; where a line is too wide, all are filled anew
int usage_error(const char *command, const char *problem, const char *argument); // 1; argument may be NULL
void *checked(void *memory);                                                     // ends the program when NULL
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
