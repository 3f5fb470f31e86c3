// process.c: programs.
#pragma once

#include "course/course.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct outcome {
    int exit;       // exit status, 128 + signal, or 127 if it could not be started; 2 if status 0 was no verdict; 77 if
                    // the computer was overloaded
    bool timed_out; // or stopped at another limit
    char *why;      // what stopped it, or NULL
    char *again;    // options that run only its last case; NULL: none is recorded, or the TODO is open
    bool asked;     // it queried the number of multiprocessors
    const char *order; // SIMT_SCHEDULE of the run, NULL: inherited
};

struct job {
    char *const *argv;
    const struct step *step; // its judge runs argv, as a submission; NULL: argv runs by itself
    const char *directory;   // working directory, NULL: the current one
    const char *checks;      // SIMT_CHECK, NULL: inherited
    const char *order;       // SIMT_SCHEDULE, likewise
    const char *profile;     // SIMT_PROFILE, likewise
    const char *trace;       // SIMT_TRACE, likewise
    const char *estimate;    // SIMT_ESTIMATE, unless it is set; NULL: inherited
    int seconds;             // instead of course.timeout
    bool limited;            // by course.timeout, course.memory_kb and a limit on output
    bool graded;             // limited, sandboxed, and required to send its verdict
    int multiprocessors;     // SIMT_MULTIPROCESSORS, unless it is set; 0: inherited
    int patience;            // seconds of CPU time in which a block must end, 0: the usual
    bool repeatable;         // for a verdict: one host thread, as on every computer
    bool gpu;                // runs on a GPU: with its memory limit, and calls that the sandbox forbids
    bool capture;            // prints into output only, not to the terminal
    bool confined;           // sandboxed, but without a judge and a verdict: a project
    bool alone;              // in its own session, which ends with it, and with a limit on file sizes: the compiler
    bool build;              // shows make's percentages in the bar
    char *output;            // what it printed, to be freed
};

struct outcome process_run(struct job *job);

// A concurrent program. Each one that was started must be waited for or stopped, once.
struct process {
    struct job *job;
    pid_t id; // 0: it could not be started
    int output, record;
    char nonce[24];
};

void process_start(struct job *job, struct process *process);
struct outcome process_wait(struct process *process); // its time limit begins now
void process_stop(struct process *process);

// Appends text to the output of the job's program, and prints it on the terminal unless it is captured.
void job_print(struct job *job, const char *text);

// What `exec` and CTest return for an outcome: the exit status, or 1 if the program was stopped or crashed.
int outcome_status(struct outcome outcome);

// Builds one target. words: the compiler's output, which the caller frees.
struct outcome build_target(const char *target, char **words);

// Compiles source for this architecture and links it, within the limits of a program's run. kind: "graded", to the half
// of a program that a judge starts; "whole", with the machine. PROGRAM.d lists the files that the compiler read. words:
// the compiler's output, which the caller frees.
struct outcome build_program(char *kind, char *arch, char *source, char *program, char **words);

// Whether nvcc can work in a folder. It hands paths to a shell, in double quotes, and cuts lists at commas; the list of
// headers that it writes ends a name at a colon. It replaces bytes that are not text.
bool nvcc_takes(const char *folder);

// What the sandbox of graded programs lacks on this system, as a sentence; NULL: nothing.
const char *process_unguarded(void);

// Set when the user interrupts a command; ends process_run's wait. After catch_interrupts, SIGINT and SIGTERM set it
// and end the command's waits.
extern volatile sig_atomic_t interrupted;
void catch_interrupts(void);
