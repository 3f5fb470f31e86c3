// Gather, step 8, optional: a crowded tile launches a grid of its own.
//
// In step 7 one kernel lists all pieces of all tiles for another one. Here there is no list. A
// block takes a tile and adds its first piece. If more are left, it launches a grid for them, one
// block per piece: a nested launch. It neither waits for that grid nor orders it (fire and forget);
// the kernel is complete when every grid it launched is complete. The number of pending launches is
// limited, so a block must be able to do the work itself. A launch costs more than a list entry; it
// pays off where the work is discovered only along the way.
//
// Passes when kernels launch and the host does not: nested_launches >= 9, launches <=
// nested_launches + 6, and no block does more than its share: longest_block <=
// warp_instructions/42.
//
//     ctest --test-dir build -R 09-gather.08
#include "device/cells.h"                   // bin_atoms, charge_over_distance: from step 5
#include "device/gather_neighbour_pieces.h" // pieces_of, sum_of_piece: from step 7
#include "device/nested.h"                  // makes the workbook compile with -rdc=true
#include "gather.h"

// Adds piece k of the tile's atoms to its points in the map, one point per thread.
__device__ void sum_piece(float *map, struct bins bins, int tile, unsigned k, struct plane p)
{
    int x = tile % tiles_wide(p) * TILE + threadIdx.x, y = tile / tiles_wide(p) * TILE + threadIdx.y;
    float sum = sum_of_piece(bins, tile, k, x, y, p);
    if (x < p.width && y < p.height)
        atomicAdd(&map[(size_t)y * p.width + x], sum); // other pieces of the tile add theirs
}

// All pieces of a tile but the first, one block each.
__global__ void sum_rest(float *map, struct bins bins, int tile, struct plane p)
{
    sum_piece(map, bins, tile, 1 + blockIdx.x, p);
}

// One block per tile.
__global__ void sum_tiles(float *map, struct bins bins, struct plane p)
{
    __shared__ int own; // pieces that this block adds itself
    int tile = blockIdx.x, pieces = pieces_of(bins, tile, p);

    // TODO: If there is more than one piece, let thread (0, 0) launch sum_rest for the others on
    // cudaStreamFireAndForget. Check cudaGetLastError(): if the launch was made, own is 1;
    // otherwise the block adds all pieces. No thread may read own before it is set.
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
