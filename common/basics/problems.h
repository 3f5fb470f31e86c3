// problems.h: the problems of chapter 00-basics, steps 02 to 06, as its driver sees them: memory sizes, inputs, the
// call, the answer. common/basics.h states them.
#pragma once

#include "basics/calls.h"
#include "harness.h"

struct basics { // the current case
    const struct problem *problem;
    saxpy_function *saxpy; // the one with the problem's data
    grey_function *grey;
    drift_function *drift;
    transpose_function *transpose;
    keep_function *keep;
    long long n;
    int width, height, asked, gap; // asked: --height, or -1; gap: between rows of an image
    size_t in_bytes, out_bytes, in_pitch, out_pitch;
    double moved;            // bytes that the problem must move
    unsigned char *in, *out; // on the host; out: its contents before the call
    char *d_in, *d_out;
    int *d_count;
    float a;
    int how; // of the input
    char note[160];
};

struct input {
    const char *name;
    int how;
};

enum { BENCH_COUNT = 3, MAX_SETS = 4 };

struct problem {
    void (*shape)(struct basics *b); // for n, or width and height: all sizes, and the note's text
    void (*fill)(struct basics *b, uint64_t *state);
    void (*call)(struct basics *b);
    void (*check)(struct basics *b, unsigned char *got);
    int planar, filled; // filled: the output's contents before the call are copied there, including poison
    int max_gap, sets;
    struct input inputs[MAX_SETS];
    long long most, counted, bench[BENCH_COUNT];
};

static const struct figure FIGURES[] = {
    {"launches", "launches"},
    {"blocks", "blocks"},
    {"warp instructions", "warp_instructions"},
    {"lanes at work, %", "100 * thread_instructions / (32 * warp_instructions)"},
    {"sectors per load", "global_load_sectors / global_load_requests"},
    {"sectors per store", "global_store_sectors / global_store_requests"},
    {"global atomics", "global_atomics"},
    {"bank conflicts", "shared_excess"},
    {"votes and shuffles", "votes + shuffles"},
    {"block barriers", "barriers"},
};
enum { FIGURE_COUNT = sizeof FIGURES / sizeof FIGURES[0] };

static void check_all_floats(const float *got, const float *want, size_t n, int per_block)
{
    struct float_mistakes m = {};
    for (size_t i = 0; i < n; i++)
        compare_float(&m, &got[i], want[i], 0, (long long)i);
    judge(m.wrong, (long long)n, m.first, m.got, m.want, per_block);
}

// ---- y = a x + y
// -----------------------------------------------------------------------------------------
static void shape_saxpy(struct basics *b)
{
    b->in_bytes = b->out_bytes = (size_t)b->n * sizeof(float);
    b->moved = 3.0 * (double)b->in_bytes;
    b->a = (float)((b->n + 3 * changed(OTHER_COUNT)) % 29 - 14) / 2;
    b->a += b->how ? 0x1p-9f : 0; // with 12 bits: more than half precision has
    snprintf(b->note, sizeof b->note, ", a = %g", b->a);
}

static void fill_saxpy(struct basics *b, uint64_t *state)
{
    float *x = (float *)b->in, *y = (float *)b->out;
    for (long long i = 0; i < b->n; i++) {
        x[i] = b->how ? (float)(i % 2039) : small_number(state, 4000);
        y[i] = b->how ? 0 : small_number(state, 1 << 15);
    }
}

static void call_saxpy(struct basics *b)
{
    b->saxpy((float *)b->d_out, (const float *)b->d_in, b->a, (size_t)b->n);
}

static void check_saxpy(struct basics *b, unsigned char *got)
{
    const float *x = (const float *)b->in;
    float *y = (float *)b->out;
    for (long long i = 0; i < b->n; i++)
        y[i] += b->a * x[i];
    check_all_floats((const float *)got, y, (size_t)b->n, 0);
}

// ---- colours to grey
// -------------------------------------------------------------------------------------
static void shape_grey(struct basics *b)
{
    size_t aligned = ((size_t)b->width * sizeof(uchar4) + 127) / 128 * 128;
    b->in_pitch = aligned + (size_t)b->gap * 8;
    b->out_pitch = aligned / sizeof(uchar4) + (size_t)b->gap * 7;
    b->in_bytes = b->in_pitch * (size_t)b->height;
    b->out_bytes = b->out_pitch * (size_t)b->height;
    b->moved = 5.0 * b->width * b->height;
    snprintf(b->note, sizeof b->note, ", %d x %d pixels, a row every %zu and %zu bytes", b->width, b->height,
             b->in_pitch, b->out_pitch);
}

