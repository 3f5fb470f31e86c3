// Convolution, step 1: one thread per output.
//
// A filter of 2 r + 1 weights slides over a signal: an output is the sum of the words up to r
// places away, each times its weight. A thread computes one output. Neighbours in a warp read
// neighbouring words, so every load is coalesced; but each word of the signal is loaded by 2 r + 1
// threads, and each weight by all of them.
//
// Passes when the outputs are right and no product is computed twice: flops <= 31*n, counted with r
// = 7. Look at the global loads: 30 for each output.
//
//     ctest --test-dir build -R 08-convolution.01
#include "convolution.h"

#define BLOCK 256 // threads, one output each

// out[i] = sum over k from 0 to 2 radius of weights[k] * in[i + k - radius].
__global__ void filter_signal(float *out, const float *in, int n, const float *weights, int radius)
{
    // TODO: Compute and store output i, where i is the thread's number in the grid; a thread past
    // the last output does nothing. A word outside the signal counts as 0 and must not be read. The
    // first outputs have no neighbours on the left, the last ones none on the right.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void filter(float *d_out, const float *d_in, int n, const float *d_filter, int radius)
{
    filter_signal<<<max(1, ceil_div(n, BLOCK)), BLOCK>>>(d_out, d_in, n, d_filter, radius);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return signal_main(argc, argv, filter);
}
