// process.c: programs.
#pragma once

#include "course/course.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct outcome {
    int exit;       // exit status, 128 + signal, or 127 when it could not be started; 2 where status 0 was no verdict;
                    // 77 where the computer had too much else to do
    bool timed_out; // or stopped at another limit
    char *why;      // what stopped it, or NULL
    char *again;    // options that run its last case alone; NULL: none is recorded, or the TODO is open
    bool asked;     // it queried the number of multiprocessors
    const char *order; // SIMT_SCHEDULE of the run, NULL: as it is
};

struct job {
    char *const *argv;
    const struct step *step; // its judge runs argv, as a submission; NULL: argv runs by itself
    const char *directory;   // to run in, NULL: here
    const char *checks;      // SIMT_CHECK, NULL: as it is
    const char *order;       // SIMT_SCHEDULE, likewise
    const char *profile;     // SIMT_PROFILE, likewise
    const char *trace;       // SIMT_TRACE, likewise
    const char *estimate;    // SIMT_ESTIMATE, unless it is set; NULL: as it is
    int seconds;             // instead of course.timeout
    bool limited;            // by course.timeout, course.memory_kb and a limit of output
    bool graded;             // limited, in the sandbox, and held to its verdict
    int multiprocessors;     // SIMT_MULTIPROCESSORS, unless it is set; 0: as it is
    int patience;            // seconds of computing in which a block must end, 0: the usual
    bool repeatable;         // for a verdict: one host thread, as on every computer
    bool gpu;                // runs on a GPU: with its limit of memory, and what the sandbox forbids
    bool capture;            // into output alone, not to the terminal
    bool alone;              // in a session of its own, which ends with it, and with a limit on files: the compiler
    bool build;              // make's percentages go to the bar
    char *output;            // what it printed, to be freed
};

struct outcome process_run(struct job *job);

// A program that runs while others do. Each that was started is waited for or stopped, once.
struct process {
    struct job *job;
    pid_t id; // 0: it could not be started
    int output, record;
    char nonce[24];
};

void process_start(struct job *job, struct process *process);
struct outcome process_wait(struct process *process); // its limit of time begins now
void process_stop(struct process *process);

// Adds text to what the job's program printed: to output, and to the terminal unless it is captured.
void job_print(struct job *job, const char *text);

// What `exec` and CTest return for an outcome: the exit status, 1 for whatever was stopped or crashed.
int outcome_status(struct outcome outcome);

// Builds one target. words: the compiler's, to be freed.
struct outcome build_target(const char *target, char **words);

// Compiles source for this architecture and links it, within the limits of a program's run. kind: "graded", to the half
// of a program that a judge calls; "whole", with the machine. PROGRAM.d lists the files that the compiler has read.
// words: the compiler's, to be freed.
struct outcome build_program(char *kind, char *arch, char *source, char *program, char **words);

// What the sandbox of graded programs lacks on this system, as a sentence; NULL: nothing.
const char *process_unguarded(void);

// Set when the user interrupts a command; ends what process_run waits for. SIGINT and SIGTERM set it after
// catch_interrupts, and end what the command waits for.
extern volatile sig_atomic_t interrupted;
void catch_interrupts(void);