static uchar4 *colour_at(struct basics *b, int row, int column)
{
    return (uchar4 *)(b->in + (size_t)row * b->in_pitch) + column;
}

// Also puts random bytes between the rows: their grey values differ from the bytes between the rows of grey.
static void fill_grey(struct basics *b, uint64_t *state)
{
    for (size_t i = 0; i < b->in_bytes; i++)
        b->in[i] = (unsigned char)random_bits(state);
    for (int row = 0; row < b->height; row++)
        for (int column = 0; column < b->width; column++) {
            uint64_t bits = b->how ? ~(uint64_t)0 : random_bits(state);
            memcpy(colour_at(b, row, column), &bits, sizeof(uchar4));
        }
}

static void call_grey(struct basics *b)
{
    struct image grey = {(unsigned char *)b->d_out, b->width, b->height, b->out_pitch};
    struct image colour = {(unsigned char *)b->d_in, b->width, b->height, b->in_pitch};
    b->grey(grey, colour);
}

// Reports the first wrong byte as a pixel, or as one between two rows.
static void check_grey(struct basics *b, unsigned char *got)
{
    char got_text[64], want_text[100];
    for (int row = 0; row < b->height; row++)
        for (int column = 0; column < b->width; column++)
            b->out[(size_t)row * b->out_pitch + (size_t)column] = grey_of(*colour_at(b, row, column));
    for (size_t i = 0; i < b->out_bytes; i++) {
        size_t row = i / b->out_pitch, column = i % b->out_pitch;
        if (got[i] == b->out[i])
            continue;
        harness.wrong_word = &got[i];
        if (column >= (size_t)b->width)
            fail(WRONG, "wrong: a byte past the end of row %zu was written; the image is %d pixels wide", row,
                 b->width);
        snprintf(got_text, sizeof got_text, "%d%s", got[i],
                 got[i] == POISON ? " (what fresh memory holds, if it was not written)" : "");
        snprintf(want_text, sizeof want_text, "%d, the pixel in row %zu, column %zu", b->out[i], row, column);
        judge(1, 1, (long long)i, got_text, want_text, 0);
    }
}

// ---- particles
// -------------------------------------------------------------------------------------------
static void shape_drift(struct basics *b)
{
    size_t places = (size_t)b->n;
    if (b->how == TILES)
        places = (places + PER_TILE - 1) / PER_TILE * PER_TILE;
    b->in_bytes = 0;
    b->out_bytes = places * FIELDS * sizeof(float);
    b->moved = 9.0 * sizeof(float) * (double)b->n;
    b->a = (float)((b->n + 3 * changed(OTHER_COUNT)) % 5 + 1) / 4; // dt: products and sums are exact
    snprintf(b->note, sizeof b->note, ", dt = %g", b->a);
}

static size_t field_at(const struct basics *b, int field, size_t i)
{
    switch (b->how) {
    case STRUCTURES: return i * FIELDS + (size_t)field;
    case ARRAYS: return (size_t)field * (size_t)b->n + i;
    default: return i / PER_TILE * PER_TILE * FIELDS + (size_t)field * PER_TILE + i % PER_TILE;
    }
}

static void fill_drift(struct basics *b, uint64_t *state)
{
    float *p = (float *)b->out;
    for (size_t i = 0; i < (size_t)b->n; i++)
        for (int field = 0; field < FIELDS; field++)
            p[field_at(b, field, i)] = small_number(state, 1 << 15);
}

static void call_drift(struct basics *b)
{
    b->drift((float *)b->d_out, (int)b->n, b->a, (enum layout)b->how);
}

static void check_drift(struct basics *b, unsigned char *got)
{
    float *p = (float *)b->out;
    for (size_t i = 0; i < (size_t)b->n; i++)
        for (int axis = X; axis <= Z; axis++)
            p[field_at(b, axis, i)] += b->a * p[field_at(b, VX + axis, i)];
    check_all_floats((const float *)got, p, b->out_bytes / sizeof *p, 0);
}

// ---- transpose
// -------------------------------------------------------------------------------------------
static void shape_transpose(struct basics *b)
{
    b->in_bytes = b->out_bytes = (size_t)b->width * (size_t)b->height * sizeof(float);
    b->moved = 2.0 * (double)b->in_bytes;
    snprintf(b->note, sizeof b->note, ", %d rows of %d", b->height, b->width);
}

static void fill_transpose(struct basics *b, uint64_t *state)
{
    float *x = (float *)b->in;
    for (size_t i = 0; i < b->in_bytes / sizeof *x; i++)
        x[i] = b->how ? (float)i : small_number(state, 1 << 22) / 2; // a tile of integers loses the halves
}

