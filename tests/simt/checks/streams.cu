// Races between streams: guilty programs and their innocent twins. Each case starts with no findings; a guilty
// one must have some, an innocent one none.
#include <cstdio>
#include <cstdlib>

#include "../programs/program.h"
#include "simt.h"

#define N 1024
#define BLOCK 128

__global__ void put(int *out, int value)
{
    out[blockIdx.x * BLOCK + threadIdx.x] = value;
}

__global__ void move(int *out, const int *in)
{
    out[blockIdx.x * BLOCK + threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x];
}

__constant__ int coefficients[2 * BLOCK];

// From the first half of the coefficients.
__global__ void scale(int *x)
{
    int sum = 0;
    for (int i = 0; i < BLOCK; i++)
        sum += coefficients[i];
    x[blockIdx.x * BLOCK + threadIdx.x] *= sum;
}

__global__ void count_up(int *out)
{
    atomicAdd(out, 1);
}

static int *a, *b, *c, *pinned;
static cudaStream_t one, two, three, other;
static cudaEvent_t done;

static void put_on(cudaStream_t s, int *out)
{
    put<<<N / BLOCK, BLOCK, 0, s>>>(out, 1 + (out == b));
}

static void move_on(cudaStream_t s, int *out, const int *in)
{
    move<<<N / BLOCK, BLOCK, 0, s>>>(out, in);
}

static void signal(cudaStream_t from, cudaStream_t to)
{
    CUDA(cudaEventRecord(done, from));
    CUDA(cudaStreamWaitEvent(to, done, 0));
}

// ---- kernels

static void read_after_write(bool guilty)
{
    put_on(one, a);
    if (!guilty)
        signal(one, two);
    move_on(two, b, a);
}

static void write_after_read(bool guilty)
{
    move_on(one, b, a);
    if (!guilty)
        signal(one, two);
    put_on(two, a);
}

static void write_after_write(bool guilty)
{
    put<<<N / BLOCK, BLOCK, 0, one>>>(a, 1);
    put<<<N / BLOCK, BLOCK, 0, two>>>(guilty ? a : b, 2);
}

// Two readers; the writer waits for the second.
static void write_after_earlier_read(bool guilty)
{
    move_on(one, b, a);
    if (!guilty)
        signal(one, two);
    move_on(two, c, a);
    put_on(two, a);
}

static void event_too_early(bool guilty)
{
    if (guilty)
        CUDA(cudaEventRecord(done, one));
    put_on(one, a);
    if (!guilty)
        CUDA(cudaEventRecord(done, one));
    CUDA(cudaStreamWaitEvent(two, done, 0));
    move_on(two, b, a);
}

static void event_recorded_anew(bool guilty)
{
    put_on(one, a);
    CUDA(cudaEventRecord(done, one));
    CUDA(cudaStreamWaitEvent(two, done, 0)); // this call determines what it waits for
    put_on(one, guilty ? a : c);
    move_on(two, b, a);
}

static void over_three_streams(bool guilty)
{
    put_on(one, a);
    signal(one, two);
    put_on(two, b);
    if (guilty)
        CUDA(cudaEventRecord(done, one)); // covers put_on(one, a), not put_on(two, b)
    else
        CUDA(cudaEventRecord(done, two));
    CUDA(cudaStreamWaitEvent(three, done, 0));
    move_on(three, c, b);
}

static void host_waits(bool guilty)
{
    put_on(one, a);
    CUDA(cudaStreamSynchronize(guilty ? two : one));
    move_on(two, b, a);
}

static void atomics(bool guilty)
{
    count_up<<<2, BLOCK, 0, one>>>(a);
    if (guilty)
        move_on(two, b, a);
    else
        count_up<<<2, BLOCK, 0, two>>>(a);
}

// ---- constant memory

static void fill_coefficients(cudaStream_t s, int half)
{
    CUDA(cudaMemcpyToSymbolAsync(coefficients, pinned, BLOCK * sizeof(int), half * BLOCK * sizeof(int),
                                 cudaMemcpyHostToDevice, s));
}

static void constants_read_too_early(bool guilty)
{
    fill_coefficients(one, 0);
    scale<<<N / BLOCK, BLOCK, 0, guilty ? two : one>>>(a);
}

static void constants_replaced_too_early(bool guilty)
{
    scale<<<N / BLOCK, BLOCK, 0, one>>>(a);
    if (!guilty)
        signal(one, two);
    fill_coefficients(two, 0);
}

