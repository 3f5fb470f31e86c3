// Graphs built node by node, cloned, changed and queried; and groups of several warps, which cooperative groups support
// from compute capability 8.0 on.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "program.h"

namespace cg = cooperative_groups;

#define N 512

__global__ void add_up(int *sum, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, in[i]);
}

__global__ void scale(int *x, int factor)
{
    *x *= factor;
}

static void note(void *data)
{
    ++*(int *)data;
}

static cudaMemcpy3DParms bytes(void *to, void *from, size_t n)
{
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(from, n, n, 1);
    p.dstPtr = make_cudaPitchedPtr(to, n, n, 1);
    p.extent = make_cudaExtent(n, 1, 1);
    p.kind = cudaMemcpyDefault;
    return p;
}

static cudaKernelNodeParams kernel(void *function, int blocks, int threads, void **args)
{
    cudaKernelNodeParams p = {};
    p.func = function;
    p.gridDim = dim3(blocks);
    p.blockDim = dim3(threads);
    p.kernelParams = args;
    return p;
}

static void check_graph()
{
    int in[N], *d_in, *d_sum, sum = 0, notes = 0, n = N, two = 2, three = 3;
    for (int i = 0; i < N; i++)
        in[i] = i;
    CUDA(cudaMalloc(&d_in, sizeof in));
    CUDA(cudaMalloc(&d_sum, sizeof *d_sum));

    cudaGraph_t graph, clone;
    cudaGraphNode_t copy, clear, adds, scales, back, host, found;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaMemcpy3DParms to = bytes(d_in, in, sizeof in);
    CUDA(cudaGraphAddMemcpyNode(&copy, graph, NULL, 0, &to));
    CUDA(cudaGraphAddMemcpyNode1D(&back, graph, NULL, 0, &sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    cudaMemsetParams fill = {};
    fill.dst = d_sum;
    fill.value = 100000;
    fill.elementSize = 4;
    fill.width = 1;
    fill.height = 1;
    CUDA(cudaGraphAddMemsetNode(&clear, graph, NULL, 0, &fill));
    void *add_args[] = {&d_sum, &d_in, &n}, *scale_args[] = {&d_sum, &two}, *other_args[] = {&d_sum, &three};
    cudaGraphNode_t both[] = {copy, clear};
    cudaKernelNodeParams params = kernel((void *)add_up, 2, 256, add_args);
    CUDA(cudaGraphAddKernelNode(&adds, graph, both, 2, &params));
    params = kernel((void *)scale, 1, 1, scale_args);
    CUDA(cudaGraphAddKernelNode(&scales, graph, &adds, 1, &params));
    cudaHostNodeParams call = {note, &notes};
    CUDA(cudaGraphAddHostNode(&host, graph, &back, 1, &call));
    EXPECT(cudaGraphAddEmptyNode(&found, graph, &adds, 1) == cudaSuccess);
#if CUDART_VERSION >= 13000
    CUDA(cudaGraphAddDependencies(graph, &scales, &back, NULL, 1)); // the second node runs last
#else
    CUDA(cudaGraphAddDependencies(graph, &scales, &back, 1));
#endif
    two = 7; // the arguments were copied

    size_t count = 0;
    CUDA(cudaGraphGetNodes(graph, NULL, &count));
    EXPECT(count == 7);
    cudaGraphExec_t exec, other;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphClone(&clone, graph));
    CUDA(cudaGraphNodeFindInClone(&found, scales, clone));
    cudaKernelNodeParams seen;
    CUDA(cudaGraphKernelNodeGetParams(found, &seen));
    EXPECT(seen.func == (void *)scale && *(int *)seen.kernelParams[1] == 2);
    CUDA(cudaGraphInstantiate(&other, clone, 0));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    const int plain = 100000 + N * (N - 1) / 2;
    EXPECT(sum == 2 * plain && notes == 1);
    params = kernel((void *)scale, 1, 1, other_args);
    CUDA(cudaGraphExecKernelNodeSetParams(exec, scales, &params));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(sum == 3 * plain && notes == 2);
    CUDA(cudaGraphLaunch(other, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(sum == 2 * plain && notes == 3);
    EXPECT(cudaGraphExecKernelNodeSetParams(exec, copy, &params) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
#if CUDART_VERSION >= 13000
    CUDA(cudaGraphAddDependencies(graph, &back, &adds, NULL, 1));
    EXPECT(cudaGraphInstantiate(&exec, graph, 0) == cudaErrorInvalidValue); // a cycle
    (void)cudaGetLastError();
#endif
    CUDA(cudaGraphExecDestroy(other));
    CUDA(cudaGraphDestroy(clone));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_sum));
}

__device__ int table[4];

__global__ void add_table(int *x)
{
    *x += table[threadIdx.x];
}

// A child graph runs twice, as it was when it was added; the copy inside the parent can be changed.
static void check_child(int *x)
{
    int two = 2, three = 3, result;
    void *twice[] = {&x, &two}, *threefold[] = {&x, &three};
    cudaGraph_t child, graph, inside;
    cudaGraphNode_t scales, first, second, copy;
    cudaGraphExec_t exec;
    CUDA(cudaGraphCreate(&child, 0));
    CUDA(cudaGraphCreate(&graph, 0));
    cudaKernelNodeParams params = kernel((void *)scale, 1, 1, twice);
    CUDA(cudaGraphAddKernelNode(&scales, child, NULL, 0, &params));
    CUDA(cudaGraphAddChildGraphNode(&first, graph, NULL, 0, child));
    CUDA(cudaGraphAddChildGraphNode(&second, graph, &first, 1, child));
    CUDA(cudaGraphDestroy(child));
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeGetType(second, &type));
    size_t count = 1;
    CUDA(cudaGraphChildGraphNodeGetGraph(second, &inside));
    CUDA(cudaGraphGetNodes(inside, &copy, &count));
    EXPECT(type == cudaGraphNodeTypeGraph && count == 1);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaMemset(x, 0, sizeof *x));
    CUDA(cudaMemset(x, 1, 1));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaMemcpy(&result, x, sizeof result, cudaMemcpyDefault));
    EXPECT(result == 4);
    params = kernel((void *)scale, 1, 1, threefold);
    CUDA(cudaGraphExecKernelNodeSetParams(exec, copy, &params));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaMemcpy(&result, x, sizeof result, cudaMemcpyDefault));
    EXPECT(result == 4 * 2 * 3);
    CUDA(cudaGraphNodeSetEnabled(exec, copy, 0));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaMemcpy(&result, x, sizeof result, cudaMemcpyDefault));
    EXPECT(result == 4 * 2 * 3 * 2);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

