// harness.h: what all exercise programs share: options, device memory, verdict, counters, report.
//
// A chapter's header (reduction.h, ...) includes this file and holds the driver, which calls in this order
//
//     read_options(argc, argv, ...)           'harness' holds them from then on
//     begin_case("random", n, "")             names the input, for every message from here on
//     device_copy, device_alloc               inputs; outputs and temporaries, which hold poison
//     before_run(), the student's function, after_run()       CUDA errors and findings end the program
//     check_ints | check_floats, check_untouched              so does a wrong answer
//     report_counters | median_ms + report_time (timing.h)    what one run cost
//     check_expectations(), finish(RIGHT)
//
// Every end leads through finish(), which knows of an open TODO and writes the --json record. The weak function
// simt_read (simt/simt.h) is there on the SIMT machine only.
#ifndef HARNESS_H
#define HARNESS_H

#include "expect.h"
#include "leaks.h"
#include "record.h"
#include "todo.h"
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

// Exit codes. While a TODO is open the verdict is WRONG, whatever else was seen.
enum verdict { RIGHT = 0, BROKEN = 1, WRONG = 2, UNSAFE = 3, UNLEARNT = 4, SKIPPED = 77 };

#define POISON 0x7f // every byte of fresh device memory: 2139062143 as an int, 3.4e38 as a float
#define MAX_EXPECT 16
#define MAX_TIMES 8

struct timing {
    long long n;
    double ms, gb_per_s, share_of_peak; // share 0: the driver does not tell the peak
};

static struct {
    const char *file; // the exercise's source, as nvcc was given it
    int todo_open;
    long long n; // --n, or -1 for all sizes
    unsigned long long seed;
    int reps, all_reps, check, bench, plan, expects, met; // all_reps: --reps was given; met: of the expectations
    int counted;                                          // the run at work is the one whose counters are reported
    const char *expect[MAX_EXPECT];
    FILE *json;

    const char *input, *note; // the case at work: its name and what is special about it
    char shape[32];           // options that, with --n, run it alone
    long long case_n, runs;
    struct simt_counters counters; // of the last run; zero on a GPU
    int host_may_read;             // the step is about results that the host asks for while it runs
    const char *read_input;        // the first case in which the host read though it may not, or NULL; its n
    long long read_n;
    struct timing times[MAX_TIMES];
    int timed;
} harness;