// The other half may be filled concurrently.
static void constants_in_halves(bool guilty)
{
    fill_coefficients(one, 0);
    scale<<<N / BLOCK, BLOCK, 0, one>>>(a);
    fill_coefficients(two, !guilty);
}

// ---- the default stream

static void default_stream(bool guilty)
{
    put_on(guilty ? other : one, a); // `other` does not wait for the default stream, nor it for `other`
    move_on(0, b, a);
}

static void after_the_default_stream(bool guilty)
{
    put_on(0, a);
    move_on(guilty ? other : one, b, a);
}

static void memset_and_non_blocking(bool guilty)
{
    CUDA(cudaMemset(a, 0, N * sizeof *a)); // returns before it is done
    if (!guilty)
        CUDA(cudaDeviceSynchronize());
    move_on(other, b, a);
}

// ---- copies

// From pageable memory: the device may still read its last part from a buffer.
static void pageable_and_non_blocking(bool guilty)
{
    int host[N] = {0};
    CUDA(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    if (!guilty)
        CUDA(cudaStreamSynchronize(0));
    move_on(other, b, a);
}

static void copy_back(bool guilty)
{
    int host[N];
    put_on(other, a);
    if (!guilty)
        CUDA(cudaStreamSynchronize(other));
    CUDA(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
}

static void copy_in(bool guilty)
{
    CUDA(cudaMemcpyAsync(a, pinned, N * sizeof *a, cudaMemcpyHostToDevice, one));
    if (!guilty)
        signal(one, two);
    move_on(two, b, a);
}

static void copy_over(bool guilty)
{
    move_on(one, b, a);
    if (!guilty)
        signal(one, two);
    CUDA(cudaMemcpyAsync(a, pinned, N * sizeof *a, cudaMemcpyHostToDevice, two));
}

static void two_copies(bool guilty)
{
    CUDA(cudaMemcpyAsync(a, b, N / 2 * sizeof *a, cudaMemcpyDeviceToDevice, one));
    CUDA(cudaMemcpyAsync(c, a + N / 2 - guilty, N / 2 * sizeof *a, cudaMemcpyDeviceToDevice, two));
}

// The columns of a matrix: separate, though their rows interleave.
static void pitched(bool guilty)
{
    const size_t row = 64 * sizeof *a;
    CUDA(cudaMemset2DAsync(a, row, 0, row / 2, N / 64, one));
    CUDA(cudaMemset2DAsync(a + 32 - guilty, row, 0, row / 2, N / 64, two));
}

static void staging_buffer(bool guilty)
{
    CUDA(cudaMemcpyAsync(pinned, a, N * sizeof *a, cudaMemcpyDeviceToHost, one));
    if (!guilty)
        signal(one, two);
    CUDA(cudaMemcpyAsync(b, pinned, N * sizeof *a, cudaMemcpyHostToDevice, two));
}

static void fill_and_kernel(bool guilty)
{
    CUDA(cudaMemsetAsync(a, 0, N * sizeof *a, one));
    if (!guilty)
        signal(one, two);
    put_on(two, a);
}

// ---- page-locked memory and the host

static volatile int seen;

static void host_reads_too_early(bool guilty)
{
    CUDA(cudaMemcpyAsync(pinned, a, N * sizeof *a, cudaMemcpyDeviceToHost, one));
    if (!guilty)
        CUDA(cudaStreamSynchronize(one));
    seen = pinned[5];
    CUDA(cudaDeviceSynchronize());
}

static void host_reads_rows_too_early(bool guilty)
{
    const size_t row = 64 * sizeof *a;
    CUDA(cudaMemcpy2DAsync(pinned, row, a, row, row, N / 64, cudaMemcpyDeviceToHost, one));
    if (!guilty)
        CUDA(cudaStreamSynchronize(one));
    seen = pinned[N - 1];
    CUDA(cudaDeviceSynchronize());
}

static void host_writes_too_early(bool guilty)
{
    CUDA(cudaMemcpyAsync(a, pinned, N * sizeof *a, cudaMemcpyHostToDevice, one));
    seen = pinned[5]; // reading is allowed
    if (!guilty)
        CUDA(cudaStreamSynchronize(one));
    pinned[5] = 7;
    CUDA(cudaDeviceSynchronize());
}

// The same with the program's own memory.
static void host_reads_registered_too_early(bool guilty)
{
    static int own[8 * N]; // it contains at least one whole page
    CUDA(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault));
    for (int i = 0; i < 8; i++)
        CUDA(cudaMemcpyAsync(own + i * N, a, N * sizeof *a, cudaMemcpyDeviceToHost, one));
    if (!guilty)
        CUDA(cudaStreamSynchronize(one));
    seen = own[4 * N];
    CUDA(cudaHostUnregister(own));
}

// Kernels of two streams on the program's own memory.
static void registered_by_two(bool guilty)
{
    static int own[N];
    CUDA(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
    put_on(one, own);
    if (!guilty)
        signal(one, two);
    move_on(two, b, own);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaHostUnregister(own));
}

// One stream reads through a texture while another one writes.
__global__ void fetch(int *out, cudaTextureObject_t t)
{
    out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x);
}

