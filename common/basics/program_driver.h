// basics/program_driver.h: steps 01 and 07 of chapter 00-basics: inputs, reference, checks and figures.
// common/basics_program.h defines a right answer and includes this file.
#pragma once

#define CHAPTER_OPTIONS ", --fail K"
#define BENCH_HELP "2^20, 2^24, 2^28"
#define CHAPTER_HELP "  --fail K       with --n: CUDA call number K of the program fails\n"
#include "basics/program_calls.h"
#include "harness.h"

struct program {
    load_function *load;
    run_function *run;
    fetch_function *fetch;
    enum program_kind kind;
    int n, failing;     // failing: number of the CUDA call that fails, 0: none
    uint64_t calls;     // made by the last run
    const char *failed; // the call that failed; NULL: the program did not reach it
    float a, *x, *y;
    long long written;
    int status;
};

// ---- One case --------------------------------------------------------------------------------------------
static void fill(struct program *p)
{
    uint64_t state = case_seed((uint64_t)p->n);
    size_t bytes = (size_t)p->n * sizeof(float);
    p->a = (float)((p->n + 3 * changed(OTHER_COUNT)) % 29 - 14) / 2;
    p->x = (float *)host_alloc(bytes);
    p->y = (float *)host_alloc(bytes);
    for (int i = 0; i < p->n; i++) {
        p->x[i] = small_number(&state, 4000);
        p->y[i] = small_number(&state, 1 << 15);
    }
    float *d_x = (float *)device_copy(p->x, bytes, 0), *d_y = (float *)device_copy(p->y, bytes, 0);
    struct program_input input = {d_x, d_y, p->n, p->a};
    p->load(&input);
    check_cuda(cudaFree(d_y));
    check_cuda(cudaFree(d_x)); // we hold no device memory while the program runs
}

static void run_main(void *context)
{
    struct program *p = (struct program *)context;
    if (simt_fail)
        simt_fail((uint64_t)p->failing);
    p->status = p->run(&p->written) & 255; // as a shell sees it
    p->failed = simt_failed ? simt_failed() : NULL;
    p->calls = simt_fail ? simt_fail(0) : 0;
}

// Checks the end of a run in which no call was made to fail.
static void check_end(const struct program *p)
{
    if (simt_findings && simt_findings() > 0)
        fail(UNSAFE, "unsafe: see the findings above");
    cudaError_t pending = cudaGetLastError();
    if (p->status != 0)
        fail(WRONG, "wrong: the program ended with %d; it should end with 0, because no call was made to fail%s%s",
             p->status, pending ? ". The last error is " : "", pending ? cudaGetErrorName(pending) : "");
    if (pending)
        fail(WRONG,
             "wrong: a CUDA call failed, with %s, and the program went on: check every call, "
             "and the launch by cudaGetLastError",
             cudaGetErrorName(pending));
    if (p->written != p->n)
        fail(WRONG, "wrong: write_y wrote %lld values, not n", p->written);
}

// The number of the input that is there instead of result i, in words; NULL: none.
static const char *known_number(const struct program *p, float got, size_t i)
{
    return got == p->y[i]   ? "got is y as it was: the kernel has not computed it, or it was not copied back"
           : got == p->x[i] ? "got is x: was x copied back, not y?"
           : got == p->a * p->y[i] + p->x[i] ? "got is a y + x: x and y are swapped, in the launch or in a copy"
                                             : NULL;
}

