// solvers/slabs_driver.h: step 10 of chapter 06-iterative-solvers: inputs, reference, checks and figures.
// common/solvers_10.h defines a right answer and includes this file.
#pragma once

#include "harness.h"
#include "solvers/iteration.h"
#include "solvers/team.h"
#include <time.h>

// Calls the student's function, with a copy of t. The driver uses only one change in it: which of its two arrays
// each slab calls x.
static void solve(const struct problem *p, struct team *t, int sweeps)
{
    struct team copy = *t;
    p->solve(&copy, sweeps);
    for (int i = 0; i < t->count; i++) {
        struct slab *s = &t->slab[i], *back = &copy.slab[i];
        if (back->x == s->next && back->next == s->x) {
            s->next = s->x;
            s->x = back->x;
        } else if (back->x != s->x || back->next != s->next) {
            fail(WRONG, "wrong: x and next of slab %d no longer point to its two arrays", t->first + i);
        }
    }
}

// ---- One case --------------------------------------------------------------------------------------------
// The whole grid after the sweeps, in float.
static float *reference(const struct problem *p, int sweeps)
{
    size_t count = (size_t)p->g.pitch * (size_t)p->g.height;
    float *x = (float *)host_alloc(count * sizeof *x), *other = (float *)host_alloc(count * sizeof *x);
    memcpy(x, p->start, count * sizeof *x);
    memcpy(other, p->start, count * sizeof *x);
    for (int k = 0; k < sweeps; k++) {
        for (int r = 1; r < p->g.height - 1; r++)
            for (int c = 1; c < p->g.width - 1; c++) {
                const float *i = x + cell(p->g, r, c);
                other[i - x] = average(i[-1], i[1], i[-p->g.pitch], i[p->g.pitch]);
            }
        float *swap = x;
        x = other;
        other = swap;
    }
    host_free(other);
    return x;
}

// Compares row `row` of slab number i, row `whole` of the grid, with want.
static void check_row(const struct problem *p, struct team *t, int i, int row, int whole, const float *want)
{
    static char note[200];
    struct slab *s = &t->slab[i];
    size_t bytes = (size_t)p->g.width * sizeof(float);
    float *got = (float *)host_alloc(bytes);
    char got_text[64], want_text[64];
    check_cuda(cudaMemcpy(got, s->x + cell(s->g, row, 0), bytes, cudaMemcpyDeviceToHost));
    for (int c = 0; c < p->g.width; c++)
        if (!(got[c] == want[c])) {
            snprintf(note, sizeof note, "%s\n  where   slab %d, its row %d: row %d, column %d of the grid",
                     harness.note, t->first + i, row, whole, c);
            harness.note = note;
            snprintf(got_text, sizeof got_text, "%.9g%s", got[c], record_wrong_word(&got[c]));
            snprintf(want_text, sizeof want_text, "%.9g, the same bits", want[c]);
            judge(1, 1, 0, got_text, want_text, 0);
        }
    host_free(got);
}

static void check_slabs(const struct problem *p, struct team *t, int sweeps, int uneven)
{
    float *want = reference(p, sweeps);
    int whole = 0;
    for (int i = -t->first; i < t->count; i++) {
        int rows = rows_of(p->g, t->first + i, t->world, uneven), first = t->first + i == 0;
        bool last = t->first + i == t->world - 1;
        for (int row = !first; i >= 0 && row <= rows + last; row++) // the grid's border, too
            check_row(p, t, i, row, whole + row, want + cell(p->g, whole + row, 0));
        whole += rows;
    }
    host_free(want);
}

// A program may leave out no cell, nor a row of them: half are 0 or so tiny that it may take them for 0.
static float start_of(uint64_t *state)
{
    uint64_t kind = random_bits(state) % 4;
    float value = (float)random_in(state, -1, 1);
    return kind == 0 ? 0 : kind == 1 ? ldexpf(value, -100) : value;
}

