// Convolution, step 8: a window in registers.
//
// In step 6 every product cost a load from shared memory. Here a thread takes four columns and
// walks down them. Of each row it loads the words that its four outputs need into registers, 16
// bytes at a time, and adds their products at once to the sums of all 2 r + 1 rows of outputs that
// need them. The topmost sum is then complete; the others move up. Neighbours' words come from the
// L1 cache: there is no shared memory and no barrier. Registers cannot be indexed at run time, so R
// is a template argument.
//
// Passes when a load serves many products, and all sums are in registers:
// global_load_requests <= 18*n*n/128, shared_load_requests == 0, local_bytes == 0.
//
//     ctest --test-dir build -R 08-convolution.08
#include "convolution.h"

#define THREADS 128 // of a block, four columns each

__constant__ float weights[MOST_TAPS * MOST_TAPS]; // (2 R + 1) x (2 R + 1), by rows

// The words of a row from column - REACH to column + 3 + REACH; both are multiples of 4.
template <int REACH> __device__ void load_window(float *window, const float *in, struct plane p, int row, int column)
{
#pragma unroll
    for (int q = 0; q < 2 * REACH + 4; q += 4)
        *(float4 *)&window[q] = quad_or_zero(in, p, row, column - REACH + q);
}

// The window's row is the last that the first of the 2 R + 1 rows of sums needs, and the first that
// the last one needs. The thread walks down (STEP is 1), or up (-1).
template <int R, int REACH, int STEP> __device__ void add_products(float sum[2 * R + 1][4], const float *window)
{
    // TODO: Add the products of this row to the four sums of each row j. Which row of the filter
    // applies there? If the thread walks up, it is row j. Word window[REACH + c + d] is d
    // columns from output c. Unroll all loops: sum and window stay in registers only if all
    // their indices are known.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// Four outputs in each of these rows, first, first + STEP, ...
template <int R, int STEP>
__device__ void walk(float *out, const float *in, struct plane p, int column, int first, int rows)
{
    const int REACH = (R + 3) / 4 * 4, AHEAD = R < 4 ? 2 : 1; // rows in flight together
    float sum[2 * R + 1][4] = {};
    for (int i = -R; i < rows + R; i += AHEAD) {
        float window[AHEAD][2 * REACH + 4];
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            load_window<REACH>(window[a], in, p, first + STEP * (i + a), column);
        for (int a = 0; a < AHEAD && R < 4; a++) // larger filters wait for products, not for words
            prefetch(in, p, first + STEP * (i + AHEAD + a), column);
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            add_products<R, REACH, STEP>(sum, window[a]);
            // TODO: The first row of sums is complete: output number i + a - R of the thread. Store
            // it, if it exists, as row first + STEP * (i + a - R). Then move all rows of sums up,
            // and let the last one start at 0.
#define TODO_OPEN // delete this line when the TODO is done
            // END TODO
        }
    }
}

// A strip of so many rows. Neighbouring strips are walked towards one another, or away: they read
// the rows that both need at about the same time, and the second finds them in the L2 cache.
template <int R>
__global__ void __launch_bounds__(THREADS) filter_strip(float *out, const float *in, struct plane p, int strip)
{
    int column = 4 * (blockIdx.x * THREADS + threadIdx.x);
    int top = blockIdx.y * strip, rows = min(strip, p.height - top);
    if (column >= p.width)
        return;
    if (blockIdx.y % 2 == 0)
        walk<R, 1>(out, in, p, column, top, rows);
    else
        walk<R, -1>(out, in, p, column, top + rows - 1, rows);
}

// Filters with one of a few radii, so that there are few kernels: a smaller filter is padded with
// rows and columns of zeros.
template <int R> static void launch(float *d_out, const float *d_in, const float *d_filter, struct plane p)
{
    float *to;
    size_t row = (2 * p.radius + 1) * sizeof *to, pitch = (2 * R + 1) * sizeof *to;
    check_cuda(cudaGetSymbolAddress((void **)&to, weights));
    if (p.radius < R)
        check_cuda(cudaMemsetAsync(to, 0, (2 * R + 1) * pitch));
    to += (R - p.radius) * (2 * R + 2);
    check_cuda(cudaMemcpy2DAsync(to, pitch, d_filter, row, row, 2 * p.radius + 1, cudaMemcpyDeviceToDevice));
    int strip = R < 4 ? strip_rows(p, 4 * THREADS, 16, 8, 24) : strip_rows(p, 4 * THREADS, 4, 16, 64);
    filter_strip<R><<<tiles_over(p, 4 * THREADS, strip), THREADS>>>(d_out, d_in, p, strip);
    check_cuda(cudaGetLastError());
}

static void filter(float *d_out, const float *d_in, const float *d_filter, struct plane p)
{
    static void (*const with[])(float *, const float *, const float *, struct plane) = {
        launch<1>,  launch<1>,  launch<2>,  launch<3>,  launch<5>,  launch<5>,  launch<7>,  launch<7>,
        launch<10>, launch<10>, launch<10>, launch<15>, launch<15>, launch<15>, launch<15>, launch<15>};
    with[p.radius](d_out, d_in, d_filter, p);
}

int main(int argc, char **argv)
{
    return image_main(argc, argv, filter);
}
