// @Topic@, step 1: one thread per value.
//
// Every thread doubles one value. The last block has threads without one.
//
// Passes when a warp loads and stores once for 32 values: global_load_requests <= n/32 + 1 and
// global_store_requests <= n/32 + 1.
//
//     ctest --test-dir build -R @folder@.01
#include "@topic@.h"

#define BLOCK 256

// Thread i doubles value number i.
__global__ void double_values(int *out, const int *in, int n)
{
    // TODO: Write twice in[i] to out[i]; i is the thread's number in the grid. Threads whose i is
    // not below n have no value.
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
    // END TODO
}

// Doubles the n values d_in into d_out.
static void @topic@(int *d_out, const int *d_in, int n)
{
    double_values<<<max(1, (n + BLOCK - 1) / BLOCK), BLOCK>>>(d_out, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return @topic@_main(argc, argv, @topic@);
}
