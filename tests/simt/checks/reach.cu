// How far sampled launches reach, and whether they store only zeros: simt_reach, simt_nonzero.
// SIMT_SAMPLE=first,last,powers,random:4,spread:32
#include "../programs/program.h"
#include "../../../common/simt/simt.h"

#define N ((size_t)1 << 30)
#define BLOCK 256

// out[i] = in[i] for the blocks of the grid; the index is truncated to the bits of mask.
__global__ void copy(int *out, const int *in, size_t n, unsigned mask)
{
    size_t i = (size_t)(blockIdx.x & mask) * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1;
}

// Likewise in a grid-stride loop; from `end` on it does nothing.
__global__ void copy_strided(int *out, const int *in, size_t n, size_t end)
{
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        if (i < end)
            out[i] = in[i] + 1;
}

// Runs the range twice, like a loop whose index wraps around.
__global__ void copy_around(int *out, const int *in, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < 2 * n; i += (size_t)gridDim.x * BLOCK)
        out[i % n] = in[i % n] + 1;
}

// A thread takes `length` contiguous elements, then those one grid further: few blocks that run long.
__global__ void copy_long(int *out, const int *in, int rows, int length)
{
    for (int row = blockIdx.x * BLOCK + threadIdx.x; row < rows; row += gridDim.x * BLOCK)
        for (int i = 0; i < length; i++)
            out[(size_t)row * length + i] = in[(size_t)row * length + i] + 1;
}

// A block copies `part` elements; blocks from `working` on have none.
__global__ void copy_parts(int *out, const int *in, size_t part, unsigned working)
{
    __shared__ int copied;
    if (threadIdx.x == 0)
        copied = 0;
    __syncthreads();
    for (size_t i = threadIdx.x; blockIdx.x < working && i < part; i += BLOCK) {
        out[blockIdx.x * part + i] = in[blockIdx.x * part + i] + 1;
        atomicAdd(&copied, 1);
    }
}

// Waits for a skipped block: its reach is known only up to here.
__device__ volatile int flags[1 << 13];

__global__ void copy_in_turn(int *out, const int *in)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    out[i] = in[i] + 1;
    while (blockIdx.x > 0 && !flags[blockIdx.x - 1])
        ;
    flags[blockIdx.x] = 1;
}

// Blocks take tickets for their tiles of `length` elements, so a block's number does not determine its tile.
__device__ unsigned tickets;

__global__ void copy_by_ticket(int *out, const int *in, size_t length, unsigned mask)
{
    __shared__ unsigned tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(&tickets, 1) & mask;
    __syncthreads();
    for (size_t i = threadIdx.x; i < length; i += BLOCK)
        out[tile * length + i] = in[tile * length + i] + 1;
}

// The host knows where the tickets of each launch begin, so nothing resets them; or they wrap around.
__device__ unsigned running, wrapping;

__global__ void copy_by_running_ticket(int *out, const int *in, unsigned start)
{
    __shared__ unsigned tile, place;
    if (threadIdx.x == 0) {
        tile = atomicAdd(&running, 1) - start;
        place = atomicInc(&wrapping, gridDim.x - 1);
    }
    __syncthreads();
    size_t i = (size_t)tile * BLOCK + threadIdx.x, k = (size_t)place * BLOCK + threadIdx.x;
    out[i] = in[k] + 1;
}

// out[i] = in[i], plus 1 at one index.
__global__ void copy_but_one(float *out, const float *in, size_t odd)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    out[i] = in[i] + (i == odd);
}

__global__ void divide(float *out, const float *in)
{
    out[blockIdx.x * BLOCK + threadIdx.x] = threadIdx.x % 2 ? -in[0] / in[1] : 1 / in[1];
}

// Stores 1 where a word says.
__global__ void scatter(float *out, const float *in)
{
    out[(int)in[blockIdx.x] + threadIdx.x] = 1;
}

__device__ float left_over = 1;

__global__ void copy_left_over(float *out)
{
    out[threadIdx.x] = left_over;
}

// Whether the launches since the last reset, with an input of zeros, have stored a nonzero at index `at`; -1: nowhere.
static void expect_nonzero(const float *in, const float *out, long long at)
{
    const struct simt_range known[] = {{in, N * sizeof *in}, {out, N * sizeof *out}};
    CUDA(cudaDeviceSynchronize());
    const char *found = (const char *)simt_nonzero(out, N * sizeof *out, 1, known, 2);
    EXPECT(at < 0 ? !found : found && (found - (const char *)out) / (long long)sizeof *out == at);
    simt_reset();
}