static void run_case(struct problem *p, struct team *t, int width, int height, int sweeps, int uneven)
{
    static char note[160];
    uint64_t state = case_seed((uint64_t)width);
    struct grid g = {width, height, 1, ceil_div(width, 4) * 4 + 4 * (width % 2 + changed(OTHER_PITCH))};
    snprintf(note, sizeof note, ", %d x %d cells in %d %sslabs by %s, %d sweeps", width, height, t->world,
             uneven ? "uneven " : "", t->nccl ? "NCCL" : "peer copies", sweeps);
    begin_case("random", width, note);
    if (planned(3 * (size_t)g.pitch * (size_t)height * sizeof(float)))
        return;
    p->g = g;
    p->start = (float *)host_alloc((size_t)g.pitch * (size_t)height * sizeof(float));
    for (size_t i = 0; i < (size_t)g.pitch * (size_t)height; i++)
        p->start[i] = i % (size_t)g.pitch < (size_t)width ? start_of(&state) : NAN;
    distribute_rows(p, t, uneven);
    wait_for_all(t);
    before_run();
    solve(p, t, sweeps);
    wait_for_all(t);
    after_run();
    check_slabs(p, t, sweeps, uneven);
    collect(t);
    host_free(p->start);
}

// ---- Times -----------------------------------------------------------------------------------------------
static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

// Milliseconds per sweep; the median of harness.reps times SWEEPS of them, by the host's clock.
static double sweep_ms(struct problem *p, struct team *t, int width, int height)
{
    enum { SWEEPS = 50 };
    double *ms = (double *)host_alloc((size_t)harness.reps * sizeof *ms), middle;
    struct grid g = {width, height, 1, width};
    p->g = g;
    p->start = NULL;
    distribute_rows(p, t, 0);
    for (int i = -2; i < harness.reps; i++) {
        wait_for_all(t);
        double begin = now_ms();
        solve(p, t, SWEEPS);
        wait_for_all(t);
        ms[i < 0 ? 0 : i] = (now_ms() - begin) / SWEEPS;
    }
    collect(t);
    middle = median(ms, harness.reps);
    host_free(ms);
    return middle;
}

// A row of the table; single: the times with one slab, which the first row sets. Started by MPI there is none.
static void bench(struct problem *p, struct team *t, double *single)
{
    const int width = 16384, rows = 16384;
    double weak = sweep_ms(p, t, width, rows * t->world + 2), strong = sweep_ms(p, t, width, rows + 2);
    double large = sweep_ms(p, t, 2 * width, 2 * rows + 2), times[] = {weak, strong, large};
    for (int k = 0; k < 3 && t->world == 1; k++)
        single[k] = times[k];
    if (t->first > 0)
        return;
    printf("%4d  %-11s", t->world, t->nccl ? "NCCL" : "peer copies");
    for (int k = 0; k < 3; k++) {
        double efficiency = single[k] / times[k] / (k ? t->world : 1);
        printf(" %9.4f ", times[k]);
        if (isnan(efficiency))
            printf("      -  ");
        else
            printf("%7.3f  ", efficiency);
    }
    printf("\n");
}

// ---- The driver ------------------------------------------------------------------------------------------
struct slabs_case {
    struct problem *p;
    struct team *t;
};

static void run_changed(void *context, long long width)
{
    const struct slabs_case *c = (const struct slabs_case *)context;
    run_case(c->p, c->t, (int)width, 41 + 6 * changed(OTHER_HEIGHT), 2 + changed(OTHER_COUNT), changed(OTHER_DEPTH));
}

// All grids with teams of `from` to `to` slabs, or their times. If there are other processes, from is to.
static void run_teams(struct problem *p, struct team *t, int from, int to, int alone, int times)
{
    static const int sizes[][2] = {{3, 3}, {5, 6}, {31, 9}, {33, 34}, {128, 67}, {130, 41}, {257, 131}};
    double single[3] = {NAN, NAN, NAN};
    if (times && t->first == 0)
        printf("GPUs  exchange     weak: ms  effic. strong: ms  effic.  4 x: ms  effic.\n");
    for (int world = from; world <= to; world++) {
        t->count = alone ? world : t->count;
        t->world = world;
        open_team(p, t);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !times; i++)
            for (int k = 0; k < 4 && sizes[i][1] - 2 >= world; k++)
                run_case(p, t, sizes[i][0], sizes[i][1], k == 3 ? 9 : k, k % 2);
        for (int i = 0; i < 2 && alone && !times; i++) {
            int width = (int)draw_size(3, 300), height = (int)draw_size(world + 2, 300);
            run_case(p, t, width, height, 3 + i, i);
        }
        if (alone && !times && begin_huge()) { // 2^20 to 2^21 cells
            run_case(p, t, (int)draw_size(1024, 1448), (int)draw_size(1024, 1448), 2, 1);
            end_huge();
        }
        struct slabs_case own = {p, t};
        if (alone && !times && simt_read && world > 1)
            check_stale_state(run_changed, &own, 40);
        if (alone && !times && simt_read && world == 2)
            run_case(p, t, 6, 7, MANY_SWEEPS, 1);
        if (times)
            bench(p, t, single);
        close_team(t);
    }
}

