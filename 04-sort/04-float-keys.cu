// Sort, step 4: keys that are floats.
//
// Step 3 sorts unsigned words. The bits of a float, taken as such a word, are in the right order
// as long as it is positive: exponent above fraction. A set sign bit makes the word large, where
// the float is small; and of two negative floats the one with the larger word is the smaller.
// Flipping some bits fixes both, so every pass looks at a bit of the flipped word. The keys
// themselves move unchanged.
//
// The order is total, even where C's < leaves it open: NaN with a sign < -inf < ... < -0 < +0 <
// ... < +inf < NaN.
//
// Passes when floats are in this order, bit by bit, with additions per key that do not grow with n:
// integer_adds <= 1200*n.
//
//     ctest --test-dir build -R 04-sort.04
#include "device/prefix.h" // exclusive_scan: from step 7 of the scan
#include "sort.h"

#define BLOCK 256 // threads per block
#define BITS 32   // of a key

// A word for the float whose bits are key: of two floats the larger one has the larger word, both
// words compared as unsigned numbers.
__device__ unsigned to_word(unsigned key)
{
    unsigned word = key; // not yet right
    // TODO: Flip bits of word, depending on the float's sign. Positive floats keep their order, and
    // their words must be above those of negative ones. Negative floats come in reverse order. No
    // two keys may get the same word.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    return word;
}

// flags[i] = 1 where the bit of key i is 0, otherwise 0, for i < n; flags[n] = 0.
__global__ void mark_zeros(unsigned *flags, const unsigned *keys, int n, int bit)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i < n)
        flags[i] = ~to_word(keys[i]) >> bit & 1;
    else if (i == n)
        flags[i] = 0;
}

// Puts the keys whose bit is 0 to the front of out and those with 1 after them, both in order.
// zeros[i]: how many keys before i have a 0, for i <= n.
__global__ void split(unsigned *out, const unsigned *keys, const unsigned *zeros, int n, int bit)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        unsigned key = keys[i];
        out[to_word(key) >> bit & 1 ? zeros[n] + (i - zeros[i]) : zeros[i]] = key;
    }
}

// Sorts d_in into d_out. d_tmp: the keys of every other pass, n + 1 flags, what their scan needs.
static void sort(unsigned *d_out, const unsigned *d_in, unsigned *d_tmp, int n)
{
    unsigned *flags = d_tmp + n, *sums = flags + n + 1;
    int blocks = ceil_div(n + 1, BLOCK);

    for (int bit = 0; bit < BITS; bit++) {
        const unsigned *from = bit == 0 ? d_in : bit % 2 ? d_tmp : d_out;
        unsigned *to = bit % 2 ? d_out : d_tmp; // the last pass leads to d_out

        mark_zeros<<<blocks, BLOCK>>>(flags, from, n, bit);
        check_cuda(cudaGetLastError());
        exclusive_scan(flags, sums, n + 1);
        split<<<blocks, BLOCK>>>(to, from, flags, n, bit);
        check_cuda(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return sort_keys_main(argc, argv, sort, FLOATS);
}
