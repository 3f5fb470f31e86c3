// Reports of where a word's value comes from (common/simt/check/origin.h): each kernel passes values on in one way, and
// the line about the first word of its output must name the input words that went into it.
#include "../../common/simt/simt.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern "C" const char simt_defaults[] = "SIMT_CHECK=origin\n";

#define N 64

static int failures;

__global__ void through_registers(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x + 1] + in[threadIdx.x + 3];
}
__global__ void only_by_index(int *out, const int *in)
{
    out[threadIdx.x] = in[in[threadIdx.x] & 7];
}
__global__ void constant(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x] >= 0 ? 3 : 4;
}
__global__ void nothing(int *out, const int *in)
{
    out[threadIdx.x + 1] = in[threadIdx.x];
}

__global__ void through_a_shuffle(int *out, const int *in)
{
    int x = in[threadIdx.x];
    out[threadIdx.x] = x + __shfl_down_sync(0xffffffff, x, 2);
}

__global__ void in_two_launches(int *out, const int *in)
{
    out[0] += in[1];
}

__global__ void through_shared_memory(int *out, const int *in)
{
    __shared__ int cache[32];
    cache[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 32; i += 2)
        sum += cache[i];
    out[threadIdx.x] = sum;
}

__global__ void through_an_atomic(int *out, const int *in)
{
    atomicAdd(&out[0], in[threadIdx.x]);
}

__global__ void through_local_memory(int *out, const int *in)
{
    int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = in[i + threadIdx.x];
    for (int i = 0; i < 8; i++)
        own[(own[i] + i) & 7] = in[8];
    out[threadIdx.x] = own[threadIdx.x & 7];
}

__global__ void through_a_warp_reduction(int *out, const int *in)
{
    out[threadIdx.x] = __reduce_add_sync(0xffffffff, in[threadIdx.x]);
}

__global__ void wide(int4 *out, const int4 *in)
{
    int4 v = in[threadIdx.x + 1];
    out[threadIdx.x] = make_int4(v.z, v.y, v.x, v.w);
}

__device__ __noinline__ int called(int x)
{
    return x + 1;
}
__global__ void not_followed(int *out, const int *in)
{
    out[threadIdx.x] = called(in[threadIdx.x]);
}

struct two {
    int *out;
    int n;
    const int *in;
};
__global__ void in_a_struct(struct two t)
{
    if (threadIdx.x < t.n)
        t.out[threadIdx.x] = t.in[threadIdx.x + 1];
}

struct one {
    int *out, n;
};
__global__ void in_a_small_struct(struct one alone)
{
    if (threadIdx.x < alone.n)
        alone.out[threadIdx.x] = 3;
}

__constant__ int fixed[32];
__global__ void from_constant_memory(int *out)
{
    out[threadIdx.x] = fixed[31 - threadIdx.x];
}

// All threads take one element: a race, which this check does not report.
__global__ void racing(int *out, const int *in)
{
    out[0] += in[threadIdx.x];
}

// Not the bytes of out's first word.
__global__ void bytes(unsigned char *out)
{
    out[4 + threadIdx.x] = 3;
}

