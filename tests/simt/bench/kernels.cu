// Eleven typical kernels, for measuring the speed of the SIMT machine:
//
//     sum        a block's sum by sequential addressing, 256 threads
//     matmul     a matrix product from 32 x 32 tiles in shared memory
//     stencil    a five-point sweep, a float4 and eight rows for each lane, neighbours by shuffle
//     scan       Blelloch's exclusive scan of tiles of 1024 in shared memory
//     histogram  256 bins in shared memory, atomics
//     sort       a bitonic sort of tiles of 1024 in shared memory
//     columns    a matrix times itself transposed, in global memory: all blocks read words that lie a row apart
//     filter     the mean of 5 x 5 pixels of a byte each
//     stencil1   a word and its two neighbours, all from global memory
//     gather     sums of words at places that the input says
//     streams    a product with a sum, launched in 64 parts on two streams, each after the copy of its input
//
// Prints a line for each: its name, CPU seconds of a launch (the best of the given repetitions, default 5), and 10^9
// lane-instructions per CPU second. Exit status 2: a result is wrong. kernels.sh runs it and compares.
#include "simt.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N (1 << 19) // elements of the vectors
#define SIDE 160    // of the matrices
#define WIDTH 1024  // width of the grid, and its height
#define TILE 32
#define CHUNK 1024 // elements of a tile of scan and sort
#define BINS 256
#define ROWS 8
#define ORDER 128  // of the matrix of columns
#define PIXELS 512 // width and height of the image
#define PARTS 64   // of streams

__global__ void sum(int *out, const int *in)
{
    __shared__ int cache[256];
    int tid = threadIdx.x;

    cache[tid] = in[blockIdx.x * 256 + tid];
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (tid < stride)
            cache[tid] += cache[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = cache[0];
}

__global__ void matmul(int *out, const int *in)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const float *a = (const float *)in, *b = a + SIDE * SIDE;
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * TILE + ty, j = blockIdx.x * TILE + tx;
    float dot = 0;

    for (int first = 0; first < SIDE; first += TILE) {
        a_tile[ty][tx] = a[i * SIDE + first + tx];
        b_tile[ty][tx] = b[(first + ty) * SIDE + j];
        __syncthreads();
        for (int l = 0; l < TILE; l++)
            dot += a_tile[ty][l] * b_tile[l][tx];
        __syncthreads();
    }
    ((float *)out)[i * SIDE + j] = dot;
}

__device__ float4 quad(const float *x, int row, int column)
{
    return row >= 0 && row < WIDTH ? *(const float4 *)(x + row * WIDTH + column) : make_float4(0, 0, 0, 0);
}

__device__ float average(float a, float b, float c, float d)
{
    return 0.25f * (a + b + c + d);
}

__global__ void stencil(int *out, const int *in)
{
    const float *x = (const float *)in;
    int lane = threadIdx.x, column = 4 * (blockIdx.x * 32 + lane), row = (blockIdx.y * 4 + threadIdx.y) * ROWS;
    float4 here[ROWS + 2];
#pragma unroll
    for (int k = 0; k < ROWS + 2; k++)
        here[k] = quad(x, row - 1 + k, column);
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        const float4 c = here[k + 1];
        float west = __shfl_up_sync(0xffffffff, c.w, 1), east = __shfl_down_sync(0xffffffff, c.x, 1);
        if (lane == 0)
            west = column ? x[(row + k) * WIDTH + column - 1] : 0;
        if (lane == 31)
            east = column + 4 < WIDTH ? x[(row + k) * WIDTH + column + 4] : 0;
        *(float4 *)((float *)out + (row + k) * WIDTH + column) =
            make_float4(average(west, c.y, here[k].x, here[k + 2].x), average(c.x, c.z, here[k].y, here[k + 2].y),
                        average(c.y, c.w, here[k].z, here[k + 2].z), average(c.z, east, here[k].w, here[k + 2].w));
    }
}

__global__ void scan(int *out, const int *in)
{
    __shared__ int cache[CHUNK];
    int tid = threadIdx.x, first = blockIdx.x * CHUNK;

    cache[tid] = in[first + tid];
    cache[tid + CHUNK / 2] = in[first + tid + CHUNK / 2];
    __syncthreads();
    for (int stride = 1; stride < CHUNK; stride *= 2) {
        int last = 2 * stride * (tid + 1) - 1;
        if (last < CHUNK)
            cache[last] += cache[last - stride];
        __syncthreads();
    }
    if (tid == 0)
        cache[CHUNK - 1] = 0;
    __syncthreads();
    for (int stride = CHUNK / 2; stride > 0; stride /= 2) {
        int last = 2 * stride * (tid + 1) - 1;
        if (last < CHUNK) {
            int left = cache[last - stride];
            cache[last - stride] = cache[last];
            cache[last] += left;
        }
        __syncthreads();
    }
    out[first + tid] = cache[tid];
    out[first + tid + CHUNK / 2] = cache[tid + CHUNK / 2];
}

