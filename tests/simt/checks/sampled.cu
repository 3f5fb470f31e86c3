// Launches of which only some blocks run (SIMT_SAMPLE=first,last,random:4), at sizes that no test could run in full.
//
//     sampled NAME      one of the cases below; tests/simt/CMakeLists.txt has the required output
#include "../programs/program.h"
#include "../../../common/simt/simt.h"

#include <cstring>

#define N ((size_t)1 << 30)
#define BLOCK 256

// Guilty: 4 * i wraps around from i = 2^29 on.
__global__ void by_bytes(int *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        *(int *)((char *)out + (int)(4u * i)) = i;
}

// Innocent twin.
__global__ void by_words(int *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = i;
}

// Guilty: a table for 4096 blocks.
__device__ int table[4096];

__global__ void by_table()
{
    table[blockIdx.x] = 1;
}

// Innocent if first is 0: the table has a word for each block of the launch. A block's number is a ticket.
__device__ unsigned tickets;

__global__ void by_ticket(unsigned first)
{
    __shared__ unsigned ticket;
    if (threadIdx.x == 0)
        ticket = atomicAdd(&tickets, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        table[first + ticket] = 1;
}

static void mark_by_tickets(const char *sample, unsigned first)
{
    unsigned zero = 0;
    CUDA(cudaMemcpyToSymbol(tickets, &zero, sizeof zero));
    simt_sample(sample);
    by_ticket<<<4096, BLOCK>>>(first);
    CUDA(cudaDeviceSynchronize());
    simt_sample("first,last,random:4");
}

// Innocent: skipped blocks would have written the words that it reads, so they mean nothing.
__global__ void gather(int *out, const int *in, const int *from)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    out[i] = in[(size_t)from[i] * 1000000];
}

__global__ void scatter_far(int *from)
{
    from[(size_t)blockIdx.x * BLOCK + threadIdx.x] = 1 << 30;
}

// Innocent: waits for a skipped block, and is stopped without a finding.
__device__ volatile int flags[1 << 10];

__global__ void wait_for_next()
{
    while (blockIdx.x + 1 < gridDim.x && !flags[blockIdx.x + 1])
        ;
    flags[blockIdx.x] = 1;
}

__global__ void read_all(int *out, const int *in)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (in[i] == 1)
        *out = 1;
}

// Guilty: nothing orders the warps of a block, in either memory.
__global__ void take_turns(int *out)
{
    __shared__ int turn;
    turn = threadIdx.x;
    __syncthreads();
    out[(size_t)blockIdx.x * BLOCK] = turn + threadIdx.x;
}

// Innocent: its address comes from a word that a skipped block would have written.
__global__ void scatter_near(int *out, const int *from)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    out[from[i]] = i;
}

// An index goes through a float: guilty from 2^24 on.
__global__ void by_float(int *out)
{
    float i = (float)blockIdx.x * BLOCK + threadIdx.x;
    if ((int)i < 0)
        *out = 1;
}

// The executed blocks determine what all blocks load: only a fraction of the sectors, if the grid ends early.
static void expect_loads(int *out, const int *in, unsigned part)
{
    simt_reset();
    read_all<<<N / BLOCK / part, BLOCK>>>(out, in);
    CUDA(cudaDeviceSynchronize());
    EXPECT(simt_sampled_loads() == (double)(N / 8 / part));
}

static int *words(size_t n)
{
    int *p;
    CUDA(cudaMalloc(&p, n * sizeof *p));
    return p;
}

// Reused memory also begins as zeros.
static void expect_zeros(void)
{
    int *p, first = -1;
    for (int i = 0; i < 80; i++) {
        size_t n = i % 2 ? 1 << 10 : 1 << 16;
        p = words(n);
        CUDA(cudaMemset(p, 1, n * sizeof *p));
        CUDA(cudaFree(p));
    }
    p = words(1 << 10);
    CUDA(cudaMemcpy(&first, p, sizeof first, cudaMemcpyDeviceToHost));
    EXPECT(first == 0);
    CUDA(cudaFree(p));
}

static void run(const char *name)
{
    const unsigned blocks = N / BLOCK;
    int *a = words(N), *b = words(N), *c = words(N), one = 0;
    if (!strcmp(name, "bytes"))
        by_bytes<<<blocks, BLOCK>>>(a, (int)N);
    if (!strcmp(name, "table"))
        by_table<<<blocks, BLOCK>>>();
    if (!strcmp(name, "ticket"))
        mark_by_tickets("first,last,random:4", 1 << 20);
    if (!strcmp(name, "valid"))
        mark_by_tickets("first,last,random:4,valid,tickets:4090", 1 << 20);
    if (!strcmp(name, "shared") || !strcmp(name, "global"))
        take_turns<<<blocks, BLOCK>>>(a);
    if (!strcmp(name, "grid"))
        by_table<<<dim3(1, 65536), BLOCK>>>();
    if (!strcmp(name, "innocent")) {
        CUDA(cudaMemset(a, 0, N * sizeof *a));
        by_words<<<blocks, BLOCK>>>(a, (int)N);
        CUDA(cudaMemcpy(&one, a + N - 1, sizeof one, cudaMemcpyDeviceToHost));
        EXPECT(one == (int)N - 1); // the last block is one of them
        by_float<<<(1 << 24) / BLOCK, BLOCK>>>(a);
        CUDA(cudaDeviceSynchronize());
        EXPECT(!simt_rounded());
        by_float<<<blocks, BLOCK>>>(a);
        CUDA(cudaDeviceSynchronize());
        EXPECT(simt_rounded() && strstr(simt_rounded(), "sampled.cu:"));
        CUDA(cudaMemcpy(b, a, N * sizeof *a, cudaMemcpyDeviceToDevice));
        CUDA(cudaMemcpy(&one, b + N - 1, sizeof one, cudaMemcpyDeviceToHost));
        EXPECT(one == (int)N - 1);
        scatter_far<<<blocks, BLOCK>>>(c);
        gather<<<blocks, BLOCK>>>(b, a, c);
        CUDA(cudaMemset(c, 0, N * sizeof *c));
        scatter_near<<<blocks, BLOCK>>>(b, c);
        expect_loads(b, a, 1);
        expect_loads(b, a, 64);
        wait_for_next<<<1 << 10, 32>>>();
        CUDA(cudaDeviceSynchronize());
        EXPECT(simt_sampled_loads() < 0); // one was stopped: unknown
        expect_zeros();
        mark_by_tickets("first,last,random:4", 0);
        mark_by_tickets("first,last,random:4,valid,tickets:4090", 0);
        mark_by_tickets("first,last,random:4,tickets:8192", 0); // no launch gives these
    }
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(a));
    if (!strcmp(name, "freed"))
        by_words<<<blocks, BLOCK>>>(a, (int)N);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(b));
    CUDA(cudaFree(c));
    a = words(N); // freed memory is reused, and is empty
    by_words<<<1, BLOCK>>>(a, (int)N);
    CUDA(cudaFree(a));
}

int main(int argc, char **argv)
{
    run(argc > 1 ? argv[1] : "innocent");
    return finish();
}