static void texture_of_two(bool guilty)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc sampler = {};
    cudaTextureObject_t t;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = a;
    resource.res.linear.sizeInBytes = N * sizeof *a;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    CUDA(cudaCreateTextureObject(&t, &resource, &sampler, NULL));
    put_on(one, a);
    if (!guilty)
        signal(one, two);
    fetch<<<1, BLOCK, 0, two>>>(b, t);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaDestroyTextureObject(t));
}

// Two streams fill the halves of a page: the host may read the half that it has waited for.
static void half_is_there(bool guilty)
{
    CUDA(cudaMemcpyAsync(pinned, a, N / 2 * sizeof *a, cudaMemcpyDeviceToHost, one));
    CUDA(cudaMemcpyAsync(pinned + N / 2, b, N / 2 * sizeof *a, cudaMemcpyDeviceToHost, two));
    CUDA(cudaStreamSynchronize(one));
    seen = pinned[guilty ? N / 2 : N / 2 - 1];
    CUDA(cudaDeviceSynchronize());
}

// Touches the permitted half first, then the other.
static void other_half_too_early(bool guilty)
{
    CUDA(cudaMemcpyAsync(pinned, a, N / 2 * sizeof *a, cudaMemcpyDeviceToHost, one));
    CUDA(cudaMemcpyAsync(pinned + N / 2, b, N / 2 * sizeof *a, cudaMemcpyDeviceToHost, two));
    CUDA(cudaStreamSynchronize(one));
    for (int i = 0; i < N / 2; i++)
        seen = pinned[i];
    if (!guilty)
        CUDA(cudaStreamSynchronize(two));
    seen = pinned[N - 1];
    CUDA(cudaDeviceSynchronize());
}

static void CUDART_CB look(void *data)
{
    seen = *(int *)data;
}

static void callback_reads(bool guilty)
{
    CUDA(cudaMemcpyAsync(pinned, a, N * sizeof *a, cudaMemcpyDeviceToHost, one));
    CUDA(cudaLaunchHostFunc(guilty ? two : one, look, pinned));
    CUDA(cudaDeviceSynchronize());
}

static int round_of_writes;

static void CUDART_CB put_in(void *data)
{
    round_of_writes++;
    for (int i = 0; i < N / 2; i++)
        ((int *)data)[i] = i + round_of_writes;
}

// Functions that come before the copies, and so have run when the copies are submitted.
static void copy_beside_callback(bool guilty)
{
    CUDA(cudaLaunchHostFunc(one, put_in, pinned));
    if (!guilty)
        signal(one, two);
    CUDA(cudaMemcpyAsync(a, pinned, N * sizeof *a, cudaMemcpyHostToDevice, two));
}

static void copy_of_its_other_half(bool guilty)
{
    CUDA(cudaLaunchHostFunc(one, put_in, pinned));
    CUDA(cudaMemcpyAsync(a, pinned + N / 2 - guilty, N / 2 * sizeof *a, cudaMemcpyHostToDevice, two));
}

static void copy_over_callback(bool guilty)
{
    CUDA(cudaLaunchHostFunc(one, put_in, pinned + N / 2));
    CUDA(cudaMemcpyAsync(pinned + (guilty ? N / 2 : 0), a, N / 2 * sizeof *a, cudaMemcpyDeviceToHost,
                         guilty ? two : one));
    CUDA(cudaMemcpyAsync(b, pinned + N / 2, N / 2 * sizeof *a, cudaMemcpyHostToDevice, one));
}

static void copy_beside_callback_of_a_graph(bool guilty)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    CUDA(cudaLaunchHostFunc(one, put_in, pinned));
    CUDA(cudaStreamEndCapture(one, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, one));
    CUDA(cudaMemcpyAsync(a, pinned, N * sizeof *a, cudaMemcpyHostToDevice, guilty ? two : one));
    CUDA(cudaStreamSynchronize(one));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

