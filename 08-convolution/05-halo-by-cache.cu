// Convolution, step 5: the halo comes from the cache.
//
// A block's halo is the inside of its neighbours' tiles, which have loaded it, or soon will: it is
// most likely in the L2 cache. So shared memory holds only the TILE words of the block's own
// outputs, each thread loads one of them, and the few threads at the edges read the halo from
// global memory.
//
// Passes when the tile has no halo, and only the edges read one: shared_store_requests <=
// 1.02*n/32, global_load_requests <= 3*n/32.
//
//     ctest --test-dir build -R 08-convolution.05
#include "convolution.h"

#define TILE 256 // outputs of a block, words of its tile, and threads

__constant__ float weights[MOST_TAPS]; // the first 2 radius + 1 words are the filter

// out[i] = sum over k from 0 to 2 radius of weights[k] * in[i + k - radius].
__global__ void filter_signal(float *out, const float *in, int n, int radius)
{
    int tid = threadIdx.x, i = blockIdx.x * TILE + tid;
    float sum = 0;

    // TODO: Load the tile, one word per thread. For each product, take the word from the tile if it
    // is there, otherwise from global memory. Outside the signal it is 0.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    if (i < n)
        out[i] = sum;
}

static void filter(float *d_out, const float *d_in, int n, const float *d_filter, int radius)
{
    size_t bytes = (2 * radius + 1) * sizeof *weights;
    check_cuda(cudaMemcpyToSymbol(weights, d_filter, bytes, 0, cudaMemcpyDeviceToDevice));
    filter_signal<<<max(1, ceil_div(n, TILE)), TILE>>>(d_out, d_in, n, radius);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return signal_main(argc, argv, filter);
}
