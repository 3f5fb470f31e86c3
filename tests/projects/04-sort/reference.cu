// Project 4, a solution that reaches level 3: radix select. A digit's histogram shows which words are certainly
// among the k largest and which may be; only these continue to the next digit. It reads all words twice, the few
// remaining ones again.
#include "projects/top_k.h"

#define BLOCK 256
#define DIGITS 256
#define MOST 1024 // of k

struct state {
    unsigned histogram[DIGITS];
    int digit;        // of which only some words are among the largest
    int kept, larger; // words stored in out; words that may still be
};

__global__ void count_digits(struct state *s, const unsigned *in, int n, int shift)
{
    __shared__ unsigned table[DIGITS];

    table[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&table[in[i] >> shift & (DIGITS - 1)], 1);
    __syncthreads();
    if (table[threadIdx.x] > 0)
        atomicAdd(&s->histogram[threadIdx.x], table[threadIdx.x]);
}

// One thread walks down from the highest digit until k words are found.
__global__ void find_digit(struct state *s, int k)
{
    int digit = DIGITS - 1;

    for (unsigned found = s->kept; digit > 0 && found + s->histogram[digit] < k; digit--)
        found += s->histogram[digit];
    s->digit = digit;
    s->larger = 0;
    for (int d = 0; d < DIGITS; d++)
        s->histogram[d] = 0;
}

// Words with a higher digit go to out, those with the digit to next.
__global__ void select_words(unsigned *out, unsigned *next, struct state *s, const unsigned *in, int n, int shift)
{
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        unsigned word = in[i];
        int digit = word >> shift & (DIGITS - 1);
        if (digit > s->digit)
            out[atomicAdd(&s->kept, 1)] = word;
        else if (digit == s->digit)
            next[atomicAdd(&s->larger, 1)] = word;
    }
}

// Sorts the k words by one block; the missing ones are all equal, and in rest.
__global__ void sort_words(unsigned *out, const struct state *s, const unsigned *rest, int k)
{
    __shared__ unsigned cache[MOST];
    int tid = threadIdx.x;

    for (int i = tid; i < MOST; i += BLOCK)
        cache[i] = i >= k ? 0 : i < s->kept ? out[i] : rest[0];
    __syncthreads();
    for (int run = 1; run < MOST; run *= 2)
        for (int stride = run; stride > 0; stride /= 2) {
            for (int p = tid; p < MOST / 2; p += BLOCK) {
                int i = p / stride * 2 * stride + p % stride, j = i ^ (stride == run ? 2 * run - 1 : stride);
                unsigned a = cache[i], b = cache[j];
                cache[i] = max(a, b);
                cache[j] = min(a, b);
            }
            __syncthreads();
        }
    for (int i = tid; i < k; i += BLOCK)
        out[i] = cache[i];
}

void top_k(unsigned *d_out, const unsigned *d_in, int n, int k)
{
    unsigned *d_next[2];
    struct state *d_state;
    const unsigned *d_from = d_in;

    check_cuda(cudaMalloc(&d_next[0], n * sizeof **d_next));
    check_cuda(cudaMalloc(&d_next[1], n * sizeof **d_next));
    check_cuda(cudaMalloc(&d_state, sizeof *d_state));
    check_cuda(cudaMemset(d_state, 0, sizeof *d_state));
    for (int shift = 24, turn = 0; shift >= 0; shift -= 8, turn = 1 - turn) {
        int blocks = n / (8 * BLOCK) + 1;
        count_digits<<<blocks, BLOCK>>>(d_state, d_from, n, shift);
        find_digit<<<1, 1>>>(d_state, k);
        select_words<<<blocks, BLOCK>>>(d_out, d_next[turn], d_state, d_from, n, shift);
        check_cuda(cudaGetLastError());
        check_cuda(cudaMemcpy(&n, &d_state->larger, sizeof n, cudaMemcpyDeviceToHost));
        d_from = d_next[turn];
    }
    sort_words<<<1, BLOCK>>>(d_out, d_state, d_from, k);
    check_cuda(cudaGetLastError());
    check_cuda(cudaFree(d_state));
    check_cuda(cudaFree(d_next[1]));
    check_cuda(cudaFree(d_next[0]));
}