// ---- Ends ------------------------------------------------------------------------------------------------
// The record of --json: verdict; n, input, seed and counters of the last run; times.
static inline void write_json(enum verdict verdict, const char *name)
{
    FILE *to = harness.json;
    fprintf(to, "{\"program\": \"%s\", \"verdict\": \"%s\", \"exit\": %d, \"machine\": \"%s\",\n",
            source_name(harness.file), name, verdict, simt_read ? "simt" : "gpu");
    fprintf(to, " \"n\": %lld, \"input\": \"%s\", \"seed\": %llu, \"runs\": %lld", harness.case_n,
            harness.input ? harness.input : "", harness.seed, harness.runs);
    const char *comma = ",\n \"counters\": {";
#define WRITE(field, meaning) \
    fprintf(to, "%s\"%s\": %llu", comma, #field, (unsigned long long)harness.counters.field), comma = ", ";
    if (simt_read) {
        SIMT_COUNTERS(WRITE)
        fprintf(to, "},\n \"findings\": %" PRIu64, simt_findings());
    }
#undef WRITE
    for (int i = 0; i < harness.timed; i++)
        fprintf(to, "%s{\"n\": %lld, \"ms\": %.6f, \"gb_per_s\": %.1f, \"share_of_peak\": %.4f}",
                i ? ",\n  " : ",\n \"times\": [", harness.times[i].n, harness.times[i].ms, harness.times[i].gb_per_s,
                harness.times[i].share_of_peak);
    fprintf(to, "%s}\n", harness.timed ? "]" : "");
    if (ferror(to) | fclose(to))
        fprintf(stderr, "warning: the --json record could not be written in full\n");
}

static inline __attribute__((noreturn)) void print_plan(void); // room.h

static inline __attribute__((noreturn)) void finish(enum verdict verdict)
{
    const char *const names[] = {"right", "broken", "wrong", "unsafe", "not learnt"};
    const char *name = verdict == SKIPPED ? "skipped" : names[verdict];
    fflush(stdout);
    if (harness.plan)
        print_plan();
    if (harness.todo_open && verdict != BROKEN) {
        say_not_done(harness.file, verdict == RIGHT);
        verdict = WRONG;
        name = "not done";
    }
    if (harness.json)
        write_json(verdict, name);
    char again[96] = "";
    if (harness.input && !harness.todo_open)
        snprintf(again, sizeof again, "--n %lld%s", harness.case_n, harness.shape);
    write_record(verdict, harness.runs, harness.met, again);
    exit(verdict);
}

// Says on stderr what is the matter and with which input, and ends.
static inline __attribute__((noreturn, format(printf, 2, 3))) void fail(enum verdict verdict, const char *why, ...)
{
    va_list args;
    if (harness.plan) // what is held against a run that was none
        finish(RIGHT);
    va_start(args, why);
    fflush(stdout);
    fprintf(stderr, "%s: ", source_name(harness.file));
    vfprintf(stderr, why, args);
    va_end(args);
    if (harness.input)
        fprintf(stderr, "\n  input   %s, n = %lld, seed %llu%s", harness.input, harness.case_n, harness.seed,
                harness.note);
    if (harness.input && simt_read && getenv("SIMT_SCHEDULE"))
        fprintf(stderr, "\n  order   SIMT_SCHEDULE=%s: warps and blocks ran in another order, which is as valid",
                getenv("SIMT_SCHEDULE"));
    fputc('\n', stderr);
    finish(verdict);
}

// ---- Options ---------------------------------------------------------------------------------------------
// A chapter with options of its own defines these before it includes this file, and takes its options out of argv
// before it calls read_options.
#ifndef CHAPTER_OPTIONS
#define CHAPTER_OPTIONS ""
#define CHAPTER_HELP ""
#define BENCH_HELP "2^16, 2^20, 2^24, 2^28"
#endif
#define OPTIONS \
    "--n N, --seed S, --reps R, --check, --bench, --plan, --json FILE, --expect EXPR, --help" CHAPTER_OPTIONS

// The word behind option i.
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
    fprintf(stderr, "%s '%s': accepted is a whole number from %" PRIu64 " to %" PRIu64 "\n", argv[i], text, low, high);
    exit(BROKEN);
}

static inline void print_help(uint64_t max_n)
{
    printf("%s: checks on many inputs, then reports what a run costs.\n\n", source_name(harness.file));
    printf("  --n N          this size alone, 0 to %" PRIu64 "\n", max_n);
    printf("  --seed S       other random inputs (seed 1)\n");
    printf("  --reps R       take a time R times, the median counts (20, fewer where that takes over half a second)\n");
    printf("  --check        check, no report\n");
    printf("  --bench        times at n = " BENCH_HELP ", each result checked; with --n at N alone\n");
    printf("  --plan         run nothing; print the host memory that the largest input takes\n");
    printf("  --json FILE    write verdict, counters and times to FILE\n");
    printf("  --expect EXPR  hold the counters of the last run against a relation such as\n");
    printf("                 'barriers <= 4*blocks'; may be repeated\n" CHAPTER_HELP "\n");
    printf("exit  0 right           1 broken run         2 wrong answer, or TODO open\n");
    printf("      3 unsafe          4 lesson not learnt  77 skipped\n");
    exit(RIGHT);
}

