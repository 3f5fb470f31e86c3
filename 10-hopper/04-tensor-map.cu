// Hopper, step 4: boxes of a matrix, by a tensor map.
//
// In step 6 of chapter 8 each thread computed the addresses of its words of the tile, and tested
// each against the image's edges. A tensor map knows the image: one thread names the corner of a
// box, the copy engine computes all addresses, and brings zeros from beyond the border. It also
// swizzles the quads of a row, in place of padding, so that lanes may read down a column. Each
// thread makes 16 outputs of a row from words in its registers. Copies store the outputs, in whole
// quads; only the last words of a row, fewer than 4, are stored by threads.
//
// Passes when bulk copies load and store the image, and no shared access is split: bulk_load_bytes
// >= 4*n*n, bulk_store_bytes >= 3.9*n*n, global_load_requests <= n, shared_excess == 0.
//
//     ctest --test-dir build -R 10-hopper.04
#include "convolution.h"
#include "device/tensor_map.h"

#define SIDE 64    // rows of a tile of outputs, and columns
#define ROWS 96    // of a strip in shared memory: SIDE + 2 * MOST_RADIUS, rounded up to 8
#define STRIPS 3   // of 32 words: the tile and 16 columns on either side
#define OUTPUTS 16 // of a thread
#define THREADS (SIDE * SIDE / OUTPUTS)

__constant__ float weights[MOST_TAPS][MOST_TAPS + 2]; // by rows, filled up with zeros on either side

// Quad q of row y of the tile: there the copy engine puts it.
__device__ float4 *quad_of(float4 tile[STRIPS][ROWS][8], int y, int q)
{
    return &tile[q / 8][y][q % 8 ^ y % 8];
}

// Sums of 16 outputs of row y, from quad q on. REACH is the radius, rounded up to a multiple of 4.
template <int REACH>
__device__ void add_products(float sum[OUTPUTS], float4 tile[STRIPS][ROWS][8], int y, int q, int taps)
{
    for (int j = 0; j < taps; j++) {
        float word[OUTPUTS + 2 * REACH];
#pragma unroll
        for (int k = 0; k < OUTPUTS + 2 * REACH; k += 4)
            *(float4 *)&word[k] = *quad_of(tile, y + j, q + k / 4);
#pragma unroll
        for (int k = 0; k <= 2 * REACH; k++)
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++)
                sum[i] += weights[j][k] * word[i + k];
    }
}

// Stores those of the sums, from (row, column) on, that lie after the row's last whole quad: a copy
// that stores them would also store the padding.
__device__ void store_last_words(float *out, struct plane p, int row, int column, const float sum[OUTPUTS])
{
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++)
        if (column + i >= p.width / 4 * 4 && column + i < p.width && row < p.height)
            out[(size_t)row * p.out_pitch + column + i] = sum[i];
}

template <int REACH>
__global__ void __launch_bounds__(THREADS) filter_tile(float *out, const __grid_constant__ CUtensorMap to,
                                                       const __grid_constant__ CUtensorMap in, struct plane p)
{
    __shared__ __align__(1024) float4 tile[STRIPS][ROWS][8];
    __shared__ mbarrier full;
    int tid = threadIdx.x, y = tid % SIDE, q = tid / SIDE * OUTPUTS / 4;
    int top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
    float sum[OUTPUTS] = {};
    if (tid == 0) {
        mbarrier_init(&full, 1);
        mbarrier_init_fence();
    }
    __syncthreads();

    // TODO: Let thread 0 arrive at full, expecting the bytes of all strips. Let it load each strip
    // with box_load: SIDE + 2 * p.radius rows of 128 bytes, from row top - p.radius on. The first
    // one begins in column left - REACH. Then let all threads wait for the phase.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    add_products<REACH>(sum, tile, y, q, 2 * p.radius + 1);
    __syncthreads(); // after all reads of what the sums overwrite
    for (int k = 0; k < OUTPUTS; k += 4)
        *quad_of(tile, y, q + k / 4) = *(float4 *)&sum[k];
    store_last_words(out, p, top + y, left + 4 * q, sum);
    if (p.width < 4)
        return; // not a whole quad

    // TODO: Make the sums visible to the copy engine, in the thread that stored them. Then thread 0
    // stores the first two strips with box_store, and waits until they have been read.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

template <int REACH> static void launch(float *d_out, const float *d_in, const float *d_filter, struct plane p)
{
    CUtensorMap in = map_of_floats(d_in, p.height, p.width, p.in_pitch, SIDE + 2 * p.radius);
    CUtensorMap out = map_of_floats(d_out, p.height, max(4, p.width / 4 * 4), p.out_pitch, SIDE);
    size_t row = (2 * p.radius + 1) * sizeof(float);
    float *to;
    check_cuda(cudaGetSymbolAddress((void **)&to, weights));
    check_cuda(cudaMemsetAsync(to, 0, sizeof weights));
    check_cuda(cudaMemcpy2DAsync(to + REACH - p.radius, sizeof weights[0], d_filter, row, row, 2 * p.radius + 1,
                                 cudaMemcpyDeviceToDevice));
    filter_tile<REACH><<<tiles_over(p, SIDE, SIDE), THREADS>>>(d_out, out, in, p);
    check_cuda(cudaGetLastError());
}

static void filter(float *d_out, const float *d_in, const float *d_filter, struct plane p)
{
    static void (*const with[])(float *, const float *, const float *, struct plane) = {launch<4>, launch<8>,
                                                                                        launch<12>, launch<16>};
    if (p.width > 0 && p.height > 0) // no map is empty
        with[(p.radius - 1) / 4](d_out, d_in, d_filter, p);
}

int main(int argc, char **argv)
{
    return image_main(argc, argv, filter);
}
