// Sort, step 1: a bitonic network.
//
// A comparator puts a pair of keys in order. The pairs and their order are fixed in advance, the
// same for every input, so every thread can take one. Sorted runs of 1, 2, 4, ... keys are merged,
// two by two. The first round of a merge compares every key with its mirror image in the other run:
// after that no key of the lower half is above one of the upper half. Half-cleaners do the same
// inside the halves, then inside their halves, with strides run/2, ..., 1.
//
// The smaller key always goes to the lower place. If there were places from n on, they would hold
// keys above all others, which would never move. So n need not be a power of two, nothing is filled
// in, and no key has to represent "above all": comparators that reach past n are left out.
//
// Passes when the keys are in order, with one launch per round, k (k + 1) / 2 for n = 2^k:
// launches <= 140.
//
//     ctest --test-dir build -R 04-sort.01
#include "sort.h"

#define BLOCK 256 // threads per block

// Puts a pair in order: keys i and j = i ^ flip, whose numbers differ in bit stride, and perhaps in
// bits below it. pair: its number in the round.
__device__ void order_pair(unsigned *keys, int n, int pair, int stride, int flip)
{
    // TODO: Find i and j. The lower places of a round are those whose bit stride is 0; pairs are
    // numbered in the order of these places. If place j exists, and the key in the lower place is
    // above the other, swap the two keys.
    int i = pair / stride * 2 * stride + pair % stride;
    int j = i ^ flip;
    if (j < n) {
        unsigned low = keys[i], high = keys[j];
        if (low > high) {
            keys[i] = high;
            keys[j] = low;
        }
    }
    // END TODO
}

// One round: all pairs, one thread per pair.
static __global__ void compare(unsigned *keys, int n, int stride, int flip)
{
    order_pair(keys, n, blockIdx.x * BLOCK + threadIdx.x, stride, flip);
}

// Sorts a copy of d_in in d_out; needs no temporary memory.
static void sort(unsigned *d_out, const unsigned *d_in, unsigned * /* d_tmp */, int n)
{
    check_cuda(cudaMemcpyAsync(d_out, d_in, (size_t)n * sizeof *d_in, cudaMemcpyDeviceToDevice, 0));
    for (int run = 1; run < n; run *= 2) {
        int pairs = ceil_div(n, 2 * run) * run; // in every round of a merge
        for (int stride = run; stride > 0; stride /= 2) {
            int flip = stride == run ? 2 * run - 1 : stride; // mirror image, or stride away
            compare<<<ceil_div(pairs, BLOCK), BLOCK>>>(d_out, n, stride, flip);
            check_cuda(cudaGetLastError());
        }
    }
}

int main(int argc, char **argv)
{
    return sort_keys_main(argc, argv, sort, UNSIGNED);
}
