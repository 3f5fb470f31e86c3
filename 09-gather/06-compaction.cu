// Gather, step 6: drop empty tiles before launching the work.
//
// Step 5 launches a block for every tile of the map. Where atoms are clustered, most tiles have
// none near: their blocks read nine empty cells and store zeros. Here one thread per tile checks
// first, and only tiles with work are appended to a list. A warp reserves its entries by one
// atomic in shared memory (00-basics, step 6), a block by one in global memory. A persistent grid,
// as many blocks as the device holds, strides through the list; the host need not know its length.
//
// Passes when few blocks are launched and few cells are read: blocks <= 300,
// global_load_requests <= 105*n.
//
//     ctest --test-dir build -R 09-gather.06
#include "device/cells.h" // bin_atoms, charge_over_distance: from step 5
#include "gather.h"

#define BLOCK 1024 // tiles that a block checks
#define ALL 0xffffffff

// The number of atoms in the nine cells of a tile.
__device__ int atoms_near(const unsigned *begin, int tile, struct plane p)
{
    const unsigned *cell = begin + tile / tiles_wide(p) * cells_wide(p) + tile % tiles_wide(p);
    int count = 0;
    for (int row = 0; row < 3; row++, cell += cells_wide(p))
        count += cell[3] - cell[0];
    return count;
}

// Appends the tiles that have atoms near to bins.list + 1. bins.list[0] counts them; 0 on entry.
__global__ void keep_tiles(struct bins bins, struct plane p)
{
    // TODO: Give each thread one tile; a thread past the last tile keeps none, but votes. Let the
    // lanes of a warp vote on which tiles have work. Let one lane reserve slots for them by an
    // atomicAdd on a block-wide counter in shared memory. When all warps are done, one thread
    // reserves the block's slots by an atomicAdd on bins.list[0]. Store each kept tile in its slot.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void list_tiles(struct bins bins, struct plane p)
{
    check_cuda(cudaMemset(bins.list, 0, sizeof *bins.list));
    keep_tiles<<<ceil_div(tiles_in(p), BLOCK), BLOCK>>>(bins, p);
    check_cuda(cudaGetLastError());
}

// Computes the map at the tiles of the list, one point per thread; elsewhere it stays 0.
__global__ void sum_tiles(float *map, struct bins bins, struct plane p)
{
    // TODO: Let each block take every gridDim.x-th tile of the list, starting at its own number.
    // Add up the nine cells of each as in step 5.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void potential(float *d_map, const float4 *d_atoms, int n, struct plane p, struct bins bins)
{
    bin_atoms(bins, d_atoms, n, p);
    list_tiles(bins, p);
    check_cuda(cudaMemset(d_map, 0, points_of(p) * sizeof *d_map));
    int blocks = min(tiles_in(p), resident_blocks((const void *)sum_tiles, TILE * TILE));
    sum_tiles<<<blocks, dim3(TILE, TILE)>>>(d_map, bins, p);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return binned_main(argc, argv, potential, CROWDED);
}
