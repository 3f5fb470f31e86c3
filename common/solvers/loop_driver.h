// solvers/loop_driver.h: step 09 of chapter 06-iterative-solvers: inputs, reference, checks and figures.
// common/solvers_09.h defines a right answer and includes this file.
#pragma once

#include "harness.h"
#include "solvers/grid_case.h"
#include "solvers/iteration.h"
#include "solvers/loop_calls.h"

#define FEWER 0.2

// ---- Checks ----------------------------------------------------------------------------------------------
static float start_nan(const struct problem *p, int plane, int row, int column, uint64_t *state)
{
    bool here = row == p->g.height / 2 && column == p->g.width / 2;
    return here ? NAN : start_random(p, plane, row, column, state);
}

static const struct input HAS_NAN = {"a NaN within", start_nan};

// The sum of the squares of the changes of sweep number k, in double.
static double change_of(const struct problem *p, int k)
{
    size_t count = cells(p->g);
    float *x = (float *)host_alloc(4 * count * sizeof *x);
    const float *before = reference(p, x, x + count, k - 1), *after = reference(p, x + 2 * count, x + 3 * count, k);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (i % (size_t)p->g.pitch < (size_t)p->g.width)
            sum += ((double)after[i] - before[i]) * ((double)after[i] - before[i]);
    host_free(x);
    return sum;
}

// Whether solve stopped at the right test.
static void check_stop(const struct problem *p, const struct input *input, const struct stop *asked)
{
    const struct stop *stop = &p->stop;
    int expected = forecast(p->rate, FEWER) + 1, has_nan = input == &HAS_NAN;
    if (stop->enough != asked->enough || stop->every != asked->every || stop->most != asked->most)
        fail(WRONG, "wrong: solve has changed stop->enough, stop->every or stop->most");
    if (stop->sweeps < stop->every || stop->sweeps > stop->most || stop->sweeps % stop->every)
        fail(WRONG, "wrong: stop->sweeps is %d; tests come every %d sweeps, the last at %d", stop->sweeps, stop->every,
             stop->most);
    harness.wrong_word = stop->diverged != has_nan ? &stop->diverged : &stop->sweeps;
    if (stop->diverged != has_nan || (has_nan && stop->sweeps > stop->every))
        fail(WRONG, "wrong: stop->diverged is %d after %d sweeps, and the input has %s NaN", stop->diverged,
             stop->sweeps, has_nan ? "a" : "no");
    if (has_nan)
        return;
    double sum = change_of(p, stop->sweeps);
    if (sum > 1.001 * stop->enough && stop->sweeps < stop->most)
        fail(WRONG, "wrong: stopped after %d sweeps, where the squares sum up to %g; %g is enough", stop->sweeps, sum,
             stop->enough);
    sum = stop->sweeps > stop->every ? change_of(p, stop->sweeps - stop->every) : INFINITY;
    if (sum < 0.999 * stop->enough)
        fail(WRONG, "wrong: stopped only after %d sweeps; %g was enough, and the test before found %g", stop->sweeps,
             stop->enough, sum);
    if (input == &INPUTS[0] && stop->sweeps < stop->most && abs(stop->sweeps - expected) > stop->every + 1)
        fail(WRONG, "wrong: %d sweeps were forecast, but %d done", expected, stop->sweeps);
}

// The second way is a graph: it makes nearly all launches.
static void check_graph(const struct problem *p)
{
    if (simt_read && p->by_graph && harness.counters.graph_launches < 0.9 * (double)harness.counters.launches)
        fail(LESSON_MISSED, "lesson not learnt: of %llu kernel launches a graph made %llu; this way is about a graph",
             (unsigned long long)harness.counters.launches, (unsigned long long)harness.counters.graph_launches);
}

static void run_loop(struct problem *p, const struct input *input, struct grid g, int every, int most, int time)
{
    static char note[100];
    struct stop asked = {0, every, most, -1, -1, 0};
    snprintf(note, sizeof note, ", %d x %d cells, pitch %d, %s, a test every %d sweeps", g.width, g.height, g.pitch,
             harness.note, every);
    begin_case(input->name, g.width, note);
    if (planned(5 * cells(g) * sizeof(float)))
        return;
    prepare(p, input, g);
    asked.enough = input == &HAS_NAN ? 1 : (float)(FEWER * FEWER * change_of(p, 1));
    p->stop = asked;
    p->d_stop = (struct stop *)device_copy(&asked, sizeof asked, 0);
    run_calls(call, p, 1);
    check_graph(p);
    check_cuda(cudaMemcpy(&p->stop, p->d_stop, sizeof p->stop, cudaMemcpyDeviceToHost));
    harness.wrong_word = &p->stop.sweeps; // if it is not right
    check_stop(p, input, &asked);
    harness.wrong_word = NULL;
    p->sweeps = p->stop.sweeps;
    check_result(p, input);
    if (time) { // 1024 sweeps, whatever the outcome: a better start leaves less to do
        asked.enough = -1;
        asked.most = 1024;
        check_cuda(cudaMemcpy(p->d_stop, &asked, sizeof asked, cudaMemcpyHostToDevice));
        report_time(g.width, median_ms(call, p), 2 * sizeof(float) * 1024.0 * g.width * g.height);
    }
    check_cuda(cudaFree(p->d_stop));
    release(p);
}

static void name_variant(const struct problem *p)
{
    harness.note = p->by_graph ? "by a graph" : "by one launch";
}

