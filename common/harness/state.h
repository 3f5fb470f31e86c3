// state.h: the harness's state about the program and the current case; and the exit codes.
#pragma once

#include "simt/simt.h"
#include <stdio.h>

// Exit codes. While a TODO is open the verdict is WRONG, whatever else was found.
enum verdict { RIGHT = 0, BROKEN = 1, WRONG = 2, UNSAFE = 3, LESSON_MISSED = 4, SKIPPED = 77 };

#define POISON 0x7f // every byte of fresh device memory: 2139062143 as an int, 3.4e38 as a float
#define MAX_EXPECT 20
#define MOST_PLACES 15 // of the arrays of a case; those that move have as many others
#define MAX_TIMES 8

#define MAX_LINES 3 // source lines shown per counter
#define COUNTER(name, meaning) COUNTER_##name,
enum counter { SIMT_COUNTERS(COUNTER) COUNTERS };
#undef COUNTER

struct timing {
    long long n;
    double ms, gb_per_s, share_of_peak; // share 0: the driver does not report the peak
    double gflop_per_s;                 // instead of the two if arithmetic is the limit; else 0
};

static struct {
    const char *file;             // the exercise's source, as it was passed to nvcc
    int todo_open, open_reported; // open_reported: the open TODO was printed
    long long n;                  // --n, or -1 for all sizes
    unsigned long long seed;
    int reps, all_reps, check, bench, plan, expects, met; // all_reps: --reps was given; met: number of expectations met
    int large;                                            // --large: only the largest n, sampled
    char stalls[24];                                      // the current case runs with a block that stalls
    int counted; // 1: the counters of the current run are reported; 2: those of a second run, ...
    int often;   // more calls with the same input before those of the current run
    int round;   // of check_stale_state, or 0
    int place;   // of the next array on the device, so that it returns to an address; 0: anywhere
    int moved;   // this many of the case's arrays have other places than in the rounds before
    const char *expect[MAX_EXPECT];
    FILE *json;

    const char *input, *note;                          // the current case: its name and what is special about it
    char shape[48];                                    // options that run only it, given --n
    char not_run[600];                                 // inputs that do not suit the method, a line each
    const char *reason;                                // what is wrong, unless `got` differs from `wanted`; or NULL
    const void *wrong_word;                            // the answer's first wrong word, as it was fetched, or NULL
    long long case_n, largest_n, runs;                 // largest_n: the largest so far
    struct simt_counters counters;                     // of the last run; zero on a GPU
    struct simt_counters first;                        // of the counted run, if another one of a ragged n has followed
    long long first_n;                                 // its n; 0: none has followed
    char first_note[200], first_shape[48];             // likewise
    int first_missed;                                  // it misses a bound
    struct simt_line first_lines[COUNTERS][MAX_LINES]; // lines that contribute most to its counters
    int first_line_count[COUNTERS];
    int host_may_read;      // the step is about results that the host requests while it runs
    const char *read_input; // the first case in which the host read although it may not, or NULL; its n
    long long read_n;
    struct timing times[MAX_TIMES];
    int timed;
    int estimates;                 // times are estimated, not measured
    struct simt_estimate estimate; // of the last timed run
} harness;

static inline const char *plural(long long count)
{
    return count == 1 ? "" : "s";
}
