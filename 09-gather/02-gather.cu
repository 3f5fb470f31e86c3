// Gather, step 2: one thread per point.
//
// Step 1 paid an atomic for every pair of an atom and a point, 32 at a time on one address. Here a
// thread owns a point: it reads all atoms, sums in a register and stores once. All threads read
// the same atom at the same time. That is what constant memory is for: it broadcasts one word to
// all lanes of a warp, from a cache of its own. It holds 4096 atoms; more are copied in chunks.
//
// Passes without atomics, when each point is stored once per chunk and the atoms come from
// constant memory: global_atomics == 0, global_store_requests <= 136, global_load_requests <= 264.
//
//     ctest --test-dir build -R 09-gather.02
#include "gather.h"

#define WIDTH 32   // threads of a block along x: a warp
#define HEIGHT 4   // and along y
#define CHUNK 4096 // atoms in constant memory: all 64 KB of it

__constant__ float4 chunk[CHUNK];

// Adds the potential of the first count atoms in chunk to map, one point per thread.
__global__ void gather(float *map, int count, struct plane p)
{
    // TODO: Compute the thread's column x and row y in the grid; a thread outside the map does
    // nothing. Sum what the count atoms in chunk contribute to point (x, y) in a register. Add the
    // sum to the map once: earlier chunks are already in it.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void potential(float *d_map, const float4 *d_atoms, int n, struct plane p)
{
    check_cuda(cudaMemset(d_map, 0, points_of(p) * sizeof *d_map));
    for (const float4 *end = d_atoms + n; d_atoms < end; d_atoms += CHUNK) {
        int count = 0;
        // TODO: Set count to CHUNK, or to the number of atoms left before end if that is smaller.
        // Copy that many atoms from d_atoms to the symbol chunk with cudaMemcpyToSymbol,
        // cudaMemcpyDeviceToDevice, inside check_cuda.
#define TODO_OPEN // delete this line when the TODO is done
        // END TODO
        gather<<<tiles_of(p, WIDTH, HEIGHT), dim3(WIDTH, HEIGHT)>>>(d_map, count, p);
        check_cuda(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return gather_main(argc, argv, potential, UNLIMITED);
}
