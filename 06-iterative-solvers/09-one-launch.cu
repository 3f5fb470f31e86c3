// Iterative solvers, step 9: the whole loop on the device.
//
// A sweep over a small grid takes less time than its launch, and the host waits for every test.
// Here one launch does everything: its blocks all run at the same time and wait for each other
// between two sweeps. The second way is a graph: launches up to a test, recorded once and replayed.
//
// Passes with the predicted number of sweeps, launches == 1 and host_reads == 0.
//
//     ctest --test-dir build -R 06-iterative-solvers.09
#include "solvers_09.h"
#include "device/replay.h" // add_squares, is_over: from step 4; begin_replay, test_ends

#define BLOCK 512 // threads per block

// new_x = x after a sweep, for cells first, first + stride, ... of the grid, row by row. Adds the
// squares of what it changes to *sum, if that is not NULL. For all threads of a block.
__device__ void sweep_cells(float *new_x, const float *x, float *sum, struct grid g, int first, int stride)
{
    float squares = 0;
    for (int i = first; i < g.width * g.height; i += stride) {
        int row = i / g.width, column = i % g.width; // one cell at a time: a small grid stays in L2
        const float *at = x + cell(g, row, column);
        float to = on_border(g, row, column) ? *at : average(at[-1], at[1], at[-g.pitch], at[g.pitch]);
        new_x[at - x] = to;
        squares += (to - *at) * (to - *at);
    }
    if (sum) // the same for all threads
        add_squares(sum, squares);
}

// Sweeps until the test of *out ends the loop. Stores the outcome there. The sums are 0 at first.
__global__ void all_sweeps(float *x, float *new_x, float *sums, struct grid g, struct stop *out)
{
    int id = blockIdx.x * BLOCK + threadIdx.x, over = 0;
    struct stop stop = *out;
    for (stop.sweeps = 1; !over && stop.sweeps <= stop.most; stop.sweeps++) {
        int test = stop.sweeps % stop.every == 0, turn = stop.sweeps / stop.every % 2;
        sweep_cells(new_x, x, test ? &sums[turn] : NULL, g, id, gridDim.x * BLOCK);
        // TODO: Let all blocks of the grid wait for each other. At a test, set over to the result
        // of is_over for sums[turn]. One thread sets the other sum to 0 for the next test, and
        // stores stop in *out at the end.
#define TODO_OPEN // delete this line when the TODO is done
        // END TODO
        float *swap = x;
        x = new_x;
        new_x = swap;
    }
}

// One launch: as many blocks as there is work for, but no more than can run at the same time.
static float *solve(float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop)
{
    int blocks = min(ceil_div(g.width * g.height, BLOCK), resident_blocks((void *)all_sweeps, BLOCK));
    void *args[] = {&d_x, &d_new, &d_sums, &g, &d_stop};
    check_cuda(cudaMemsetAsync(d_sums, 0, 2 * sizeof *d_sums));
    check_cuda(cudaLaunchCooperativeKernel((void *)all_sweeps, blocks, BLOCK, args, 0, 0));
    return d_x; // every is even
}

__global__ void sweep(float *new_x, const float *x, float *sum, struct grid g)
{
    sweep_cells(new_x, x, sum, g, blockIdx.x * BLOCK + threadIdx.x, gridDim.x * BLOCK);
}

// The same by a graph of the sweeps up to a test, launched until the loop ends.
static float *solve_by_graph(float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop)
{
    struct replay r = begin_replay(d_sums, d_stop); // stop and stream; graph and exec, NULL at first
    dim3 blocks(ceil_div(g.width * g.height, BLOCK));
    // TODO: Record into r.graph, on r.stream: set d_sums[0] to 0, then do r.stop.every sweeps, from
    // d_x to d_new and back. The last sweep adds to d_sums[0]. Instantiate the graph once, as
    // r.exec. Launch it on r.stream, again and again, until test_ends(&r).
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    end_replay(&r, d_stop);
    return r.stop.sweeps % 2 ? d_new : d_x;
}

int main(int argc, char **argv)
{
    return loop_main(argc, argv, solve, solve_by_graph);
}
