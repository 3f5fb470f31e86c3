// Sort, step 3: one bit at a time.
//
// Steps 1 and 2 paid for comparing: n/2 comparators in each of k (k + 1) / 2 rounds. Here no two
// keys are compared. A pass takes one bit: all keys whose bit is 0 go to the front, those with 1
// after them, both in the order they came in. A scan gives every key its place. From the lowest bit
// to the highest, 32 passes sort: a pass keeps equal bits in order, so it keeps what the earlier
// passes have done. A sort that keeps equal keys in order is called stable.
//
// Passes when the keys are in order, with additions per key that do not grow with n:
// integer_adds <= 1200*n.
//
//     ctest --test-dir build -R 04-sort.03
#include "device/prefix.h" // exclusive_scan: from step 7 of the scan
#include "sort.h"

#define BLOCK 256 // threads per block
#define BITS 32   // of a key

// flags[i] = 1 where the bit of key i is 0, otherwise 0, for i < n; flags[n] = 0.
__global__ void mark_zeros(unsigned *flags, const unsigned *keys, int n, int bit)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i < n)
        flags[i] = ~keys[i] >> bit & 1;
    else if (i == n)
        flags[i] = 0;
}

// Puts the keys whose bit is 0 to the front of out and those with 1 after them, both in order.
// zeros[i]: how many keys before i have a 0, for i <= n.
__global__ void split(unsigned *out, const unsigned *keys, const unsigned *zeros, int n, int bit)
{
    // TODO: Let thread tid of block b move key b * BLOCK + tid, if it exists, to its place. Earlier
    // keys with the same bit come before it; if its bit is 1, so do all keys with bit 0.
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        unsigned key = keys[i];
        out[key >> bit & 1 ? zeros[n] + (i - zeros[i]) : zeros[i]] = key;
    }
    // END TODO
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
    return sort_keys_main(argc, argv, sort, UNSIGNED);
}
