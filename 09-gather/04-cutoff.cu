// Gather, step 4: only near atoms count.
//
// Where charges of both signs mix, distant atoms cancel out, and a simulation counts only atoms
// nearer than CUTOFF. Step 3 would waste most of its roots. Here the points of a warp lie in one
// row, so the whole warp skips an atom that is too far from the row; for the others, each point
// tests its own distance. Few roots are left. But every atom is still tested against every row,
// and when a warp computes a root, most of its lanes are idle.
//
// Passes when roots are computed for near pairs only: flops <= 4*4096*n. Look at the divergent
// branches: without a cutoff there were none.
//
//     ctest --test-dir build -R 09-gather.04
#include "gather.h"

#define WIDTH 32   // threads of a block along x: a warp
#define HEIGHT 4   // and along y
#define POINTS 8   // points per thread, WIDTH apart
#define CHUNK 4096 // atoms in constant memory: all 64 KB of it

__constant__ float4 chunk[CHUNK];

// Adds the potential of the first count atoms in chunk to map, POINTS points per thread.
__global__ void gather(float *map, int count, struct plane p)
{
    int x = blockIdx.x * POINTS * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    float sum[POINTS] = {};
    // TODO: Do as step 3 does, but count an atom only if its squared distance, without SOFTENING,
    // is below CUTOFF2. Skip an atom at once if the part that the points share, dy * dy + dz * dz,
    // is CUTOFF2 or more. Compute the root for near pairs only.
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
    return gather_main(argc, argv, potential, WITHIN_CUTOFF);
}
