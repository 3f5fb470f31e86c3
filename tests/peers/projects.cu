// Projects 0, 2, 3 and 4 compared with CUB: the reference solutions of tests/projects, on one GPU, in one process.
//
// See peer.h. A project's function allocates what it needs, so the peer allocates, too. Both answers of a row are
// compared with each other; the project's own check compares ours with the host's. Of top k the peer sorts all words,
// as CUB has no call for a few of them before CUDA 13.1.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

#include "harness/random.h"

#include <cuda_profiler_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every solution has main and a BLOCK of its own. They come before peer.h, whose check_cuda is a macro.
#define main project_main
namespace project
{
#include "projects/check.h"
namespace keep
{
#include "../projects/00-basics/reference.cu"
}
#undef BLOCK
#undef ALL
#undef TILE
#undef ITEMS
namespace segments
{
#include "../projects/02-scan/reference.cu"
}
#undef BLOCK
#undef ALL
namespace bins
{
#include "../projects/03-histogram/reference.cu"
}
#undef BLOCK
namespace top
{
#include "../projects/04-sort/reference.cu"
}
} // namespace project
#undef main
#undef BLOCK
#include "peer.h"

struct work {
    int n, size; // size: segments, bins or k
    unsigned *d_in;
    int *d_begin, *d_out, *d_count;
};

struct above_0 {
    __host__ __device__ bool operator()(int x) const
    {
        return x > 0;
    }
};

// Calls a function of CUB twice: for the bytes that it needs, and to work.
#define WITH_ROOM(function, ...) \
    do { \
        size_t bytes = 0; \
        check_cuda(function(NULL, bytes, __VA_ARGS__)); \
        void *room = device_alloc(bytes); \
        check_cuda(function(room, bytes, __VA_ARGS__)); \
        check_cuda(cudaFree(room)); \
    } while (0)

static void keep_ours(void *context)
{
    struct work *w = (struct work *)context;
    project::keep::keep_in_order(w->d_out, w->d_count, (const int *)w->d_in, w->n);
}

static void keep_peer(void *context)
{
    struct work *w = (struct work *)context;
    WITH_ROOM(cub::DeviceSelect::If, (const int *)w->d_in, w->d_out, w->d_count, w->n, above_0());
}

static void segments_ours(void *context)
{
    struct work *w = (struct work *)context;
    project::segments::sum_segments(w->d_out, (const int *)w->d_in, w->d_begin, w->size, w->n);
}

static void segments_peer(void *context)
{
    struct work *w = (struct work *)context;
    WITH_ROOM(cub::DeviceSegmentedReduce::Sum, (const int *)w->d_in, w->d_out, w->size, w->d_begin, w->d_begin + 1);
}

static void bins_ours(void *context)
{
    struct work *w = (struct work *)context;
    project::bins::count_words(w->d_out, w->d_in, w->n, w->size);
}

static void bins_peer(void *context)
{
    struct work *w = (struct work *)context;
    WITH_ROOM(cub::DeviceHistogram::HistogramEven, (const unsigned *)w->d_in, w->d_out, w->size + 1, 0u,
              (unsigned)w->size, w->n);
}

static void top_ours(void *context)
{
    struct work *w = (struct work *)context;
    project::top::top_k((unsigned *)w->d_out, w->d_in, w->n, w->size);
}

static void top_peer(void *context)
{
    struct work *w = (struct work *)context;
    WITH_ROOM(cub::DeviceRadixSort::SortKeysDescending, (const unsigned *)w->d_in, (unsigned *)w->d_out, w->n);
}

// A copy of the first `count` words that a run leaves; the caller frees it.
static int *answer_of(void (*run)(void *context), struct work *w, int count)
{
    size_t bytes = (size_t)count * sizeof(int);
    int *words = (int *)host_alloc(bytes + 1);
    check_cuda(cudaMemset(w->d_out, POISON, bytes));
    run(w);
    check_cuda(cudaMemcpy(words, w->d_out, bytes, cudaMemcpyDeviceToHost));
    return words;
}

// Times both and prints a row. count: the words of the answer.
static void compare(const char *label, struct work *w, int count, void (*ours)(void *), void (*peer)(void *))
{
    begin_case(label, w->n, "");
    int *got = answer_of(ours, w, count), *want = answer_of(peer, w, count);
    check_ints(got, want, count, 0);
    free(got);
    free(want);
    struct duel d = {label, w->n, 4.0 * w->n + 4.0 * count, w, ours, peer, NULL, NULL, 1};
    duel(&d);
}

// All four at n words, of which one segment has half and one bin a third.
static void compare_all(int n)
{
    uint64_t state = harness.seed;
    size_t bytes = (size_t)n * sizeof(int);
    int *begin = (int *)host_alloc(8 * bytes + 64 * sizeof(int)), kept = 0, bins = 1 << 20;
    unsigned *x = (unsigned *)host_alloc(bytes);
    for (int i = 0; i < n; i++) {
        x[i] = (unsigned)random_bits(&state);
        kept += (int)x[i] > 0;
    }
    struct work w = {n, 0, (unsigned *)device_copy(x, bytes, 0), NULL, NULL, NULL};
    int segments = project::segments::draw_segments(begin, n, &state, 100, 50);
    w.d_begin = (int *)device_copy(begin, (segments + 1) * sizeof(int), 0);
    w.d_out = (int *)device_alloc((size_t)(segments > n ? segments : n) * sizeof(int) + bins * sizeof(int));
    w.d_count = (int *)device_alloc(sizeof(int));

    compare("0 keep in order, half", &w, kept, keep_ours, keep_peer);
    w.size = segments;
    compare("2 segmented sum, mean 100", &w, segments, segments_ours, segments_peer);
    w.size = n < 1000 ? n : 1000;
    compare("4 top k, 1000; all sorted", &w, w.size, top_ours, top_peer);
    for (int i = 0; i < n; i++)
        x[i] = i % 3 ? x[i] % bins : 7;
    check_cuda(cudaMemcpy(w.d_in, x, bytes, cudaMemcpyHostToDevice));
    w.size = bins;
    compare("3 many bins, 2^20", &w, bins, bins_ours, bins_peer);
    check_cuda(cudaFree(w.d_count));
    check_cuda(cudaFree(w.d_out));
    check_cuda(cudaFree(w.d_begin));
    check_cuda(cudaFree(w.d_in));
    free(x);
    free(begin);
}

int main(int argc, char **argv)
{
    const int sizes[] = {1 << 20, 1 << 24, 1 << 26};
    open_table(argc, argv, __FILE__, "CUB", 1 << 27);
    for (int i = 0; i < 3; i++)
        if (harness.n < 0 || i == 0)
            compare_all(harness.n < 0 ? sizes[i] : (int)harness.n);
    close_table();
}
