// Convolution, step 7: rows, then columns.
//
// A separable filter is the product of a column and a row, as a Gaussian is. Then the sums can be
// taken in sequence: first along the rows, into an intermediate image, then along its columns. That
// is 2 (2 r + 1) products for each output instead of (2 r + 1)^2: 30 instead of 225 for r = 7. The
// price is a second trip through global memory, so threads load and store 16 bytes, four outputs in
// a row. Lanes are neighbours in a row in the pass down a column as well: coalesced.
//
// Passes when flops <= 76*n*n, global_load_requests <= 4*n*n/32, global_load_sectors <= 7*n*n/8.
//
//     ctest --test-dir build -R 08-convolution.07
#include "convolution.h"

#define THREADS 128 // of a block in the pass along rows
#define LANES 16    // of a block along x, in the pass along columns
#define ROWS 8      // and along y
#define OUTPUTS 4   // of each of them in a column; and everywhere four columns

__constant__ float weights[2][MOST_TAPS + 2]; // of the row, then of the column

__device__ void add_product(float4 *sum, float weight, float4 word)
{
    sum->x += weight * word.x;
    sum->y += weight * word.y;
    sum->z += weight * word.z;
    sum->w += weight * word.w;
}

// out = the sums along the rows of in. The words that a thread needs from its neighbours come from
// the L1 cache. REACH is the radius, or up to 3 more: a multiple of 4: words come in fours.
template <int REACH> __global__ void filter_rows(float *out, const float *in, struct plane p)
{
    int row = blockIdx.y, column = 4 * (blockIdx.x * THREADS + threadIdx.x);
    float word[2 * REACH + 4];
    if (column >= p.width)
        return;
#pragma unroll
    for (int q = 0; q < 2 * REACH + 4; q += 4)
        *(float4 *)&word[q] = quad_or_zero(in, p, row, column - REACH + q);
    float4 sum = {};
#pragma unroll
    for (int k = 0; k <= 2 * REACH; k++)
        add_product(&sum, weights[0][k], make_float4(word[k], word[k + 1], word[k + 2], word[k + 3]));
    store_quad(out, p.out_pitch, row, column, p.height, p.width, sum);
}

// out = the sums along the columns of in.
template <int REACH> __global__ void filter_columns(float *out, const float *in, struct plane p)
{
    // TODO: Do the same down the columns. The tile has LANES quads in a row, which need no halo,
    // and ROWS * OUTPUTS rows with REACH more above and below. Load every ROWS-th quad of the
    // thread's column with quad_or_zero. Compute OUTPUTS quads, one below the other, from number
    // threadIdx.y * OUTPUTS of the tile on. Store each with store_quad.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

template <int REACH>
static void launch(float *d_out, float *d_scratch, const float *d_in, const float *d_filter, struct plane p)
{
    float *to;
    size_t bytes = (2 * p.radius + 1) * sizeof *to;
    check_cuda(cudaGetSymbolAddress((void **)&to, weights));
    check_cuda(cudaMemsetAsync(to, 0, sizeof weights));
    to += REACH - p.radius;
    check_cuda(cudaMemcpy2DAsync(to, sizeof weights[0], d_filter, bytes, bytes, 2, cudaMemcpyDeviceToDevice));
    filter_rows<REACH><<<tiles_over(p, 4 * THREADS, 1), THREADS>>>(d_scratch, d_in, p);
    p.in_pitch = p.out_pitch; // the scratch image has the pitch of the output
    filter_columns<REACH><<<tiles_over(p, 4 * LANES, ROWS * OUTPUTS), dim3(LANES, ROWS)>>>(d_out, d_scratch, p);
    check_cuda(cudaGetLastError());
}

// A kernel takes 2 REACH + 1 weights, those beyond the radius 0, so that there are few kernels.
static void filter(float *d_out, float *d_scratch, const float *d_in, const float *d_filter, struct plane p)
{
    switch (ceil_div(p.radius, 4)) {
    case 1: return launch<4>(d_out, d_scratch, d_in, d_filter, p);
    case 2: return launch<8>(d_out, d_scratch, d_in, d_filter, p);
    case 3: return launch<12>(d_out, d_scratch, d_in, d_filter, p);
    case 4: return launch<16>(d_out, d_scratch, d_in, d_filter, p);
    }
}

int main(int argc, char **argv)
{
    return separable_main(argc, argv, filter);
}
