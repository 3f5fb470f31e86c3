// Hunt 6/f: one Jacobi sweep in three dimensions. A thread goes down a column of PLANES cells and
// keeps the cells above and below in registers.
#include <stdio.h>
#include <stdlib.h>

#define SIDE 8
#define PLANES 8

// Cells outside are 0.
__global__ void sweep(int *out, const int *in, int nx, int ny, int nz)
{
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y, first = blockIdx.z * PLANES;
    int plane = nx * ny, cell = (first * ny + y) * nx + x, above, here, below;

    if (x >= nx || y >= ny)
        return;
    above = first > 0 ? in[cell - plane] : 0;
    here = in[cell];
    for (int z = first; z < first + PLANES; z++, cell += plane) {
        int left = x > 0 ? in[cell - 1] : 0, right = x < nx - 1 ? in[cell + 1] : 0;
        int back = y > 0 ? in[cell - nx] : 0, front = y < ny - 1 ? in[cell + nx] : 0;
        below = z < nz - 1 ? in[cell + plane] : 0;
        out[cell] = (above + below + left + right + back + front) / 6;
        above = here;
        here = below;
    }
}

static void solve(int *out, const int *in, int nx, int ny, int nz)
{
    size_t bytes = nx * ny * nz * sizeof *in;
    dim3 block(SIDE, SIDE), grid((nx + SIDE - 1) / SIDE, (ny + SIDE - 1) / SIDE, (nz + PLANES - 1) / PLANES);
    int *d_in, *d_out;

    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    sweep<<<grid, block>>>(d_out, d_in, nx, ny, nz);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int nx = argc > 1 ? atoi(argv[1]) : 20, ny = 10, nz = argc > 2 ? atoi(argv[2]) : 16, n = nx * ny * nz, wrong = 0;
    int *in = (int *)malloc(n * sizeof *in), *out = (int *)malloc(n * sizeof *in);

    srand(1);
    for (int i = 0; i < n; i++)
        in[i] = rand() % 1000;
    solve(out, in, nx, ny, nz);
    for (int i = 0; i < n; i++) {
        int x = i % nx, y = i / nx % ny, z = i / nx / ny;
        int sum = (x > 0 ? in[i - 1] : 0) + (x < nx - 1 ? in[i + 1] : 0) + (y > 0 ? in[i - nx] : 0) +
                  (y < ny - 1 ? in[i + nx] : 0) + (z > 0 ? in[i - nx * ny] : 0) + (z < nz - 1 ? in[i + nx * ny] : 0);
        wrong += out[i] != sum / 6;
    }
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
