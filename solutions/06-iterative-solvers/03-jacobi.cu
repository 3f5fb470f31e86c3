// Iterative solvers, step 3: Jacobi.
//
// Step 2 paid for its single alpha: it must be small enough for the row with the largest entries,
// and is far too small for the others. Jacobi divides each row's residual by the row's own
// diagonal: x' = B x + g, where B and g are never formed. The traffic of a sweep stays the same;
// fewer sweeps are needed.
//
// Passes with at most a third of the sweeps: launches >= 8, launches <= 15.
//
//     ctest --test-dir build -R 06-iterative-solvers.03
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
    return sum;
}

// new_x = x after a Jacobi sweep, for n rows, a warp each; row i of A begins at a[i * pitch].
__global__ void sweep(float *new_x, const float *x, const float *a, const float *f, int n, int pitch)
{
    int i = blockIdx.x * (BLOCK / WARP) + threadIdx.x / WARP;
    if (i >= n) // the same for all lanes
        return;

    // TODO: Compute (A x)_i by row_times, in all lanes of the warp. Let one lane store Jacobi's new
    // value in new_x[i]: x[i] plus the residual, f[i] - (A x)_i, divided by row i's diagonal. Note
    // that i * pitch may overflow an int.
    float sum = row_times(a + (size_t)i * pitch, x, n);
    if (threadIdx.x % WARP == 0)
        new_x[i] = x[i] + (f[i] - sum) / a[(size_t)i * pitch + i];
    // END TODO
}

// Runs the sweeps, from d_x to d_new and back. Returns the array that then holds x.
static float *solve(float *d_x, float *d_new, const float *d_a, const float *d_f, int n, int pitch, float /* alpha */,
                    int sweeps)
{
    for (int k = 0; k < sweeps; k++) {
        sweep<<<max(1, ceil_div(n, BLOCK / WARP)), BLOCK>>>(d_new, d_x, d_a, d_f, n, pitch);
        check_cuda(cudaGetLastError());
        float *swap = d_x;
        d_x = d_new;
        d_new = swap;
    }
    return d_x;
}

int main(int argc, char **argv)
{
    return jacobi_main(argc, argv, solve);
}
