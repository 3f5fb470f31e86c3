// plates.h: project 10, heat in plates that stay in shared memory. Write
//
//     void cool_plates(int *d_out, const int *d_in, int plates, int rows, int columns, int sweeps);
//
// d_in holds plates, one after the other: rows * columns temperatures each, row by row. d_out becomes the plates after
// that many sweeps. In a sweep every cell that has four neighbours in its plate becomes
//
//     (4 * cell + above + below + left + right + 4) / 8
//
// of the temperatures before the sweep. The others, those of the rim, keep their temperature. A plate has 1 to
// MOST_ROWS rows and 4 to MOST_COLUMNS columns, a multiple of 4. There may be no plate, and no sweep. Temperatures are
// 0 to HOTTEST, so the sum fits an int. Both arrays begin at a multiple of 256 bytes and do not overlap.
//
//     a.out PLATES ROWS COLUMNS SWEEPS SEED
#pragma once

#include "projects/check.h"

// The largest plate has 512 KB. The shared memory of a block does not hold it, that of a cluster of eight does.
#define MOST_ROWS 512
#define MOST_COLUMNS 256
#define HOTTEST 100000000

void cool_plates(int *d_out, const int *d_in, int plates, int rows, int columns, int sweeps);

static inline void sweep_on_host(int *after, const int *before, int rows, int columns)
{
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            const int *cell = before + (size_t)y * columns + x;
            after[(size_t)y * columns + x] =
                y == 0 || y == rows - 1 || x == 0 || x == columns - 1
                    ? *cell
                    : (4 * *cell + cell[-columns] + cell[columns] + cell[-1] + cell[1] + 4) / 8;
        }
}

// Whether the arguments keep the contract; prints a message if not.
static inline int are_plates(int plates, int rows, int columns, int sweeps)
{
    int good = plates >= 0 && rows >= 1 && rows <= MOST_ROWS && columns >= 4 && columns <= MOST_COLUMNS &&
               columns % 4 == 0 && sweeps >= 0;
    if (!good)
        printf("outside the contract: %d plates of %d x %d, %d sweeps\n", plates, rows, columns, sweeps);
    return good;
}

int main(int argc, char **argv)
{
    int plates = argument(argc, argv, 1, 2), rows = argument(argc, argv, 2, 40), columns = argument(argc, argv, 3, 64);
    int sweeps = argument(argc, argv, 4, 5), right;
    uint64_t state = (uint64_t)argument(argc, argv, 5, 1);
    size_t size = (size_t)rows * columns, n = plates * size;
    int *in, *want, *other, *d_in, *d_out;

    if (!are_plates(plates, rows, columns, sweeps))
        return 1;
    in = (int *)host_buffer(n * sizeof *in);
    want = (int *)host_buffer(n * sizeof *want);
    other = (int *)host_buffer(size * sizeof *other);
    for (size_t i = 0; i < n; i++)
        in[i] = random_below(&state, HOTTEST);
    memcpy(want, in, n * sizeof *in);
    for (int p = 0; p < plates; p++)
        for (int k = 0; k < sweeps; k++) {
            memcpy(other, want + p * size, size * sizeof *other);
            sweep_on_host(want + p * size, other, rows, columns);
        }
    d_in = (int *)device_buffer(in, n * sizeof *in);
    d_out = (int *)device_buffer(NULL, n * sizeof *d_out);
    begin_counted();
    cool_plates(d_out, d_in, plates, rows, columns, sweeps);
    end_counted();
    right = are_words("out", d_out, want, n) && is_unchanged("d_in", d_in, in, n * sizeof *in);
    check_cuda(cudaFree(d_out));
    check_cuda(cudaFree(d_in));
    free(other);
    free(want);
    free(in);
    return verdict(right);
}