static void test_nonzero(float *out, const float *in)
{
    simt_reset();
    // Innocent: zeros, -0 / 0, 1 / 0; addresses and words that skipped blocks may have left behind.
    copy_but_one<<<N / BLOCK, BLOCK>>>(out, in, N);
    expect_nonzero(in, out, -1);
    divide<<<1, BLOCK>>>(out, in);
    expect_nonzero(in, out, -1);
    scatter<<<1, BLOCK>>>(out + N / 2, in);
    expect_nonzero(in, out, -1);
    copy_left_over<<<1, BLOCK>>>(out + N / 2);
    expect_nonzero(in, out, -1);
    // Guilty: in the first block, in the last one.
    copy_but_one<<<N / BLOCK, BLOCK>>>(out, in, 77);
    expect_nonzero(in, out, 77);
    copy_but_one<<<N / BLOCK, BLOCK>>>(out, in, N - 1);
    expect_nonzero(in, out, N - 1);
}

static bool is_near(double x, double y)
{
    return x > y - 0.07 && x < y + 0.07;
}

// Checks how far the launches since the last reset load in, or store out; their share (2: unknown); and whether a block
// has a twin.
static void expect_reach(const int *p, int stores, double high, double share, int twins)
{
    struct simt_reach r[4];
    CUDA(cudaDeviceSynchronize());
    int count = simt_reach(p, N * sizeof *p, stores, r, 4);
    EXPECT(count == 1 && is_near(r[0].high, high) && r[0].low == 0);
    EXPECT(share == 2 ? r[0].share > 1 : is_near(r[0].share, share));
    EXPECT((r[0].block > 0) == twins && r[0].block % 65536 == r[0].other % 65536);
    simt_reset();
}

// Checks whether the launches since the last reset jump back in `in`, whether only the last block touches nothing of
// it, and how many elements at its end are missed.
static void expect_ends(const int *in, bool back, bool idle, uint64_t lacks)
{
    struct simt_reach r[4];
    CUDA(cudaDeviceSynchronize());
    EXPECT(simt_reach(in, N * sizeof *in, 0, r, 4) == 1 && (r[0].back > 0) == back && r[0].idle == idle);
    EXPECT(r[0].lacks == lacks * sizeof *in);
    simt_reset();
}

static void test_ends(int *out, const int *in)
{
    copy_strided<<<1024, BLOCK>>>(out, in, N, N);
    expect_ends(in, false, false, 0);
    copy<<<2 * N / BLOCK, BLOCK>>>(out, in, N, ~0u); // half of the blocks have no work
    expect_ends(in, false, false, 0);
    copy<<<N / BLOCK, BLOCK>>>(out, in, N, ~0u);
    expect_ends(in, false, false, 0);
    copy<<<N / BLOCK, BLOCK>>>(out, in, N - 1, ~0u);
    expect_ends(in, false, false, 1);
    copy<<<N / BLOCK - 1, BLOCK>>>(out, in, N, ~0u);
    copy<<<1, BLOCK>>>(out + N - BLOCK, in + N - BLOCK, BLOCK, ~0u); // the rest
    expect_ends(in, false, false, 0);
    copy_around<<<1024, BLOCK>>>(out, in, N);
    expect_ends(in, true, false, 0);
    copy_parts<<<1 << 14, BLOCK>>>(out, in, N >> 14, (1 << 14) - 1);
    expect_ends(in, false, true, 0);
}

static double reach_by_ticket(int *out, const int *in, size_t blocks, size_t length)
{
    struct simt_reach r[4];
    unsigned zero = 0;
    CUDA(cudaMemcpyToSymbol(tickets, &zero, sizeof zero));
    copy_by_ticket<<<blocks, BLOCK>>>(out, in, length, ~0u);
    CUDA(cudaDeviceSynchronize());
    EXPECT(simt_reach(out, N * sizeof *out, 1, r, 4) == 1);
    simt_reset();
    return r[0].high;
}

// In which tile the first block begins if others have taken 65536 tickets before. at: from this word; NULL: any.
static double first_tile(int *out, const int *in, unsigned mask, const void *at)
{
    struct simt_reach r[4];
    char text[80];
    unsigned zero = 0;
    CUDA(cudaMemcpyToSymbol(tickets, &zero, sizeof zero));
    snprintf(text, sizeof text, at ? "first,last,random:4,tickets:65536,at:%zu" : "first,last,random:4,tickets:65536",
             (size_t)at);
    simt_sample(text);
    copy_by_ticket<<<N / BLOCK, BLOCK>>>(out, in, BLOCK, mask);
    CUDA(cudaDeviceSynchronize());
    EXPECT(simt_reach(in, N * sizeof *in, 0, r, 4) == 1);
    simt_reset();
    simt_sample(NULL);
    return r[0].low * N / BLOCK;
}

