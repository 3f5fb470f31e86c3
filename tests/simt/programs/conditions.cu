// Conditional nodes of graphs: kernels decide what runs next, and how often. Nodes of any kind, added and removed;
// memory allocated by graphs.
#include <cstring>

#include "program.h"

#if CUDART_VERSION >= 13000 // earlier ones have fewer kinds, and other parameters

__global__ void count_down(cudaGraphConditionalHandle again, int *left)
{
    *left -= 1;
    cudaGraphSetConditional(again, *left > 0);
}

__global__ void choose(cudaGraphConditionalHandle which, const int *wanted)
{
    cudaGraphSetConditional(which, *wanted);
}

__global__ void add(int *to, int n)
{
    *to += n;
}

static cudaGraphNode_t add_kernel(cudaGraph_t g, const cudaGraphNode_t *before, void *function, void **args)
{
    cudaGraphNodeParams p = {};
    cudaGraphNode_t n;
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = function;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = args;
    CUDA(cudaGraphAddNode(&n, g, before, NULL, before != NULL, &p));
    return n;
}

static cudaGraphNode_t add_add(cudaGraph_t g, const cudaGraphNode_t *before, int *to, int n)
{
    void *args[] = {&to, &n};
    return add_kernel(g, before, (void *)add, args);
}

// Adds a conditional node; returns its bodies. *node: the node.
static cudaGraph_t *add_condition(cudaGraph_t g, const cudaGraphNode_t *before, cudaGraphConditionalHandle h,
                                  cudaGraphConditionalNodeType type, unsigned size, cudaGraphNode_t *node = NULL)
{
    cudaGraphNodeParams p = {};
    cudaGraphNode_t n;
    cudaGraphNodeType is;
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = size;
    CUDA(cudaGraphAddNode(&n, g, before, NULL, before != NULL, &p));
    CUDA(cudaGraphNodeGetType(n, &is));
    EXPECT(is == cudaGraphNodeTypeConditional);
    if (node)
        *node = n;
    return p.conditional.phGraph_out;
}

static cudaGraph_t new_graph()
{
    cudaGraph_t g;
    CUDA(cudaGraphCreate(&g, 0));
    return g;
}

static cudaGraphConditionalHandle new_condition(cudaGraph_t g, unsigned first)
{
    cudaGraphConditionalHandle h;
    CUDA(cudaGraphConditionalHandleCreate(&h, g, first, cudaGraphCondAssignDefault));
    return h;
}

static void run(cudaGraphExec_t exec)
{
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaDeviceSynchronize());
}

// while (--left > 0) sum += 10, in each launch again; and a while within an if.
static void test_loops()
{
    int *left = managed<int>(1), *sum = managed<int>(1);
    cudaGraph_t g = new_graph();
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle outer = new_condition(g, 1), again = new_condition(g, 1);
    cudaGraph_t *then = add_condition(g, NULL, outer, cudaGraphCondTypeIf, 1);
    cudaGraph_t *loop = add_condition(then[0], NULL, again, cudaGraphCondTypeWhile, 1);
    void *args[] = {&again, &left};
    cudaGraphNode_t first = add_kernel(loop[0], NULL, (void *)count_down, args);
    add_add(loop[0], &first, sum, 10);
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    for (int launch = 1; launch <= 3; launch++) {
        *left = 2 * launch, *sum = 0;
        run(exec);
        EXPECT(*left == 0 && *sum == 20 * launch);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(g));
}

// One of three; then an if with an else. Without an order between the two their sums race.
static void test_choices(bool unordered)
{
    int *wanted = managed<int>(1), *sum = managed<int>(1);
    cudaGraph_t g = new_graph();
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle which = new_condition(g, 0);
    void *args[] = {&which, &wanted};
    cudaGraphNode_t first = add_kernel(g, NULL, (void *)choose, args);
    cudaGraphNode_t second;
    cudaGraph_t *cases = add_condition(g, &first, which, cudaGraphCondTypeSwitch, 3, &second);
    cudaGraph_t *parts = add_condition(g, unordered ? &first : &second, which, cudaGraphCondTypeIf, 2);
    for (int i = 0; i < 3; i++)
        add_add(cases[i], NULL, sum, i + 1);
    add_add(parts[0], NULL, sum, 10);
    add_add(parts[1], NULL, sum, 20);
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    const int wants[4] = {21, 12, 13, 10}; // 3 chooses no case
    for (int i = 0; i < 4; i++) {
        *wanted = i, *sum = 0;
        run(exec);
        EXPECT(*sum == wants[i]);
    }
}

// Invalid calls, removal, and accounting.
static void test_others()
{
    int *sum = managed<int>(1);
    cudaGraph_t g = new_graph();
    cudaGraphExec_t exec;
    cudaGraphNodeParams p = {};
    cudaGraphNode_t a = add_add(g, NULL, sum, 1), b = add_add(g, &a, sum, 2), c = add_add(g, &b, sum, 4), n;
    size_t edges = 0, before, after;
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.size = 1;
    p.conditional.handle = 12345;
    EXPECT(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p) == cudaErrorInvalidValue);
    p.conditional.handle = new_condition(g, 0);
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 2;
    EXPECT(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p) == cudaErrorInvalidValue);
    EXPECT(cudaGraphRemoveDependencies(g, &a, &c, NULL, 1) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
    CUDA(cudaGraphRemoveDependencies(g, &a, &b, NULL, 1));
    CUDA(cudaGraphAddDependencies(g, &a, &b, NULL, 1));
    CUDA(cudaGraphRemoveDependencies(g, &b, &c, NULL, 1));
    CUDA(cudaGraphAddDependencies(g, &a, &c, NULL, 1));
    CUDA(cudaGraphDestroyNode(b));
    CUDA(cudaGraphGetEdges(g, NULL, NULL, NULL, &edges));
    EXPECT(edges == 1);
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &before));
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeMemAlloc;
    p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    p.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    p.alloc.bytesize = 1000;
    CUDA(cudaGraphAddNode(&n, g, &c, NULL, 1, &p));
    void *memory = p.alloc.dptr;
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeMemFree;
    p.free.dptr = memory;
    CUDA(cudaGraphAddNode(&n, g, &n, NULL, 1, &p));
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    run(exec);
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &after));
    EXPECT(*sum == 5 && after >= before + 1000);
}

int main(int argc, char **)
{
    test_loops();
    test_choices(argc > 1);
    test_others();
    return finish();
}
#else
int main()
{
    return finish();
}
#endif
