// bins.h: from step 5 of chapter 09-gather: atoms sorted into square cells, and the tiles of the map.
//
// A cell has the side CUTOFF. A tile is the TILE x TILE points of one cell. The cells cover the map and a border of one
// cell around it. So every atom that counts for a tile lies in its cell or in one of the eight around it.
#pragma once

#include "device/atoms.h"

#define TILE 16 // points along x and y

// Buffers that the driver allocates, filled with garbage. Their use is up to the exercise.
struct bins {
    float4 *atoms;   // capacity n: the atoms of cell 0, then of cell 1, ...
    unsigned *begin; // cells + 1 words: the atoms of cell c are begin[c] ... begin[c + 1] - 1
    unsigned *next;  // cells + 1 words
    unsigned *list;  // tiles + n + 1 words
    unsigned *tmp;   // for exclusive_scan of cells + 1 words
};

// At least one, as a grid requires.
static inline __host__ __device__ int tiles_wide(struct plane p)
{
    return max(1, ceil_div(p.width, TILE));
}

static inline __host__ __device__ int tiles_high(struct plane p)
{
    return max(1, ceil_div(p.height, TILE));
}

static inline __host__ __device__ int tiles_in(struct plane p)
{
    return tiles_wide(p) * tiles_high(p);
}

static inline __host__ __device__ int cells_wide(struct plane p)
{
    return tiles_wide(p) + 2;
}

static inline __host__ __device__ int cells_in(struct plane p)
{
    return cells_wide(p) * (tiles_high(p) + 2);
}
