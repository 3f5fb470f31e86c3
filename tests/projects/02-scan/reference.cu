// Project 2, a solution that reaches level 3: every warp takes equally many words, wherever segments begin. The
// lanes add up their neighbours of the same segment by shuffles, and the first lane of each run adds its sum to
// the segment's.
#include "projects/segmented_sum.h"

#define BLOCK 256
#define ROUNDS 16 // of 32 words, for each warp
#define ALL 0xffffffff

// The last segment from low to high that begins at or before word i. It contains the word, since empty
// segments come first.
__device__ int segment_of(const int *begin, int low, int high, int i)
{
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (begin[middle] <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

__global__ void sum_shares(int *sums, const int *in, const int *begin, int segments, int n)
{
    int lane = threadIdx.x % 32, first = (blockIdx.x * BLOCK + threadIdx.x) / 32 * 32 * ROUNDS;
    int end = min(n, first + 32 * ROUNDS);

    if (first >= n)
        return;
    int low = segment_of(begin, 0, segments - 1, first), high = segment_of(begin, low, segments - 1, end - 1);
    for (int i = first + lane; i < first + 32 * ROUNDS; i += 32) {
        int segment = i < end ? segment_of(begin, low, high, i) : segments; // none: a run of its own at the end
        int sum = i < end ? in[i] : 0, before = __shfl_up_sync(ALL, segment, 1);
        for (int d = 1; d < 32; d *= 2) {
            int more = __shfl_down_sync(ALL, sum, d), its = __shfl_down_sync(ALL, segment, d);
            sum += lane + d < 32 && its == segment ? more : 0;
        }
        if (segment < segments && (lane == 0 || before != segment))
            atomicAdd(&sums[segment], sum);
    }
}

void sum_segments(int *d_sums, const int *d_in, const int *d_begin, int segments, int n)
{
    check_cuda(cudaMemset(d_sums, 0, segments * sizeof *d_sums));
    if (n > 0)
        sum_shares<<<(n + BLOCK * ROUNDS - 1) / (BLOCK * ROUNDS), BLOCK>>>(d_sums, d_in, d_begin, segments, n);
    check_cuda(cudaGetLastError());
}