// ---- kernels on memory shared with the host

static int *shared; // managed, 4 * N ints
__managed__ int answer;

__global__ void put_one(int *out, int at)
{
    out[at] = 1;
    answer = at;
}

__global__ void put_and_tell(int *out, int *flag)
{
    *out = 7;
    __threadfence_system();
    *(volatile int *)flag = 1;
}

static void host_reads_result_too_early(bool guilty)
{
    put_on(one, shared);
    CUDA(cudaStreamSynchronize(guilty ? two : one));
    seen = shared[5];
}

// The host may read what the kernel reads, but not write it.
static void host_writes_input_too_early(bool guilty)
{
    move_on(one, a, shared);
    seen = shared[5];
    if (!guilty)
        CUDA(cudaStreamSynchronize(one));
    shared[5] = 1;
}

// Many launches, the last of which counts.
static void host_reads_after_many(bool guilty)
{
    for (int i = 0; i < 100; i++) {
        put_on(one, shared);
        if (i == (guilty ? 98 : 99))
            CUDA(cudaEventRecord(done, one));
    }
    CUDA(cudaEventSynchronize(done));
    seen = shared[5];
}

static void host_reads_neighbour(bool guilty)
{
    put_one<<<1, 1, 0, one>>>(shared, 8);
    seen = shared[7];
    shared[9] = seen;
    put_one<<<1, 1, 0, one>>>(shared, 10);
    seen = shared[guilty ? 8 : 7];
}

static void host_reads_variable_too_early(bool guilty)
{
    put_one<<<1, 1, 0, one>>>(shared, 8);
    if (!guilty)
        CUDA(cudaDeviceSynchronize());
    seen = answer;
}

// The kernel itself signals when its result is ready.
static void host_polls(bool guilty)
{
    volatile int *flag = shared + 2 * N; // on a separate page
    CUDA(cudaDeviceSynchronize());
    *flag = 0;
    put_and_tell<<<1, 1, 0, one>>>(shared, shared + 2 * N);
    while (!guilty && !*flag)
        ;
    seen = shared[0];
}

static void host_reads_mapped_too_early(bool guilty)
{
    put_on(one, pinned);
    if (!guilty)
        CUDA(cudaStreamSynchronize(one));
    seen = pinned[5];
}

// ---- memory in stream order

static void freed_too_early(bool guilty)
{
    int *p;
    CUDA(cudaMallocAsync((void **)&p, N * sizeof *p, one));
    signal(one, two);
    put_on(two, p);
    if (!guilty)
        signal(two, one);
    CUDA(cudaFreeAsync(p, one));
}

static void used_too_early(bool guilty)
{
    int *p;
    CUDA(cudaMallocAsync((void **)&p, N * sizeof *p, one));
    if (!guilty)
        signal(one, two);
    put_on(two, p);
    CUDA(cudaFreeAsync(p, two));
}

// ---- graphs

static void run_graph(cudaGraph_t graph, int times)
{
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < times; i++)
        CUDA(cudaGraphLaunch(exec, one));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *before, void *kernel, void **args)
{
    cudaGraphNode_t node;
    cudaKernelNodeParams params = {};
    params.func = kernel;
    params.gridDim = dim3(N / BLOCK);
    params.blockDim = dim3(BLOCK);
    params.kernelParams = args;
    CUDA(cudaGraphAddKernelNode(&node, graph, before, before != NULL, &params));
    return node;
}

// As put_on(one, a) would.
static cudaGraphNode_t add_put(cudaGraph_t graph)
{
    int value = 3;
    void *args[] = {&a, &value};
    return add_kernel(graph, NULL, (void *)put, args);
}

// As move_on(one, b, a) would. before: the node that it waits for, if any.
static void add_move(cudaGraph_t graph, const cudaGraphNode_t *before)
{
    void *args[] = {&b, &a};
    add_kernel(graph, before, (void *)move, args);
}

// A captured stream frees memory that another one still uses.
static void graph_frees_too_early(bool guilty)
{
    cudaGraph_t graph;
    int *p;
    CUDA(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync((void **)&p, N * sizeof *p, one));
    signal(one, two);
    put_on(two, p);
    if (!guilty)
        signal(two, one);
    CUDA(cudaFreeAsync(p, one));
    if (guilty)
        signal(two, one);
    CUDA(cudaStreamEndCapture(one, &graph));
    run_graph(graph, 1);
}

