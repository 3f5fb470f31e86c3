// scan/driver.h: chapter 02-scan: inputs, reference, checks and figures. common/scan.h defines a right answer and
// includes this file.
#pragma once

#include "device/scan_vector_loads.h"
#include "harness.h"
#include "scan/calls.h"
#include <limits.h>

struct scan {
    scan_function *scan;
    enum kind kind;
    int tile;
    int *x, *d_in, *d_out, *d_tmp; // x: the input on the host
    int n;
};

// ---- Inputs ----------------------------------------------------------------------------------------------
static void fill_random(int *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i] = (int)(random_bits(state) % 2001) - 1000;
}

static void fill_negative(int *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i] = -1 - (int)(random_bits(state) % 3);
}

static void fill_equal(int *x, int n, uint64_t * /* state */)
{
    for (int i = 0; i < n; i++)
        x[i] = 7;
}

static void fill_ends(int *x, int n, uint64_t * /* state */)
{
    for (int i = 0; i < n; i++)
        x[i] = (i == 0) * 1000003 + (i == n - 1) * 2000003;
}

// Every sum of two or more of them wraps around sooner or later.
static void fill_wrapping(int *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i] = (int)(unsigned)random_bits(state);
}

// All sums are one value: a program that uses it as a flag waits forever, or does not wait.
static void fill_zero(int *x, int n, uint64_t * /* state */)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

static void fill_first(int *x, int n, int first)
{
    memset(x, 0, (size_t)n * sizeof *x);
    if (n > 0)
        x[0] = first;
}

static void fill_minus_one(int *x, int n, uint64_t * /* state */)
{
    fill_first(x, n, -1);
}

static void fill_least(int *x, int n, uint64_t * /* state */)
{
    fill_first(x, n, INT_MIN);
}

static void fill_largest(int *x, int n, uint64_t * /* state */)
{
    fill_first(x, n, INT_MAX);
}

static void fill_bytes(int *x, int n, uint64_t * /* state */)
{
    fill_first(x, n, 0x7f7f7f7f);
}

struct input {
    const char *name;
    void (*fill)(int *x, int n, uint64_t *state);
    int skip_in, skip_out; // words from a 16-byte boundary to d_in, to d_out
    const char *note;
};

static const struct input INPUTS[] = {
    {"random", fill_random, 0, 0, ""},
    {"all negative", fill_negative, 1, 1, ", d_in and d_out at address 4 mod 16"},
    {"all equal", fill_equal, 2, 0, ", d_in at address 8 mod 16"},
    {"only the ends", fill_ends, 0, 3, ", d_out at address 12 mod 16"},
    {"all 32 bits", fill_wrapping, 3, 2, ", d_in at address 12 mod 16, d_out at 8"},
};
static const struct input FLAGS[] = {
    {"all zero", fill_zero, 0, 0, ""},
    {"every sum -1", fill_minus_one, 0, 0, ""},
    {"every sum INT_MIN", fill_least, 0, 0, ""},
    {"every sum INT_MAX", fill_largest, 0, 0, ""},
    {"every sum 0x7f7f7f7f", fill_bytes, 0, 0, ""},
};
enum { INPUT_COUNT = sizeof INPUTS / sizeof INPUTS[0], FLAG_COUNT = sizeof FLAGS / sizeof FLAGS[0] };

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct scan *s = (struct scan *)context;
    s->scan(s->d_out, s->d_in, s->d_tmp, s->n);
}

// The reference: one loop, n additions.
static void scan_on_host(const struct scan *s, int *out)
{
    unsigned sum = 0; // unsigned sums wrap around; an int's must not
    for (int i = 0; i < s->n; i++) {
        sum = i % s->tile == 0 ? 0 : sum;
        out[i] = (int)(sum + (s->kind == INCLUSIVE ? (unsigned)s->x[i] : 0));
        sum += (unsigned)s->x[i];
    }
}

