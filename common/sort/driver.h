// sort/driver.h: chapter 04-sort: cases, checks and figures. common/sort.h defines a right answer and
// includes this file.
#pragma once

#include "device/sort_keys.h"
#include "harness.h"
#include "sort/inputs.h"
#include "sort/reference.h"

// ---- One case --------------------------------------------------------------------------------------------
static void call(void *context)
{
    struct sort *s = (struct sort *)context;
    if (s->keys)
        s->keys(s->out.keys, s->in.keys, s->d_tmp, s->n);
    else
        s->records(s->out, s->in, s->d_tmp, s->n, s->order);
}

static void begin(struct sort *s, const struct input *input, int n)
{
    static const char *const names[] = {"unsigned", "int", "float"};
    static char note[120];
    snprintf(note, sizeof note, ", %s keys%s, d_in at address %d mod 16, d_out at %d", names[s->order],
             s->values ? " with values" : "", 4 * input->skip_in, 4 * input->skip_out);
    begin_case(input->name, n, note);
    s->n = n;
}

static void fill(struct sort *s, const struct input *input)
{
    uint64_t state = case_seed(s->n);
    input->fill(s, &state, input->how);
    for (int i = 0; i < s->n && s->values; i++)
        s->x.values[i] = (unsigned)i * 2654435769u + (unsigned)harness.seed; // an odd factor: all are different
}

// Of arrays that begin this many words into their memory.
static void free_device(struct sort *s, size_t in, size_t out)
{
    check_cuda(cudaFree(s->d_tmp));
    check_cuda(cudaFree(s->values ? s->out.values - in : NULL));
    check_cuda(cudaFree(s->values ? s->in.values - out : NULL));
    check_cuda(cudaFree(s->out.keys - out));
    check_cuda(cudaFree(s->in.keys - in));
}

// Fills and runs one case and checks it; if times are requested, measures it while the input is on the device.
static void run_case(struct sort *s, const struct input *input, int n, int time)
{
    size_t bytes = (size_t)n * sizeof(unsigned), in = (size_t)input->skip_in, out = (size_t)input->skip_out;
    begin(s, input, n);
    if (planned(9 * bytes)) // keys and values: given, sorted here, fetched; four words to sort them here
        return;
    s->x.keys = (unsigned *)host_alloc(2 * bytes);
    s->x.values = s->x.keys + n;
    fill(s, input);
    s->in.keys = (unsigned *)device_copy(s->x.keys, bytes, in * sizeof(unsigned));
    s->out.keys = (unsigned *)device_alloc(bytes + out * sizeof(unsigned)) + out;
    s->in.values = s->values ? (unsigned *)device_copy(s->x.values, bytes, out * sizeof(unsigned)) : NULL;
    s->out.values = s->values ? (unsigned *)device_alloc(bytes + in * sizeof(unsigned)) + in : NULL;
    s->d_tmp = (unsigned *)device_alloc(3 * bytes + 4096 * sizeof(unsigned));

    run_calls(call, s, 1);
    check_sort(s);
    if (time)
        report_time(n, median_ms(call, s), (s->values ? 4 : 2) * (double)bytes); // every word is read and written
    free_device(s, in, out);
    host_free(s->x.keys);
}

// ---- The driver ------------------------------------------------------------------------------------------
static const int SIZES[] = {1, 2, 0, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4097};
static const int BENCH_SIZES[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0], BENCH_COUNT = sizeof BENCH_SIZES / sizeof BENCH_SIZES[0] };

static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"blocks", "blocks"},
    {"warp instructions", "warp_instructions"},
    {"integer adds per key", "integer_adds / n"},
    {"lanes at work, %", "100 * thread_instructions / (32 * warp_instructions)"},
    {"block barriers", "barriers"},
    {"bytes loaded per key", "32 * global_load_sectors / n"},
    {"bytes stored per key", "32 * global_store_sectors / n"},
    {"sectors per load", "global_load_sectors / global_load_requests"},
    {"sectors per store", "global_store_sectors / global_store_requests"},
    {"shared accesses", "shared_load_requests + shared_store_requests"},
    {"bank conflicts", "shared_excess"},
    {"matches and votes", "votes"},
    {"shared atomics", "shared_atomics"},
    {"global atomics", "global_atomics"},
};

// Whether there is memory for n keys and values, out and in, and the temporaries.
static int has_room(int n)
{
    return fits((size_t)n * 7 * sizeof(unsigned) + 65536, (size_t)n * 9 * sizeof(unsigned));
}

// All sets at n. Records alternate between orders and values, so that over the sizes each set is tried with all of
// them.
static void check_size(struct sort *s, int n, int turn)
{
    for (int set = 0; set < SETS; set++, turn++) {
        s->order = s->keys ? s->order : (enum order)(turn % 3);
        s->values = !s->keys && turn / 3 % 4 != 0;
        run_case(s, &INPUTS[set], n, 0);
    }
}

