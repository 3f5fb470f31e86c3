// Hopper, step 2: one thread copies a tile.
//
// In step 8 of chapter 7 every thread issued asynchronous copies of 16 bytes, and computed an
// address for each. A bulk copy moves a whole tile asynchronously: one thread issues it. An
// mbarrier in shared memory counts its bytes, and a phase is complete when all expected bytes have
// arrived. All threads wait for this phase, and not for one another.
//
// Passes when bulk copies load the input, except words at its end, and no warp loads it:
// bulk_load_bytes >= 4*n - 16, global_load_requests <= blocks.
//
//     ctest --test-dir build -R 10-hopper.02
#include "device/bulk_copy.h"
#include "hopper.h"

#define BLOCK 256 // threads per block
#define TILE 4096 // words of a block: 16 KB

// out[n - 1 - i] = in[i]; block b takes TILE words from number b * TILE on.
__global__ void mirror_tiles(int *out, const int *in, size_t n)
{
    __shared__ mbarrier full;
    size_t first = (size_t)blockIdx.x * TILE;
    int tid = threadIdx.x, count = (int)min((size_t)TILE, n - first), whole = count / 4 * 4;

    if (tid == 0) {
        mbarrier_init(&full, 1); // one thread arrives: the one that issues the copy
        mbarrier_init_fence();
    }
    __syncthreads();

    // TODO: Declare tile: TILE words in shared memory, from a multiple of 128 bytes on. Let thread
    // 0 arrive at full, expecting the bytes of whole words. Then let it issue one bulk copy of
    // them, from in + first to tile. All threads wait for the phase with parity 0. Then thread tid
    // stores words tid, tid + BLOCK, ... below whole, each at its place in out.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    if (tid < count - whole) // at most 3 words, of the last tile: no bulk copy has 4 bytes
        out[n - 1 - first - whole - tid] = in[first + whole + tid];
}

static void mirror(int *d_out, const int *d_in, size_t n)
{
    mirror_tiles<<<(unsigned)blocks_for(n, TILE), BLOCK>>>(d_out, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return mirror_main(argc, argv, mirror);
}