// Fills harness from the command line. Accepts --n up to max_n.
static inline void read_options(int argc, char **argv, const char *file, int todo_open, uint64_t max_n)
{
    struct simt_counters zero = {};
    open_record();
    harness.file = file;
    harness.todo_open = todo_open;
    harness.n = -1;
    harness.seed = 1;
    harness.reps = 20;
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (!strcmp(option, "--help")) {
            print_help(max_n);
        } else if (!strcmp(option, "--check")) {
            harness.check = 1;
        } else if (!strcmp(option, "--bench")) {
            harness.bench = 1;
        } else if (!strcmp(option, "--plan")) {
            harness.plan = 1;
        } else if (!strcmp(option, "--n")) {
            harness.n = (long long)option_number(argc, argv, i++, 0, max_n);
        } else if (!strcmp(option, "--seed")) {
            harness.seed = option_number(argc, argv, i++, 0, ~0ull);
        } else if (!strcmp(option, "--reps")) {
            harness.reps = harness.all_reps = (int)option_number(argc, argv, i++, 1, 10000);
        } else if (!strcmp(option, "--expect") && harness.expects < MAX_EXPECT) {
            harness.expect[harness.expects] = option_value(argc, argv, i++);
            evaluate_relation(harness.expect[harness.expects++], &zero, 0); // refuses what is no relation
        } else if (!strcmp(option, "--json") && !harness.json) {
            harness.json = fopen(option_value(argc, argv, i++), "w");
            if (!harness.json) {
                fprintf(stderr, "--json '%s': %s; accepted is a file that can be written\n", argv[i], strerror(errno));
                exit(BROKEN);
            }
        } else {
            fprintf(stderr, "'%s': unknown, or once too often; accepted are %s\n", option, OPTIONS);
            exit(BROKEN);
        }
    }
}

// ---- Device ----------------------------------------------------------------------------------------------
// Every CUDA call stands in check_cuda(...); after a launch check_cuda(cudaGetLastError()).
#define check_cuda(call) check_cuda_at((call), #call, __FILE__, __LINE__)

static inline void check_cuda_at(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    if (simt_findings && simt_findings() > 0)
        fail(UNSAFE, "unsafe: see the findings above");
    fprintf(stderr, "%s:%d: %s\n  failed with %s: %s\n", source_name(file), line, call, cudaGetErrorName(error),
            cudaGetErrorString(error));
    int address = error == cudaErrorIllegalAddress || error == cudaErrorMisalignedAddress;
    fail(BROKEN, "broken run: the device gave an error%s",
         !address    ? ""
         : simt_read ? "; with SIMT_CHECK=all the line is named"
                     : "; compute-sanitizer names the line");
}

static inline int ceil_div(int a, int b)
{
    return a / b + (a % b > 0);
}

#include "room.h"

// Device memory of exactly this size, so that checkers see its end, full of poison. The SIMT machine fills it behind
// the checkers' back: the memory still counts as never written.
static inline void *device_alloc(size_t bytes)
{
    void *p = NULL;
    cudaError_t error = cudaMalloc(&p, bytes);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)
        fail(SKIPPED, "skipped: no GPU here; linked with libsimt.a this runs without one");
    if (error == cudaErrorMemoryAllocation)
        fail(BROKEN, "out of memory: %.3f GB asked of the device; take a smaller --n", (double)bytes / 1e9);
    check_cuda(error);
    if (simt_poison && bytes > 0)
        simt_poison(p, POISON, bytes);
    else
        check_cuda(cudaMemset(p, POISON, bytes));
    return p;
}

// A copy of the host's bytes that begins skip bytes behind an aligned address, the start of the allocation.
static inline void *device_copy(const void *from, size_t bytes, size_t skip)
{
    char *p = (char *)device_alloc(skip + bytes) + skip;
    check_cuda(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice));
    return p;
}

// ---- One run and its verdict -----------------------------------------------------------------------------
static inline void begin_case(const char *input, long long n, const char *note)
{
    harness.input = input;
    harness.case_n = n;
    harness.note = note;
}

// Called before the run whose counters are reported. Its random input is one that no run before it has had, so that an
// answer kept from an earlier run is wrong. A profiler that waits for cudaProfilerStart sees this run alone.
static inline void begin_counted(void)
{
    harness.counted = 1;
}

static inline uint64_t case_seed(uint64_t n)
{
    return harness.seed * 1000003u + n + (harness.counted ? 0 : 1ull << 63);
}

static inline void before_run(void)
{
    if (simt_reset) {
        begin_leaks();
        simt_reset();
    }
    if (harness.counted)
        check_cuda(cudaProfilerStart());
}

