// Convolution, step 4: the block is the input tile.
//
// In step 3 the first 2 r threads ran the loop twice, and all others waited for them at the
// barrier. The other way: a block has a thread for each word that it loads. All load one word,
// without a loop; then the outer r threads on each side are idle, and the inner BLOCK - 2 r compute
// an output each.
//
// Passes when every warp loads once: global_load_requests <= 1.08*n/32,
// shared_store_requests <= 1.08*n/32.
//
//     ctest --test-dir build -R 08-convolution.04
#include "convolution.h"

#define BLOCK 256 // threads, and words of the input tile; 2 radius fewer outputs

__constant__ float weights[MOST_TAPS]; // the first 2 radius + 1 words are the filter

// out[i] = sum over k from 0 to 2 radius of weights[k] * in[i + k - radius].
__global__ void filter_signal(float *out, const float *in, int n, int radius)
{
    // TODO: Let a block compute BLOCK - 2 radius outputs. Its tile begins radius words to the
    // left of the first. Let thread tid load word tid, the word in the middle of output tid.
    // After the barrier, threads that have radius threads on both sides compute and store that
    // output, if it exists.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void filter(float *d_out, const float *d_in, int n, const float *d_filter, int radius)
{
    size_t bytes = (2 * radius + 1) * sizeof *weights;
    check_cuda(cudaMemcpyToSymbol(weights, d_filter, bytes, 0, cudaMemcpyDeviceToDevice));
    filter_signal<<<max(1, ceil_div(n, BLOCK - 2 * radius)), BLOCK>>>(d_out, d_in, n, radius);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return signal_main(argc, argv, filter);
}
