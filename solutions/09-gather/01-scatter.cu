// Gather, step 1: one thread per atom.
//
// The potential at a point is the sum of charge over distance, over all atoms. Here each thread
// takes an atom and scatters it: it adds the atom's contribution to every point of the map. Many
// threads add to the same point at the same time, so every addition has to be atomic.
//
// Passes when the map is right and every atom is added to every point once: global_atomics ==
// 4096*n. See how many lanes hit one address: all 32.
//
//     ctest --test-dir build -R 09-gather.01
#include "gather.h"

#define BLOCK 64 // threads per block

// Adds the potential of every atom to map, which holds zeros.
__global__ void scatter(float *map, const float4 *atoms, int n, struct plane p)
{
    // TODO: Give each thread one atom; threads past the last atom do nothing. With atomicAdd, add
    // the atom's charge over distance to every point of the map: atom.w * rsqrtf(d2). d2 is the
    // squared distance to (x, y, 0) plus SOFTENING. Point (x, y) is word y * p.width + x, a size_t.
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float4 atom = atoms[i];
    for (int y = 0; y < p.height; y++)
        for (int x = 0; x < p.width; x++) {
            float dx = x - atom.x, dy = y - atom.y;
            float d2 = dx * dx + dy * dy + atom.z * atom.z + SOFTENING;
            atomicAdd(&map[(size_t)y * p.width + x], atom.w * rsqrtf(d2));
        }
    // END TODO
}

static void potential(float *d_map, const float4 *d_atoms, int n, struct plane p)
{
    check_cuda(cudaMemset(d_map, 0, points_of(p) * sizeof *d_map));
    scatter<<<max(1, ceil_div(n, BLOCK)), BLOCK>>>(d_map, d_atoms, n, p);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return gather_main(argc, argv, potential, UNLIMITED);
}