// Whether got has the sums of scan_on_host. These are not stored: for a large n each new page costs more than its sums.
static bool is_scanned(const struct scan *s, const int *got)
{
    unsigned sum = 0;
    for (int i = 0; i < s->n; i++) {
        sum = i % s->tile == 0 ? 0 : sum;
        if ((unsigned)got[i] != sum + (s->kind == INCLUSIVE ? (unsigned)s->x[i] : 0))
            return false;
        sum += (unsigned)s->x[i];
    }
    return true;
}

// Whether got differs from want everywhere as one kind of scan differs from the other. One value is not enough to tell.
static bool is_other_kind(const struct scan *s, const int *got, const int *want)
{
    unsigned sign = s->kind == INCLUSIVE ? -1u : 1u;
    for (int i = 0; i < s->n; i++)
        if ((unsigned)got[i] != (unsigned)want[i] + sign * (unsigned)s->x[i])
            return false;
    return s->n > 1;
}

// Describes the first wrong element, i, and the others, for the message.
static void describe_wrong(const struct scan *s, int i, const int *got, const int *want)
{
    static char note[200];
    int length = snprintf(note, sizeof note, "%s", harness.note);
    if (s->tile != WHOLE)
        length += snprintf(note + length, sizeof note - (size_t)length, "\n  where   tile %d, its element %d",
                           i / s->tile, i % s->tile);
    if (is_other_kind(s, got, want))
        snprintf(note + length, sizeof note - (size_t)length, "\n  hint    these are the %s sums",
                 s->kind == INCLUSIVE ? "exclusive" : "inclusive");
    harness.note = note;
}

static void check_scan(const struct scan *s)
{
    size_t bytes = (size_t)s->n * sizeof(int);
    int *got = (int *)host_alloc(bytes);
    check_cuda(cudaMemcpy(got, s->d_out, bytes, cudaMemcpyDeviceToHost));
    if (!is_scanned(s, got)) {
        int *want = (int *)host_alloc(bytes), i = 0;
        scan_on_host(s, want);
        while (got[i] == want[i])
            i++;
        describe_wrong(s, i, got, want);
        check_ints(got, want, s->n, 0);
    }
    host_free(got);
}

// Fills and runs one case and checks it; if times are requested, measures it while the input is on the device.
static void run_case(struct scan *s, const struct input *input, int n, int time)
{
    size_t bytes = (size_t)n * sizeof(int);
    uint64_t state = case_seed(n);
    begin_case(input->name, n, input->note);
    if (planned(3 * bytes)) // the values, their sums and those of the host
        return;
    s->n = n;
    s->x = (int *)host_alloc(bytes);
    input->fill(s->x, n, &state);
    s->d_in = (int *)device_copy(s->x, bytes, (size_t)input->skip_in * sizeof(int));
    s->d_out = (int *)device_alloc(bytes + (size_t)input->skip_out * sizeof(int)) + input->skip_out;
    s->d_tmp = (int *)device_alloc(bytes + 64 * sizeof(int));

    run_calls(call, s, 1);
    check_scan(s);
    check_untouched(s->d_in, s->x, bytes);
    if (time)
        report_time(n, median_ms(call, s), 2 * (double)bytes); // every element is read and written

    check_cuda(cudaFree(s->d_tmp));
    check_cuda(cudaFree(s->d_out - input->skip_out));
    check_cuda(cudaFree(s->d_in - input->skip_in));
    host_free(s->x);
}

// ---- The driver ------------------------------------------------------------------------------------------
// Around the tiles of 1024 and 4096 elements; then many of them.
static const int SIZES[] = {2, 1, 0, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4097, 65537};
static const int BENCH_SIZES[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0], BENCH_COUNT = sizeof BENCH_SIZES / sizeof BENCH_SIZES[0] };