// The last of the executed blocks takes the grid's last ticket, whatever the order, and three launches in a row find
// their tickets where the host expects them. One of them begins as if others had taken 1000.
static void test_running(int *out, const int *in)
{
    const unsigned blocks = N / BLOCK;
    for (unsigned i = 0; i < 5; i++) {
        struct simt_reach r[4];
        simt_sample(i == 3 ? "first,last,random:4,tickets:1000" : "first,last,random:4");
        copy_by_running_ticket<<<blocks, BLOCK>>>(out, in, i * blocks);
        CUDA(cudaDeviceSynchronize());
        EXPECT(simt_reach(out, N * sizeof *out, 1, r, 4) == 1);
        EXPECT(i == 3 ? r[0].low * blocks == 1000 : r[0].low == 0 && r[0].high == 1);
        EXPECT(simt_reach(in, N * sizeof *in, 0, r, 4) == 1);
        EXPECT(i == 3 ? r[0].low * blocks == 1000 : r[0].low == 0 && r[0].high == 1);
        simt_reset();
    }
    simt_sample(NULL);
}

// In random orders. Below a tenth nothing is reported.
static void test_tickets(int *out, const int *in)
{
    for (int i = 0; i < 10; i++) {
        double all = reach_by_ticket(out, in, 16384, N / 16384);
        EXPECT(all < 0.1 || all > 0.9);
        EXPECT(reach_by_ticket(out, in, N / BLOCK, BLOCK / 2) < 0.6); // the grid ends early
    }
    void *word;
    CUDA(cudaGetSymbolAddress(&word, tickets));
    EXPECT(first_tile(out, in, ~0u, NULL) == 65536);
    EXPECT(first_tile(out, in, ~0u, word) == 65536);
    EXPECT(first_tile(out, in, ~0u, out) != 65536); // another word
    EXPECT(first_tile(out, in, 0xffff, NULL) == 0); // a ticket of 16 bits
    test_running(out, in);
}

int main(int count, char **)
{
    int *in, *out;
    struct simt_reach r[4];
    CUDA(cudaMalloc(&in, N * sizeof *in));
    CUDA(cudaMalloc(&out, N * sizeof *out));
    simt_reset();
    if (count > 1) {
        test_tickets(out, in);
        return finish();
    }

    // Innocent: all of it; a grid twice as large; a loop.
    copy<<<N / BLOCK, BLOCK>>>(out, in, N, ~0u);
    expect_reach(in, 0, 1, 1, 0);
    copy<<<2 * N / BLOCK, BLOCK>>>(out, in, N, ~0u);
    expect_reach(out, 1, 1, 2, 0);
    copy_strided<<<1024, BLOCK>>>(out, in, N, N);
    expect_reach(out, 1, 1, 2, 0);
    // Innocent: in two launches; a block that was stopped early may reach everything.
    copy<<<N / BLOCK / 2, BLOCK>>>(out, in, N, ~0u);
    copy<<<N / BLOCK / 2, BLOCK>>>(out + N / 2, in + N / 2, N / 2, ~0u);
    expect_reach(in, 0, 1, 1, 0);
    copy_in_turn<<<1 << 13, BLOCK>>>(out, in);
    expect_reach(in, 0, 1, 2, 0);
    // Innocent: the last block has one round; the first ones have two, and are stopped before the second.
    copy_long<<<32, BLOCK>>>(out, in, 10240, (int)(N / 10240));
    expect_reach(out, 1, 1, 2, 0);
    // Innocent: a grid twice as large, of blocks that run long.
    copy_parts<<<2 << 14, BLOCK>>>(out, in, N >> 14, 1 << 14);
    expect_reach(out, 1, 1, 2, 0);

    // Innocent: all blocks read the same, and so do two that are 65536 apart.
    copy<<<N / BLOCK, BLOCK>>>(out, in, N, 0);
    expect_reach(in, 0, 0, 1, 0);

    // Guilty: an index of 16 bits, of 31 bits in bytes; a grid, a loop that ends early.
    copy<<<N / BLOCK, BLOCK>>>(out, in, N, 0xffff);
    expect_reach(in, 0, 1.0 / 64, 1, 1);
    copy<<<N / BLOCK, BLOCK>>>(out, in, N, N / BLOCK / 2 - 1);
    expect_reach(out, 1, 0.5, 1, 0);
    copy<<<N / BLOCK / 4, BLOCK>>>(out, in, N, ~0u);
    expect_reach(in, 0, 0.25, 0.25, 0);
    copy_parts<<<1 << 14, BLOCK>>>(out, in, N >> 14, 1 << 13);
    expect_reach(out, 1, 0.5, 2, 0);
    copy_strided<<<1024, BLOCK>>>(out, in, N, N / 2);
    expect_reach(out, 1, 0.5, 2, 0);
    copy_long<<<128, BLOCK>>>(out, in, 131072, (int)(N / 262144)); // which ends after four of eight rounds
    expect_reach(out, 1, 0.625, 2, 0);

    test_ends(out, in);
    EXPECT(simt_reach(in, N, 0, r, 4) == 0); // nothing since the reset
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    CUDA(cudaMalloc(&in, N * sizeof *in));
    CUDA(cudaMalloc(&out, N * sizeof *out));
    test_nonzero((float *)out, (const float *)in);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    return finish();
}
