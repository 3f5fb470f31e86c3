// Project 5, a solution that works and no more: a thread for each system, on a copy in global memory.
#include "projects/pivoting.h"

__device__ void swap_rows(float *a, float *x, int size, int i, int j)
{
    for (int c = 0; c < size; c++) {
        float word = a[i * size + c];
        a[i * size + c] = a[j * size + c];
        a[j * size + c] = word;
    }
    float word = x[i];
    x[i] = x[j];
    x[j] = word;
}

__global__ void solve_each(float *x, float *a, int size, int systems)
{
    int s = blockIdx.x * 64 + threadIdx.x;

    if (s >= systems)
        return;
    a += s * size * size;
    x += s * size;
    for (int c = 0; c < size; c++) {
        int pivot = c;
        for (int i = c + 1; i < size; i++)
            if (fabsf(a[i * size + c]) > fabsf(a[pivot * size + c]))
                pivot = i;
        swap_rows(a, x, size, c, pivot);
        for (int i = c + 1; i < size; i++) {
            float factor = a[i * size + c] / a[c * size + c];
            for (int j = c; j < size; j++)
                a[i * size + j] -= factor * a[c * size + j];
            x[i] -= factor * x[c];
        }
    }
    for (int c = size - 1; c >= 0; c--) {
        for (int j = c + 1; j < size; j++)
            x[c] -= a[c * size + j] * x[j];
        x[c] /= a[c * size + c];
    }
}

void solve_batch(float *d_x, const float *d_a, const float *d_b, int size, int systems)
{
    float *d_copy;
    size_t bytes = (size_t)size * systems * sizeof *d_x;

    if (systems == 0)
        return;
    check_cuda(cudaMalloc(&d_copy, bytes * size));
    check_cuda(cudaMemcpy(d_copy, d_a, bytes * size, cudaMemcpyDeviceToDevice));
    check_cuda(cudaMemcpy(d_x, d_b, bytes, cudaMemcpyDeviceToDevice));
    solve_each<<<systems / 64 + 1, 64>>>(d_x, d_copy, size, systems);
    check_cuda(cudaGetLastError());
    check_cuda(cudaFree(d_copy));
}
