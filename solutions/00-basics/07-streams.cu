// Basics, step 7: copies overlap with kernels.
//
// In step 1 the device waits for both copies before it computes, and the copy back waits for all
// results: most of the time one engine works and two are idle. Here the work is cut into chunks
// that take turns on several streams: while one chunk is computed, the next one is copied to the
// device and the previous one is copied back. That requires page-locked memory, which the copy
// engine reads without the host, and one large copy per chunk: x and y of a chunk are stored next
// to each other, x first.
//
// Passes when a chunk costs one copy each way, and copies overlap with kernels:
// host_writes <= n/32768 + 1, host_reads <= n/32768 + 1, overlaps >= launches.
//
//     ctest --test-dir build -R 00-basics.07
#include "basics_program.h"

#define BLOCK 256 // threads per block
#define CHUNK 32768 // elements
#define STREAMS 3 // one copies to the device, one computes, one copies back

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

// pair[count + i] = a pair[i] + pair[count + i]: x and y of a chunk of count elements.
__global__ void add(float *pair, float a, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        pair[count + i] = a * pair[i] + pair[count + i];
}

int main(void)
{
    int n = problem_size();
    size_t bytes = 2 * n * sizeof(float);
    float *pairs, *d_pairs; // chunk by chunk: its x, then its y
    cudaStream_t streams[STREAMS];
    for (int s = 0; s < STREAMS; s++)
        check(cudaStreamCreate(&streams[s]), "cudaStreamCreate");
    check(cudaMallocHost(&pairs, bytes + 1), "cudaMallocHost"); // page-locked
    check(cudaMalloc(&d_pairs, bytes), "cudaMalloc");
    for (int first = 0; first < n; first += CHUNK) {
        int count = n - first < CHUNK ? n - first : CHUNK;
        float *pair = pairs + 2 * first;
        read_x(pair, first, count);
        read_y(pair + count, first, count);
        // TODO: Copy the pair to its place in d_pairs, launch add on it, and copy its y back. Use
        // the next stream for each chunk, and issue all three on it: cudaMemcpyAsync(..., stream)
        // and <<<blocks, BLOCK, 0, stream>>>. Nothing here waits. a is problem_factor().
        float *d_pair = d_pairs + 2 * first;
        size_t half = count * sizeof *pair;
        cudaStream_t stream = streams[first / CHUNK % STREAMS];
        check(cudaMemcpyAsync(d_pair, pair, 2 * half, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
        add<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(d_pair, problem_factor(), count);
        check(cudaGetLastError(), "add");
        check(cudaMemcpyAsync(pair + count, d_pair + count, half, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
        // END TODO
    }
    // TODO: The host must not read y before the device has finished it. Wait for every stream.
    for (int s = 0; s < STREAMS; s++)
        check(cudaStreamSynchronize(streams[s]), "cudaStreamSynchronize");
    // END TODO
    for (int first = 0; first < n; first += CHUNK) {
        int count = n - first < CHUNK ? n - first : CHUNK;
        write_y(pairs + 2 * first + count, first, count);
    }
    check(cudaFree(d_pairs), "cudaFree");
    check(cudaFreeHost(pairs), "cudaFreeHost");
    for (int s = 0; s < STREAMS; s++)
        check(cudaStreamDestroy(streams[s]), "cudaStreamDestroy");
    return EXIT_SUCCESS;
}

graded_program(main, PIPELINE)
