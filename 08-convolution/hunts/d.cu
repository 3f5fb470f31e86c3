// Hunt 8/d: a signal, filtered with weights for the value itself and the TAPS - 1 before it. A
// lane gets these from the lanes below it.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128
#define TAPS 4

__global__ void filter(int *out, const int *in, int n, int4 weights)
{
    const int w[TAPS] = {weights.x, weights.y, weights.z, weights.w};
    int i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x % 32;

    if (i < n) {
        unsigned int lanes = __activemask();
        int here = in[i], sum = w[0] * here;
        for (int k = 1; k < TAPS; k++) {
            int before = __shfl_up_sync(lanes, here, k);
            if (lane < k)
                before = i >= k ? in[i - k] : 0;
            sum += w[k] * before;
        }
        out[i] = sum;
    }
}

static void filter_all(int *out, const int *in, int n, int4 weights)
{
    int *d_in, *d_out;

    cudaMalloc(&d_in, n * sizeof *in);
    cudaMalloc(&d_out, n * sizeof *out);
    cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice);
    filter<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_out, d_in, n, weights);
    cudaMemcpy(out, d_out, n * sizeof *out, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500, seed = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
    int *in = (int *)malloc(n * sizeof *in), *out = (int *)malloc(n * sizeof *out);

    srand(seed);
    for (int i = 0; i < n; i++)
        in[i] = rand() % 1000;
    filter_all(out, in, n, make_int4(8, 4, 2, 1));
    for (int i = 0; i < n; i++) {
        int sum = 8 * in[i] + (i >= 1 ? 4 * in[i - 1] : 0) + (i >= 2 ? 2 * in[i - 2] : 0) + (i >= 3 ? in[i - 3] : 0);
        wrong += out[i] != sum;
    }
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