// From shared memory, by thread 1.
__global__ void bulk_copy(int *out, const int *in)
{
    __shared__ alignas(16) int cache[32];
    unsigned from = (unsigned)__cvta_generic_to_shared(cache);
    cache[threadIdx.x] = in[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 1) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

static char said[2000];

// Keeps in `said` what the machine prints to stderr about this word.
static void ask(const void *word)
{
    FILE *file = tmpfile();
    int kept = dup(2);
    fflush(stderr);
    dup2(fileno(file), 2);
    simt_wrong(word, "wrong");
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
}

static void expect(const char *what, const void *word, const char *words)
{
    ask(word);
    if (words ? !strstr(said, words) : *said != 0) {
        printf("FAILED: %s\n  got     %s  wanted  %s\n", what, *said ? said : "nothing\n", words ? words : "nothing");
        failures++;
    }
}

int main(void)
{
    int *in, *out, *copy, x[N] = {0}, y[N];
    cudaMalloc(&in, sizeof x);
    cudaMalloc(&out, sizeof x);
    cudaMalloc(&copy, sizeof x);
    for (int i = 0; i < N; i++)
        x[i] = i;
#define TRY(kernel, words) \
    do { \
        cudaMemcpy(in, x, sizeof x, cudaMemcpyHostToDevice); \
        cudaMemset(out, 0, sizeof x); \
        simt_reset(); \
        kernel; \
        cudaMemcpy(y, out, sizeof y, cudaMemcpyDeviceToHost); \
        expect(#kernel, &y[0], words); \
    } while (0)
    TRY((through_registers<<<1, 32>>>(out, in)), "out[0] was written at ");
    TRY((through_registers<<<1, 32>>>(out, in)), " by thread 0 of block 0 of through_registers, from in[1], in[3]\n");
    TRY((only_by_index<<<1, 32>>>(out, in)), " of only_by_index, from in[0]\n");
    TRY((constant<<<1, 32>>>(out, in)), " from constants and indices alone: no word of the input is in it\n");
    TRY((nothing<<<1, 32>>>(out, in)), "no kernel has written out[0]\n");
    TRY((bytes<<<1, 32>>>((unsigned char *)out)), "no kernel has written out[0]\n");
    TRY((nothing<<<1, 32>>>(copy, in)), NULL); // no kernel was given out: the host may have filled it
    TRY((through_a_shuffle<<<1, 32>>>(out, in)), ", from in[0], in[2]\n");
    TRY((through_shared_memory<<<1, 32>>>(out, in)), ", from in[0], [2] and so on to [30]\n");
    TRY((through_an_atomic<<<1, 32>>>(out, in)), ", from in[0..31], out[0]\n");
    TRY((through_local_memory<<<1, 32>>>(out, in)), ", from in[");
    TRY((through_a_warp_reduction<<<1, 32>>>(out, in)), ", from in[0..31]\n");
    TRY((wide<<<1, 8>>>((int4 *)out, (int4 *)in)), ", from in[6]\n");
    struct two t = {out, N, in};
    TRY((in_a_struct<<<1, 32>>>(t)), "(1st pointer inside t)[0] was written at ");
    TRY((in_a_struct<<<1, 32>>>(t)), " of in_a_struct, from (2nd pointer inside t)[1]\n");
    struct one alone = {out, N};
    TRY((in_a_small_struct<<<1, 32>>>(alone)), "(the array in alone)[0] was written at ");
    TRY((from_constant_memory<<<1, 32>>>(out)), " of from_constant_memory, from fixed[31]\n");
    TRY((racing<<<1, 32>>>(out, in)), "out[0] was written at ");
    if (simt_findings())
        printf("FAILED: %llu findings\n", (unsigned long long)simt_findings()), failures++;
    // What is not followed: at least who wrote the word.
    TRY((not_followed<<<1, 32>>>(out, in)), " by thread 0 of block 0 of not_followed\n");
    TRY((bulk_copy<<<1, 32>>>(out, in)), " by the bulk copy of thread 1 of block 0 of bulk_copy\n");
    TRY((bulk_copy<<<1, 32>>>(copy, in)), NULL);
    TRY((through_registers<<<1, 32>>>(copy, in), cudaMemcpy(out, copy, sizeof x, cudaMemcpyDeviceToDevice)),
        " of through_registers, from in[1], in[3]\n");
    TRY((through_registers<<<1, 32>>>(copy, in), cudaMemcpy2D(out, 8, copy, 16, 8, 4, cudaMemcpyDeviceToDevice)),
        " of through_registers, from in[1], in[3]\n");
    expect("the second row of a copy in rows", &y[2], ", from in[5], in[7]\n");
    TRY((through_registers<<<1, 32>>>(copy, in), through_a_shuffle<<<1, 32>>>(out, copy)),
        " of through_a_shuffle, from in[1], in[3], in[5]\n");
    TRY((in_two_launches<<<1, 1>>>(out, in), in_two_launches<<<1, 1>>>(out, in)), ", from in[1], out[0]\n");
    TRY((through_registers<<<1, 32>>>(out, in), cudaMemset(out, 0, sizeof x)), "no kernel has written out[0]\n");
    expect("a word of the host's own", &x[0], NULL);
    return failures > 0;
}
