// Project 7, a solution that works and no more: the whole table in memory, a launch for each of its diagonals.
#include "projects/alignment.h"

__global__ void fill_diagonal(int *table, const char *a, int m, const char *b, int n, int diagonal)
{
    int i = blockIdx.x * 256 + threadIdx.x, j = diagonal - i, row = n + 1;

    if (i > m || j < 0 || j > n)
        return;
    if (i == 0 || j == 0) {
        table[(size_t)i * row + j] = i + j;
        return;
    }
    int *up = table + (size_t)(i - 1) * row + j, best = min(up[0], up[row - 1]) + 1;
    up[row] = min(best, up[-1] + (a[i - 1] != b[j - 1]));
}

void align(int *d_distance, const char *d_a, int m, const char *d_b, int n)
{
    int *d_table;
    size_t cells = (size_t)(m + 1) * (n + 1);

    check_cuda(cudaMalloc(&d_table, cells * sizeof *d_table));
    for (int diagonal = 0; diagonal <= m + n; diagonal++)
        fill_diagonal<<<m / 256 + 1, 256>>>(d_table, d_a, m, d_b, n, diagonal);
    check_cuda(cudaGetLastError());
    check_cuda(cudaMemcpy(d_distance, d_table + cells - 1, sizeof *d_distance, cudaMemcpyDeviceToDevice));
    check_cuda(cudaFree(d_table));
}
