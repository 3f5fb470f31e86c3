// Convolution, step 2: the filter in constant memory.
//
// Half of the loads of step 1 fetch weights, and all lanes of a warp load the same one at the same
// time. Constant memory is made for that: 64 KB that kernels cannot change, with a cache of its
// own. A word that all lanes read is one broadcast, and no load from global memory at all.
//
// Passes when only words of the signal are loaded: global_load_requests <= 15.5*n/32.
//
//     ctest --test-dir build -R 08-convolution.02
#include "convolution.h"

#define BLOCK 256 // threads, one output each

__constant__ float weights[MOST_TAPS]; // the first 2 radius + 1 words are the filter

// out[i] = sum over k from 0 to 2 radius of weights[k] * in[i + k - radius].
__global__ void filter_signal(float *out, const float *in, int n, int radius)
{
    // TODO: Compute and store output i as in step 1, with the weights from constant memory.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void filter(float *d_out, const float *d_in, int n, const float *d_filter, int radius)
{
    (void)d_filter; // until the TODO uses it: no warning
    // TODO: Copy the filter, 2 radius + 1 words of device memory, to weights. cudaMemcpyToSymbol
    // takes the symbol itself, the source, the bytes, an offset, and the direction.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    filter_signal<<<max(1, ceil_div(n, BLOCK)), BLOCK>>>(d_out, d_in, n, radius);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return signal_main(argc, argv, filter);
}
