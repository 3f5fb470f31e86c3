// solvers/grid_driver.h: steps 06 to 08 of chapter 06-iterative-solvers: inputs, reference, checks and figures.
// common/solvers_06_08.h defines a right answer and includes this file.
#pragma once

#include "harness.h"
#include "solvers/grid_case.h"
#include "solvers/grid_calls.h"
#include "solvers/iteration.h"

// Widths, heights, depths: zero, all border, around a warp's 128 cells and the blocks of the reference solutions.
static const int PLANES[][3] = {{0, 0, 1},   {1, 1, 1},    {2, 5, 1},    {3, 3, 1},    {4, 7, 1},    {5, 4, 1},
                                {31, 33, 1}, {32, 32, 1},  {33, 31, 1},  {127, 9, 1},  {40, 1, 1},   {128, 65, 1},
                                {1, 40, 1},  {129, 64, 1}, {121, 63, 1}, {257, 70, 1}, {391, 133, 1}};
static const int SPACES[][3] = {{0, 0, 0},  {1, 1, 1},  {3, 3, 3},    {2, 3, 4},  {4, 4, 4},    {32, 8, 8},  {31, 7, 6},
                                {33, 9, 5}, {5, 5, 40}, {34, 10, 11}, {40, 3, 3}, {64, 17, 33}, {66, 33, 20}};
enum { PLANE_COUNT = sizeof PLANES / sizeof PLANES[0], SPACE_COUNT = sizeof SPACES / sizeof SPACES[0] };

static void run_case(struct problem *p, const struct input *input, struct grid g, int sweeps, int time)
{
    static char note[100];
    snprintf(note, sizeof note, ", %d x %d x %d cells, pitch %d, %d sweeps", g.width, g.height, g.depth,
             p->wide > 0 ? p->wide : g.pitch, sweeps);
    begin_case(input->name, g.width, note);
    if (planned(4 * cells(g) * sizeof(float)))
        return;
    prepare(p, input, g);
    p->sweeps = sweeps;
    run_calls(call, p, 1);
    check_result(p, input);
    if (time)
        report_time(g.width, median_ms(call, p), 2 * sizeof(float) * (double)sweeps * g.width * g.height * g.depth);
    release(p);
}

static void run_once(void *context, long long width)
{
    struct problem *p = (struct problem *)context;
    run_case(p, &INPUTS[1], grid_of((int)width, 9, p->space ? 5 : 1, 0), 1, 0);
}

static void run_changed(void *context, long long width)
{
    struct problem *p = (struct problem *)context;
    int height = 9 + 6 * changed(OTHER_HEIGHT) + 64 * is_larger_round();
    int depth = p->space ? 5 + 2 * changed(OTHER_DEPTH) : 1;
    run_case(p, &INPUTS[1], grid_of((int)width, height, depth, changed(OTHER_PITCH)), 2 + changed(OTHER_COUNT), 0);
}

