// Basics, step 6: one atomic per block.
//
// Keep the values above 0 and pack them together. Each kept value needs a slot of its own, and a
// counter hands out slots: atomicAdd returns the old value. The compiler combines a warp's atomics
// into one, but the warps of the grid still queue for one word. So a block counts its own values
// first, in shared memory, where only its own warps queue. Then one thread reserves slots for all
// of them: slot = first slot of the block + place in the block. The more values a thread takes, the
// fewer atomics are left.
//
// Passes when a block reserves its slots once: global_atomics <= n/256 + 1.
//
//     ctest --test-dir build -R 00-basics.06
#include "basics.h"

#define BLOCK 256 // threads per block
#define ITEMS 8   // values per thread

// Appends the values of in that are above 0 to out; *count is their number so far.
__global__ void append(int *out, int *count, const int *in, int n)
{
    // TODO: Load ITEMS values per thread, BLOCK apart; take 0 past n. Set a counter in shared
    // memory to 0; atomicAdd on it gives each value above 0 its place in the block. When all have
    // theirs, let one thread add the counter to *count. The old value is the block's first slot:
    // share it with the block. Store each kept value in its slot.
    __shared__ int kept, first; // by this block; the slot of the first
    int value[ITEMS], place[ITEMS];
    if (threadIdx.x == 0)
        kept = 0;
    for (int k = 0; k < ITEMS; k++) {
        int i = (blockIdx.x * ITEMS + k) * BLOCK + threadIdx.x;
        value[k] = i < n ? in[i] : 0;
    }
    __syncthreads(); // kept is 0
    for (int k = 0; k < ITEMS; k++)
        if (value[k] > 0)
            place[k] = atomicAdd(&kept, 1);
    __syncthreads(); // kept is complete
    if (threadIdx.x == 0)
        first = atomicAdd(count, kept);
    __syncthreads(); // first is known
    for (int k = 0; k < ITEMS; k++)
        if (value[k] > 0)
            out[first + place[k]] = value[k];
    // END TODO
}

static void keep(int *d_out, int *d_count, const int *d_in, int n)
{
    check_cuda(cudaMemset(d_count, 0, sizeof *d_count)); // device memory holds garbage
    if (n == 0)
        return;
    append<<<ceil_div(n, ITEMS * BLOCK), BLOCK>>>(d_out, d_count, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return keep_main(argc, argv, keep);
}
