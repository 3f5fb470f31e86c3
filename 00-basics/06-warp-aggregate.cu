// Basics, step 6: one atomic per warp.
//
// Keep the values above 0 and pack them together. Each kept value needs a slot of its own, and a
// counter hands out slots: atomicAdd returns the old value. With one atomic per value, all threads
// queue for one word. But a warp can count its own first: a vote gives every lane the mask of the
// lanes that keep a value, one lane reserves slots for all of them, and the mask tells each lane
// which slot is its own.
//
// Passes when a warp makes one atomic operation, not 32: global_atomics <= n/32 + blocks.
//
//     ctest --test-dir build -R 00-basics.06
#include "basics.h"

#define WARP 32
#define BLOCK 256 // threads per block
#define ALL 0xffffffff

// Appends the values of in that are above 0 to out; *count is their number so far.
__global__ void append(int *out, int *count, const int *in, int n)
{
    // TODO: Give each thread one value; a thread past n keeps none, but votes. Let __ballot_sync
    // tell all lanes which lanes keep a value. Let lane 0 add their number, __popc of the mask, to
    // *count, unless it is 0, and broadcast what atomicAdd returned with __shfl_sync. A lane's slot
    // is that plus the number of lower lanes that keep a value: mask out the higher ones.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void keep(int *d_out, int *d_count, const int *d_in, int n)
{
    check_cuda(cudaMemset(d_count, 0, sizeof *d_count)); // device memory holds garbage
    if (n == 0)
        return;
    append<<<ceil_div(n, BLOCK), BLOCK>>>(d_out, d_count, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return keep_main(argc, argv, keep);
}
