// replay.h: for step 09 of chapter 06-iterative-solvers: the sum and the test of step 04, and the host's work before
// the recording of the graph, after each launch, and at the end. The step records, instantiates and launches the graph.
#pragma once

#include "device/launch.h"
#include "device/solvers_stopping.h"
#include <cooperative_groups.h> // for the step
#include <math.h>

// From step 04, where a warp has one residual, while here every lane has its own: adds the squares of all threads of
// the block to *sum, by one atomicAdd. All threads must call it; a block has at most 32 warps.
static inline __device__ void add_squares(float *sum, float squares)
{
    __shared__ float warps[32];
    for (int offset = 16; offset > 0; offset /= 2)
        squares += __shfl_xor_sync(0xffffffff, squares, offset);
    __syncthreads(); // after the last call's sum is read
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = squares;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < (int)blockDim.x / 32; w++)
            squares += warps[w];
        atomicAdd(sum, squares);
    }
}

// From step 04: does this test end the loop? Sets stop->diverged, and at the first test stop->first. Written so that a
// sum that is NaN counts as diverged.
static inline __host__ __device__ int is_over(struct stop *stop, float sum)
{
    stop->first = stop->sweeps == stop->every ? sum : stop->first;
    stop->diverged = !(sum <= 16 * stop->first && sum < INFINITY);
    return sum <= stop->enough || stop->diverged || stop->sweeps >= stop->most;
}

struct replay {
    const float *d_sum;   // what a test reads
    struct stop stop;     // a copy of the device's
    cudaStream_t stream;  // to record on, and to launch on
    cudaGraph_t graph;    // to be recorded; NULL at first
    cudaGraphExec_t exec; // the instantiated graph; NULL at first
};

static inline struct replay begin_replay(const float *d_sum, const struct stop *d_stop)
{
    struct replay r = {};
    r.d_sum = d_sum;
    check_cuda(cudaMemcpy(&r.stop, d_stop, sizeof r.stop, cudaMemcpyDeviceToHost));
    r.stop.sweeps = 0;
    check_cuda(cudaStreamCreate(&r.stream));
    return r;
}

// Waits for a launch of the graph, stop.every sweeps that leave their sum in *r->d_sum, and tests the sum, as in step
// 04. Returns whether the loop ends.
static inline int test_ends(struct replay *r)
{
    float sum = 0;
    check_cuda(cudaMemcpyAsync(&sum, r->d_sum, sizeof sum, cudaMemcpyDeviceToHost, r->stream));
    check_cuda(cudaStreamSynchronize(r->stream));
    r->stop.sweeps += r->stop.every;
    return is_over(&r->stop, sum);
}

// Stores the outcome in *d_stop, unless no sweep was tested.
static inline void end_replay(struct replay *r, struct stop *d_stop)
{
    if (r->stop.sweeps > 0)
        check_cuda(cudaMemcpy(d_stop, &r->stop, sizeof r->stop, cudaMemcpyHostToDevice));
    if (r->exec)
        check_cuda(cudaGraphExecDestroy(r->exec));
    if (r->graph)
        check_cuda(cudaGraphDestroy(r->graph));
    check_cuda(cudaStreamDestroy(r->stream));
}
