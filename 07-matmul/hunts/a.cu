// Hunt 7/a: C = A B for A with n rows and k columns, B with k rows and n columns, by tiles
// in shared memory.
#include <stdio.h>
#include <stdlib.h>

#define TILE 16

__global__ void multiply(float *c, const float *a, const float *b, int n, int k)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;

    for (int first = 0; first < k; first += TILE) {
        a_tile[y][x] = row < n && first + x < k ? a[row * k + first + x] : 0;
        b_tile[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0;
        __syncthreads();
        for (int l = 0; l < TILE; l++)
            sum += a_tile[y][l] * b_tile[l][x];
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

static void matmul(float *c, const float *a, const float *b, int n, int k)
{
    size_t bytes = n * k * sizeof *a, product = n * n * sizeof *c;
    float *d_a, *d_b, *d_c;

    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, product);
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
    int tiles = (n + TILE - 1) / TILE;
    multiply<<<dim3(tiles, tiles), dim3(TILE, TILE)>>>(d_c, d_a, d_b, n, k);
    cudaMemcpy(c, d_c, product, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 40, k = argc > 2 ? atoi(argv[2]) : 16, wrong = 0;
    float *a = (float *)malloc(n * k * sizeof *a), *b = (float *)malloc(n * k * sizeof *b);
    float *c = (float *)malloc(n * n * sizeof *c);

    srand(1);
    for (int i = 0; i < n * k; i++) {
        a[i] = rand() % 10;
        b[i] = rand() % 10;
    }
    matmul(c, a, b, n, k);
    for (int i = 0; i < n * n; i++) {
        float sum = 0;
        for (int l = 0; l < k; l++)
            sum += a[i / n * k + l] * b[l * n + i % n];
        wrong += !(c[i] == sum);
    }
    free(a);
    free(b);
    free(c);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
