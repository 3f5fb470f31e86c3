// Gather, step 6: drop empty tiles before the work is given out.
//
// Step 5 starts a block for every tile of the map. Where atoms lie in clusters, most tiles have
// none near: their blocks look into nine empty cells and store zeros. Here a thread looks at a
// tile first, and only tiles with work come onto a list. A warp gets its places by one atomic
// operation in shared memory (00-basics, step 6), a block by one in global memory. As many blocks
// as the device holds go through the list; the host need not know how long it is.
//
// Passes when few blocks are started and few cells looked at: blocks <= 300,
// global_load_requests <= 105*n.
//
//     ctest --test-dir build -R 09-gather.06
#include "device/cells.h" // bin_atoms, charge_over_distance: from step 5
#include "gather.h"

#define BLOCK 1024 // tiles that a block looks at
#define ALL 0xffffffff

// How many atoms the nine cells of a tile hold.
__device__ int atoms_near(const unsigned *begin, int tile, struct plane p)
{
    const unsigned *cell = begin + tile / tiles_wide(p) * cells_wide(p) + tile % tiles_wide(p);
    int count = 0;
    for (int row = 0; row < 3; row++, cell += cells_wide(p))
        count += cell[3] - cell[0];
    return count;
}

// Appends the tiles that have atoms near to bins.list + 1; bins.list[0], 0 before, is their number.
__global__ void keep_tiles(struct bins bins, struct plane p)
{
    // TODO: A thread takes a tile; beyond the last one it takes one that is not kept. Let all lanes
    // of a warp vote, and let one of them fetch places for all by an atomicAdd on a count of the
    // block in shared memory, 0 before. When all warps have, let one thread fetch places for the
    // block by an atomicAdd on bins.list[0]. Each kept tile goes to bins.list + 1 + its place.
    int tile = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x % 32;
    __shared__ unsigned block_count, block_first; // tiles that the block keeps; the place of the first
    if (threadIdx.x == 0)
        block_count = 0;
    __syncthreads();
    bool keep = tile < tiles_in(p) && atoms_near(bins.begin, tile, p) > 0;
    unsigned kept = __ballot_sync(ALL, keep), first = 0;
    if (lane == 0)
        first = atomicAdd(&block_count, __popc(kept));
    __syncthreads();
    if (threadIdx.x == 0)
        block_first = atomicAdd(&bins.list[0], block_count);
    __syncthreads();
    first = block_first + __shfl_sync(ALL, first, 0);
    if (keep)
        bins.list[1 + first + __popc(kept & ((1u << lane) - 1))] = tile; // lanes below this one
    // END TODO
}

static void list_tiles(struct bins bins, struct plane p)
{
    check_cuda(cudaMemset(bins.list, 0, sizeof *bins.list));
    keep_tiles<<<ceil_div(tiles_in(p), BLOCK), BLOCK>>>(bins, p);
    check_cuda(cudaGetLastError());
}

// The map at the tiles of the list, a point for each thread; elsewhere it holds zeros.
__global__ void sum_tiles(float *map, struct bins bins, struct plane p)
{
    // TODO: Let a block take every gridDim.x-th tile of the list, from its own number on, and add
    // up the nine cells of each as in step 5.
    for (unsigned k = blockIdx.x; k < bins.list[0]; k += gridDim.x) {
        int tile = bins.list[1 + k], i = tile % tiles_wide(p), j = tile / tiles_wide(p);
        int x = i * TILE + threadIdx.x, y = j * TILE + threadIdx.y;
        float sum = 0;
        if (x >= p.width || y >= p.height)
            continue; // no point for this thread
        const unsigned *cell = bins.begin + j * cells_wide(p) + i;
        for (int row = 0; row < 3; row++, cell += cells_wide(p))
            for (unsigned a = cell[0]; a < cell[3]; a++)
                sum += charge_over_distance(bins.atoms[a], x, y);
        map[(size_t)y * p.width + x] = sum;
    }
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
