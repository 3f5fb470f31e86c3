// Gather, step 4: only near atoms count.
//
// Where charges of both signs mix, far atoms cancel, and a simulation counts only those nearer
// than CUTOFF. Step 3 would compute most of its roots for nothing. Here a warp, whose points lie in
// one row, skips an atom that is too far from the whole row; for the others each point decides
// for itself. Few roots are left. But all atoms are still tested at all points, and of the lanes
// that come to a root together most are idle.
//
// Passes when roots are computed for near pairs alone: flops <= 4*4096*n. Look at the branches that
// are divergent: without a cutoff there was none.
//
//     ctest --test-dir build -R 09-gather.04
#include "gather.h"

#define WIDTH 32   // threads of a block along x: a warp
#define HEIGHT 4   // and along y
#define POINTS 8   // of each thread, WIDTH apart
#define CHUNK 4096 // atoms in constant memory: 64 KB, all there is

__constant__ float4 chunk[CHUNK];

// Adds the potential of the first count atoms in chunk to map, POINTS points for each thread.
__global__ void gather(float *map, int count, struct plane p)
{
    int x = blockIdx.x * POINTS * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    float sum[POINTS] = {};
    // TODO: As in step 3, but count atoms alone whose squared distance is below CUTOFF2, without
    // SOFTENING; at CUTOFF2 they do not count. Skip an atom for which what the points share,
    // dy * dy + dz * dz, is not below it. Compute the root for near pairs only.
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
