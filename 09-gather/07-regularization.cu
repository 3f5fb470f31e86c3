// Gather, step 7: no block takes more than its share.
//
// In step 6 a block takes a tile, however many atoms are near. One crowded cell, and nine blocks
// work on while all others have ended. Here a piece of work has a fixed capacity, CAPACITY atoms.
// A tile with more overflows into further pieces, each with a place of its own on the list; their
// sums meet in the map, by atomics. And what is never larger fits into shared memory: a block loads
// the atoms of a piece once, for all of its warps.
//
// Passes when the longest of 128 blocks does twice its share at most: longest_block <=
// warp_instructions/64.
//
//     ctest --test-dir build -R 09-gather.07
#include "device/cells.h" // bin_atoms, charge_over_distance: from step 5
#include "device/near.h"  // the atoms near a tile: first_cell, atoms_near, atom_near
#include "gather.h"

#define BLOCK 256    // tiles that a block looks at
#define CAPACITY 64  // atoms of a piece

// Puts every tile onto bins.list once for every piece of its atoms: bins.next[t] is the first place
// of tile t, and the others follow. bins.list[0], 0 before, is the number of places.
__global__ void list_pieces(struct bins bins, struct plane p)
{
    // TODO: A thread takes a tile, if there is one for it, and divides the atoms near into pieces
    // of CAPACITY and what is left. It fetches as many places by an atomicAdd on bins.list[0],
    // notes the first of them in bins.next, and writes the tile's number to all. Places begin at 1.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void list_tiles(struct bins bins, struct plane p)
{
    check_cuda(cudaMemset(bins.list, 0, sizeof *bins.list));
    list_pieces<<<ceil_div(tiles_in(p), BLOCK), BLOCK>>>(bins, p);
    check_cuda(cudaGetLastError());
}

// Adds the piece at this place of the list to its tile of the map, a point for each thread.
__device__ void sum_piece(float *map, struct bins bins, unsigned place, struct plane p)
{
    int tile = bins.list[place];
    int x = tile % tiles_wide(p) * TILE + threadIdx.x, y = tile / tiles_wide(p) * TILE + threadIdx.y;
    float sum = 0;

    // TODO: The piece begins at number CAPACITY * (place - bins.next[tile]) of the atoms near and
    // holds CAPACITY of them, or those that are left. Load them into shared memory with atom_near,
    // and add up what they contribute. The next piece must find the memory free.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    if (x < p.width && y < p.height)
        atomicAdd(&map[(size_t)y * p.width + x], sum); // other pieces of the tile add theirs
}

__global__ void sum_pieces(float *map, struct bins bins, struct plane p)
{
    for (unsigned place = 1 + blockIdx.x; place <= bins.list[0]; place += gridDim.x)
        sum_piece(map, bins, place, p);
}

static void potential(float *d_map, const float4 *d_atoms, int n, struct plane p, struct bins bins)
{
    bin_atoms(bins, d_atoms, n, p);
    list_tiles(bins, p);
    check_cuda(cudaMemset(d_map, 0, points_of(p) * sizeof *d_map));
    int blocks = min(tiles_in(p) + n / 7, resident_blocks((const void *)sum_pieces, TILE * TILE));
    sum_pieces<<<blocks, dim3(TILE, TILE)>>>(d_map, bins, p);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return binned_main(argc, argv, potential, CROWDED);
}
