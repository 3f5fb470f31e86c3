// Convolution, step 6: an image.
//
// Now the filter is a square, and the tile has a halo on four sides: (WIDTH + 2 r)(HEIGHT + 2 r)
// words for WIDTH x HEIGHT outputs. As in step 3 the block is the output tile; each thread computes
// several outputs of a column, so the tile can be larger than a block. The larger it is, the less
// the halo costs.
//
// Passes when a word is loaded about (WIDTH + 14)(HEIGHT + 14)/(WIDTH*HEIGHT) times:
// global_load_requests <= 5*n*n/32.
//
//     ctest --test-dir build -R 08-convolution.06
#include "convolution.h"

#define WIDTH 64  // outputs of a tile in a row, and threads of a block along x
#define HEIGHT 32 // rows of them
#define ROWS 8    // threads of a block along y

__constant__ float weights[MOST_TAPS * MOST_TAPS]; // (2 radius + 1) x (2 radius + 1), by rows

// The word at (row, column) of the input, 0 outside it.
__device__ float load(const float *in, struct plane p, int row, int column)
{
    bool inside = row >= 0 && row < p.height && column >= 0 && column < p.width;
    return inside ? in[(size_t)row * p.in_pitch + column] : 0;
}

// One tile of outputs per block, HEIGHT / ROWS outputs per thread.
__global__ void filter_tile(float *out, const float *in, struct plane p)
{
    // TODO: Declare a tile in shared memory, with room for the largest halo on four sides. Let the
    // block load it with load, ROWS rows and WIDTH columns at a time. Its word (0, 0) is radius
    // rows above and radius columns to the left of the first output. After a barrier, compute
    // outputs threadIdx.y, threadIdx.y + ROWS, ... of the thread's column, and store those that
    // the image has.
    int tx = threadIdx.x, ty = threadIdx.y, taps = 2 * p.radius + 1;
    int left = blockIdx.x * WIDTH, top = blockIdx.y * HEIGHT, column = left + tx;
    __shared__ float tile[HEIGHT + 2 * MOST_RADIUS][WIDTH + 2 * MOST_RADIUS];
    for (int y = ty; y < HEIGHT + 2 * p.radius; y += ROWS)
        for (int x = tx; x < WIDTH + 2 * p.radius; x += WIDTH)
            tile[y][x] = load(in, p, top + y - p.radius, left + x - p.radius);
    __syncthreads();
    for (int y = ty; y < HEIGHT && top + y < p.height && column < p.width; y += ROWS) {
        float sum = 0;
        for (int j = 0; j < taps; j++)
            for (int k = 0; k < taps; k++)
                sum += weights[j * taps + k] * tile[y + j][tx + k];
        out[(size_t)(top + y) * p.out_pitch + column] = sum;
    }
    // END TODO
}

static void filter(float *d_out, const float *d_in, const float *d_filter, struct plane p)
{
    size_t bytes = (2 * p.radius + 1) * (2 * p.radius + 1) * sizeof *weights;
    check_cuda(cudaMemcpyToSymbol(weights, d_filter, bytes, 0, cudaMemcpyDeviceToDevice));
    filter_tile<<<tiles_over(p, WIDTH, HEIGHT), dim3(WIDTH, ROWS)>>>(d_out, d_in, p);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return image_main(argc, argv, filter);
}
