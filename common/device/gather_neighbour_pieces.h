// gather_neighbour_pieces.h: step 7 of chapter 09-gather as later steps use it: the atoms near a tile in pieces of
// fixed capacity.
#pragma once

#include "device/gather_neighbours.h"

#define CAPACITY 64 // atoms per piece

static inline __device__ int pieces_of(struct bins bins, int tile, struct plane p)
{
    return ceil_div(atoms_near(first_cell(bins.begin, tile, p), p), CAPACITY);
}

// The contribution of piece k of the tile's atoms at the thread's point (x, y). All threads of a block of TILE
// x TILE call it.
static inline __device__ float sum_of_piece(struct bins bins, int tile, unsigned k, int x, int y, struct plane p)
{
    __shared__ float4 piece[CAPACITY];
    const unsigned *cell = first_cell(bins.begin, tile, p);
    unsigned tid = threadIdx.y * TILE + threadIdx.x, start = CAPACITY * k;
    unsigned count = min(CAPACITY, atoms_near(cell, p) - start);
    float sum = 0;
    if (tid < count)
        piece[tid] = atom_near(bins.atoms, cell, start + tid, p);
    __syncthreads(); // after the piece is loaded
    for (unsigned i = 0; i < count; i++)
        sum += charge_over_distance(piece[i], x, y);
    __syncthreads(); // after its last read
    return sum;
}
