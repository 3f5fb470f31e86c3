// Project 8, a solution that reaches level 3: rows, then columns, both in one block. A block loads the part of the
// input that its outputs need, once; between the two passes its words stay in shared memory.
#include "projects/resize.h"

#define WIDTH 32 // outputs of a block in a row: a warp
#define HEIGHT 8 // and rows of them
#define IN_WIDTH (WIDTH * MOST_STEP + TAPS)
#define IN_HEIGHT (HEIGHT * MOST_STEP + TAPS)

__constant__ float weights[MOST_UP * TAPS];

__global__ void resize_tiles(float *out, const float *in, struct sizes s)
{
    __shared__ float tile[IN_HEIGHT][IN_WIDTH], rows[IN_HEIGHT][WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * WIDTH + tx, y = blockIdx.y * HEIGHT + ty;
    int left = blockIdx.x * WIDTH * s.down / s.up - TAPS / 2 + 1,
        top = blockIdx.y * HEIGHT * s.down / s.up - TAPS / 2 + 1;
    int wide = (WIDTH - 1) * s.down / s.up + TAPS + 1, high = (HEIGHT - 1) * s.down / s.up + TAPS + 1;
    int column = x * s.down / s.up - TAPS / 2 + 1 - left, row = y * s.down / s.up - TAPS / 2 + 1 - top;
    const float *across = weights + x * s.down % s.up * TAPS, *downwards = weights + y * s.down % s.up * TAPS;
    float sum = 0;

    for (int r = ty; r < high; r += HEIGHT)
        for (int c = tx; c < wide; c += WIDTH) {
            int from_row = min(max(top + r, 0), s.height - 1), from = min(max(left + c, 0), s.width - 1);
            tile[r][c] = in[(size_t)from_row * s.width + from];
        }
    __syncthreads();
    for (int r = ty; r < high; r += HEIGHT) {
        float part = 0;
        for (int k = 0; k < TAPS; k++)
            part += across[k] * tile[r][column + k];
        rows[r][tx] = part;
    }
    __syncthreads();
    for (int k = 0; k < TAPS; k++)
        sum += downwards[k] * rows[row + k][tx];
    if (x < s.out_width && y < s.out_height)
        out[(size_t)y * s.out_width + x] = sum;
}

void resize(float *d_out, const float *d_in, const float *d_weights, struct sizes s)
{
    dim3 blocks((s.out_width + WIDTH - 1) / WIDTH, (s.out_height + HEIGHT - 1) / HEIGHT);
    size_t bytes = s.up * TAPS * sizeof *d_weights;

    check_cuda(cudaMemcpyToSymbol(weights, d_weights, bytes, 0, cudaMemcpyDeviceToDevice));
    resize_tiles<<<blocks, dim3(WIDTH, HEIGHT)>>>(d_out, d_in, s);
    check_cuda(cudaGetLastError());
}