static void check_n(struct problem *p, struct team *t, int n)
{
    t->count = t->world = max(1, min(4, n - 2));
    open_team(p, t);
    if (n >= 3)
        run_case(p, t, n, n, LESSON_SWEEPS, 0);
    close_team(t);
}

// The largest grid, in four slabs.
static void check_largest(struct problem *p, struct team *t, int n)
{
    int pitch = ceil_div(n, 4) * 4;
    size_t bytes = (size_t)n * (size_t)pitch * sizeof(float);
    t->count = t->world = 4;
    open_team(p, t);
    if (begin_large(n, 2.1 * (double)bytes, LARGE_NOTE)) {
        p->g = (struct grid){n, n, 1, pitch};
        p->start = NULL;
        distribute_rows(p, t, 0);
        wait_for_all(t);
        before_run();
        solve(p, t, 2);
        wait_for_all(t);
        after_run();
        check_all_read((double)n * n * sizeof(float));
        collect(t);
    }
    end_large();
    close_team(t);
}

// The runs whose counters are reported, and must meet the bounds.
static void check_counted(struct problem *p, struct team *t, int alone)
{
    begin_counted();
    if (alone)
        check_n(p, t, harness.n >= 0 ? (int)harness.n : 256);
    report_figures("random");
    if (alone && count_ragged())
        check_n(p, t, (int)draw_ragged(harness.first_n / 2, harness.first_n));
    check_expectations();
}

// Four GPUs; and the race check, which knows what may overlap.
static void set_up_machine(void)
{
    setenv("SIMT_DEVICES", "4", 0);
    if (harness.expects > 0 && !is_checked())
        setenv("SIMT_CHECK", "race", 1);
}

static inline int drive_slabs(struct invocation own, slabs_function *solve)
{
    struct team team = {};
    struct problem p = {};
    p.solve = solve;
    read_options(own, 1 << 14);
    if (simt_read)
        set_up_machine();
    skip_bench_without_gpu(257);
    if (harness.plan)
        run_case(&p, &team, 257, 257, LESSON_SWEEPS, 0), finish(RIGHT);
    join(&team, &p.device);
    if (harness.large) {
        connect_devices();
        check_largest(&p, &team, harness.n >= 0 ? (int)harness.n : 1 << 14);
        finish(RIGHT);
    }
    int most = team.world, alone = team.count == most, by_nccl = 0;
#ifdef WITH_NCCL
    by_nccl = 1;
#endif
    if (alone)
        connect_devices();
    if (alone && !only_counted())
        run_teams(&p, &team, 1, harness.bench ? most : 4, alone, harness.bench);
    team.nccl = by_nccl;
    if (by_nccl)
        run_teams(&p, &team, alone ? 1 : most, most, alone, harness.bench);
    team.nccl = 0;
    if (!harness.bench && !only_counted() && team.first == 0)
        printf("%s: right in %lld run%s, on %d GPUs\n", source_name(harness.file), harness.runs, plural(harness.runs),
               most);
    check_counted(&p, &team, alone);
    if (wants_large())
        check_largest(&p, &team, (int)draw_large(1 << 10, 1 << 14));
#ifdef WITH_MPI
    run_succeeded = 1;
#endif
    if (!simt_read && !by_nccl)
        fail(SKIPPED, "skipped: right by peer copies, but not built for NCCL, which was not found;\n"
                      "  nvcc -DWITH_NCCL ... -lnccl builds it (CMake: -DNCCL_ROOT=where include/nccl.h is)");
    finish(RIGHT);
}
