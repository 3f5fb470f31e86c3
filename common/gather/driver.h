// gather/driver.h: chapter 09-gather: checks and figures. common/gather.h defines a right answer and
// includes this file.
#pragma once

#define CHAPTER_OPTIONS ", --width W, --height H"
#define BENCH_HELP "1000, 4000, 16000 atoms; with bins 2^16, 2^18, 2^20"
#define CHAPTER_HELP \
    "  --width W      points of a row of the map, a small one where N is below 64\n" \
    "  --height H     rows of the map; N is the number of atoms\n"
#include "gather/inputs.h"
#include "gather/reference.h"
#include "harness.h"

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct gather *g = (struct gather *)context;
    if (g->all)
        g->all(g->d_map, g->d_atoms, g->n, g->p);
    else
        g->binned(g->d_map, g->d_atoms, g->n, g->p, g->bins);
}

static void name_case(struct gather *g, const char *input, int n, struct plane p)
{
    static char note[160];
    snprintf(note, sizeof note, ", %d x %d points%s; point (x, y) has index y * %d + x", p.width, p.height,
             g->cut ? ", cutoff" : "", p.width);
    begin_case(input, n, note);
    snprintf(harness.shape, sizeof harness.shape, " --width %d --height %d", p.width, p.height);
    g->n = n;
    g->p = p;
}

static unsigned *words(size_t count)
{
    return (unsigned *)device_alloc(count * sizeof(unsigned));
}

static void make_bins(struct gather *g)
{
    size_t cells = (size_t)cells_in(g->p), tiles = (size_t)tiles_in(g->p), n = (size_t)g->n;
    struct bins bins = {(float4 *)device_alloc(n * sizeof(float4)), words(cells + 1), words(cells + 1),
                        words(tiles + n + 1), words(cells / 1000 + 8)};
    g->bins = bins;
}

static void make_device(struct gather *g)
{
    g->d_map = (float *)device_alloc(points_of(g->p) * sizeof *g->d_map);
    if (g->binned)
        make_bins(g);
}

static void free_device(struct gather *g)
{
    void *const bins[] = {g->bins.atoms, g->bins.begin, g->bins.next, g->bins.list, g->bins.tmp};
    for (int i = 0; g->binned && i < 5; i++)
        check_cuda(cudaFree(bins[i]));
    check_cuda(cudaFree(g->d_map));
    check_cuda(cudaFree(g->d_atoms));
}

// Operations for every counted pair of a point and an atom: two differences, three squares, three sums, the root, a
// product and a sum.
static const double PAIR_FLOPS = 11;

// Pairs that count. With a cutoff, by the half chord of each row within reach.
static double pairs_of(const struct gather *g)
{
    double pairs = 0;
    for (int i = 0; g->cut && i < g->n; i++) {
        const float4 *a = &g->atoms[i];
        for (int y = max(0, (int)a->y - 17); y < min(g->p.height, (int)a->y + 18); y++) {
            double rest = CUTOFF2 - (y - a->y) * (y - a->y) - a->z * a->z, half = rest > 0 ? sqrt(rest) : 0;
            pairs += fmax(0, fmin(a->x + half, g->p.width) - fmax(a->x - half, 0));
        }
    }
    return g->cut ? pairs : (double)points_of(g->p) * g->n;
}

// Fills and runs one case and checks it; if times are requested, measures it while the input is on the device.
static void run_case(struct gather *g, const struct input *input, int n, struct plane p, int time)
{
    name_case(g, input->name, n, p);
    uint64_t state = case_seed((uint64_t)n * 65537 + (uint64_t)p.width * 257 + (uint64_t)p.height);
    size_t summed = points_of(p) > LARGE_MAP ? ROWS_AT_ONCE * (size_t)p.width : points_of(p);
    if (planned((size_t)n * sizeof *g->atoms + points_of(p) * sizeof(float) + summed * sizeof(struct sum)))
        return;
    g->atoms = (float4 *)host_alloc((size_t)n * sizeof *g->atoms);
    input->fill(g->atoms, n, p, &state);
    g->d_atoms = (float4 *)device_copy(g->atoms, (size_t)n * sizeof *g->atoms, 0);
    make_device(g);
    run_calls(call, g, p.width == 33 ? 2 : 1);
    check_map(g);
    if (time)
        report_flops(n, median_ms(call, g), PAIR_FLOPS * pairs_of(g));
    free_device(g);
    host_free(g->atoms);
}