// The first set at n, the last at m.
static void check_large(struct sort *s, int n, int m)
{
    for (int set = 0; set < SETS; set += SETS - 1) {
        s->order = s->keys ? s->order : set == 0 ? UNSIGNED : FLOATS;
        s->values = !s->keys;
        run_case(s, &INPUTS[set], set == 0 ? n : m, 0);
    }
}

// One size. A large one takes long without a GPU. Records then use each set in one order, with values or without,
// instead of in all three orders, and at that size also what check_large runs.
static void check_one(struct sort *s, int n)
{
    bool large = simt_read && n > SIZES[SIZE_COUNT - 1];
    for (int turn = 0; turn < (s->keys || large ? 1 : 3) && !(large && n > 1 << 17); turn++)
        check_size(s, n, large && !s->keys ? 1 : turn);
    if (large && (!s->keys || n > 1 << 17))
        check_large(s, n, n);
}

// ---- What the SIMT machine alone can try -------------------------------------------------------------------
static void run_random(void *context, long long n)
{
    struct sort *s = (struct sort *)context;
    s->order = s->keys ? s->order : UNSIGNED;
    s->values = 0;
    run_case(s, &INPUTS[0], (int)n, 0);
}

static void run_changed(void *context, long long n)
{
    struct sort *s = (struct sort *)context;
    s->order = s->keys ? s->order : changed(OTHER_DEPTH) ? SIGNED : UNSIGNED;
    s->values = !s->keys;
    run_case(s, &INPUTS[0], (int)n, 0);
}

// Around k of the exercise's tiles, at every alignment of d_in, which the sizes share.
static void check_tiles(struct sort *s, int tile, int k)
{
    struct input input = INPUTS[0];
    for (int n = k * tile - 1, turn = k; n <= k * tile + 1; n++)
        for (int i = 0; i < (k == 1 ? 2 : 1); i++, turn++) {
            input.skip_in = turn % 4;
            input.skip_out = (3 * turn + 1) % 4;
            s->order = s->keys ? s->order : (enum order)(turn % 3);
            s->values = !s->keys && turn % 2;
            run_case(s, &input, n, 0);
        }
}

static void run_drawn(struct sort *s, long long low, long long high)
{
    struct input input = INPUTS[0];
    int n = (int)draw_size(low, high);
    s->order = s->keys ? s->order : (enum order)(n % 3);
    s->values = !s->keys && n / 3 % 4 != 0;
    input.skip_in = n % 4, input.skip_out = n / 4 % 4;
    run_case(s, &input, n, 0);
}

static void check_drawn(struct sort *s)
{
    for (int i = 0; i < DRAWN; i++)
        run_drawn(s, drawn_part(1 << 15, i), drawn_part(1 << 15, i + 1));
    if (wants_larger()) // records are sorted faster
        run_drawn(s, 1 << 15, s->keys ? 1 << 17 : 1 << 18);
}

// With a block that stalls, and so many tiles that a look-back over 64 of them is not enough.
static void check_stalled(struct sort *s, int n, int block)
{
    s->order = FLOATS;
    s->values = 0;
    stall_block(block);
    run_case(s, &INPUTS[SETS - 1], n, 0);
    end_stall();
}

// A call of several tiles, then 255 of one tile, then one like the first: by then 8-bit counters have wrapped around,
// and the values that they announced are still in memory. (With checks on it is not the 256th.)
static void call_256_times(struct sort *s, int n)
{
    run_random(s, n);
    check_repeated(run_random, s, 33, 254);
    check_stale_state(run_changed, s, n / 4 + 1); // at first one tile
    if (is_checked())
        run_random(s, n);
    else
        check_stalled(s, n, 1);
}

// One key so often that a 17-bit count wraps around; in the steps for records, which are faster, a 20-bit one.
static void check_hot(struct sort *s)
{
    static const struct input hot = {"one key and few others", fill_hot, 512, 0, 0};
    s->order = s->keys ? s->order : UNSIGNED;
    s->values = 0;
    run_case(s, &hot, (1 << (s->keys ? 17 : 20)) + 4099, 0);
}

static void check_own_sizes(struct sort *s)
{
    long long tiles[MAX_TILES];
    int count = find_tiles(run_random, s, 1 << 15, tiles), tile = (int)tiles[0];
    long long largest = tile;
    for (int i = 0; i < count; i++) {
        largest = tiles[i] > largest ? tiles[i] : largest;
        for (int k = 1; k <= 3; k++)
            check_tiles(s, (int)tiles[i], k);
    }
    if (!is_checked())
        check_hot(s);
    if (begin_huge()) {
        run_drawn(s, s->keys ? 1 << 19 : 1 << 21, s->keys ? 1 << 20 : 1 << 22);
        end_huge();
    }
    if (s->keys) {
        check_repeated(run_random, s, 33, 300);
        check_stale_state(run_changed, s, largest <= 1 << 11 ? largest / 2 + 1 : 1000); // at first one tile
        return;
    }
    if (tile <= 1 << 14)
        call_256_times(s, 2 * tile + 33);
    s->order = UNSIGNED;
    s->values = 1;
    if (wants_larger()) // more than 64 tiles of each kernel: a look-back of 64 tiles must continue
        check_stalled(s, largest > 1024 && largest <= 1 << 14 ? 70 * (int)largest + 1 : (1 << 17) + 1, 0);
}

