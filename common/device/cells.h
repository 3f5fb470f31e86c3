// cells.h: step 5 of chapter 09-gather as later steps use it: atoms sorted into cells by count, scan and place.
#pragma once

#include "device/bins.h"
#include "device/prefix.h"

// The cell of an atom; -1: too far from every point to count.
static inline __device__ int cell_of(float4 atom, struct plane p)
{
    float x = floorf(atom.x / CUTOFF) + 1, y = floorf(atom.y / CUTOFF) + 1;
    if (fabsf(atom.z) >= CUTOFF || x < 0 || y < 0 || x >= cells_wide(p) || y >= tiles_high(p) + 2)
        return -1;
    return (int)y * cells_wide(p) + (int)x;
}

#define BIN_BLOCK 256

// Reserves the lane's slot in its cell, from counter[cell] on; if cell is -1 the result is undefined. Lanes of a warp
// with the same cell share one atomic: in a dense cell most lanes have the same one, and atomics on one word are
// serialized. All lanes of the warp must call it.
static inline __device__ unsigned take_place(unsigned *counter, int cell)
{
    unsigned same = __match_any_sync(0xffffffff, cell), lane = threadIdx.x % 32, first = 0;
    unsigned leader = __ffs(same) - 1;
    if (cell >= 0 && lane == leader)
        first = atomicAdd(&counter[cell], __popc(same));
    return __shfl_sync(0xffffffff, first, leader) + __popc(same & ((1u << lane) - 1)); // lanes below this one
}

static __global__ void count_cells(unsigned *count, const float4 *atoms, int n, struct plane p)
{
    int i = blockIdx.x * BIN_BLOCK + threadIdx.x, cell = i < n ? cell_of(atoms[i], p) : -1;
    take_place(count, cell);
}

static __global__ void place_atoms(float4 *sorted, unsigned *next, const float4 *atoms, int n, struct plane p)
{
    int i = blockIdx.x * BIN_BLOCK + threadIdx.x, cell = i < n ? cell_of(atoms[i], p) : -1;
    unsigned place = take_place(next, cell);
    if (cell >= 0)
        sorted[place] = atoms[i];
}

// Fills bins.begin and bins.atoms by count, scan, place. The order within a cell is arbitrary.
static inline void bin_atoms(struct bins bins, const float4 *d_atoms, int n, struct plane p)
{
    int cells = cells_in(p), blocks = max(1, ceil_div(n, BIN_BLOCK));
    size_t bytes = ((size_t)cells + 1) * sizeof *bins.begin;
    check_cuda(cudaMemset(bins.begin, 0, bytes));
    count_cells<<<blocks, BIN_BLOCK>>>(bins.begin, d_atoms, n, p);
    check_cuda(cudaGetLastError());
    exclusive_scan(bins.begin, bins.tmp, cells + 1);
    check_cuda(cudaMemcpy(bins.next, bins.begin, bytes, cudaMemcpyDeviceToDevice));
    place_atoms<<<blocks, BIN_BLOCK>>>(bins.atoms, bins.next, d_atoms, n, p);
    check_cuda(cudaGetLastError());
}

// ---- From step 5: what an atom contributes ---------------------------------------------------------------------
// At point (x, y); 0 at CUTOFF and beyond.
static inline __device__ float charge_over_distance(float4 atom, float x, float y)
{
    float dx = x - atom.x, dy = y - atom.y, d2 = dx * dx + dy * dy + atom.z * atom.z;
    return d2 < CUTOFF2 ? atom.w * inverse_root(d2 + SOFTENING) : 0;
}