// Memory that a graph allocates has one address, and is unwritten when the graph is launched again.
static void check_memory(int *x)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    int *p, result, three = 3;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync((void **)&p, sizeof *p, stream));
    CUDA(cudaMemcpyAsync(p, x, sizeof *p, cudaMemcpyDeviceToDevice, stream));
    scale<<<1, 1, 0, stream>>>(p, three);
    CUDA(cudaMemcpyAsync(x, p, sizeof *p, cudaMemcpyDeviceToDevice, stream));
    CUDA(cudaFreeAsync(p, stream));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaMemset(x, 0, sizeof *x));
    CUDA(cudaMemset(x, 1, 1));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(&result, x, sizeof result, cudaMemcpyDefault));
    EXPECT(result == 9);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}

#if CUDART_VERSION >= 12030
// A capture extends a graph after one of its nodes; older nodes of the graph need not be joined.
static void check_capture_into(int *x)
{
    cudaGraph_t graph, same;
    cudaGraphNode_t set, alone;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    int result;
    size_t count;
    cudaMemsetParams one = {}, other = {};
    one.dst = x, one.value = 5, one.elementSize = 4, one.width = 1, one.height = 1;
    other = one, other.dst = x + 1;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &one));
    CUDA(cudaGraphAddMemsetNode(&alone, graph, NULL, 0, &other));
    CUDA(cudaStreamBeginCaptureToGraph(stream, graph, &set, NULL, 1, cudaStreamCaptureModeGlobal));
    scale<<<1, 1, 0, stream>>>(x, 3);
    CUDA(cudaStreamEndCapture(stream, &same));
    EXPECT(same == graph);
    CUDA(cudaStreamBeginCaptureToGraph(stream, graph, &alone, NULL, 1, cudaStreamCaptureModeGlobal));
    CUDA(cudaStreamEndCapture(stream, NULL));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT(cudaStreamEndCapture(stream, NULL) == cudaErrorInvalidValue);
    CUDA(cudaStreamEndCapture(stream, &same));
    CUDA(cudaGraphDestroy(same));
    CUDA(cudaGraphGetNodes(graph, NULL, &count));
    EXPECT(count == 3);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaMemcpy(&result, x, sizeof result, cudaMemcpyDefault));
    EXPECT(result == 15);
    EXPECT(cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 1, cudaStreamCaptureModeGlobal) ==
           cudaErrorInvalidValue);
    (void)cudaGetLastError();
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}
#else
static void check_capture_into(int *)
{
}
#endif

