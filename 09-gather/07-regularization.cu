// Gather, step 7: no block does more than its share.
//
// In step 6 a block takes a whole tile, however many atoms are near. With one crowded cell, nine
// blocks keep running long after all others have finished. Here a piece of work has a fixed
// capacity, CAPACITY atoms. A tile with more overflows into further pieces, each with its own entry
// on the list, and the pieces add their sums to the map by atomics. A fixed capacity also fits in
// shared memory: a block loads the atoms of a piece once, for all of its warps.
//
// Passes when the longest of 128 blocks does at most three times its share: longest_block <=
// warp_instructions/42.
//
//     ctest --test-dir build -R 09-gather.07
#include "device/cells.h"             // bin_atoms, charge_over_distance: from step 5
#include "device/gather_neighbours.h" // the atoms near a tile: first_cell, atoms_near, atom_near
#include "gather.h"

#define BLOCK 256   // tiles that a block checks
#define CAPACITY 64 // atoms per piece

// Appends every tile to bins.list once for each piece of its atoms: the entries of tile t begin at
// bins.next[t] and are contiguous. bins.list[0] is the number of entries; 0 on entry.
__global__ void list_pieces(struct bins bins, struct plane p)
{
    // TODO: Give each thread one tile. Split the atoms near it into pieces of CAPACITY; the last
    // may be smaller. Reserve list entries for all pieces by one atomicAdd on bins.list[0], and
    // store the tile in each. Keep the number of the first entry, at least 1, in bins.next.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void list_tiles(struct bins bins, struct plane p)
{
    check_cuda(cudaMemset(bins.list, 0, sizeof *bins.list));
    list_pieces<<<ceil_div(tiles_in(p), BLOCK), BLOCK>>>(bins, p);
    check_cuda(cudaGetLastError());
}

// Adds the piece at this entry of the list to its tile of the map, one point per thread.
__device__ void sum_piece(float *map, struct bins bins, unsigned place, struct plane p)
{
    int tile = bins.list[place];
    int x = tile % tiles_wide(p) * TILE + threadIdx.x, y = tile / tiles_wide(p) * TILE + threadIdx.y;
    float sum = 0;

    // TODO: The piece begins at number CAPACITY * (place - bins.next[tile]) of the atoms near, and
    // holds CAPACITY of them or what is left. Load it into shared memory with atom_near. Add up
    // what its atoms contribute. No thread may load the next piece while another still reads.
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