// From this size on, just above 2^29, the last keys have all bits, so that they stay last: their places are above 2^24.
#define LAST_KEYS past_power(29)

static void check_largest(void *context, long long largest)
{
    struct sort *s = (struct sort *)context;
    int n = (int)largest;
    size_t bytes = (size_t)n * sizeof(unsigned);
    if (begin_large(n, 7.0 * (double)bytes, LARGE_NOTE)) {
        s->n = n;
        s->values = !s->keys;
        s->order = s->keys ? s->order : UNSIGNED;
        s->in.keys = (unsigned *)device_alloc(bytes);
        s->out.keys = (unsigned *)device_alloc(bytes);
        s->in.values = s->values ? (unsigned *)device_alloc(bytes) : NULL;
        s->out.values = s->values ? (unsigned *)device_alloc(bytes) : NULL;
        s->d_tmp = (unsigned *)device_alloc(3 * bytes + 4096 * sizeof(unsigned));
        bool stay_last = s->keys && n == LAST_KEYS;
        if (stay_last)
            check_cuda(cudaMemset(s->in.keys + n - (1 << 16), 0xff, sizeof(unsigned) << 16));
        run_calls(call, s, 1);
        check_all_read((double)bytes);
        check_all_loaded(s->in.keys, bytes, 1);
        check_last(s->in.keys, bytes, 0);
        check_twins(s->d_tmp, 3 * bytes, "d_tmp");
        // words other than 0 represent the zeros of other orders internally
        if (s->order == UNSIGNED && !stay_last)
            check_zeros(s->out.keys, bytes, 0);
        if (s->values)
            check_zeros(s->out.values, bytes, 0);
        if (!s->keys && n > (1 << 29) + (1 << 10))
            check_tickets(call, s, s->in.keys, bytes);
        free_device(s, 0, 0);
    }
    end_large();
}

static void check_all(struct sort *s, int counted)
{
    if (only_counted())
        return run_drawn(s, 1, max(counted, 1));
    if (harness.n >= 0)
        check_one(s, (int)harness.n);
    for (int i = 0; i < SIZE_COUNT && harness.n < 0; i++)
        check_size(s, SIZES[i], 7 * i);
    if (harness.n < 0) {
        check_drawn(s);
        check_large(s, 65537, (int)draw_size(1 << 17, (1 << 17) + (1 << 13))); // twice as many as the counted case
    }
    if (harness.n < 0 && simt_read)
        check_own_sizes(s);
    else if (harness.n < 0)
        check_large(s, (1 << 24) + 4099, (1 << 24) + 4099);
    else if (!s->keys)
        check_stalled(s, (int)harness.n, 0);
    print_right();
}

static int drive(struct invocation own, struct sort *s)
{
    read_options(own, (1 << 30) - 1);
    skip_bench_without_gpu(1 << 18);
    run_large(check_largest, s, (1 << 30) - 1);
    int n = harness.n >= 0 ? (int)harness.n : simt_read ? 1 << 16 : 1 << 24, bench = harness.bench && harness.n < 0;
    if (!harness.bench)
        check_all(s, n);
    s->order = s->keys ? s->order : UNSIGNED;
    s->values = 0;
    for (int i = 0; bench && i < BENCH_COUNT && has_room(BENCH_SIZES[i]); i++)
        run_case(s, &INPUTS[0], BENCH_SIZES[i], 1);
    begin_counted();
    run_case(s, &INPUTS[0], n, is_timed() && !bench);
    report_counters(FIGURES, (int)(sizeof FIGURES / sizeof FIGURES[0]));
    count_growth(run_random, s, 2 * (long long)n);
    if (counts_waits()) {
        begin_waits();
        run_case(s, &INPUTS[0], n, 0);
        end_waits();
    }
    if (count_ragged())
        run_case(s, &INPUTS[0], (int)draw_ragged(n / 2 + 1, n), 0);
    finish_counted(check_largest, s, 1 << 20, (1 << 30) - 1, LAST_KEYS);
}

static inline int drive_sort_keys(struct invocation own, sort_keys_function *run, enum order order)
{
    struct sort s = {run, NULL, order, 0, 0, {}, {}, {}, NULL};
    return drive(own, &s);
}

static inline int drive_sort_records(struct invocation own, sort_records_function *run)
{
    struct sort s = {NULL, run, UNSIGNED, 0, 0, {}, {}, {}, NULL};
    return drive(own, &s);
}