// In the second launch the graph's memory has no contents from the first.
static void graph_memory_starts_empty(bool guilty)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[4];
    size_t count = 4;
    int *p;
    CUDA(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync((void **)&p, N * sizeof *p, one));
    put_on(one, p);
    move_on(one, b, p);
    CUDA(cudaFreeAsync(p, one));
    CUDA(cudaStreamEndCapture(one, &graph));
    CUDA(cudaGraphGetNodes(graph, nodes, &count));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, one));
    CUDA(cudaGraphNodeSetEnabled(exec, nodes[1], !guilty));
    CUDA(cudaGraphLaunch(exec, one));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

// A node after a child graph waits for all of it.
static void beside_a_child(bool guilty)
{
    cudaGraph_t graph, child;
    cudaGraphNode_t whole;
    CUDA(cudaGraphCreate(&child, 0));
    add_put(child);
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddChildGraphNode(&whole, graph, NULL, 0, child));
    add_move(graph, guilty ? NULL : &whole);
    run_graph(graph, 1);
    CUDA(cudaGraphDestroy(child));
}

static void captured(bool guilty)
{
    cudaGraph_t graph;
    CUDA(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    signal(one, two);
    put_on(one, a);
    if (!guilty)
        signal(one, two);
    move_on(two, b, a);
    signal(two, one);
    CUDA(cudaStreamEndCapture(one, &graph));
    run_graph(graph, 2);
}

static void beside_a_graph(bool guilty)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    put_on(one, a);
    CUDA(cudaStreamEndCapture(one, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, one));
    if (!guilty)
        signal(one, two);
    move_on(two, b, a);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

static void built_by_hand(bool guilty)
{
    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = add_put(graph);
    add_move(graph, guilty ? NULL : &first);
    run_graph(graph, 1);
}

// ---- several devices

static void peers(bool guilty)
{
    int *far;
    cudaStream_t there;
    cudaEvent_t copied;
    CUDA(cudaSetDevice(1));
    CUDA(cudaStreamCreateWithFlags(&there, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&copied));
    CUDA(cudaMalloc((void **)&far, N * sizeof *far));
    put_on(there, far);
    CUDA(cudaEventRecord(copied, there));
    CUDA(cudaSetDevice(0));
    if (!guilty)
        CUDA(cudaStreamWaitEvent(other, copied, 0));
    CUDA(cudaMemcpyPeerAsync(a, 0, far, 1, N * sizeof *far, other));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaSetDevice(1));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(far));
    CUDA(cudaStreamDestroy(there));
    CUDA(cudaEventDestroy(copied));
    CUDA(cudaSetDevice(0));
}

// cudaMemcpy between devices is queued on both.
static void copy_between_devices(bool guilty)
{
    int *far;
    CUDA(cudaSetDevice(1));
    CUDA(cudaMalloc((void **)&far, N * sizeof *far));
    CUDA(cudaSetDevice(0));
    if (guilty)
        CUDA(cudaMemcpyAsync(far, a, N * sizeof *far, cudaMemcpyDefault, 0));
    else
        CUDA(cudaMemcpy(far, a, N * sizeof *far, cudaMemcpyDefault));
    CUDA(cudaSetDevice(1));
    put_on(0, far);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(far));
    CUDA(cudaSetDevice(0));
}

// ---- parts of one array: the check compares only pages of 1 KiB that both streams may have touched

#define PART (N / 4)

static void put_part(cudaStream_t s, int *array, int part)
{
    put<<<PART / BLOCK, BLOCK, 0, s>>>(array + part * PART, part);
}

static void parts_of_two_streams(bool guilty)
{
    for (int part = 0; part < 4; part++)
        put_part(part % 2 ? two : one, a, part);
    move<<<PART / BLOCK, BLOCK, 0, two>>>(b, a + (guilty ? 2 : 3) * PART);
}

// The first block of part 1 lies in part 0's page.
static void parts_that_share_a_page(bool guilty)
{
    int *middle = a + BLOCK;
    put_part(one, middle, 0);
    put_part(two, middle, 1);
    put<<<1, BLOCK, 0, two>>>(guilty ? middle + BLOCK : a, 1);
}

static void copy_beside_parts(bool guilty)
{
    put_part(one, a, 1);
    put_part(one, a, 3);
    CUDA(cudaMemcpyAsync(pinned, a, (guilty ? 2 : 1) * PART * sizeof *a, cudaMemcpyDeviceToHost, two));
}