static void call_transpose(struct basics *b)
{
    b->transpose((float *)b->d_out, (const float *)b->d_in, b->width, b->height);
}

static void check_transpose(struct basics *b, unsigned char *got)
{
    const float *in = (const float *)b->in;
    float *want = (float *)b->out;
    for (int row = 0; row < b->height; row++)
        for (int column = 0; column < b->width; column++)
            want[(size_t)column * (size_t)b->height + (size_t)row] =
                in[(size_t)row * (size_t)b->width + (size_t)column];
    check_all_floats((const float *)got, want, b->out_bytes / sizeof *want, 0);
}

enum { EXTREMES = -1 }; // instead of the share that keep's input keeps

// ---- keep
// ------------------------------------------------------------------------------------------------
static void shape_keep(struct basics *b)
{
    b->in_bytes = b->out_bytes = (size_t)b->n * sizeof(int);
    b->moved = 1.5 * (double)b->in_bytes;
}

// The extremes of an int, and the values next to 0.
static int extreme(uint64_t bits)
{
    static const int values[] = {INT32_MIN, INT32_MAX, 0, 1, -1, INT32_MIN + 1};
    return values[bits % (sizeof values / sizeof *values)];
}

// Of 100 values about `how` are kept.
static void fill_keep(struct basics *b, uint64_t *state)
{
    int *x = (int *)b->in;
    for (long long i = 0; i < b->n; i++) {
        uint64_t bits = random_bits(state);
        int value = (int)(bits >> 40) + 1;
        x[i] = b->how == EXTREMES ? extreme(bits) : (int)(bits % 100) < b->how ? value : 1 - value;
    }
}

static void call_keep(struct basics *b)
{
    b->keep((int *)b->d_out, b->d_count, (const int *)b->d_in, (int)b->n);
}

// The count; then that many values, in any order; then the rest of the array, which must still be poison.
static void check_keep(struct basics *b, unsigned char *got)
{
    const int *in = (const int *)b->in;
    int *want = (int *)b->out, *kept = (int *)got, count = 0, reported;
    for (long long i = 0; i < b->n; i++)
        if (in[i] > 0)
            want[count++] = in[i];
    check_cuda(cudaMemcpy(&reported, b->d_count, sizeof reported, cudaMemcpyDeviceToHost));
    if (reported != count)
        fail(WRONG, "wrong answer: the count\n  got     %d%s\n  wanted  %d", reported, record_wrong_word(&reported),
             count);
    check_ints_in_any_order(kept, want, count);
    for (long long i = count; i < b->n; i++)
        if (memcmp(&kept[i], &want[i], sizeof *kept) != 0) {
            harness.wrong_word = &kept[i];
            fail(WRONG, "wrong: d_out[%lld] was written, but only %d values are kept", i, count);
        }
}

enum { SAXPY, GREY, DRIFT, TRANSPOSE, KEEP };

static const struct problem PROBLEMS[] = {
    {shape_saxpy,
     fill_saxpy,
     call_saxpy,
     check_saxpy,
     0,
     1,
     0,
     2,
     {{"random", 0}, {"ramp", 1}},
     UINT32_MAX,
     1 << 20,
     {1 << 20, 1 << 24, 1 << 28}},
    {shape_grey,
     fill_grey,
     call_grey,
     check_grey,
     1,
     1,
     5,
     2,
     {{"random", 0}, {"white", 1}},
     46000,
     512,
     {1 << 10, 1 << 12, 1 << 14}},
    {shape_drift,
     fill_drift,
     call_drift,
     check_drift,
     0,
     1,
     0,
     3,
     {{"TILES", TILES}, {"ARRAYS", ARRAYS}, {"STRUCTURES", STRUCTURES}},
     1 << 30,
     1 << 16,
     {1 << 16, 1 << 20, 1 << 24}},
    {shape_transpose,
     fill_transpose,
     call_transpose,
     check_transpose,
     1,
     0,
     0,
     2,
     {{"random", 0}, {"ramp", 1}},
     100000,
     512,
     {1 << 10, 1 << 12, 1 << 14}},
    {shape_keep,
     fill_keep,
     call_keep,
     check_keep,
     0,
     1,
     0,
     4,
     {{"half kept", 50}, {"all kept", 100}, {"few kept", 3}, {"extremes", EXTREMES}},
     1 << 30,
     1 << 16,
     {1 << 20, 1 << 24, 1 << 28}},
};
