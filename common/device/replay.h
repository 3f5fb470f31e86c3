// replay.h: for step 09 of chapter 06-iterative-solvers: the sum and the test of step 04, and the host's loop around a
// graph: what comes before the recording, and what comes after it.
#ifndef DEVICE_REPLAY_H
#define DEVICE_REPLAY_H

#include "device/launch.h"
#include "device/stop.h"
#include <math.h>

// From step 04, where a warp has one residual and here every lane its own: adds the squares of all threads of the block
// to *sum, by one atomicAdd. For all threads; a block has at most 32 warps.
static inline __device__ void add_squares(float *sum, float squares)
{
    __shared__ float warps[32];
    for (int offset = 16; offset > 0; offset /= 2)
        squares += __shfl_xor_sync(0xffffffff, squares, offset);
    __syncthreads(); // the last call's sum is read
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
    struct stop stop;    // a copy of the device's
    cudaStream_t stream; // to record on
    cudaGraph_t graph;   // to be recorded; NULL at first
};

static inline struct replay begin_replay(const struct stop *d_stop)
{
    struct replay r = {};
    check_cuda(cudaMemcpy(&r.stop, d_stop, sizeof r.stop, cudaMemcpyDeviceToHost));
    check_cuda(cudaStreamCreate(&r.stream));
    return r;
}

// Launches the graph, stop.every sweeps that leave their sum in *d_sum, until the loop ends. Then the outcome is in
// *d_stop. Without a graph it does nothing.
static inline void replay(struct replay *r, const float *d_sum, struct stop *d_stop)
{
    float sum = 0;
    cudaGraphExec_t exec;
    if (r->graph == NULL)
        return;
    check_cuda(cudaGraphInstantiate(&exec, r->graph, 0));
    r->stop.sweeps = 0;
    do {
        check_cuda(cudaGraphLaunch(exec, r->stream));
        check_cuda(cudaMemcpyAsync(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost, r->stream));
        check_cuda(cudaStreamSynchronize(r->stream));
        r->stop.sweeps += r->stop.every;
    } while (!is_over(&r->stop, sum));
    check_cuda(cudaMemcpy(d_stop, &r->stop, sizeof r->stop, cudaMemcpyHostToDevice));
    check_cuda(cudaGraphExecDestroy(exec));
    check_cuda(cudaGraphDestroy(r->graph));
    check_cuda(cudaStreamDestroy(r->stream));
}
#endif
