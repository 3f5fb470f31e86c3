// solvers/sparse_inputs.h: the inputs of step 05 of chapter 06-iterative-solvers: how many entries a row has left of
// the diagonal and right of it, and where. sparse_driver.h fills them in.
#pragma once

#include "harness/random.h"
#include "solvers/iteration.h"
#include <math.h>

#define THETA 0.75

struct input {
    const char *name;
    int (*columns)(int *column, int row, int rows, uint64_t *state); // in order, without the diagonal
    double theta;
    int tiny;    // x is from 2^-30 to 2^-29: a row hardly moves, and it matters; so are the entries
    int sources; // only f of every fourth row is not 0, nor any start: a row moves after its neighbours have
};

static int five_points(int *column, int row, int rows, uint64_t * /* state */)
{
    int count = 0, width = rows < 4096 ? (int)ceil(sqrt(rows)) : rows < 1 << 24 ? 64 : 4096;
    if (row >= width)
        column[count++] = row - width;
    if (row % width > 0)
        column[count++] = row - 1;
    if (row % width < width - 1 && row + 1 < rows)
        column[count++] = row + 1;
    if (row + width < rows)
        column[count++] = row + width;
    return count;
}

// Up to 9, anywhere; many more in every 97th row.
static int anywhere(int *column, int row, int rows, uint64_t *state)
{
    int count = 0, wanted = row % 97 == 96 ? 200 : (int)(random_bits(state) % 10);
    int gap = wanted > 0 ? 2 * rows / wanted + 1 : rows;
    for (int j = (int)(random_bits(state) % (uint64_t)gap); wanted > 0 && j < rows && count < 400;
         j += 1 + (int)(random_bits(state) % (uint64_t)gap))
        if (j != row)
            column[count++] = j;
    return count;
}

static int none(int * /* column */, int /* row */, int /* rows */, uint64_t * /* state */)
{
    return 0;
}

// The last row and the last column are full, the others empty.
static int arrow(int *column, int row, int rows, uint64_t * /* state */)
{
    int count = 0;
    for (int j = 0; row == rows - 1 && j < rows - 1; j++)
        column[count++] = j;
    if (row < rows - 1)
        column[count++] = rows - 1;
    return count;
}

static const struct input INPUTS[] = {
    {"5-point", five_points, THETA, 0, 0},     {"anywhere", anywhere, THETA, 0, 0},
    {"diagonal", none, THETA, 0, 0},           {"arrow", arrow, THETA, 0, 0},
    {"tiny solution", anywhere, THETA, 1, 0},  {"f and start mostly 0", anywhere, THETA, 0, 1},
    {"not dominant", five_points, 1.25, 0, 0},
};
enum { INPUT_COUNT = sizeof INPUTS / sizeof INPUTS[0] };
