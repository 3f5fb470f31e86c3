// gather_neighbours.h: the atoms near a tile: those of the nine cells around it, which step 5 of chapter 09-gather
// visits and step 6 counts. Here they are numbered from 0, so that step 7 can split them into pieces.
#pragma once

#include "device/cells.h"

// The first of a tile's nine cells.
static inline __device__ const unsigned *first_cell(const unsigned *begin, int tile, struct plane p)
{
    return begin + tile / tiles_wide(p) * cells_wide(p) + tile % tiles_wide(p);
}

// The number of atoms in the nine cells, given the first of them.
static inline __device__ unsigned atoms_near(const unsigned *cell, struct plane p)
{
    unsigned count = 0;
    for (int row = 0; row < 3; row++, cell += cells_wide(p))
        count += cell[3] - cell[0];
    return count;
}

// The k-th of these atoms.
static inline __device__ float4 atom_near(const float4 *atoms, const unsigned *cell, unsigned k, struct plane p)
{
    for (; k >= cell[3] - cell[0]; cell += cells_wide(p))
        k -= cell[3] - cell[0];
    return atoms[cell[0] + k];
}
