// Gather, step 1: a thread for every atom.
//
// The potential at a point is the sum of charge over distance of all atoms. Here a thread
// takes an atom and adds its share to every point of the map. Several threads add to one
// point at the same time: only an atomic operation loses nothing.
//
// Passes when the map is right and every atom is added to every point once: global_atomics ==
// 4096*n. Look at the most lanes on one address: all 32.
//
//     ctest --test-dir build -R 09-gather.01
#include "gather.h"

#define BLOCK 64 // threads per block

// Adds the potential of every atom to map, which holds zeros.
__global__ void scatter(float *map, const float4 *atoms, int n, struct plane p)
{
    // TODO: Let a thread take an atom, if there is one for it, and add its charge over its distance
    // to every point of the map by atomicAdd: atom.w * rsqrtf(d2), where d2 is the squared distance
    // from (x, y, 0) plus SOFTENING. Point (x, y) is word y * p.width + x; take size_t.
#define TODO_OPEN // delete this line when the TODO is done
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
