// Kernels that launch kernels, for nested.sh: the kernel that the argument names runs on 64 zeroes, of which the first
// five are shown.
#include <cstdio>
#include <cstring>

__global__ void mark(int *out, int n)
{
    out[threadIdx.x] = n;
}
__global__ void add(int *out, int n)
{
    out[0] += n;
}
__global__ void twice(int *out)
{
    out[1] = 2 * out[0];
}

struct pair {
    int factor;
    double more;
};
__global__ void step(int *out, struct pair by)
{
    out[threadIdx.x] = out[threadIdx.x] * by.factor + (int)by.more;
}

// One stream of a block runs in order, a tail launch last.
__global__ void ordered(int *out)
{
    if (threadIdx.x > 0)
        return;
    step<<<1, 4, 0, cudaStreamTailLaunch>>>(out, (struct pair){10, 3});
    step<<<1, 4>>>(out, (struct pair){0, 1});
    step<<<1, 4>>>(out, (struct pair){10, 2});
}

// Grids within grids finish before what follows the first of them.
__global__ void down(int *out, int depth)
{
    if (threadIdx.x == 0 && depth > 0)
        down<<<1, 32>>>(out, depth - 1);
    if (threadIdx.x == 0)
        atomicAdd(out, depth);
}
__global__ void deep(int *out)
{
    if (threadIdx.x == 0) {
        down<<<1, 32>>>(out, 4);
        twice<<<1, 1>>>(out);
    }
}

__global__ void calls(int *out)
{
    if (threadIdx.x > 0)
        return;
    int *own, device = -1;
    cudaStream_t other;
    cudaEvent_t done;
    int errors = cudaMalloc(&own, 2 * sizeof *own) + cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) +
                 cudaEventCreateWithFlags(&done, cudaEventDisableTiming) + cudaGetDevice(&device);
    cudaMemsetAsync(own, 64, 2 * sizeof *own, 0);
    add<<<1, 1>>>(own, 1);
    cudaMemcpyAsync(out, own, 2 * sizeof *own, cudaMemcpyDeviceToDevice, 0);
    cudaEventRecord(done, 0);
    cudaStreamWaitEvent(other, done, 0);
    add<<<1, 1, 0, other>>>(out, 1);
    cudaStreamDestroy(other);
    cudaEventDestroy(done);
    out[2] = errors + device + 7;
}

// Blocks launch into their own streams, which nothing orders; nor are two streams of a block ordered.
__global__ void apart(int *out)
{
    if (threadIdx.x == 0)
        mark<<<1, 4>>>(out + 4 * blockIdx.x, blockIdx.x + 1);
}
__global__ void same(int *out)
{
    if (threadIdx.x == 0)
        mark<<<1, 4>>>(out, blockIdx.x + 1);
}
__global__ void forgotten(int *out)
{
    if (threadIdx.x == 0) {
        mark<<<1, 4>>>(out, 1);
        mark<<<1, 4, 0, cudaStreamFireAndForget>>>(out, 2);
    }
}

// Launches that a device refuses.
__global__ void refused(int *out)
{
    if (threadIdx.x > 0)
        return;
    mark<<<0, 4>>>(out, 1);
    out[1] = cudaPeekAtLastError();
    out[2] = cudaGetLastError();
    out[3] = cudaGetLastError();
    printf("%s, %s\n", cudaGetErrorName((cudaError_t)9), cudaGetErrorString((cudaError_t)9));
}
__global__ void deeper(int *out)
{
    if (threadIdx.x == 0) {
        atomicAdd(out, 1);
        deeper<<<1, 32>>>(out);
    }
}
// 40 launches where 32 may be pending: out[0] of them succeed, and out[1] fail.
__global__ void many(int *out)
{
    add<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 1);
}
__global__ void counted(int *out)
{
    add<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 1);
    if (cudaPeekAtLastError() == cudaErrorLaunchPendingCountExceeded)
        atomicAdd(&out[1], 1);
}
__global__ void unknown(int *out)
{
    size_t value;
    cudaDeviceGetLimit(&value, cudaLimitStackSize);
    out[0] = (int)value;
}

// Queries the error, and ignores it.
__global__ void ignored(int *out)
{
    add<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 1);
    cudaGetLastError();
}

// A grid overlaps those that it launches. What its thread did before, or its block before a barrier, is finished.
__global__ void before(int *out)
{
    if (threadIdx.x < 4)
        out[threadIdx.x] = 7;
    __syncthreads();
    if (threadIdx.x == 0)
        step<<<1, 4>>>(out, (struct pair){10, 1});
}
__global__ void beside(int *out)
{
    if (threadIdx.x == 0)
        step<<<1, 4>>>(out, (struct pair){10, 1});
    __syncthreads();
    if (threadIdx.x < 4)
        out[threadIdx.x] = 7;
}
__global__ void without_barrier(int *out)
{
    if (threadIdx.x == 3)
        out[3] = 7;
    if (threadIdx.x == 0)
        step<<<1, 4>>>(out, (struct pair){10, 1});
}
__global__ void by_another_block(int *out)
{
    if (blockIdx.x == 1 && threadIdx.x == 3)
        out[3] = 7;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        step<<<1, 4>>>(out, (struct pair){10, 1});
}
__global__ void last_of_all(int *out)
{
    if (threadIdx.x == 0)
        step<<<1, 4, 0, cudaStreamTailLaunch>>>(out, (struct pair){10, 1});
    if (threadIdx.x < 4)
        out[threadIdx.x] = 7;
}
__global__ void both_atomic(int *out)
{
    if (threadIdx.x == 0)
        down<<<1, 32>>>(out, 1);
    if (threadIdx.x < 4)
        atomicAdd(&out[threadIdx.x], 7);
}
__global__ void kept(int *)
{
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
}

int main(int, char **argv)
{
    // clang-format off
    struct {
        const char *name;
        void (*start)(int *);
        int blocks;
    } known[] = {{"ordered", ordered, 1},     {"deep", deep, 1},       {"calls", calls, 1},
                 {"apart", apart, 2},         {"same", same, 2},       {"forgotten", forgotten, 1},
                 {"refused", refused, 1},     {"deeper", deeper, 1},   {"unknown", unknown, 1},
                 {"many", many, 40},          {"counted", counted, 40},
                 {"ignored", ignored, 40},
                 {"before", before, 1},       {"beside", beside, 1},   {"without_barrier", without_barrier, 1},
                 {"other", by_another_block, 2}, {"last", last_of_all, 1}, {"atomic", both_atomic, 1},
                 {"kept", kept, 1}};
    // clang-format on
    int *d, h[64], few = 0;
    for (auto &k : known)
        few |= !strcmp(argv[1], k.name) && k.blocks == 40;
    if (few)
        cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 5); // a device allows at least 32
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    for (auto &k : known)
        if (!strcmp(argv[1], k.name))
            k.start<<<k.blocks, few ? 1 : 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %d\n", h[0], h[1], h[2], h[3], h[4]);
    return cudaFree(d);
}
