// One finding of each kind, and ways to end a program, for SIMT_REPORT. Letters mark the lines; sarif.py knows which
// belong to which finding.
//
//     findings WAY...
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__global__ void racy(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x; // A
    out[threadIdx.x] = s[63 - threadIdx.x]; // B
}

__global__ void innocent(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void lock_step(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x; // C
    out[threadIdx.x] = s[31 - threadIdx.x]; // D
}

__global__ void same_value(int *out)
{
    if (threadIdx.x % 32 == 0)
        out[0] = 1; // E
}

__global__ void unwritten(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x]; // F
}

__global__ void wild(int *out)
{
    out[threadIdx.x + 100000] = 1; // G
}

__global__ void half_barrier(int *out)
{
    if (threadIdx.x < 16)
        __syncwarp(0xffffffff); // H
    out[threadIdx.x] = 1;
}

__global__ void put(int *out)
{
    out[threadIdx.x] = 1; // I
}

__global__ void get(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x]; // K
}

__device__ void put_at(int *s, int i, int value)
{
    s[i] = value; // L
}

__global__ void caller(int *out)
{
    __shared__ int s[64];
    put_at(s, threadIdx.x, 1); // M
    out[threadIdx.x] = s[63 - threadIdx.x]; // N
}

__global__ void called_twice(int *out)
{
    __shared__ int s[64];
    put_at(s, threadIdx.x, 1); // O
    put_at(s, 63 - threadIdx.x, 2); // P
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

__device__ void put_mirrored(int *s, int i)
{
    put_at(s, 63 - i, i); // Q
}

__global__ void called_deep(int *out)
{
    __shared__ int s[64];
    put_mirrored(s, threadIdx.x); // R
    out[threadIdx.x] = s[threadIdx.x]; // S
}

static void run_streams(int *out, int *in)
{
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    put<<<1, 32, 0, a>>>(in);
    get<<<1, 32, 0, b>>>(out, in);
}

__global__ void nothing(void)
{
}

static void run(const char *way, int *out, int *in)
{
    if (!strcmp(way, "race"))
        racy<<<1, 64>>>(out);
    if (!strcmp(way, "called"))
        caller<<<1, 64>>>(out);
    if (!strcmp(way, "called_twice"))
        called_twice<<<1, 64>>>(out);
    if (!strcmp(way, "called_deep"))
        called_deep<<<1, 64>>>(out);
    if (!strcmp(way, "innocent"))
        innocent<<<1, 64>>>(out);
    if (!strcmp(way, "lock_step"))
        lock_step<<<1, 32>>>(out);
    if (!strcmp(way, "same_value"))
        same_value<<<1, 64>>>(out);
    if (!strcmp(way, "init"))
        unwritten<<<1, 32>>>(out, in);
    if (!strcmp(way, "memory"))
        wild<<<1, 32>>>(out);
    if (!strcmp(way, "sync"))
        half_barrier<<<1, 32>>>(out);
    if (!strcmp(way, "streams"))
        run_streams(out, in);
    if (!strcmp(way, "launch"))
        nothing<<<1, 2000>>>();
    if (!strcmp(way, "copy"))
        cudaMemcpy(out, in, 1 << 30, cudaMemcpyDeviceToDevice);
    if (!strcmp(way, "free"))
        cudaFree(in + 1);
    cudaDeviceSynchronize();
}

static void end_by(const char *way, int *out)
{
    if (!strcmp(way, "exit"))
        exit(3);
    if (!strcmp(way, "_exit"))
        _exit(3);
    if (!strcmp(way, "abort"))
        assert(!out);
    if (!strcmp(way, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(way, "touch"))
        *(volatile int *)out = 1;
    if (!strcmp(way, "kill"))
        raise(SIGKILL);
    if (!strcmp(way, "fork") && fork() == 0)
        racy<<<1, 64>>>(out);
}

int main(int argc, char **argv)
{
    int *out, *in;
    cudaMalloc(&out, 256);
    cudaMalloc(&in, 256);
    for (int i = 1; i < argc; i++)
        run(argv[i], out, in);
    for (int i = 1; i < argc; i++)
        end_by(argv[i], out);
    return 0;
}