__global__ void histogram(int *out, const int *in)
{
    __shared__ int bins[BINS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BINS + threadIdx.x; i < N; i += gridDim.x * BINS)
        atomicAdd(&bins[in[i] % BINS], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void sort(int *out, const int *in)
{
    __shared__ int keys[CHUNK];
    int tid = threadIdx.x, first = blockIdx.x * CHUNK;

    keys[tid] = in[first + tid];
    keys[tid + CHUNK / 2] = in[first + tid + CHUNK / 2];
    for (int size = 2; size <= CHUNK; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int low = 2 * tid - (tid & (stride - 1)), a = keys[low], b = keys[low + stride];
            if ((a > b) == ((low & size) == 0)) {
                keys[low] = b;
                keys[low + stride] = a;
            }
        }
    __syncthreads();
    out[first + tid] = keys[tid];
    out[first + tid + CHUNK / 2] = keys[tid + CHUNK / 2];
}

__global__ void columns(int *out, const int *in)
{
    const float *a = (const float *)in;
    float *c = (float *)out;
    int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
    for (int k = 0; k < ORDER; k++)
        c[i * ORDER + j] += a[i * ORDER + k] * a[j * ORDER + k];
}

__host__ __device__ int mean(const unsigned char *pixels, int x, int y)
{
    int sum = 0, count = 0;
    for (int i = y - 2; i <= y + 2; i++)
        for (int j = x - 2; j <= x + 2; j++)
            if (i >= 0 && j >= 0 && i < PIXELS && j < PIXELS) {
                sum += pixels[i * PIXELS + j];
                count++;
            }
    return sum / count;
}

__global__ void filter(int *out, const int *in)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    ((unsigned char *)out)[y * PIXELS + x] = (unsigned char)mean((const unsigned char *)in, x, y);
}

__global__ void stencil1(int *out, const int *in)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i > 0 && i < N - 1)
        out[i] = in[i - 1] - 2 * in[i] + in[i + 1];
}

__global__ void gather(int *out, const int *in)
{
    int i = blockIdx.x * 256 + threadIdx.x, sum = 0;

    for (int k = 0; k < 8; k++)
        sum += in[in[i + k * (N / 8)] % (N / 8)];
    out[i] = sum;
}

__global__ void streams(int *out, const int *in)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    out[i] = in[i] + 3 * out[i];
}

// ---- expected results

static void host_sum(int *out, const int *in)
{
    for (int i = 0; i < N; i++)
        out[i / 256] += in[i];
}

static void host_matmul(int *out, const int *in)
{
    const float *a = (const float *)in, *b = a + SIDE * SIDE;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            for (int l = 0; l < SIDE; l++)
                ((float *)out)[i * SIDE + j] += a[i * SIDE + l] * b[l * SIDE + j];
}

static float cell(const float *x, int row, int column)
{
    return row < 0 || column < 0 || row >= WIDTH || column >= WIDTH ? 0 : x[row * WIDTH + column];
}

static void host_stencil(int *out, const int *in)
{
    const float *x = (const float *)in;
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        int row = i / WIDTH, column = i % WIDTH;
        ((float *)out)[i] = 0.25f * (cell(x, row, column - 1) + cell(x, row, column + 1) + cell(x, row - 1, column) +
                                     cell(x, row + 1, column));
    }
}

static void host_scan(int *out, const int *in)
{
    for (int i = 0; i < N; i++)
        out[i] = i % CHUNK ? out[i - 1] + in[i - 1] : 0;
}

static void host_histogram(int *out, const int *in)
{
    for (int i = 0; i < N; i++)
        out[in[i] % BINS]++;
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void host_sort(int *out, const int *in)
{
    memcpy(out, in, N * sizeof *out);
    for (int i = 0; i < N; i += CHUNK)
        qsort(out + i, CHUNK, sizeof *out, by_value);
}

static void host_columns(int *out, const int *in)
{
    const float *a = (const float *)in;
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++)
            for (int k = 0; k < ORDER; k++)
                ((float *)out)[i * ORDER + j] += a[i * ORDER + k] * a[j * ORDER + k];
}

static void host_filter(int *out, const int *in)
{
    for (int i = 0; i < PIXELS * PIXELS; i++)
        ((unsigned char *)out)[i] = (unsigned char)mean((const unsigned char *)in, i % PIXELS, i / PIXELS);
}

static void host_stencil1(int *out, const int *in)
{
    for (int i = 1; i < N - 1; i++)
        out[i] = in[i - 1] - 2 * in[i] + in[i + 1];
}

static void host_gather(int *out, const int *in)
{
    for (int i = 0; i < N / 8; i++)
        for (int k = 0; k < 8; k++)
            out[i] += in[in[i + k * (N / 8)] % (N / 8)];
}