static void check_grid(struct problem *p, struct grid g)
{
    for (int input = 0; input < INPUT_COUNT; input++)
        run_case(p, &INPUTS[input], g, 1 + 2 * input, 0);
    for (int sweeps = 0; sweeps <= 12; sweeps += 4)
        run_case(p, sweeps == 4 ? &TINY : &INPUTS[1], g, sweeps, 0);
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
// Rows so far apart that a cell's number exceeds 32 bits, even in quads.
static void check_wide(struct problem *p)
{
    struct grid g = p->space ? grid_of(5, 5, 13, 0) : grid_of(5, 65, 1, 0);
    p->wide = 1 << 28;
    if (begin_sparse(2.0 * (double)rows_of(g) * p->wide * sizeof(float))) {
        run_case(p, &INPUTS[1], g, 4, 0);
        simt_sample(NULL);
    }
    p->wide = 0;
}

// large: larger than all others that are compared.
static void run_drawn(struct problem *p, int large)
{
    static const int from[][3] = {{1, 200, 800}, {1, 24, 96}};
    const int *ends = from[p->space] + large;
    int width = (int)draw_size(ends[0], ends[1]), height = (int)draw_size(ends[0], ends[1]);
    int depth = p->space ? (int)draw_size(ends[0], ends[1]) : 1;
    run_case(p, &INPUTS[1], grid_of(width, height, depth, width % 3), 4 * (int)draw_size(1, 3), 0);
}

static void check_drawn(struct problem *p)
{
    for (int i = 0; i < DRAWN; i++)
        run_drawn(p, 0);
    int n = p->space ? (int)draw_size(81, 84) : (int)draw_size(363, 400); // twice as many cells as the counted case
    run_case(p, &INPUTS[1], cube(p, n), 1, 0);
    if (wants_larger())
        run_drawn(p, 1);
    if (begin_huge()) { // 2^22 to 2^23 cells
        run_case(p, &INPUTS[1], cube(p, (int)draw_size(p->space ? 162 : 2048, p->space ? 203 : 2896)), 4, 0);
        if (!p->space) {
            run_case(p, &INPUTS[1], grid_of(draw_long_side(), draw_short_side(), 1, 0), 2, 0);
            run_case(p, &INPUTS[1], grid_of(draw_short_side(), draw_long_side(), 1, 0), 2, 0);
        } else { // blocks of up to 64 planes, more than 8 bits count
            run_case(p, &INPUTS[1], grid_of(4, 3, (int)draw_size(257 * 64, 260 * 64), 0), 1, 0);
        }
        end_huge();
    }
}

static void check_largest(void *context, long long largest)
{
    struct problem *p = (struct problem *)context;
    int n = (int)largest;
    struct grid g = cube(p, n);
    size_t bytes = cells(g) * sizeof(float);
    if (begin_large(n, 2.0 * (double)bytes, LARGE_NOTE)) {
        p->g = g;
        p->sweeps = 4;
        p->d_x = (float *)device_alloc(bytes);
        p->d_new = (float *)device_alloc(bytes);
        run_calls(call, p, 1);
        check_all_read((double)bytes);
        check_all_stored(p->d_new, bytes, 1);
        check_zeros(p->d_x, bytes, 1);
        check_zeros(p->d_new, bytes, 1);
        check_cuda(cudaFree(p->d_new));
        check_cuda(cudaFree(p->d_x));
    }
    end_large();
}

static void check_grids(struct problem *p)
{
    const int(*list)[3] = p->space ? SPACES : PLANES;
    for (int i = 0; i < (p->space ? SPACE_COUNT : PLANE_COUNT) && harness.n < 0; i++)
        check_grid(p, grid_of(list[i][0], list[i][1], list[i][2], i % 3));
    if (harness.n < 0)
        check_drawn(p);
    if (harness.n >= 0) {
        check_grid(p, cube(p, (int)harness.n));
    } else if (!simt_read) {
        check_grid(p, cube(p, p->space ? 261 : 4099));
    } else {
        check_wide(p);
        run_case(p, &INPUTS[1], grid_of(6, 5, p->space ? 4 : 1, 0), MANY_SWEEPS, 0);
        if (p->space)
            run_case(p, &INPUTS[1], grid_of(4, 3, 300, 0), 2, 0); // more planes than 8 bits count
        check_repeated(run_once, p, 33, 300);
        check_stale_state(run_changed, p, 40);
    }
    print_right();
}

static inline int drive(struct invocation own, plane_function *solve, int space)
{
    struct problem p = {};
    p.solve = solve;
    p.space = space;
    read_options(own, space ? 1 << 11 : 1 << 16);
    skip_bench_without_gpu(space ? 128 : 1024);
    run_large(check_largest, &p, space ? 1 << 11 : 1 << 16);
    if (only_counted())
        run_drawn(&p, 0);
    else if (!harness.bench)
        check_grids(&p);
    int n = harness.n >= 0 ? (int)harness.n : space ? (simt_read ? 32 : 256) : simt_read ? 256 : 4096;
    bool bench = harness.bench && harness.n < 0;
    for (int side = space ? 256 : 4096; bench && side <= (space ? 512 : 16384); side *= 2)
        run_case(&p, &INPUTS[1], cube(&p, side), LESSON_SWEEPS, 1);
    begin_counted();
    run_case(&p, &INPUTS[0], cube(&p, n), LESSON_SWEEPS, is_timed() && !bench);
    printf("rate %.6f: after %d sweeps %.4f of the wave is left, as derived\n", p.rate, LESSON_SWEEPS,
           pow(p.rate, LESSON_SWEEPS));
    report_figures(harness.input);
    if (count_ragged())
        run_case(&p, &INPUTS[0], cube(&p, (int)draw_ragged(n / 2, n)), LESSON_SWEEPS, 0);
    finish_counted(check_largest, &p, space ? 64 : 1024, space ? 1 << 11 : 1 << 16, 0);
}

static inline int drive_plane(struct invocation own, plane_function *solve)
{
    return drive(own, solve, 0);
}

static inline int drive_space(struct invocation own, space_function *solve)
{
    return drive(own, solve, 1);
}
