// Gather, step 5: atoms in cells.
//
// Step 4 tests every pair, and few pairs count. Here the atoms are first sorted into cells, squares
// of side CUTOFF: count (chapter 3), scan (chapter 2), place (chapter 4). A block takes the TILE x
// TILE points of one cell. Every atom that counts for them lies in this cell or one of the eight
// around it. So at a given density, the tests per point do not grow with the number of atoms.
//
// Passes when a point tests only its nine cells: flops <= 1.1*16384*n.
//
//     ctest --test-dir build -R 09-gather.05
#include "device/prefix.h" // exclusive_scan: from chapter 2
#include "gather.h"

#define BLOCK 256 // threads per block of the sorting kernels

// The cell of an atom, or -1 if the atom is too far from every point to count.
__device__ int cell_of(float4 atom, struct plane p)
{
    float x = floorf(atom.x / CUTOFF) + 1, y = floorf(atom.y / CUTOFF) + 1;
    if (fabsf(atom.z) >= CUTOFF || x < 0 || y < 0 || x >= cells_wide(p) || y >= tiles_high(p) + 2)
        return -1;
    return (int)y * cells_wide(p) + (int)x;
}

// count[c] += the number of atoms in cell c.
__global__ void count_cells(unsigned *count, const float4 *atoms, int n, struct plane p)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, cell = i < n ? cell_of(atoms[i], p) : -1;
    if (cell >= 0)
        atomicAdd(&count[cell], 1);
}

// Stores the atoms of cell c from sorted[next[c]] on; afterwards next[c] is where they end.
__global__ void place_atoms(float4 *sorted, unsigned *next, const float4 *atoms, int n, struct plane p)
{
    // TODO: Give each thread one atom, if there is one for it. If the atom has a cell, reserve a
    // slot in that cell's word of next, which other threads update. Store the atom in the slot.
    int i = blockIdx.x * BLOCK + threadIdx.x, cell = i < n ? cell_of(atoms[i], p) : -1;
    if (cell >= 0)
        sorted[atomicAdd(&next[cell], 1)] = atoms[i];
    // END TODO
}

// Fills bins.begin and bins.atoms: count, scan, place.
static void bin_atoms(struct bins bins, const float4 *d_atoms, int n, struct plane p)
{
    int cells = cells_in(p), blocks = max(1, ceil_div(n, BLOCK));
    size_t bytes = ((size_t)cells + 1) * sizeof *bins.begin;
    check_cuda(cudaMemset(bins.begin, 0, bytes));
    count_cells<<<blocks, BLOCK>>>(bins.begin, d_atoms, n, p);
    check_cuda(cudaGetLastError());
    exclusive_scan(bins.begin, bins.tmp, cells + 1);
    check_cuda(cudaMemcpy(bins.next, bins.begin, bytes, cudaMemcpyDeviceToDevice));
    place_atoms<<<blocks, BLOCK>>>(bins.atoms, bins.next, d_atoms, n, p);
    check_cuda(cudaGetLastError());
}

// What an atom contributes to point (x, y); 0 at CUTOFF and beyond.
__device__ float charge_over_distance(float4 atom, float x, float y)
{
    float dx = x - atom.x, dy = y - atom.y, d2 = dx * dx + dy * dy + atom.z * atom.z;
    return d2 < CUTOFF2 ? atom.w * inverse_root(d2 + SOFTENING) : 0;
}

// Computes the map, one tile per block, one point per thread. The atoms of cell c are begin[c] ...
// begin[c + 1] - 1.
__global__ void sum_tiles(float *map, const float4 *atoms, const unsigned *begin, struct plane p)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    if (x >= p.width || y >= p.height)
        return;

    // TODO: Add up what the atoms of the tile's nine cells contribute. Tile (i, j) of the map is
    // cell (i + 1, j + 1). So the first of its nine is cell (i, j), number j * cells_wide(p) + i.
    // The atoms of neighbouring cells in a row are contiguous in memory.
    const unsigned *cell = begin + blockIdx.y * cells_wide(p) + blockIdx.x;
    for (int row = 0; row < 3; row++, cell += cells_wide(p))
        for (unsigned i = cell[0]; i < cell[3]; i++) // three cells of a row
            sum += charge_over_distance(atoms[i], x, y);
    // END TODO

    map[(size_t)y * p.width + x] = sum;
}

static void potential(float *d_map, const float4 *d_atoms, int n, struct plane p, struct bins bins)
{
    bin_atoms(bins, d_atoms, n, p);
    sum_tiles<<<tiles_of(p, TILE, TILE), dim3(TILE, TILE)>>>(d_map, bins.atoms, bins.begin, p);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return binned_main(argc, argv, potential, EVEN);
}
