// options.h: the command line.
#pragma once

#include "harness/expect.h"
#include "harness/record.h"
#include "harness/state.h"
#include "harness/todo.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A chapter with its own options defines these before it includes this file, and removes its options from argv before
// it calls read_options.
#ifndef CHAPTER_OPTIONS
#define CHAPTER_OPTIONS ""
#define CHAPTER_HELP ""
#define BENCH_HELP "2^16, 2^20, 2^24, 2^28"
#endif
#define OPTIONS \
    "--n N, --seed S, --reps R, --check, --large, --bench, --plan, --json FILE, --expect EXPR, --help" CHAPTER_OPTIONS

// The word after option i.
static inline const char *option_value(int argc, char **argv, int i)
{
    if (i + 1 < argc)
        return argv[i + 1];
    fprintf(stderr, "%s: its value is missing; accepted are %s\n", argv[i], OPTIONS);
    exit(BROKEN);
}

static inline uint64_t option_number(int argc, char **argv, int i, uint64_t low, uint64_t high)
{
    const char *text = option_value(argc, argv, i);
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (isdigit((unsigned char)*text) && *end == 0 && errno == 0 && value >= low && value <= high)
        return value;
    fprintf(stderr, "%s '%s': must be a whole number from %" PRIu64 " to %" PRIu64 "\n", argv[i], text, low, high);
    exit(BROKEN);
}

// A chapter's option with a number, removed from argv before read_options. Returns the number, or `absent`.
static inline long long take_option(struct invocation *own, const char *name, uint64_t low, uint64_t high,
                                    long long absent)
{
    long long number = absent;
    int kept = 1;
    for (int i = 1; i < own->argc; i++)
        if (!strcmp(own->argv[i], name))
            number = (long long)option_number(own->argc, own->argv, i++, low, high);
        else
            own->argv[kept++] = own->argv[i];
    own->argc = kept;
    return number;
}

// The same for an option without a number; returns whether it is given.
static inline int take_flag(struct invocation *own, const char *name)
{
    int kept = 1, given = 0;
    for (int i = 1; i < own->argc; i++)
        if (!strcmp(own->argv[i], name))
            given = 1;
        else
            own->argv[kept++] = own->argv[i];
    own->argc = kept;
    return given;
}

static inline void print_help(uint64_t max_n)
{
    printf("%s: checks on many inputs, then reports what a run costs.\n\n", source_name(harness.file));
    printf("  --n N          this size alone, 0 to %" PRIu64 "\n", max_n);
    printf("  --seed S       other random inputs (seed 1)\n");
    printf("  --reps R       measure R times, report the median (20; fewer if that takes over half a second)\n");
    printf("  --check        check, no report\n");
    printf("  --large        the largest sizes allowed: some blocks of each launch, on memory without contents\n");
    printf("  --bench        times at n = " BENCH_HELP ", each result checked; with --n at N alone\n");
    printf("  --plan         run nothing; print the host memory that the largest input takes\n");
    printf("  --json FILE    write verdict, counters and times to FILE\n");
    printf("  --expect EXPR  check the counters of the last run against a relation such as\n");
    printf("                 'barriers <= 4*blocks'; may be repeated\n" CHAPTER_HELP "\n");
    printf("exit  0 right           1 broken run         2 wrong answer, or TODO open\n");
    printf("      3 unsafe          4 lesson not learnt  77 skipped\n");
    exit(RIGHT);
}

// Fills harness from the command line. Accepts --n up to max_n.
static inline void read_options(struct invocation own, uint64_t max_n)
{
    struct simt_counters zero = {};
    open_record();
    harness.file = own.file;
    harness.todo_open = own.todo_open;
    harness.n = -1;
    harness.seed = 1;
    harness.reps = 20;
    for (int i = 1; i < own.argc; i++) {
        const char *option = own.argv[i];
        if (!strcmp(option, "--help")) {
            print_help(max_n);
        } else if (!strcmp(option, "--check")) {
            harness.check = 1;
        } else if (!strcmp(option, "--large")) {
            harness.large = 1;
        } else if (!strcmp(option, "--bench")) {
            harness.bench = 1;
        } else if (!strcmp(option, "--plan")) {
            harness.plan = 1;
        } else if (!strcmp(option, "--n")) {
            harness.n = (long long)option_number(own.argc, own.argv, i++, 0, max_n);
        } else if (!strcmp(option, "--seed")) {
            harness.seed = option_number(own.argc, own.argv, i++, 0, ~0ull);
        } else if (!strcmp(option, "--reps")) {
            harness.reps = harness.all_reps = (int)option_number(own.argc, own.argv, i++, 1, 10000);
        } else if (!strcmp(option, "--expect") && harness.expects < MAX_EXPECT) {
            harness.expect[harness.expects] = option_value(own.argc, own.argv, i++);
            evaluate_relation(harness.expect[harness.expects++], &zero, 0); // refuses text that is not a relation
        } else if (!strcmp(option, "--json") && !harness.json) {
            harness.json = fopen(option_value(own.argc, own.argv, i++), "w");
            if (!harness.json) {
                fprintf(stderr, "--json '%s': %s; name a file that can be written\n", own.argv[i], strerror(errno));
                exit(BROKEN);
            }
        } else {
            fprintf(stderr, "'%s': unknown, or given twice; accepted are %s\n", option, OPTIONS);
            exit(BROKEN);
        }
    }
}
