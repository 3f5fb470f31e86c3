// Convolution, step 3: tiles with a halo; the block is the output tile.
//
// In step 2 each word of the signal was loaded by 2 r + 1 threads. Here a block loads what its
// outputs need once, into shared memory: TILE words, and a halo of r on both sides. There are more
// words than threads, so some threads load twice: TILE + 2 r loads for TILE outputs.
//
// Passes when a word is loaded about once: global_load_requests <= 1.35*n/32.
//
//     ctest --test-dir build -R 08-convolution.03
#include "convolution.h"

#define TILE 256 // outputs of a block, and threads

__constant__ float weights[MOST_TAPS]; // the first 2 radius + 1 words are the filter

// out[i] = sum over k from 0 to 2 radius of weights[k] * in[i + k - radius].
__global__ void filter_signal(float *out, const float *in, int n, int radius)
{
    int tid = threadIdx.x, i = blockIdx.x * TILE + tid;
    float sum = 0;

    // TODO: Declare a tile in shared memory, with room for the halo of the largest filter. Let the
    // threads load its TILE + 2 radius words; a word outside the signal is 0. The first is radius
    // words to the left of the block's first output. After a barrier, compute the thread's output
    // from the tile.
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