#if CUDART_VERSION >= 13000
// A node that the program adds by hand to a capture; the stream continues after it.
static void check_capture_by_hand(int *x)
{
    cudaGraph_t graph, same;
    cudaGraphNode_t set;
    const cudaGraphNode_t *front;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    enum cudaStreamCaptureStatus status;
    size_t count;
    int result;
    cudaMemsetParams one = {};
    one.dst = x, one.value = 7, one.elementSize = 4, one.width = 1, one.height = 1;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<1, 1, 0, stream>>>(x, 3);
    CUDA(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &front, NULL, &count));
    EXPECT(status == cudaStreamCaptureStatusActive && count == 1);
    CUDA(cudaGraphAddMemsetNode(&set, graph, front, count, &one));
    EXPECT(cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 1, cudaStreamSetCaptureDependencies) ==
           cudaErrorInvalidValue);
    (void)cudaGetLastError();
    CUDA(cudaStreamUpdateCaptureDependencies(stream, &set, NULL, 1, cudaStreamSetCaptureDependencies));
    scale<<<1, 1, 0, stream>>>(x, 2);
    CUDA(cudaStreamEndCapture(stream, &same));
    EXPECT(same == graph);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaMemset(x, 0, sizeof *x));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaMemcpy(&result, x, sizeof result, cudaMemcpyDefault));
    EXPECT(result == 14);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}
#else
static void check_capture_by_hand(int *)
{
}
#endif

static void check_symbols(int *x)
{
    const int in[3] = {5, 6, 7};
    int back = 0, result;
    cudaGraph_t graph;
    cudaGraphNode_t to, add, from;
    cudaGraphExec_t exec;
    void *args[] = {&x};
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, table, in, sizeof in, 0, cudaMemcpyHostToDevice));
    EXPECT(cudaGraphAddMemcpyNodeToSymbol(&from, graph, NULL, 0, table, in, sizeof in, 8, cudaMemcpyHostToDevice) ==
           cudaErrorInvalidValue);
    (void)cudaGetLastError();
    cudaKernelNodeParams params = kernel((void *)add_table, 1, 1, args);
    CUDA(cudaGraphAddKernelNode(&add, graph, &to, 1, &params));
    CUDA(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, &back, table, 4, 8, cudaMemcpyDeviceToHost));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaMemset(x, 0, sizeof *x));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaMemcpy(&result, x, sizeof result, cudaMemcpyDefault));
    EXPECT(result == 5 && back == 7);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

__global__ void sum_of_warps(int *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto group = cg::tiled_partition<128>(block);
    int sum = cg::reduce(group, (int)block.thread_rank(), cg::plus<int>());
    if (group.thread_rank() == 0)
        out[group.meta_group_rank()] = sum;
}

static void check_groups()
{
    int *out = managed<int>(2);
    sum_of_warps<<<1, 256>>>(out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[0] == 127 * 64 && out[1] == 127 * 64 + 128 * 128);
    CUDA(cudaFree(out));
    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, (const void *)sum_of_warps));
    EXPECT(attributes.ptxVersion == 80);
}

int main()
{
    int *x;
    CUDA(cudaMalloc(&x, 2 * sizeof *x));
    check_graph();
    check_child(x);
    check_memory(x);
    check_capture_into(x);
    check_capture_by_hand(x);
    check_symbols(x);
    check_groups();
    CUDA(cudaFree(x));
    return finish();
}
