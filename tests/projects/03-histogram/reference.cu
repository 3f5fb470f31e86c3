// Project 3, a solution that reaches level 3. It sorts the words by bucket, SPAN neighbouring bins; then a block has
// the counters of one bucket in shared memory. Several blocks share a bucket with many words.
#include "projects/many_bins.h"

#define BLOCK 256
#define SPAN 4096   // bins of a bucket
#define BUCKETS 256 // at most: 2^20 bins; BLOCK is as many, so that every thread has one
#define EACH 16     // words that a thread moves to their bucket
#define SHARE (EACH * BLOCK)
#define PIECE 16384 // words that a block counts

struct plan {
    int words[BUCKETS];                         // of each bucket
    int next[BUCKETS];                          // where its next word goes
    int begin[BUCKETS + 1], block[BUCKETS + 1]; // its first word, and the first block that counts it
};

// The sum of x over this thread and those before it.
__device__ int scan(int x, int *cache)
{
    int tid = threadIdx.x;

    for (int d = 1; d < BLOCK; d *= 2) {
        cache[tid] = x;
        __syncthreads();
        x += tid >= d ? cache[tid - d] : 0;
        __syncthreads();
    }
    return x;
}

__global__ void count_buckets(struct plan *plan, const unsigned *in, int n)
{
    __shared__ int count[BUCKETS];

    count[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * SHARE + threadIdx.x; i < min(n, (blockIdx.x + 1) * SHARE); i += BLOCK)
        atomicAdd(&count[in[i] / SPAN], 1);
    __syncthreads();
    if (count[threadIdx.x] > 0)
        atomicAdd(&plan->words[threadIdx.x], count[threadIdx.x]);
}

__global__ void lay_out(struct plan *plan, int bins)
{
    __shared__ int cache[BLOCK];
    int b = threadIdx.x, words = plan->words[b];
    int blocks = words > 0 ? (words + PIECE - 1) / PIECE : b * SPAN < bins; // a block without words stores zeros
    int end = scan(words, cache), last = scan(blocks, cache);

    plan->next[b] = plan->begin[b] = end - words;
    plan->block[b] = last - blocks;
    if (b == BUCKETS - 1) {
        plan->begin[BUCKETS] = end;
        plan->block[BUCKETS] = last;
    }
}

// Sorts a block's words by bucket, then stores them: neighbouring lanes store neighbouring words.
__global__ void bring_together(unsigned *out, struct plan *plan, const unsigned *in, int n)
{
    __shared__ unsigned words[SHARE];
    __shared__ int next[BUCKETS], shift[BUCKETS], cache[BLOCK];
    int tid = threadIdx.x, first = blockIdx.x * SHARE, many = min(SHARE, n - first);

    unsigned mine[EACH];
    next[tid] = 0;
    __syncthreads();
    for (int k = 0, i = tid; k < EACH; k++, i += BLOCK)
        if (i < many) {
            mine[k] = in[first + i];
            atomicAdd(&next[mine[k] / SPAN], 1);
        }
    __syncthreads();
    int count = next[tid], begin = scan(count, cache) - count;
    shift[tid] = (count ? atomicAdd(&plan->next[tid], count) : 0) - begin;
    next[tid] = begin;
    __syncthreads();
    for (int k = 0, i = tid; k < EACH; k++, i += BLOCK)
        if (i < many)
            words[atomicAdd(&next[mine[k] / SPAN], 1)] = mine[k];
    __syncthreads();
    for (int i = tid; i < many; i += BLOCK)
        out[shift[words[i] / SPAN] + i] = words[i];
}

// counts is 0 everywhere, for the buckets that several blocks count: these add up their counts.
__global__ void count_pieces(int *counts, const struct plan *plan, const unsigned *in, int bins)
{
    __shared__ int count[SPAN];
    int bucket = 0, high = BUCKETS, tid = threadIdx.x, block = blockIdx.x;

    if (block >= plan->block[BUCKETS])
        return;
    while (high - bucket > 1) {
        int middle = (bucket + high) / 2;
        if (plan->block[middle] <= block)
            bucket = middle;
        else
            high = middle;
    }
    for (int b = tid; b < SPAN; b += BLOCK)
        count[b] = 0;
    __syncthreads();
    int first = plan->begin[bucket] + (block - plan->block[bucket]) * PIECE;
    for (int i = first + tid; i < min(plan->begin[bucket + 1], first + PIECE); i += BLOCK)
        atomicAdd(&count[in[i] % SPAN], 1);
    __syncthreads();
    bool alone = plan->block[bucket + 1] - plan->block[bucket] == 1;
    for (int b = tid; b < SPAN; b += BLOCK)
        if (alone && bucket * SPAN + b < bins)
            counts[bucket * SPAN + b] = count[b];
        else if (count[b] > 0)
            atomicAdd(&counts[bucket * SPAN + b], count[b]);
}

void count_words(int *d_counts, const unsigned *d_in, int n, int bins)
{
    int blocks = (n + SHARE - 1) / SHARE;
    unsigned *d_words;
    struct plan *d_plan;

    check_cuda(cudaMalloc(&d_words, n * sizeof *d_words + 1));
    check_cuda(cudaMalloc(&d_plan, sizeof *d_plan));
    check_cuda(cudaMemset(d_plan, 0, sizeof *d_plan));
    check_cuda(cudaMemset(d_counts, 0, bins * sizeof *d_counts));
    if (n > 0) {
        count_buckets<<<blocks, BLOCK>>>(d_plan, d_in, n);
        lay_out<<<1, BUCKETS>>>(d_plan, bins);
        bring_together<<<blocks, BLOCK>>>(d_words, d_plan, d_in, n);
        count_pieces<<<n / PIECE + (bins + SPAN - 1) / SPAN, BLOCK>>>(d_counts, d_plan, d_words, bins);
    }
    check_cuda(cudaGetLastError());
    check_cuda(cudaFree(d_plan));
    check_cuda(cudaFree(d_words));
}
