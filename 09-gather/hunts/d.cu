// Hunt 9/d: atoms on a line, binned: each cell has room for ROOM atoms, so that a loop over a cell
// always has the same length. A charge of 0 adds nothing.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 64
#define CELL 32 // points of a cell
#define ROOM 8

// counts[c] = the atoms of cell c, on entry 0. x: the position, y: the charge.
__global__ void bin(int2 *bins, int *counts, const int2 *atoms, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i < n) {
        int cell = atoms[i].x / CELL;
        bins[cell * ROOM + atomicAdd(&counts[cell], 1)] = atoms[i];
    }
}

// A point gets the charges of its cell, each less the more it is away.
__global__ void gather(int *map, const int2 *bins)
{
    int sum = 0;

    for (int k = 0; k < ROOM; k++) {
        int2 atom = bins[blockIdx.x * ROOM + k];
        sum += atom.y * (CELL - abs(atom.x % CELL - (int)threadIdx.x));
    }
    map[blockIdx.x * CELL + threadIdx.x] = sum;
}

static void potential(int *map, const int2 *atoms, int n, int cells)
{
    int2 *d_atoms, *d_bins;
    int *d_counts, *d_map;

    cudaMalloc(&d_atoms, n * sizeof *atoms);
    cudaMalloc(&d_bins, cells * ROOM * sizeof *d_bins);
    cudaMalloc(&d_counts, cells * sizeof *d_counts);
    cudaMalloc(&d_map, cells * CELL * sizeof *d_map);
    cudaMemcpy(d_atoms, atoms, n * sizeof *atoms, cudaMemcpyHostToDevice);
    cudaMemset(d_counts, 0, cells * sizeof *d_counts);
    bin<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_bins, d_counts, d_atoms, n);
    gather<<<cells, CELL>>>(d_map, d_bins);
    cudaMemcpy(map, d_map, cells * CELL * sizeof *map, cudaMemcpyDeviceToHost);
    cudaFree(d_atoms);
    cudaFree(d_bins);
    cudaFree(d_counts);
    cudaFree(d_map);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int cells = argc > 1 ? atoi(argv[1]) : 10, each = argc > 2 ? atoi(argv[2]) : ROOM, n = cells * each, wrong = 0;
    int2 *atoms = (int2 *)malloc(n * sizeof *atoms);
    int *map = (int *)malloc(cells * CELL * sizeof *map), *wanted = (int *)calloc(cells * CELL, sizeof *map);

    srand(1);
    for (int i = 0; i < n; i++) {
        atoms[i] = make_int2(i % cells * CELL + rand() % CELL, 1 + rand() % 9);
        for (int p = 0; p < CELL; p++)
            wanted[i % cells * CELL + p] += atoms[i].y * (CELL - abs(atoms[i].x % CELL - p));
    }
    potential(map, atoms, n, cells);
    for (int p = 0; p < cells * CELL; p++)
        wrong += map[p] != wanted[p];
    free(atoms);
    free(map);
    free(wanted);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
