// Reduction, step 2: sums of pairs, level by level.
//
// Step 1 paid for its queue at one address, and lost small values against a large sum. Here the
// elements are added in pairs, then the pairs' sums, and so on: no two threads share a word, and a
// value passes through log2 n additions, not n. The price: every level is a launch, and a round
// trip through global memory.
//
// Passes with log2 n launches and no atomic operation, when the sum is within log2(n) roundings:
// launches <= 18, global_atomics == 0.
//
//     ctest --test-dir build -R 01-reduction.02
#include "reduction.h"

#define BLOCK 256 // threads per block

// sums[i] = from[2i] + from[2i + 1] for i < pairs; elements past n count as 0.
__global__ void add_pairs(float *sums, const float *from, int pairs, int n)
{
    // TODO: Let every thread below pairs add the two elements of its pair and store the
    // sum. If n is odd, the last pair has only one element; if n is 0, it has none. Do
    // not read from[n].
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// Sums d_in into d_out[0], a launch per level; d_tmp takes the pairs' sums, the next level's input.
static void reduce(float *d_out, const float *d_in, float *d_tmp, int n)
{
    int pairs = max(1, ceil_div(n, 2));
    float *sums = pairs == 1 ? d_out : d_tmp;

    add_pairs<<<ceil_div(pairs, BLOCK), BLOCK>>>(sums, d_in, pairs, n);
    check_cuda(cudaGetLastError());
    if (pairs > 1)
        reduce(d_out, sums, d_tmp + pairs, pairs);
}

int main(int argc, char **argv)
{
    return reduction_float_main(argc, argv, reduce, PAIRWISE);
}