static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"blocks", "blocks"},
    {"warp instructions", "warp_instructions"},
    {"lanes at work, %", "100 * thread_instructions / (32 * warp_instructions)"},
    {"block barriers", "barriers"},
    {"shuffles", "shuffles"},
    {"shared loads", "shared_load_requests"},
    {"shared stores", "shared_store_requests"},
    {"bank conflicts", "shared_excess"},
    {"sectors per request", "global_load_sectors / global_load_requests"},
    {"bytes per element", "32 * (global_load_sectors + global_store_sectors) / n"},
    {"global atomics", "global_atomics"},
};

// Whether there is memory for n values, their sums and as many temporaries.
static int has_room(int n)
{
    return fits(3 * ((size_t)n + 64) * sizeof(int), 3 * ((size_t)n + 64) * sizeof(int));
}

static void check_size(struct scan *s, int n)
{
    for (int input = 0; input < INPUT_COUNT; input++)
        run_case(s, &INPUTS[input], n, 0);
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
static void run_random(void *context, long long n)
{
    run_case((struct scan *)context, &INPUTS[0], (int)n, 0);
}

// Around k of the exercise's tiles, at every alignment of d_in.
static void check_tiles(struct scan *s, int tile, int k)
{
    struct input input = INPUTS[0];
    for (int n = k * tile - 1; n <= k * tile + 1; n++)
        for (int skip = 0; skip < (k == 1 ? 4 : 1); skip++) {
            input.skip_in = (skip + k - 1 + n) % 4;
            input.skip_out = (n + skip / 2) % 4;
            input.note = ", a size around the program's own tiles";
            run_case(s, &input, n, 0);
        }
}

static void run_drawn(struct scan *s, long long low, long long high)
{
    struct input input = INPUTS[0];
    int n = (int)draw_size(low, high);
    input.skip_in = n % 4;
    input.skip_out = n / 4 % 4;
    input.note = DRAWN_NOTE;
    run_case(s, &input, n, 0);
}

static void check_drawn(struct scan *s)
{
    for (int i = 0; i < DRAWN; i++)
        run_drawn(s, drawn_part(1 << 17, i), drawn_part(1 << 17, i + 1));
}

static void check_stalled(struct scan *s, int n, int block)
{
    stall_block(block);
    run_case(s, &INPUTS[0], n, 0);
    end_stall();
}

// One call of several tiles, 255 of one tile, and then the first again: by then 8-bit counters have wrapped around, and
// stale state looks valid. (With checks on it is not the 256th.)
static void call_256_times(struct scan *s, int n)
{
    run_case(s, &INPUTS[INPUT_COUNT - 1], n, 0);
    check_repeated(run_random, s, 33, 254);
    if (is_checked())
        run_case(s, &INPUTS[INPUT_COUNT - 1], n, 0);
    else
        check_stalled(s, n, 1);
    check_stale_state(run_random, s, 3000);
    check_stale_state(run_random, s, n / 6); // at first one tile
}

static void check_largest(void *context, long long largest)
{
    struct scan *s = (struct scan *)context;
    int n = s->n = (int)largest, skip = 3; // words from a 16-byte boundary: n elements fill one tile more
    size_t bytes = (size_t)n * sizeof(int), before = (size_t)skip * sizeof(int);
    if (begin_large(n, 3.0 * (double)bytes, LARGE_NOTE)) {
        s->d_in = (int *)device_alloc(bytes + before) + skip;
        s->d_out = (int *)device_alloc(bytes + before) + skip;
        s->d_tmp = (int *)device_alloc(bytes + 64 * sizeof(int));
        run_calls(call, s, 1);
        check_all_read((double)bytes);
        check_all_loaded(s->d_in, bytes, 1);
        check_all_stored(s->d_out, bytes, 1);
        check_last(s->d_in, bytes, 0);
        check_twins(s->d_tmp, bytes, "d_tmp");
        check_last(s->d_out, bytes, 1);
        check_zeros(s->d_out, bytes, 0);
        if (n > (1 << 29) + (1 << 10))
            check_tickets(call, s, s->d_in, bytes);
        check_cuda(cudaFree(s->d_tmp));
        check_cuda(cudaFree(s->d_out - skip));
        check_cuda(cudaFree(s->d_in - skip));
    }
    end_large();
}

// Sizes that matter only to this program: its tiles, more than 256 of them, more than a tile of them.
static void check_own_sizes(struct scan *s)
{
    long long tiles[MAX_TILES];
    int count = find_tiles(run_random, s, 1 << 16, tiles), tile = (int)tiles[0], many = (1 << 20) + 7;
    for (int i = 0; i < count; i++)
        for (int k = 1; k <= 3; k++)
            check_tiles(s, (int)tiles[i], k);
    for (int i = 0; !is_checked() && i < FLAG_COUNT; i++)
        run_case(s, &FLAGS[i], 3 * tile + 1, 0);
    if (!is_checked() && tile > 256)
        run_case(s, &INPUTS[1], (1 << 16) / tile * tile + 1, 0);
    call_256_times(s, 3 * tile + 33);
    if (264 * (long long)tile > many && tile <= 1 << 14)
        many = 264 * tile + 1; // more than a table of 256 holds
    run_case(s, &INPUTS[INPUT_COUNT - 1], many, 0);
    if (is_checked()) // finds what the previous run has left behind
        run_drawn(s, many / 2, many);
    else if (wants_larger())
        check_stalled(s, many, 0);
    if (!is_checked() && harness.counters.launches > 1 && (long long)tile * tile > many)
        run_case(s, &INPUTS[0], tile < 1 << 12 ? tile * tile + 1 : (1 << 24) + 1, 0);
    if (wants_larger())
        run_drawn(s, 1 << 17, 1 << 22);
    if (begin_huge()) {
        run_drawn(s, (1 << 24) + 1, (1 << 24) + 1); // not a float
        end_huge();
    }
}

static void check_all(struct scan *s)
{
    int largest = 1 << 28;
    for (int i = 0; i < SIZE_COUNT && harness.n < 0; i++)
        check_size(s, SIZES[i]);
    if (harness.n < 0)
        check_drawn(s);
    if (harness.n < 0 && simt_read) {
        check_own_sizes(s);
    } else if (harness.n < 0) {
        check_size(s, (1 << 24) + 4099);
        while (!has_room(largest))
            largest /= 2;
        run_case(s, &INPUTS[INPUT_COUNT - 1], largest, 0);
        run_case(s, &INPUTS[0], largest, 0); // finds what the previous run has left behind
    } else {
        check_size(s, (int)harness.n);
        check_stalled(s, (int)harness.n, 0);
    }
    print_right();
}

static inline int drive_scan(struct invocation own, scan_function *scan, enum kind kind, int tile)
{
    struct scan s = {scan, kind, tile, NULL, NULL, NULL, NULL, 0};
    read_options(own, 1 << 30);
    skip_bench_without_gpu(1 << 22);
    if (tile != WHOLE && tile < 256)
        fail(WRONG, "wrong: tiles of %d elements are too small; the step asks for at least 256", tile);
    run_large(check_largest, &s, 1 << 30);
    int n = harness.n >= 0 ? (int)harness.n : simt_read ? 1 << 16 : 1 << 24, bench = harness.bench && harness.n < 0;
    if (only_counted())
        run_drawn(&s, 1, max(n, 1));
    else if (!harness.bench)
        check_all(&s);
    for (int i = 0; bench && i < BENCH_COUNT && has_room(BENCH_SIZES[i]); i++)
        run_case(&s, &INPUTS[0], BENCH_SIZES[i], 1);
    begin_counted();
    run_case(&s, &INPUTS[0], n, is_timed() && !bench);
    report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    count_growth(run_random, &s, 16 * (long long)n);
    if (counts_waits()) {
        begin_waits();
        run_case(&s, &INPUTS[0], n, 0);
        end_waits();
    }
    if (count_ragged())
        run_case(&s, &INPUTS[0], (int)draw_ragged(n / 2, n), 0);
    finish_counted(check_largest, &s, 1 << 20, 1 << 30, past_power(29));
}
