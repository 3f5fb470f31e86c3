// Basics, step 4: the layout of data.
//
// A particle is seven floats: position, velocity, mass. In an array of structures the x of one
// particle is 28 bytes from the x of the next, and a warp that loads 32 of them touches 28 sectors
// of 32 bytes, to get 128 bytes. In a structure of arrays they are neighbours: 4 sectors. But then
// one particle is scattered all over memory. Tiles combine both: 32 particles are stored together,
// and within a tile the values of one field are neighbours.
//
// Passes when every layout is right and, counted with tiles, a request touches no more sectors than
// its words fill: global_load_sectors <= global_load_sectors_ideal, global_store_sectors <=
// global_store_sectors_ideal.
//
//     ctest --test-dir build -R 00-basics.04
#include "basics.h"

#define BLOCK 256 // threads per block

// The index of field f of particle i of n, in floats.
__device__ size_t place(int f, int i, int n, enum layout layout)
{
    size_t at = (size_t)i * FIELDS + f; // STRUCTURES
    // TODO: Set `at` for ARRAYS and for TILES. ARRAYS: each field has an array of n floats, one
    // array after the other. TILES: a tile has FIELDS * PER_TILE floats, PER_TILE of each field.
    // Compute in size_t: 7 n may be above 2^31.
    if (layout == ARRAYS)
        at = (size_t)f * n + i;
    if (layout == TILES)
        at = ((size_t)(i / PER_TILE) * FIELDS + f) * PER_TILE + i % PER_TILE; // tile, field, lane
    // END TODO
    return at;
}

// Moves each particle for the time dt, one particle per thread.
__global__ void move(float *particles, int n, float dt, enum layout layout)
{
    // TODO: Let neighbouring threads take neighbouring particles. For each of the three axes, add
    // dt times field VX + axis to field X + axis. Get the index of each from place. Threads past
    // the last particle do nothing.
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    for (int axis = 0; axis < 3; axis++)
        particles[place(X + axis, i, n, layout)] += dt * particles[place(VX + axis, i, n, layout)];
    // END TODO
}

static void drift(float *d_particles, int n, float dt, enum layout layout)
{
    if (n == 0)
        return;
    move<<<ceil_div(n, BLOCK), BLOCK>>>(d_particles, n, dt, layout);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return drift_main(argc, argv, drift);
}
