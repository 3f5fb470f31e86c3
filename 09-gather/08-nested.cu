// Gather, step 8, optional: a crowded tile launches a grid of its own.
//
// In step 7 one kernel lists all pieces of all tiles for another one. Here there is no list. A
// block takes a tile and adds its first piece. Where more are left it launches a grid for them, a
// block for each: a nested launch. It neither waits for that grid nor orders it (fire and forget);
// the kernel counts as over when all that it launched is over. A device has a limited number of
// places for such launches, so every block must be able to do without. Launching costs more than a
// place on a list; it pays where what has to be done shows only on the way.
//
// Passes when kernels launch and the host does not: nested_launches >= 9, launches <=
// nested_launches + 6, and no block takes more than its share: longest_block <=
// warp_instructions/64.
//
//     ctest --test-dir build -R 09-gather.08
#include "device/cells.h"  // bin_atoms, charge_over_distance: from step 5
#include "device/nested.h" // has the program compiled with -rdc=true
#include "device/pieces.h" // pieces_of, sum_of_piece: from step 7
#include "gather.h"

// Adds piece k of the tile's atoms to its points in the map, a point for each thread.
__device__ void sum_piece(float *map, struct bins bins, int tile, unsigned k, struct plane p)
{
    int x = tile % tiles_wide(p) * TILE + threadIdx.x, y = tile / tiles_wide(p) * TILE + threadIdx.y;
    float sum = sum_of_piece(bins, tile, k, x, y, p);
    if (x < p.width && y < p.height)
        atomicAdd(&map[(size_t)y * p.width + x], sum); // other pieces of the tile add theirs
}

// All pieces of a tile but the first, a block each.
__global__ void sum_rest(float *map, struct bins bins, int tile, struct plane p)
{
    sum_piece(map, bins, tile, 1 + blockIdx.x, p);
}

// A block for each tile.
__global__ void sum_tiles(float *map, struct bins bins, struct plane p)
{
    __shared__ int own; // pieces that the block adds itself
    int tile = blockIdx.x, pieces = pieces_of(bins, tile, p);

    // TODO: If there is more than one piece, thread (0, 0) launches sum_rest for the others, on
    // cudaStreamFireAndForget. cudaGetLastError() tells it whether a place was free: then own is 1,
    // else all pieces. All threads wait until own is known.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    for (int k = 0; k < own; k++)
        sum_piece(map, bins, tile, k, p);
}

static void potential(float *d_map, const float4 *d_atoms, int n, struct plane p, struct bins bins)
{
    bin_atoms(bins, d_atoms, n, p);
    check_cuda(cudaMemset(d_map, 0, points_of(p) * sizeof *d_map));
    sum_tiles<<<tiles_in(p), dim3(TILE, TILE)>>>(d_map, bins, p);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return binned_main(argc, argv, potential, CROWDED);
}
