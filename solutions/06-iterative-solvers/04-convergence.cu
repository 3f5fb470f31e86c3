// Iterative solvers, step 4: when to stop.
//
// In step 3 the number of sweeps was fixed in advance. Here the program finds it: a sweep computes
// the residual of the x that it reads, f - A x. Every few sweeps its squared norm is reduced on the
// device, and one float goes to the host, for which the device waits. An iteration that diverges is
// detected and stopped too.
//
// Passes with one host read per test, and a test every stop->every sweeps:
// host_reads >= 2, host_reads <= 4.
//
//     ctest --test-dir build -R 06-iterative-solvers.04
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

// new_x = x after a Jacobi sweep, for n rows, a warp each; row i of A begins at a[i * pitch]. Where
// sum is not NULL, the squared residuals of x are added to it.
__global__ void sweep(float *new_x, float *sum, const float *x, const float *a, const float *f, int n, int pitch)
{
    int warp = threadIdx.x / WARP, i = blockIdx.x * (BLOCK / WARP) + warp;
    float residual = i < n ? f[i] - row_times(a + (size_t)i * pitch, x, n) : 0; // the same for all lanes
    if (i < n && threadIdx.x % WARP == 0)
        new_x[i] = x[i] + residual / a[(size_t)i * pitch + i];
    if (sum == NULL) // the same for all threads
        return;
    // TODO: Add the squares of the block's residuals, one per warp, to *sum by one atomicAdd.
    __shared__ float squares[BLOCK / WARP];
    if (threadIdx.x % WARP == 0)
        squares[warp] = residual * residual;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < BLOCK / WARP; w++)
            squares[0] += squares[w];
        atomicAdd(sum, squares[0]);
    }
    // END TODO
}

// Sweeps from d_x to d_new and back until a test ends the loop. Returns the array with x.
static float *solve(float *d_x, float *d_new, float *d_sum, const float *d_a, const float *d_f, int n, int pitch,
                    struct stop *stop)
{
    float sum = INFINITY; // of the residuals' squares, at the last test
    stop->diverged = stop->sweeps = 0;
    while (stop->sweeps < stop->most && !(sum <= stop->enough) && !stop->diverged) {
        int test = ++stop->sweeps % stop->every == 0;
        check_cuda(cudaMemsetAsync(d_sum, 0, sizeof *d_sum));
        sweep<<<max(1, ceil_div(n, BLOCK / WARP)), BLOCK>>>(d_new, test ? d_sum : NULL, d_x, d_a, d_f, n, pitch);
        check_cuda(cudaGetLastError());
        float *swap = d_x;
        d_x = d_new;
        d_new = swap;
        // TODO: At a test, copy the device's sum into sum. Store the first one in stop->first. Set
        // stop->diverged to 1 if sum is not finite, or more than 16 times stop->first.
        if (test) {
            check_cuda(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost)); // waits for the sweep
            stop->first = stop->sweeps == stop->every ? sum : stop->first;
            stop->diverged = !(sum <= 16 * stop->first && sum < INFINITY); // false for NaN: diverges
        }
        // END TODO
    }
    return d_x;
}

int main(int argc, char **argv)
{
    return converge_main(argc, argv, solve);
}