// What the host has waited for does not count; what came after it does.
static void used_again_by_another_stream(bool guilty)
{
    put_on(one, a);
    CUDA(cudaDeviceSynchronize());
    put_on(two, a);
    if (!guilty)
        CUDA(cudaStreamSynchronize(two));
    put_on(three, b);
    move_on(one, c, a);
}

// The host has waited for the last kernel on these words, not for the one before it.
static void waited_for_the_last(bool guilty)
{
    move_on(one, b, a);
    move_on(two, c, a);
    CUDA(cudaStreamSynchronize(two));
    if (!guilty)
        CUDA(cudaStreamSynchronize(one));
    put_on(three, a);
}

#define STREAMS 25 // more than a page's word can tell apart

static void many_streams(bool guilty)
{
    cudaStream_t s[STREAMS];
    for (int i = 0; i < STREAMS; i++)
        CUDA(cudaStreamCreate(&s[i]));
    put_on(s[0], a);
    move_on(s[STREAMS - 1], b, guilty ? a : c);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < STREAMS; i++)
        CUDA(cudaStreamDestroy(s[i]));
}

#define CASE(name) \
    { \
#name, name \
    }
static const struct {
    const char *name;
    void (*run)(bool guilty);
} cases[] = {
    CASE(read_after_write),
    CASE(write_after_read),
    CASE(write_after_write),
    CASE(event_too_early),
    CASE(event_recorded_anew),
    CASE(write_after_earlier_read),
    CASE(host_waits),
    CASE(over_three_streams),
    CASE(atomics),
    CASE(constants_read_too_early),
    CASE(constants_replaced_too_early),
    CASE(constants_in_halves),
    CASE(default_stream),
    CASE(after_the_default_stream),
    CASE(memset_and_non_blocking),
    CASE(pageable_and_non_blocking),
    CASE(copy_back),
    CASE(copy_in),
    CASE(copy_over),
    CASE(two_copies),
    CASE(pitched),
    CASE(staging_buffer),
    CASE(fill_and_kernel),
    CASE(host_reads_too_early),
    CASE(host_reads_rows_too_early),
    CASE(host_writes_too_early),
    CASE(host_reads_registered_too_early),
    CASE(registered_by_two),
    CASE(texture_of_two),
    CASE(half_is_there),
#ifdef __x86_64__ // which stops after one instruction
    CASE(other_half_too_early),
#endif
    CASE(callback_reads),
    CASE(copy_beside_callback),
    CASE(copy_of_its_other_half),
    CASE(copy_over_callback),
    CASE(copy_beside_callback_of_a_graph),
    CASE(host_reads_result_too_early),
    CASE(host_writes_input_too_early),
    CASE(host_reads_after_many),
    CASE(host_reads_neighbour),
    CASE(host_reads_variable_too_early),
    CASE(host_polls),
    CASE(host_reads_mapped_too_early),
    CASE(freed_too_early),
    CASE(used_too_early),
    CASE(graph_frees_too_early),
    CASE(graph_memory_starts_empty),
    CASE(beside_a_child),
    CASE(captured),
    CASE(beside_a_graph),
    CASE(built_by_hand),
    CASE(peers),
    CASE(copy_between_devices),
    CASE(parts_of_two_streams),
    CASE(parts_that_share_a_page),
    CASE(copy_beside_parts),
    CASE(used_again_by_another_stream),
    CASE(waited_for_the_last),
    CASE(many_streams),
};

int main()
{
    for (int **p : {&a, &b, &c}) {
        CUDA(cudaMalloc((void **)p, N * sizeof **p));
        CUDA(cudaMemset(*p, 0, N * sizeof **p));
    }
    CUDA(cudaMallocHost((void **)&pinned, N * sizeof *pinned));
    CUDA(cudaMallocManaged((void **)&shared, 4 * N * sizeof *shared));
    for (cudaStream_t *s : {&one, &two, &three})
        CUDA(cudaStreamCreate(s));
    CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    for (auto &test : cases)
        for (int guilty = 0; guilty < 2; guilty++) {
            CUDA(cudaDeviceSynchronize());
            simt_reset();
            test.run(guilty);
            CUDA(cudaDeviceSynchronize());
            bool found = simt_findings() > 0;
            if (found != guilty)
                printf("%s, %s: %s\n", test.name, guilty ? "guilty" : "innocent", found ? "found" : "not found");
            wrong += found != guilty;
        }
    return finish();
}
