// inputs.h: matrices on the host and on the device, and the functions that fill them: those of chapter 07-matmul, and
// the images of chapter 08-convolution.
//
// A matrix has padding after its rows. On the host it is poison, on the device memory that was never written. So the
// checks detect a read of it, and a comparison detects a write.
#pragma once

#include "harness.h"

struct matrix {
    int rows, columns, size; // size: bytes of an element, 4 or, of a bf16, 2
    int pitch, wide;         // elements from row to row, on the host and on the device
    void *host, *device;
};

// ---- Elements --------------------------------------------------------------------------------------------
// The upper 16 bits of a float, rounded to nearest, ties to even; x is not NaN.
static unsigned short to_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float from_bf16(unsigned short half)
{
    uint32_t bits = (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double element(const struct matrix *a, int row, int column)
{
    size_t at = (size_t)row * (size_t)a->pitch + (size_t)column;
    return a->size == 4 ? ((const float *)a->host)[at] : from_bf16(((const unsigned short *)a->host)[at]);
}

static void set_element(struct matrix *a, int row, int column, float value)
{
    size_t at = (size_t)row * (size_t)a->pitch + (size_t)column;
    if (a->size == 4)
        ((float *)a->host)[at] = value;
    else
        ((unsigned short *)a->host)[at] = to_bf16(value);
}

// ---- Input sets --------------------------------------------------------------------------------------------
static float random_integer(uint64_t *state)
{
    return (float)(int)(random_bits(state) % 17) - 8;
}

// 0.5 to 1, with either sign.
static float random_float(uint64_t *state)
{
    uint64_t bits = random_bits(state);
    float x = 0.5f + (float)(bits >> 41) / (1 << 24);
    return bits & 1 ? -x : x;
}

// The same times 2^-40 to 2^40: one product may be as large as all others of its sum, which cancel. Half precision,
// which ends at 2^16, holds few of these words; bf16 and float hold them and their products.
static float wide_float(uint64_t *state)
{
    return ldexpf(random_float(state), (int)(random_bits(state) % 81) - 40);
}

// left, right: the power of two by which elements of A, or of an image, and those of B, or of a filter, are multiplied.
struct input {
    const char *name;
    float (*value)(uint64_t *state);
    int left, right;
};

enum { WHOLE, RANDOM, WIDE, SETS };
static const struct input INPUTS[SETS] = {
    {"whole numbers", random_integer, 0, 0}, {"random", random_float, 0, 0}, {"wide range", wide_float, 0, 0}};

// At some sizes in place of RANDOM: a program may take neither factor for 0, nor their product.
static const struct input TINY[] = {{"2^-100 on the left", random_float, -100, 0},
                                    {"2^-100 on the right", random_float, 0, -100}};

// ---- Matrices ----------------------------------------------------------------------------------------------
// Elements from the first to the last, at this pitch.
static size_t extent(const struct matrix *a, int pitch)
{
    bool empty = a->rows == 0 || a->columns == 0;
    return empty ? 0 : (size_t)(a->rows - 1) * (size_t)pitch + (size_t)a->columns;
}

static size_t bytes_of(const struct matrix *a, int pitch)
{
    return extent(a, pitch) * (size_t)a->size;
}

// Whether the host may read the padding on the device. The checks would report that it was never written; and if the
// device has another pitch, there is too much of it.
static bool may_read_padding(const struct matrix *a)
{
    return a->wide == a->pitch && !(simt_read && is_checked());
}

// On the device, from the host (to_device) or back, with the padding if it may be read.
static void copy_matrix(const struct matrix *a, int to_device)
{
    size_t size = (size_t)a->size, length = (size_t)a->columns * size;
    size_t host = (size_t)a->pitch * size, device = (size_t)a->wide * size;
    if (extent(a, 1) == 0)
        return;
    if (to_device)
        check_cuda(cudaMemcpy2D(a->device, device, a->host, host, length, (size_t)a->rows, cudaMemcpyHostToDevice));
    else if (!may_read_padding(a))
        check_cuda(cudaMemcpy2D(a->host, host, a->device, device, length, (size_t)a->rows, cudaMemcpyDeviceToHost));
    else
        check_cuda(cudaMemcpy(a->host, a->device, bytes_of(a, a->pitch), cudaMemcpyDeviceToHost));
}

// rows x columns, filled with poison on both sides. pad: words of padding, in 16 bytes; wide: the pitch on
// the device, or 0.
static struct matrix make_matrix(int rows, int columns, int size, int pad, int wide)
{
    int quad = 16 / size, pitch = (ceil_div(columns, quad) + pad) * quad;
    struct matrix a = {rows, columns, size, pitch, wide > 0 ? wide : pitch, NULL, NULL};
    a.host = host_alloc(bytes_of(&a, pitch));
    memset(a.host, POISON, bytes_of(&a, pitch));
    a.device = device_alloc(bytes_of(&a, a.wide));
    return a;
}

// Elements are those of the input times 2^power.
static void fill_matrix(struct matrix *a, const struct input *input, int power, uint64_t *state)
{
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->columns; j++)
            set_element(a, i, j, ldexpf(input->value(state), power));
    copy_matrix(a, 1);
}

static void free_matrix(struct matrix *a)
{
    check_cuda(cudaFree(a->device));
    host_free(a->host);
}

// Input: elements and padding are unchanged.
static void check_matrix_untouched(const struct matrix *a)
{
    size_t row = (size_t)a->columns * (size_t)a->size;
    if (may_read_padding(a)) {
        check_untouched(a->device, a->host, bytes_of(a, a->pitch));
        return;
    }
    for (int i = 0; i < a->rows; i++)
        check_untouched((char *)a->device + (size_t)i * (size_t)a->wide * (size_t)a->size,
                        (char *)a->host + (size_t)i * (size_t)a->pitch * (size_t)a->size, row);
}

// Output, copied to the host: the padding is still poison. name and pitch_name: the exercise's names for it
// and its pitch.
static void check_padding(const struct matrix *c, const char *name, const char *pitch_name)
{
    const unsigned char *byte = (const unsigned char *)c->host;
    size_t pitch = (size_t)c->pitch * (size_t)c->size, row = (size_t)c->columns * (size_t)c->size;
    for (int i = 0; i + 1 < c->rows && c->columns > 0 && may_read_padding(c); i++)
        for (size_t at = row; at < pitch; at++)
            if (byte[(size_t)i * pitch + at] != POISON) {
                harness.wrong_word = &byte[(size_t)i * pitch + at];
                fail(WRONG,
                     "wrong: the padding of %s was written, after row %d: word %zu, where the row has %d and %s is %d",
                     name, i, at / (size_t)c->size, c->columns, pitch_name, c->pitch);
            }
}
