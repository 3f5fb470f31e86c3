// Iterative solvers, step 9: the whole loop on the device.
//
// Small grids: a sweep takes less time than its launch, and the host waits for every test. Here one launch does it all:
// its blocks all run at the same time and wait for each other between two sweeps. And a second way: the launches up to
// a test are recorded once, as a graph, which is then launched as a whole.
//
// Passes with one launch, no copy to the host, and as many sweeps as are forecast.
//
//     ctest --test-dir build -R 06-iterative-solvers.09
#include "solvers_loop.h"
#include <cooperative_groups.h>

#define WARP 32
#define BLOCK 128 // threads per block, a multiple of WARP
#define ROWS 4    // of a strip; 128 columns wide, it is a warp's work

static __host__ __device__ int strips_of(struct grid g)
{
    return (g.width + 4 * WARP - 1) / (4 * WARP) * ((g.height + ROWS - 1) / ROWS);
}

// new_x = x after a sweep, in one strip. Adds up the squares of the changes in *sum, if that is not NULL.
__device__ void sweep_strip(float *new_x, const float *x, float *sum, struct grid g, int strip)
{
    int lane = threadIdx.x % WARP, across = (g.width + 4 * WARP - 1) / (4 * WARP);
    int column = 4 * (strip % across * WARP + lane), row = strip / across * ROWS, end = min(row + ROWS, g.height);
    int side = lane == 0 ? column - 1 : column + 4,
        has_side = (lane == 0 || lane == WARP - 1) && side >= 0 && side < g.width;
    float4 up = load_quad(x, g, row - 1, column), here = load_quad(x, g, row, column);
    float squares = 0;
    for (; row < end; row++) {
        float beside = has_side ? x[cell(g, row, side)] : 0;
        float west = __shfl_up_sync(0xffffffff, here.w, 1), east = __shfl_down_sync(0xffffffff, here.x, 1);
        float4 down = load_quad(x, g, row + 1, column);
        float4 to =
            new_quad(up, here, down, lane == 0 ? beside : west, lane == WARP - 1 ? beside : east, g, row, column);
        squares += change(here, to, g, column);
        if (column < g.width)
            *(float4 *)(new_x + cell(g, row, column)) = to;
        up = here;
        here = down;
    }
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        squares += __shfl_xor_sync(0xffffffff, squares, offset);
    if (sum && lane == 0)
        atomicAdd(sum, squares);
}

// After a test: is it over? Sets stop->diverged.
static __host__ __device__ int is_over(struct stop *stop, float sum, float first)
{
    stop->diverged = !(sum <= 16 * first && sum < INFINITY);
    return sum <= stop->enough || stop->diverged || stop->sweeps >= stop->most;
}

// Sweeps until *out says so, and tells there what came out. Both sums are 0 at first.
__global__ void all_sweeps(float *x, float *new_x, float *sums, struct grid g, struct stop *out)
{
    int id = blockIdx.x * BLOCK + threadIdx.x, warps = gridDim.x * (BLOCK / WARP), over = 0;
    struct stop stop = *out;
    float first = INFINITY;
    for (stop.sweeps = 1; !over; stop.sweeps++) {
        int test = stop.sweeps % stop.every == 0, turn = stop.sweeps / stop.every % 2;
        for (int strip = id / WARP; strip < strips_of(g); strip += warps)
            sweep_strip(new_x, x, test ? &sums[turn] : NULL, g, strip);
        // TODO: Let all blocks of the grid wait for each other. At a test look at sums[turn], note the first one in
        // first, and set over. One thread sets the other sum to 0 for the next test; when it is over, it puts sweeps
        // and diverged in *out.
        cooperative_groups::this_grid().sync();
        if (test) {
            first = stop.sweeps == stop.every ? sums[turn] : first;
            over = is_over(&stop, sums[turn], first);
            if (id == 0)
                sums[1 - turn] = 0; // last read before the sync above, next added to behind the one after
            if (id == 0 && over) {
                out->sweeps = stop.sweeps;
                out->diverged = stop.diverged;
            }
        }
        // END TODO
        float *swap = x;
        x = new_x;
        new_x = swap;
    }
}

static float *solve(float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop)
{
    int blocks = 0, processors = 0, device = 0, wanted = max(1, ceil_div(strips_of(g), BLOCK / WARP));
    void *args[] = {&d_x, &d_new, &d_sums, &g, &d_stop};
    check_cuda(cudaMemsetAsync(d_sums, 0, 2 * sizeof *d_sums));
    // TODO: Launch all_sweeps cooperatively, with wanted blocks, but no more than fit on the device at a time.
    check_cuda(cudaGetDevice(&device));
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, all_sweeps, BLOCK, 0));
    check_cuda(cudaLaunchCooperativeKernel((void *)all_sweeps, min(wanted, blocks * processors), BLOCK, args, 0, 0));
    // END TODO
    return d_x; // every is even
}

__global__ void sweep(float *new_x, const float *x, float *sum, struct grid g)
{
    int strip = (blockIdx.x * BLOCK + threadIdx.x) / WARP;
    if (strip < strips_of(g))
        sweep_strip(new_x, x, sum, g, strip);
}

// The same, by a graph of the sweeps up to a test.
static float *solve_by_graph(float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop)
{
    int blocks = max(1, ceil_div(strips_of(g), BLOCK / WARP));
    float sum = 0, first = INFINITY;
    struct stop stop;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    check_cuda(cudaMemcpy(&stop, d_stop, sizeof stop, cudaMemcpyDeviceToHost));
    check_cuda(cudaStreamCreate(&stream));
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    check_cuda(cudaMemsetAsync(d_sums, 0, sizeof *d_sums, stream));
    for (int k = 1; k <= stop.every; k++) {
        sweep<<<blocks, BLOCK, 0, stream>>>(k % 2 ? d_new : d_x, k % 2 ? d_x : d_new, k == stop.every ? d_sums : NULL,
                                            g);
        check_cuda(cudaGetLastError());
    }
    check_cuda(cudaStreamEndCapture(stream, &graph));
    check_cuda(cudaGraphInstantiate(&exec, graph, 0));
    stop.sweeps = 0;
    do {
        check_cuda(cudaGraphLaunch(exec, stream));
        check_cuda(cudaMemcpyAsync(&sum, d_sums, sizeof sum, cudaMemcpyDeviceToHost, stream));
        check_cuda(cudaStreamSynchronize(stream));
        stop.sweeps += stop.every;
        first = stop.sweeps == stop.every ? sum : first;
    } while (!is_over(&stop, sum, first));
    check_cuda(cudaGraphExecDestroy(exec));
    check_cuda(cudaGraphDestroy(graph));
    check_cuda(cudaStreamDestroy(stream));
    check_cuda(cudaMemcpy(d_stop, &stop, sizeof stop, cudaMemcpyHostToDevice));
    return d_x;
}

int main(int argc, char **argv)
{
    return loop_main(argc, argv, solve, solve_by_graph);
}