static void host_streams(int *out, const int *in)
{
    for (int i = 0; i < N; i++)
        out[i] = in[i] + 3 * out[i];
}

// ---- running them

struct work {
    const char *name;
    void (*kernel)(int *out, const int *in);
    void (*host)(int *out, const int *in);
    dim3 grid, block;
    int outputs;
    bool floats;
    int parts; // launches, alternately on two streams; 0: one launch
};

static const struct work works[] = {
    {"sum", sum, host_sum, N / 256, 256, N / 256, false},
    {"matmul", matmul, host_matmul, dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE), SIDE *SIDE, true},
    {"stencil", stencil, host_stencil, dim3(WIDTH / 128, WIDTH / 4 / ROWS), dim3(32, 4), WIDTH *WIDTH, true},
    {"scan", scan, host_scan, N / CHUNK, CHUNK / 2, N, false},
    {"histogram", histogram, host_histogram, 64, BINS, BINS, false},
    {"sort", sort, host_sort, N / CHUNK, CHUNK / 2, N, false},
    {"columns", columns, host_columns, dim3(ORDER / 32, ORDER / 8), dim3(32, 8), ORDER *ORDER, true},
    {"filter", filter, host_filter, dim3(PIXELS / 32, PIXELS / 8), dim3(32, 8), PIXELS *PIXELS / 4, false},
    {"stencil1", stencil1, host_stencil1, N / 256, 256, N, false},
    {"gather", gather, host_gather, N / 8 / 256, 256, N / 8, false},
    {"streams", streams, host_streams, N / PARTS / 128, 128, N, false, PARTS},
};

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fill(int *in, bool floats)
{
    unsigned x = 12345;
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        x = x * 1664525u + 1013904223u;
        float f = (float)(x >> 26); // small integers: sums are exact in any order
        in[i] = (int)(x >> 12);
        if (floats)
            memcpy(&in[i], &f, sizeof f);
    }
}

// The launches of the parts, each after the copy of its input; nothing waits for a part before the last is submitted.
static void launch_parts(const struct work *k, int *d_out, int *d_in, const int *in)
{
    static cudaStream_t stream[2];
    size_t each = k->outputs / k->parts;
    for (int s = 0; s < 2; s++)
        if (!stream[s] && cudaStreamCreate(&stream[s]))
            exit(1);
    for (int p = 0; p < k->parts; p++) {
        size_t first = p * each;
        if (cudaMemcpyAsync(d_in + first, in + first, each * sizeof *in, cudaMemcpyHostToDevice, stream[p % 2]))
            exit(1);
        k->kernel<<<k->grid, k->block, 0, stream[p % 2]>>>(d_out + first, d_in + first);
    }
}

// One run into zeroed memory: its CPU seconds. in: the input on the host.
static double launch(const struct work *k, int *d_out, int *d_in, const int *in)
{
    if (cudaMemset(d_out, 0, k->outputs * sizeof *d_out))
        exit(1);
    double start = cpu_seconds();
    if (k->parts)
        launch_parts(k, d_out, d_in, in);
    else
        k->kernel<<<k->grid, k->block>>>(d_out, d_in);
    if (cudaDeviceSynchronize())
        exit(1);
    return cpu_seconds() - start;
}

static void run(const struct work *k, int repetitions)
{
    static int *in, out[WIDTH * WIDTH], wanted[WIDTH * WIDTH];
    const size_t bytes = WIDTH * WIDTH * sizeof *in;
    int *d_in, *d_out;
    struct simt_counters before, after;
    if (!in && cudaMallocHost(&in, bytes))
        exit(1);
    fill(in, k->floats);
    memset(wanted, 0, sizeof wanted);
    k->host(wanted, in);
    if (cudaMalloc(&d_in, bytes) || cudaMalloc(&d_out, sizeof out) ||
        cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice))
        exit(1);
    simt_read(&before);
    double best = launch(k, d_out, d_in, in);
    simt_read(&after);
    for (int r = 1; r < repetitions; r++) {
        double seconds = launch(k, d_out, d_in, in);
        best = seconds < best ? seconds : best;
    }
    if (cudaMemcpy(out, d_out, k->outputs * sizeof *out, cudaMemcpyDeviceToHost))
        exit(1);
    if (memcmp(out, wanted, k->outputs * sizeof *out)) {
        fprintf(stderr, "%s: wrong result\n", k->name);
        exit(2);
    }
    double lanes = (double)(after.thread_instructions - before.thread_instructions);
    printf("%-9s %.6f %.3f\n", k->name, best, lanes / best * 1e-9);
    if (cudaFree(d_in) || cudaFree(d_out))
        exit(1);
}

int main(int argc, char **argv)
{
    int repetitions = argc > 1 ? atoi(argv[1]) : 5;
    for (size_t k = 0; k < sizeof works / sizeof *works; k++)
        if (argc < 3 || !strcmp(argv[2], works[k].name))
            run(&works[k], repetitions);
    return 0;
}
