// Convolution, step 7: rows, then columns.
//
// A separable filter is the product of a column and a row, as a Gaussian is. Then the sums can be
// made one after the other: first along rows, into an image in between, then along its columns.
// That is 2 (2 r + 1) products for each output in place of (2 r + 1)^2: 30 in place of 225 for r =
// 7. The price is a second trip through global memory. In both passes the lanes of a warp are
// neighbours in a row: a pass down a column is coalesced as well.
//
// Passes when flops <= 70*n*n, global_load_requests <= 3*n*n/32, global_load_sectors <=
// 5.5*global_load_requests.
//
//     ctest --test-dir build -R 08-convolution.07
#include "convolution.h"

#define LANES 32  // threads of a block along x
#define ROWS 8    // and along y
#define WIDTH 128 // outputs of a tile in a row, in the pass along rows; ROWS rows of them
#define HEIGHT 64 // outputs of a tile in a column, in the pass along columns; LANES columns of them

__constant__ float weights[2 * MOST_TAPS]; // 2 radius + 1 of the row, then as many of the column

// out = the sums along the rows of in.
__global__ void filter_rows(float *out, const float *in, struct plane p)
{
    int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * WIDTH, row = blockIdx.y * ROWS + ty;

    __shared__ float tile[ROWS][WIDTH + 2 * MOST_RADIUS];
    for (int x = tx; x < WIDTH + 2 * p.radius; x += LANES)
        tile[ty][x] = word_or_zero(in, p, row, left + x - p.radius);
    __syncthreads();
    for (int x = tx; x < WIDTH && left + x < p.width && row < p.height; x += LANES) {
        float sum = 0;
        for (int k = 0; k <= 2 * p.radius; k++)
            sum += weights[k] * tile[ty][x + k];
        out[(size_t)row * p.out_pitch + left + x] = sum;
    }
}

// out = the sums along the columns of in.
__global__ void filter_columns(float *out, const float *in, struct plane p)
{
    // TODO: The same down the columns. The tile has LANES columns, which need no halo, and HEIGHT
    // rows with a halo above and below. A thread loads every ROWS-th word of column threadIdx.x,
    // and makes every ROWS-th of its outputs.
    int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * HEIGHT, column = blockIdx.x * LANES + tx;
    const float *column_weights = weights + 2 * p.radius + 1;
    __shared__ float tile[HEIGHT + 2 * MOST_RADIUS][LANES];
    for (int y = ty; y < HEIGHT + 2 * p.radius; y += ROWS)
        tile[y][tx] = word_or_zero(in, p, top + y - p.radius, column);
    __syncthreads();
    for (int y = ty; y < HEIGHT && top + y < p.height && column < p.width; y += ROWS) {
        float sum = 0;
        for (int j = 0; j <= 2 * p.radius; j++)
            sum += column_weights[j] * tile[y + j][tx];
        out[(size_t)(top + y) * p.out_pitch + column] = sum;
    }
    // END TODO
}

static void filter(float *d_out, float *d_scratch, const float *d_in, const float *d_filter, struct plane p)
{
    dim3 block(LANES, ROWS);
    size_t bytes = 2 * (2 * p.radius + 1) * sizeof *weights;
    check_cuda(cudaMemcpyToSymbol(weights, d_filter, bytes, 0, cudaMemcpyDeviceToDevice));
    filter_rows<<<tiles_over(p, WIDTH, ROWS), block>>>(d_scratch, d_in, p);
    p.in_pitch = p.out_pitch; // the scratch image has the pitch of the output
    filter_columns<<<tiles_over(p, LANES, HEIGHT), block>>>(d_out, d_scratch, p);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return separable_main(argc, argv, filter);
}