static void check_result(struct program *p)
{
    size_t n = (size_t)p->n;
    float *got = (float *)host_alloc(n * sizeof *got), *d_got = (float *)device_alloc(n * sizeof *got);
    struct float_mistakes m = {};
    struct program_output output = {d_got};
    p->fetch(&output);
    check_cuda(cudaMemcpy(got, d_got, n * sizeof *got, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) {
        float want = p->a * p->x[i] + p->y[i];
        if (got[i] != want && !harness.reason)
            harness.reason = known_number(p, got[i], i);
        compare_float(&m, &got[i], want, 0, (long long)i);
    }
    judge(m.wrong, p->n, m.first, m.got, m.want, 0);
    check_cuda(cudaFree(d_got));
    host_free(got);
}

static bool begin_program(struct program *p, int n, int failing)
{
    static char note[80];
    snprintf(note, sizeof note, failing ? ", CUDA call number %d fails" : "", failing);
    snprintf(harness.shape, sizeof harness.shape, failing ? " --fail %d" : "", failing);
    begin_case("random", n, note);
    p->n = n;
    p->failing = failing;
    if (planned(12 * (size_t)n))
        return false;
    fill(p);
    return true;
}

static void end_case(struct program *p)
{
    host_free(p->y);
    host_free(p->x);
}

static void run_case(struct program *p, int n)
{
    if (!begin_program(p, n, 0))
        return;
    before_run();
    run_main(p);
    check_end(p);
    size_t used = device_used();
    uint64_t objects = objects_used();
    after_run();
    if (simt_read && used > leaks.used)
        fail(UNSAFE, "unsafe: the program ended, and %zu byte%s of device memory %s not freed%s", used - leaks.used,
             plural((long long)(used - leaks.used)), used - leaks.used == 1 ? "is" : "are", leak_text());
    if (objects > leaks.objects)
        fail(UNSAFE, "unsafe: the program ended, and did not destroy or free everything: %llu too many (" OBJECTS ")",
             (unsigned long long)(objects - leaks.objects));
    check_result(p);
    end_case(p);
}

// Makes a call fail: main must then end with a value other than 0. It need not free its memory: the end of a process
// frees it, and here cudaDeviceReset does.
static void run_failing(struct program *p, int n, int failing)
{
    if (!begin_program(p, n, failing))
        return;
    before_run();
    run_main(p);
    if (p->status == 0)
        fail(WRONG,
             "wrong: CUDA call number %d of the program, %s, was made to fail, and the program ended with 0\n"
             "  Counted are allocations, copies, launches, and so on, in their order; not cudaGetLastError.\n"
             "  Check what each returns, and cudaGetLastError() after a launch; end with EXIT_FAILURE.",
             failing, p->failed ? p->failed : "which it did not reach");
    struct program_output nowhere = {NULL};
    p->fetch(&nowhere);
    check_cuda(cudaDeviceReset());
    cudaGetLastError();
    harness.runs++;
    end_case(p);
}

// ---- The driver ------------------------------------------------------------------------------------------
static const int SIZES[] = {1, 0, 31, 32, 33, 255, 256, 257, 1000, 1023, 1025, 4097, 65537};
static const int PIPELINE_SIZES[] = {1, 0, 1000, 4095, 4097, 32767, 32768, 32769, 65536, 65537, 131071, 200003, 262145};
enum { SIZE_COUNT = 13, MAX_FAILING = 24, FAILING_SIZE = 1000 };

static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"copies to the device", "host_writes"},
    {"copies to the host", "host_reads"},
    {"copies that may overlap", "overlaps"},
    {"sectors per load", "global_load_sectors / global_load_requests"},
    {"warp instructions", "warp_instructions"},
};

// Makes each of the program's calls fail once.
static void check_failures(struct program *p)
{
    run_case(p, FAILING_SIZE);
    uint64_t calls = p->calls;
    printf("each of the %llu CUDA calls of the program is made to fail once; these are its messages:\n",
           (unsigned long long)calls);
    fflush(stdout);
    for (uint64_t k = 1; k <= calls && k <= MAX_FAILING; k++)
        run_failing(p, FAILING_SIZE, (int)k);
}

static void run_changed(void *context, long long n)
{
    run_case((struct program *)context, (int)n);
}

static void check_all(struct program *p, int asked)
{
    const int *sizes = p->kind == PIPELINE ? PIPELINE_SIZES : SIZES;
    if (harness.n >= 0 && asked > 0)
        run_failing(p, (int)harness.n, asked);
    else if (harness.n >= 0)
        run_case(p, (int)harness.n);
    for (int i = 0; i < SIZE_COUNT && harness.n < 0; i++)
        run_case(p, sizes[i]);
    for (int i = 0; i < DRAWN && harness.n < 0; i++)
        run_case(p, (int)draw_size(drawn_part(1 << 18, i), drawn_part(1 << 18, i + 1)));
    if (harness.n < 0 && !is_checked())
        run_case(p, (int)draw_size(1 << 18, 1 << 21));
    if (harness.n < 0 && simt_read)
        check_stale_state(run_changed, p, 40000);
    if (begin_huge()) {
        run_case(p, p->kind == PIPELINE ? (int)draw_size(1 << 22, 1 << 23) : (1 << 24) + 1); // which is not a float
        end_huge();
    }
    if (harness.n < 0 && p->kind == CHECKED && simt_fail && !harness.plan)
        check_failures(p);
    printf("%s: right in %lld run%s, n %s %lld\n", source_name(harness.file), harness.runs, plural(harness.runs),
           harness.n < 0 ? "up to" : "=", harness.n < 0 ? (long long)sizes[SIZE_COUNT - 1] : harness.n);
}

static inline int drive_program(struct invocation own, load_function *load, run_function *run, fetch_function *fetch,
                                enum program_kind kind)
{
    struct program program = {}, *p = &program;
    p->load = load;
    p->run = run;
    p->fetch = fetch;
    p->kind = kind;
    int asked = (int)take_option(&own, "--fail", 1, 1000, 0);
    read_options(own, 1 << 28);
    if (harness.bench || harness.large)
        fail(SKIPPED, "skipped: a whole program is not timed, and its sizes must fit in the host's memory");
    if (simt_read && p->kind == PIPELINE && harness.expects > 0 && !is_checked())
        setenv("SIMT_CHECK", "race", 1); // it knows which operations may overlap
    harness.host_may_read = 1;
    int n = harness.n >= 0 ? (int)harness.n : 1 << 16;
    if (only_counted())
        run_case(p, (int)draw_size(1, max(n, 1)));
    else
        check_all(p, asked);
    begin_counted();
    if (asked == 0)
        run_case(p, n);
    report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    if (count_ragged())
        run_case(p, (int)draw_ragged(n / 2, n));
    check_expectations();
    finish(RIGHT);
}
