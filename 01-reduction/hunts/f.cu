// Hunt 1/f: the sum of n values, on two streams: one copies the second half while
// the other sums the first.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256

__global__ void add_all(int *sum, const int *in, int n)
{
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(sum, in[i]);
}

// in is page-locked; d_in has room for n values.
static int sum_halves(int *d_in, const int *in, int n)
{
    int sum = 0, half = n / 2, rest = n - half, *d_sum;
    cudaStream_t first, second;
    cudaEvent_t copied;

    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMemset(d_sum, 0, sizeof *d_sum);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(d_in, in, half * sizeof *in, cudaMemcpyHostToDevice, first);
    add_all<<<2, BLOCK, 0, first>>>(d_sum, d_in, half);
    cudaEventRecord(copied, second);
    cudaMemcpyAsync(d_in + half, in + half, rest * sizeof *in, cudaMemcpyHostToDevice, second);
    cudaStreamWaitEvent(first, copied, 0);
    add_all<<<2, BLOCK, 0, first>>>(d_sum, d_in + half, rest);
    cudaDeviceSynchronize();
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(d_sum);
    cudaEventDestroy(copied);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    return sum;
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, seed = argc > 2 ? atoi(argv[2]) : 1, sum = 0, got, *in, *d_in;

    cudaMallocHost(&in, n * sizeof *in);
    srand(seed);
    for (int i = 0; i < n; i++) {
        in[i] = rand() % 100;
        sum += in[i];
    }
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMemset(d_in, 0, n * sizeof *d_in);
    got = sum_halves(d_in, in, n);
    cudaFree(d_in);
    cudaFreeHost(in);
    puts(got == sum ? "PASSED" : "WRONG");
    return got != sum;
}