// ---- The driver ------------------------------------------------------------------------------------------
// n, width, height: around warps, tiles and powers of two; ragged in each; zero in one of them; many atoms.
static const int SHAPES[][3] = {{1, 1, 1},     {0, 5, 3},    {5, 0, 3},    {5, 3, 0},     {0, 0, 0},    {2, 16, 16},
                                {1, 33, 17},   {31, 17, 15}, {32, 31, 33}, {33, 32, 32},  {33, 33, 31}, {64, 128, 4},
                                {65, 257, 5},  {63, 255, 9}, {66, 5, 130}, {127, 49, 35}, {255, 20, 7}, {257, 7, 20},
                                {1000, 18, 3}, {4095, 3, 2}, {4096, 2, 3}, {4097, 2, 2}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0], LONGEST = 65535, MAX_ATOMS = 1 << 24 };

static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"blocks", "blocks"},
    {"longest block's share, %", "100 * longest_block / warp_instructions"},
    {"operations per atom", "flops / n"},
    {"warp instructions", "warp_instructions"},
    {"lanes at work, %", "100 * thread_instructions / (32 * warp_instructions)"},
    {"divergent branches", "divergent_branches"},
    {"global load requests", "global_load_requests"},
    {"sectors per load", "global_load_sectors / global_load_requests"},
    {"global store requests", "global_store_requests"},
    {"sectors per store", "global_store_sectors / global_store_requests"},
    {"global atomics", "global_atomics"},
    {"most lanes on one address", "global_atomic_same"},
};

static void check_shape(struct gather *g, int n, struct plane p)
{
    for (int set = 0; set < SETS; set++)
        if (n <= 1000 || set == FEW || set == CELL || harness.n >= 0)
            run_case(g, set == RANDOM && n % 2 && n > 1 ? &FAINT : &INPUTS[set], n, p, 0);
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
static void run_atoms(void *context, long long n)
{
    struct plane p = {2, 2};
    run_case((struct gather *)context, &INPUTS[FEW], (int)n, p, 0);
}

static void run_width(void *context, long long width)
{
    struct plane p = {(int)width, 2};
    run_case((struct gather *)context, &INPUTS[WHOLE], 5, p, 0);
}

static void run_height(void *context, long long height)
{
    struct plane p = {2, (int)height};
    run_case((struct gather *)context, &INPUTS[WHOLE], 5, p, 0);
}

static void run_changed(void *context, long long n)
{
    int more = 24 * is_larger_round();
    struct plane p = {40 + 17 * changed(OTHER_DEPTH) + more, 20 + 17 * changed(OTHER_HEIGHT) + more};
    run_case((struct gather *)context, &INPUTS[RANDOM], (int)n, p, 0);
}

static void run_drawn(struct gather *g, long long low, long long high, long long side)
{
    struct plane p = {(int)draw_size(1, side), (int)draw_size(1, side)};
    int n = (int)draw_size(low, high);
    run_case(g, &INPUTS[n % 2 ? FEW : RANDOM], n, p, 0);
}

// More than 2^17 cells and tiles; in listing the tiles with atoms, more than 2^16 of them and of their pieces.
static void check_many_cells(struct gather *g)
{
    struct plane many = {(int)draw_size(65000, LONGEST), (int)draw_size(515, 530)};
    run_case(g, &INPUTS[g->crowded ? RANDOM : FEW], g->crowded ? 16000 : 12, many, 0);
}

// More than 2^16 pieces of 64 atoms near one tile.
static void check_many_pieces(struct gather *g)
{
    const struct plane point = {1, 1};
    run_case(g, &PIECES, (1 << 22) + FULL, point, 0);
}

static void check_drawn(struct gather *g)
{
    struct plane twice = {(int)draw_size(91, 100), (int)draw_size(91, 100)}; // as many points as the counted case
    for (int i = 0; i < DRAWN; i++)
        run_drawn(g, 1, 1000, 100);
    run_case(g, &INPUTS[FEW], (int)draw_size(1, 64), twice, 0);
    if (wants_larger())
        run_drawn(g, 1000, 1 << 15, 16);
    if (begin_huge()) { // 2^20 to 2^22 points
        struct plane far = {(int)draw_size(1024, 2048), (int)draw_size(1024, 2048)};
        run_case(g, &INPUTS[FEW], (int)draw_size(1, 3), far, 0);
        if (g->binned)
            check_many_cells(g);
        if (g->crowded)
            check_many_pieces(g);
        end_huge();
    }
}

// As many columns, or rows, as a map may have.
static void check_long(struct gather *g)
{
    const struct plane wide = {LONGEST, 1}, tall = {1, LONGEST};
    run_case(g, &INPUTS[WHOLE], 5, wide, 0);
    run_case(g, &INPUTS[WHOLE], 5, tall, 0);
}

// So many atoms in a cell that ranks need more than 16 bits, and the pieces of step 7, of 64 atoms, more than 8. So
// many are near the tile that a 16-bit count wraps around to 0.
static void check_full_cell(struct gather *g)
{
    const struct plane small = {5, 3};
    run_case(g, &FULL_CELL, 2 << 16, small, 0);
}

// Enough tiles for three blocks of 1024 threads to list those that have work.
static void check_many_tiles(struct gather *g)
{
    const struct plane large = {1100, 560};
    run_case(g, &INPUTS[FEW], 40, large, 0);
}

// More crowded tiles than kernel launches may be pending: first more than the smallest limit; then more than a program
// allows that raises the limit itself.
static void check_few_places(struct gather *g)
{
    const struct plane p = {113, 97};
    const size_t fewest = 32, usual = 2048;
    size_t places = fewest;
    check_cuda(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, fewest));
    run_case(g, &INPUTS[RANDOM], 1000, p, 0);
    if (!harness.plan)
        check_cuda(cudaDeviceGetLimit(&places, cudaLimitDevRuntimePendingLaunchCount));
    int high = (int)sqrt((double)places / CROWD_TILES) + 1; // rows of crowds
    const struct plane large = {3 * 16 * (int)(places / CROWD_TILES / (size_t)high + 1), 3 * 16 * high};
    if (places > fewest && places <= MAX_PLACES && !is_checked())
        run_case(g, &CROWDS, crowds_in(large) * CROWD, large, 0);
    check_cuda(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, usual));
}

