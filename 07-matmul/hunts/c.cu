// Hunt 7/c: C = A B for an A that is a part of a larger matrix, as in BLAS: its rows are lda
// apart, and it has K columns. A thread loads four words of A at a time.
#include <stdio.h>
#include <stdlib.h>

#define K 16 // columns of A, rows of B
#define N 8  // columns of B and C

// A thread for each element of C; a block of N threads for each row.
__global__ void multiply(float *c, const float *a, int lda, const float *b)
{
    const float *row = a + blockIdx.x * lda, *column = b + threadIdx.x;
    float sum = 0;

    for (int l = 0; l < K; l += 4) {
        float4 quad = *(const float4 *)(row + l);
        sum += quad.x * column[l * N] + quad.y * column[(l + 1) * N];
        sum += quad.z * column[(l + 2) * N] + quad.w * column[(l + 3) * N];
    }
    c[blockIdx.x * N + threadIdx.x] = sum;
}

// A has the columns first, first + 1, ... of the larger matrix.
static void matmul(float *c, const float *matrix, int rows, int lda, int first, const float *b)
{
    float *d_matrix, *d_b, *d_c;

    cudaMalloc(&d_matrix, rows * lda * sizeof *matrix);
    cudaMalloc(&d_b, K * N * sizeof *b);
    cudaMalloc(&d_c, rows * N * sizeof *c);
    cudaMemcpy(d_matrix, matrix, rows * lda * sizeof *matrix, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, K * N * sizeof *b, cudaMemcpyHostToDevice);
    multiply<<<rows, N>>>(d_c, d_matrix + first, lda, d_b);
    cudaMemcpy(c, d_c, rows * N * sizeof *c, cudaMemcpyDeviceToHost);
    cudaFree(d_matrix);
    cudaFree(d_b);
    cudaFree(d_c);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int lda = argc > 1 ? atoi(argv[1]) : 64, first = argc > 2 ? atoi(argv[2]) : 16, rows = 20, wrong = 0;
    float *matrix = (float *)malloc(rows * lda * sizeof *matrix), b[K * N], c[20 * N];

    srand(1);
    for (int i = 0; i < rows * lda; i++)
        matrix[i] = rand() % 10;
    for (int i = 0; i < K * N; i++)
        b[i] = rand() % 10;
    matmul(c, matrix, rows, lda, first, b);
    for (int i = 0; i < rows * N; i++) {
        float sum = 0;
        for (int l = 0; l < K; l++)
            sum += matrix[i / N * lda + first + l] * b[l * N + i % N];
        wrong += !(c[i] == sum);
    }
    free(matrix);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
