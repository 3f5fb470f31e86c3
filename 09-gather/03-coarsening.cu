// Gather, step 3: several points per thread.
//
// In step 2 every pair reads the atom again and recomputes dy * dy + dz * dz, which all points of a
// row share. Here a thread takes POINTS points of one row, WIDTH apart, so that stores stay
// coalesced. It reads an atom and computes the shared part once for all of them. What is left for
// each pair is a difference, two multiply-adds and a reciprocal square root. The root is the limit
// now: an SM computes 16 of them in a clock, and 128 multiply-adds.
//
// Passes when a pair takes 7 operations, not 11, and stores are coalesced: flops <= 7.5*4096*n,
// global_store_sectors <= 1.5*global_store_sectors_ideal.
//
//     ctest --test-dir build -R 09-gather.03
#include "gather.h"

#define WIDTH 16   // threads of a block along x: half a warp
#define HEIGHT 8   // and along y
#define POINTS 16  // points per thread, WIDTH apart
#define CHUNK 4096 // atoms in constant memory: all 64 KB of it

__constant__ float4 chunk[CHUNK];

// Adds the potential of the first count atoms in chunk to map, POINTS points per thread.
__global__ void gather(float *map, int count, struct plane p)
{
    int x = blockIdx.x * POINTS * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    float sum[POINTS] = {};
    // TODO: For each atom, compute what all points of the thread share once: dy * dy + dz * dz +
    // SOFTENING. Then add to sum[k], for each k below POINTS, what the atom contributes to point
    // (x + k * WIDTH, y). Use inverse_root: rsqrtf without its test for tiny x.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    for (int k = 0; k < POINTS; k++)
        if (x + k * WIDTH < p.width && y < p.height)
            map[(size_t)y * p.width + x + k * WIDTH] += sum[k];
}

static void potential(float *d_map, const float4 *d_atoms, int n, struct plane p)
{
    check_cuda(cudaMemset(d_map, 0, points_of(p) * sizeof *d_map));
    for (const float4 *end = d_atoms + n; d_atoms < end; d_atoms += CHUNK) {
        int count = min(CHUNK, (int)(end - d_atoms));
        check_cuda(cudaMemcpyToSymbol(chunk, d_atoms, count * sizeof *d_atoms, 0, cudaMemcpyDeviceToDevice));
        gather<<<tiles_of(p, POINTS * WIDTH, HEIGHT), dim3(WIDTH, HEIGHT)>>>(d_map, count, p);
        check_cuda(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return gather_main(argc, argv, potential, UNLIMITED);
}