// Some blocks of each launch.
static void check_large_case(struct gather *g, int n, int width, int height)
{
    struct plane p = {width, height};
    name_case(g, "zeros", n, p);
    if (begin_large(n, 4.0 * (double)points_of(p) + 36.0 * n, LARGE_NOTE)) {
        g->d_atoms = (float4 *)device_alloc((size_t)n * sizeof *g->d_atoms);
        make_device(g);
        run_calls(call, g, 1);
        check_all_stored(g->d_map, points_of(p) * sizeof *g->d_map, 1);
        if (height < WHOLE_ROWS)
            check_all_stored(g->d_map, (size_t)width * sizeof *g->d_map, 0);
        check_zeros(g->d_map, points_of(p) * sizeof *g->d_map, 1);
        free_device(g);
    }
    end_large();
}

// Atoms in the last cells of the largest map: a float holds few of their numbers. The map means nothing, since only
// some cells are counted, but the machine sees where an index is rounded.
static void check_last_cells(struct gather *g)
{
    const struct plane p = {LONGEST, LONGEST};
    float4 atoms[3];
    for (int i = 0; i < 3; i++)
        atoms[i] = make_float4(LONGEST - 10.0f * i, LONGEST + 8.0f, 1, 1);
    name_case(g, "atoms in the last cells", 3, p);
    if (begin_large(3, 4.0 * (double)points_of(p), LARGE_NOTE)) {
        g->d_atoms = (float4 *)device_copy(atoms, sizeof atoms, 0);
        make_device(g);
        run_calls(call, g, 1);
        free_device(g);
    }
    end_large();
}

static void check_largest(void *context, long long /* draws its own */)
{
    struct gather *g = (struct gather *)context;
    int longest = (int)draw_large(1 << 10, LONGEST);
    check_large_case(g, (int)draw_large(1 << 14, g->binned ? MAX_ATOMS : 1 << 18), 3, 3);
    if (g->binned && !g->crowded && !is_checked() && is_in_order())
        check_last_cells(g);
    if (g->binned)
        return; // many cells, counted only in part: their contents are unknown
    check_large_case(g, 3, longest, longest);
    check_large_case(g, 3, longest, 3);
    check_large_case(g, 3, 3, longest);
}