// Waits for the device; ends the program on an error or a finding; reads the counters.
static inline void after_run(void)
{
    check_cuda(cudaGetLastError());
    check_cuda(cudaDeviceSynchronize());
    if (harness.counted)
        check_cuda(cudaProfilerStop());
    if (simt_findings && simt_findings() > 0)
        fail(UNSAFE, "unsafe: see the findings above");
    size_t kept = simt_read ? leaked(harness.case_n) : 0;
    if (kept > 0)
        fail(UNSAFE, "unsafe: every run allocates device memory that it does not free, this one %zu bytes", kept);
    if (simt_read)
        simt_read(&harness.counters);
    if (harness.counters.host_reads > 0 && !harness.host_may_read && !harness.read_input) {
        harness.read_input = harness.input;
        harness.read_n = harness.case_n;
    }
    harness.runs++;
}

// Ends the program if wrong > 0. per_block: elements a block writes, one per thread; 0 where that is not so.
static inline void judge(long long wrong, long long count, long long first, const char *got, const char *want,
                         int per_block)
{
    char where[128] = "";
    int length = 0;
    if (wrong == 0)
        return;
    if (count > 1)
        length = snprintf(where, sizeof where, ": %lld of %lld\n  first   index %lld", wrong, count, first);
    if (count > 1 && per_block > 0)
        snprintf(where + length, sizeof where - (size_t)length, ", block %lld thread %lld", first / per_block,
                 first % per_block);
    fail(WRONG, "wrong answer%s\n  got     %s\n  wanted  %s", where, got, want);
}

static inline const char *poison_note(const void *word)
{
    const unsigned char poison[4] = {POISON, POISON, POISON, POISON};
    return memcmp(word, poison, 4) ? "" : " (poison: what fresh memory holds)";
}

static inline void check_ints(const int *got, const int *want, long long count, int per_block)
{
    char got_text[64] = "", want_text[64] = "";
    long long wrong = 0, first = 0;
    for (long long i = 0; i < count; i++)
        if (got[i] != want[i] && wrong++ == 0)
            first = i;
    if (wrong > 0) {
        snprintf(got_text, sizeof got_text, "%d%s", got[first], poison_note(&got[first]));
        snprintf(want_text, sizeof want_text, "%d", want[first]);
    }
    judge(wrong, count, first, got_text, want_text, per_block);
}

// Right is what lies within bound[i] of want[i]. NaN is never right; infinity only where wanted.
static inline void check_floats(const float *got, const double *want, const double *bound, long long count,
                                int per_block)
{
    char got_text[64] = "", want_text[64] = "";
    long long wrong = 0, first = 0;
    for (long long i = 0; i < count; i++) {
        int right = got[i] == want[i] || fabs(got[i] - want[i]) <= bound[i];
        if (!right && wrong++ == 0)
            first = i;
    }
    if (wrong > 0) {
        snprintf(got_text, sizeof got_text, "%.9g%s", got[first], poison_note(&got[first]));
        snprintf(want_text, sizeof want_text, "%.9g +- %.3g", want[first], bound[first]);
    }
    judge(wrong, count, first, got_text, want_text, per_block);
}

// The device's input must still be what the host gave it. A large one is fetched in pieces.
static inline void check_untouched(const void *d_input, const void *input, size_t bytes)
{
    unsigned char *now = (unsigned char *)host_alloc(bytes < COMPARED_AT_ONCE ? bytes : COMPARED_AT_ONCE);
    for (size_t at = 0; at < bytes; at += COMPARED_AT_ONCE) {
        const unsigned char *wanted = (const unsigned char *)input + at;
        size_t length = bytes - at < COMPARED_AT_ONCE ? bytes - at : COMPARED_AT_ONCE, i = 0;
        check_cuda(cudaMemcpy(now, (const char *)d_input + at, length, cudaMemcpyDeviceToHost));
        if (!memcmp(now, wanted, length))
            continue;
        while (now[i] == wanted[i])
            i++;
        fail(WRONG, "wrong: the input was modified, first in 4-byte word %zu; it is to be read only", (at + i) / 4);
    }
    host_free(now);
}

#include "lesson.h"
#endif
