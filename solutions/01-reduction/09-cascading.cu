// Reduction, step 9: as fast as the memory.
//
// Step 8 paid for a second launch, and for short-lived threads that load 4 bytes at a time. Here
// the grid is as large as the device holds at once, and a thread has four 16-byte loads in flight
// before it adds the first. The block that finishes last, known by its ticket, adds up the blocks'
// sums: one launch for any n.
//
// Passes with one launch, one atomic per block, 16 bytes per load, polls left out, and warps that
// take 256 elements: launches == 1, global_atomics <= blocks, global_load_sectors >=
// 12*(global_load_requests - global_polls), warps <= n/256.
//
//     ctest --test-dir build -R 01-reduction.09
#include "reduction.h"

#define BLOCK 256 // threads per block, a multiple of WARP, at most WARP * WARP
#define ITEMS 4   // 16-byte loads that a thread has in flight
#define WARP 32

__device__ unsigned tickets; // taken in this launch; the last one wraps to 0 for the next

// The sum of v over the 32 lanes of a warp, valid in lane 0.
__device__ int warp_sum(int v)
{
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

// The sum of v over the block, valid in thread 0. Between two calls there must be a barrier.
__device__ int block_sum(int v)
{
    __shared__ int cache[BLOCK / WARP];
    int tid = threadIdx.x;

    v = warp_sum(v);
    if (tid % WARP == 0)
        cache[tid / WARP] = v;
    __syncthreads();
    return tid < WARP ? warp_sum(tid < BLOCK / WARP ? cache[tid] : 0) : 0;
}

// The sum of this thread's share of in[0], ..., in[n - 1].
__device__ int thread_sum(const int *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int head = min(n, (int)((0 - (uintptr_t)in / sizeof *in) % 4)); // before a 16-byte boundary
    int quads = (n - head) / 4; // of 16 bytes; at most 3 elements are left before them, 3 after
    int sum = i < n - 4 * quads ? in[i < head ? i : 4 * quads + i] : 0;

    // TODO: From element head on, read the input as quads, one int4 each. Add to sum the
    // elements of quads i, i + (threads in the grid), ..., as long as the number is below quads.
    // Issue ITEMS loads before the first addition. Test bounds once per ITEMS loads, except in
    // the last round.
    const int4 *quad = (const int4 *)(in + head);
    int threads = gridDim.x * BLOCK;
    int4 v[ITEMS];
    for (; i + (ITEMS - 1) * threads < quads; i += ITEMS * threads) {
        for (int k = 0; k < ITEMS; k++)
            v[k] = quad[i + k * threads]; // independent: all in flight together
        for (int k = 0; k < ITEMS; k++)
            sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    for (int k = 0; k < ITEMS; k++)
        v[k] = i + k * threads < quads ? quad[i + k * threads] : make_int4(0, 0, 0, 0);
    for (int k = 0; k < ITEMS; k++)
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
    // END TODO
    return sum;
}

// *out = in[0] + ... + in[n - 1]; partial has a word per block.
__global__ void reduce_all(int *out, int *partial, const int *in, int n)
{
    int sum = block_sum(thread_sum(in, n));

    // TODO: Store the block's sum in its word of partial. Then take a ticket with atomicInc, which
    // wraps to 0 after gridDim.x - 1. The block with the last ticket adds up all partial sums into
    // *out. Fence on both sides: a sum must be visible before its ticket, and must not be read
    // before the last ticket is known.
    __shared__ int last;
    int tid = threadIdx.x;
    if (tid == 0) {
        partial[blockIdx.x] = sum;
        __threadfence(); // release: the sum is visible before the ticket
        last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence(); // acquire: the sums are read after the last ticket
        sum = 0;
        for (int b = tid; b < gridDim.x; b += BLOCK)
            sum += partial[b];
        sum = block_sum(sum);
        if (tid == 0)
            *out = sum;
    }
    // END TODO
}

// Sums d_in into d_out[0] in one launch: as many blocks as the device holds, fewer for a small n.
static void reduce(int *d_out, const int *d_in, int *d_tmp, int n)
{
    static int multiprocessors, resident; // resident: blocks on each
    if (resident == 0) {
        check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
        check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, reduce_all, BLOCK, 0));
    }
    int blocks = min(multiprocessors * resident, max(1, ceil_div(n, BLOCK * ITEMS * 4)));

    reduce_all<<<blocks, BLOCK>>>(d_out, d_tmp, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, reduce);
}