static void run_once(void *context, long long width)
{
    run_loop((struct problem *)context, &INPUTS[1], grid_of((int)width, 9, 1, 0), 2, 2, 0);
}

static void run_changed(void *context, long long width)
{
    struct problem *p = (struct problem *)context;
    struct grid g = grid_of((int)width, 9 + 6 * changed(OTHER_HEIGHT), 1, changed(OTHER_PITCH));
    int every = 2 + 2 * changed(OTHER_COUNT);
    name_variant(p);
    run_loop(p, &INPUTS[1], g, every, 2 * every, 0);
}

static void check_loop(struct problem *p, struct grid g)
{
    const char *by = harness.note;
    for (int input = 0; input <= 2; input++, harness.note = by)
        run_loop(p, &INPUTS[input], g, 2 + 4 * input, 3000 * (2 + 4 * input), 0);
    run_loop(p, &INPUTS[0], g, 4, 12, 0); // not yet good enough
    harness.note = by;
    if (g.width > 3 && g.height > 3) // else its neighbours are border, and it converges with the first sweep
        run_loop(p, &HAS_NAN, g, 8, 800, 0);
    harness.note = by;
}

// 1: by a graph, 0: by one launch.
static void select_variant(struct problem *p, int way)
{
    p->loop = p->ways[way];
    p->by_graph = way;
    name_variant(p);
    harness.host_may_read = way; // a graph is launched until the host has read that it is over
}

static void run_drawn(struct problem *p, int way, int high)
{
    int width = (int)draw_size(3, high), height = (int)draw_size(3, high);
    select_variant(p, way);
    run_loop(p, &INPUTS[1], grid_of(width, height, 1, width % 3), 4, 12, 0);
}

static void check_variant(struct problem *p, int way)
{
    static const int sizes[][2] = {{1, 1}, {3, 3}, {5, 4}, {31, 33}, {32, 32}, {33, 31}, {40, 1}, {129, 17}, {65, 33}};
    bool all = harness.n < 0;
    for (int i = 0; i < (all ? 3 : only_counted()); i++)
        run_drawn(p, way, i < 2 ? 60 : 240);
    if (begin_huge()) { // 2^16 to 2^17 cells
        select_variant(p, way);
        run_loop(p, &INPUTS[1], cube(p, (int)draw_size(256, 362)), 4, 4, 0);
        end_huge();
    }
    select_variant(p, way);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && all; i++)
        check_loop(p, grid_of(sizes[i][0], sizes[i][1], 1, (int)i % 3));
    if (all && simt_read) {
        check_repeated(run_once, p, 33, 300);
        check_stale_state(run_changed, p, 40);
    } else if (!only_counted()) {
        check_loop(p, cube(p, all ? 257 : (int)harness.n));
    }
}

// The largest grid, in one of the two ways. The sums are unknown, so the outcome means nothing.
static void check_largest(struct problem *p, int n)
{
    struct stop asked = {-1, 2, 4, -1, -1, 0};
    struct grid g = cube(p, n);
    size_t bytes = cells(g) * sizeof(float);
    if (begin_large(n, 2.0 * (double)bytes, LARGE_NOTE)) {
        p->g = g;
        p->d_x = (float *)device_alloc(bytes);
        p->d_new = (float *)device_alloc(bytes);
        p->d_sums = (float *)device_alloc(2 * sizeof(float));
        p->d_stop = (struct stop *)device_copy(&asked, sizeof asked, 0);
        run_calls(call, p, 1);
        check_all_read((double)bytes);
        check_all_stored(p->d_new, bytes, 1);
        check_zeros(p->d_x, bytes, 1);
        check_zeros(p->d_new, bytes, 1);
        void *all[] = {p->d_stop, p->d_sums, p->d_new, p->d_x};
        for (int i = 0; i < 4; i++)
            check_cuda(cudaFree(all[i]));
    }
    end_large();
}

static void check_both_largest(void *context, long long largest)
{
    struct problem *p = (struct problem *)context;
    for (int way = 1; way >= 0; way--) {
        select_variant(p, way);
        check_largest(p, (int)largest);
    }
}

static inline int drive_loop(struct invocation own, loop_function *one, loop_function *graph)
{
    struct problem p = {};
    p.ways[0] = one;
    p.ways[1] = graph;
    read_options(own, 1 << 14);
    skip_bench_without_gpu(257);
    run_large(check_both_largest, &p, 1 << 14);
    for (int way = 1; way >= 0; way--) // the single launch last, since its counters are reported
        check_variant(&p, way);
    if (!only_counted())
        print_right();
    if (harness.n < 0) { // more blocks than a small device holds at a time
        harness.note = "by one launch";
        run_loop(&p, &INPUTS[0], grid_of(257, 97, 1, 1), 4, 12, 0);
    }
    harness.note = "by one launch";
    int n = harness.n >= 0 ? (int)harness.n : simt_read ? 33 : 257;
    begin_counted();
    run_loop(&p, &INPUTS[0], cube(&p, n), 16, 1 << 20, is_timed());
    printf("rate %.6f: %d sweeps were forecast, %d done with a test every 16\n", p.rate, forecast(p.rate, FEWER) + 1,
           p.stop.sweeps);
    report_figures(harness.input);
    harness.note = "by one launch";
    if (count_ragged())
        run_loop(&p, &INPUTS[0], cube(&p, n - (int)draw_size(1, max(n / 8, 1))), 16, 1 << 20, 0);
    finish_counted(check_both_largest, &p, 1 << 10, 1 << 14, 0);
}
