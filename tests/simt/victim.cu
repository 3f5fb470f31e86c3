// A small program for hostile.c to damage: a block sum with a loop, a branch, shared memory, a constant and a printf.
// Exit 0: the calls succeeded, whatever the result, since a change of the PTX may change that; 1: a call failed.
#include <cstdio>

__constant__ int weights[4] = {1, 2, 3, 4};
__device__ int total;

__global__ void weigh(const int *in, int n)
{
    __shared__ int cache[64];
    int tid = threadIdx.x, sum = 0;

    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        sum += in[i] * weights[i % 4];
    cache[tid] = sum;
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (tid < stride)
            cache[tid] += cache[tid + stride];
        __syncthreads();
    }
    if (tid == 0 && atomicAdd(&total, cache[0]) < 0)
        printf("block %d: %d\n", blockIdx.x, cache[0]);
}

int main()
{
    int in[1000], result = 0, *d_in = NULL;
    cudaError_t e = cudaMalloc(&d_in, sizeof in);

    for (int i = 0; i < 1000; i++)
        in[i] = i % 7;
    if (!e)
        e = cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    if (!e) {
        weigh<<<4, 64>>>(d_in, 1000);
        e = cudaGetLastError();
    }
    if (!e)
        e = cudaMemcpyFromSymbol(&result, total, sizeof result);
    printf("%d, %s\n", result, cudaGetErrorString(e));
    return e != cudaSuccess;
}
