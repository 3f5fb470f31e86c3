// Iterative solvers, step 2: a warp per row.
//
// Step 1 paid for its 32 sectors per request: a request used 4 of a sector's 32 bytes. Here a warp
// computes a row. Neighbouring lanes read neighbouring quads of 16 bytes, and a reduction by
// shuffles adds up the lanes' sums.
//
// Passes when every word of A is loaded once per sweep: global_load_sectors <= launches*0.35*n*n.
//
//     ctest --test-dir build -R 06-iterative-solvers.02
#include "solvers_01_04.h"

#define BLOCK 256 // threads per block, a multiple of WARP
#define WARP 32
#define FLIGHT 4 // 16-byte loads of A that a lane has in flight

__device__ float dot(float4 a, float4 x)
{
    return a.x * x.x + a.y * x.y + (a.z * x.z + a.w * x.w);
}

// The dot product of row and x, in all lanes. Both begin at multiples of 16 bytes.
__device__ float row_times(const float *row, const float *x, int n)
{
    float sum = 0;
    // TODO: Let lane l add up the products of quads l, l + 32, l + 64, ... of the row and of x.
    // Load 16 bytes at a time, and keep FLIGHT loads of the row in flight. A quad is 4 words; n % 4
    // words are left over at the end. Reduce the lanes' sums with shuffles.
    const float4 *row4 = (const float4 *)row, *x4 = (const float4 *)x;
    int lane = threadIdx.x % WARP, quad = lane;
    for (; quad + (FLIGHT - 1) * WARP < n / 4; quad += FLIGHT * WARP) {
        float4 a[FLIGHT];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++)
            a[k] = __ldlu(&row4[quad + k * WARP]); // last use: evict first
#pragma unroll
        for (int k = 0; k < FLIGHT; k++)
            sum += dot(a[k], x4[quad + k * WARP]);
    }
    for (; quad < n / 4; quad += WARP)
        sum += dot(row4[quad], x4[quad]);
    if (n / 4 * 4 + lane < n)
        sum += row[n / 4 * 4 + lane] * x[n / 4 * 4 + lane];
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    // END TODO
    return sum;
}

// new_x = x + alpha (A x - f), for n rows, a warp each; row i of A begins at a[i * pitch].
__global__ void sweep(float *new_x, const float *x, const float *a, const float *f, int n, int pitch, float alpha)
{
    int i = blockIdx.x * (BLOCK / WARP) + threadIdx.x / WARP;
    if (i >= n) // the same for all lanes
        return;

    float sum = row_times(a + (size_t)i * pitch, x, n);
    if (threadIdx.x % WARP == 0)
        new_x[i] = x[i] + alpha * (sum - f[i]);
}

// Runs the sweeps, from d_x to d_new and back. Returns the array that then holds x.
static float *solve(float *d_x, float *d_new, const float *d_a, const float *d_f, int n, int pitch, float alpha,
                    int sweeps)
{
    for (int k = 0; k < sweeps; k++) {
        sweep<<<max(1, ceil_div(n, BLOCK / WARP)), BLOCK>>>(d_new, d_x, d_a, d_f, n, pitch, alpha);
        check_cuda(cudaGetLastError());
        float *swap = d_x;
        d_x = d_new;
        d_new = swap;
    }
    return d_x;
}

int main(int argc, char **argv)
{
    return simple_main(argc, argv, solve);
}