static void check_all(struct gather *g, struct plane p)
{
    for (int i = 0; i < SHAPE_COUNT && harness.n < 0; i++) {
        struct plane shape = {SHAPES[i][1], SHAPES[i][2]};
        check_shape(g, SHAPES[i][0], shape);
    }
    if (harness.n >= 0)
        check_shape(g, (int)harness.n, p);
    else
        check_drawn(g);
    if (harness.n < 0 && simt_read) {
        int tile = (int)run_around_tiles(run_atoms, g, 1 << 13, 2); // chunks of atoms, columns, rows
        run_around_tiles(run_width, g, 1 << 10, 2);
        run_around_tiles(run_height, g, 1 << 10, 2);
        check_repeated(run_atoms, g, 33, 300);
        check_stale_state(run_changed, g, g->binned ? min(tile / 2 + 1, 600) : 40); // binned: at first one tile
        if (g->crowded) {
            check_few_places(g);
            check_many_tiles(g);
        }
        if (!is_checked()) {
            check_long(g);
            check_full_cell(g);
        }
    }
    printf("%s: right in %lld run%s; at most %.1f %% of the error allowed\n", source_name(harness.file), harness.runs,
           plural(harness.runs), 100 * g->share);
}

static void measure_times(struct gather *g, struct plane p)
{
    const int direct[] = {1000, 4000, 16000}, binned[] = {1 << 16, 1 << 18, 1 << 20};
    for (int i = 0; i < 3; i++) {
        int n = g->cut ? binned[i] : direct[i];
        if (harness.n < 0 && harness.bench)
            run_case(g, &INPUTS[RANDOM], n, p, 1);
    }
    if (harness.n >= 0 || !harness.bench)
        run_case(g, &INPUTS[g->crowded ? CLUSTERS : RANDOM], harness.n >= 0 ? (int)harness.n : 4000, p, 1);
}

// The map whose counters are read, 4096, 2^14 or 2^18 points; times use 2^20. With few atoms, so that every
// step is visible.
static struct plane counted_map(const struct gather *g)
{
    struct plane tiny = {32, 4}, tiles = {20, 20};
    if (harness.n >= 0 && harness.n < 64)
        return g->binned ? tiles : tiny;
    struct plane row = {256, 16}, even = {128, 128}, empty = {512, 512}, large = {1024, 1024};
    return !simt_read && !harness.check ? large : g->crowded ? empty : g->binned ? even : row;
}

static void count_case(struct gather *g, struct plane p)
{
    const struct input *input = &INPUTS[g->crowded ? CLUSTERS : RANDOM];
    int n = harness.n >= 0 ? (int)harness.n : 256;
    begin_counted();
    run_case(g, input, n, p, 0);
    if (simt_read && !harness.check) {
        printf("input %s; map of %d x %d; ", harness.input, p.width, p.height);
        report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    }
    if (count_ragged())
        run_case(g, input, (int)draw_ragged(n - n / 8, n), p, 0);
}

static int drive(struct invocation own, struct gather *g)
{
    int width = (int)take_option(&own, "--width", 0, LONGEST, -1);
    int height = (int)take_option(&own, "--height", 0, LONGEST, -1);
    read_options(own, MAX_ATOMS);
    skip_bench_without_gpu(1000);
    run_large(check_largest, g, 0);
    struct plane p = counted_map(g);
    p.width = width < 0 ? p.width : width;
    p.height = height < 0 ? p.height : height;
    if (only_counted())
        run_drawn(g, 1, 1000, 100);
    else if (!harness.bench)
        check_all(g, p);
    if (is_timed())
        measure_times(g, p);
    count_case(g, p);
    finish_counted(check_largest, g, 0, 0, 0);
}

static inline int drive_gather(struct invocation own, gather_function *potential, enum reach reach)
{
    struct gather g = {};
    g.all = potential;
    g.cut = reach == WITHIN_CUTOFF;
    return drive(own, &g);
}

static inline int drive_binned(struct invocation own, binned_function *potential, enum spread spread)
{
    struct gather g = {};
    g.binned = potential;
    g.cut = 1;
    g.crowded = spread == CROWDED;
    return drive(own, &g);
}
