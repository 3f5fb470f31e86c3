// Iterative solvers, step 9: the whole loop on the device.
//
// Small grids: a sweep takes less time than its launch, and the host waits for every test. Here one
// launch does everything: its blocks all run at the same time and wait for each other between two
// sweeps. The second way is a graph: the launches up to a test are recorded once, and then launched
// as a whole. Sweep and sum are those of steps 6 and 4, in common/device/strips.h.
//
// Passes with one launch, no copy to the host, and as many sweeps as are forecast:
// launches == 1, host_reads == 0.
//
//     ctest --test-dir build -R 06-iterative-solvers.09
#include "solvers_loop.h"
#include "device/strips.h"
#include <cooperative_groups.h>

#define BLOCK 128 // threads per block, a multiple of WARP

// Sweeps until the test of *out ends the loop, and stores there what came out.
// The sums are 0 at first.
__global__ void all_sweeps(float *x, float *new_x, float *sums, struct grid g, struct stop *out)
{
    int id = blockIdx.x * BLOCK + threadIdx.x, warps = gridDim.x * (BLOCK / WARP), over = 0;
    struct stop stop = *out;
    for (stop.sweeps = 1; !over && stop.sweeps <= stop.most; stop.sweeps++) {
        int test = stop.sweeps % stop.every == 0, turn = stop.sweeps / stop.every % 2;
        for (int strip = id / WARP; strip < strips_of(g); strip += warps)
            sweep_strip(new_x, x, test ? &sums[turn] : NULL, g, strip);
        // TODO: Let all blocks of the grid wait for each other. At a test set over to what is_over
        // returns for sums[turn]. One thread sets the other sum to 0 for the next test, and at the
        // end stores sweeps and diverged in *out.
        cooperative_groups::this_grid().sync();
        if (test) {
            over = is_over(&stop, sums[turn]);
            if (id == 0)
                sums[1 - turn] = 0; // last read before the sync above, next used after the one that follows
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

// One launch: as many blocks as there is work for, but no more than can run at the same time.
static float *solve(float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop)
{
    int blocks = 0, processors = 0, device = 0, wanted = max(1, ceil_div(strips_of(g), BLOCK / WARP));
    void *args[] = {&d_x, &d_new, &d_sums, &g, &d_stop};
    check_cuda(cudaMemsetAsync(d_sums, 0, 2 * sizeof *d_sums));
    check_cuda(cudaGetDevice(&device));
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, all_sweeps, BLOCK, 0));
    check_cuda(cudaLaunchCooperativeKernel((void *)all_sweeps, min(wanted, blocks * processors), BLOCK, args, 0, 0));
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
    dim3 blocks(max(1, ceil_div(strips_of(g), BLOCK / WARP)));
    struct stop stop;
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    check_cuda(cudaMemcpy(&stop, d_stop, sizeof stop, cudaMemcpyDeviceToHost));
    check_cuda(cudaStreamCreate(&stream));
    // TODO: Record the following on the stream, without running it: d_sums[0] is set to 0; then
    // stop.every sweeps go from d_x to d_new and back, of which the last one adds to d_sums[0]. End
    // the recording into graph.
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    check_cuda(cudaMemsetAsync(d_sums, 0, sizeof *d_sums, stream));
    for (int k = 1; k <= stop.every; k++) {
        float *to = k % 2 ? d_new : d_x, *from = k % 2 ? d_x : d_new;
        sweep<<<blocks, BLOCK, 0, stream>>>(to, from, k == stop.every ? d_sums : NULL, g);
        check_cuda(cudaGetLastError());
    }
    check_cuda(cudaStreamEndCapture(stream, &graph));
    // END TODO
    if (graph)
        replay(graph, stream, d_sums, &stop, d_stop);
    return stop.sweeps % 2 ? d_new : d_x;
}

int main(int argc, char **argv)
{
    return loop_main(argc, argv, solve, solve_by_graph);
}
