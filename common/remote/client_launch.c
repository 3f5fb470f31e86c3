// What nvcc's start-up code registers, launches, and functions that streams call.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "remote/client.h"
#include "simt/startup.h"

enum { KERNELS = 256 };

// ---- start-up

static uintptr_t images;

static void send_registration(enum message_kind kind, void **handle, const void *host, const char *name, size_t size,
                              int managed)
{
    static struct message m;
    struct registration r = {.host = (uintptr_t)host, .size = size, .image = (uint32_t)(uintptr_t)handle - 1};

    r.managed = (uint32_t)managed;
    if (name)
        strncpy(r.name, name, sizeof r.name - 1);
    request(kind, &r, sizeof r, NULL, 0, &m);
}

// The judge reads the code from the program's file, in the order in which its parts are registered.
void **__cudaRegisterFatBinary(void *wrapper)
{
    (void)wrapper;
    void **handle = (void **)++images;
    send_registration(REGISTER_IMAGE, handle, NULL, NULL, 0, 0);
    return handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *stub, const char *name, int threads, uint3 *tid,
                            uint3 *bid, dim3 *block, dim3 *grid, int *warp)
{
    (void)stub, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    send_registration(REGISTER_KERNEL, handle, host, name, 0, 0);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    send_registration(REGISTER_VARIABLE, handle, host, name, size, 0);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                              int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    send_registration(REGISTER_VARIABLE, handle, host, name, size, 1);
}

char __cudaInitModule(void **handle)
{
    send_registration(LOAD_IMAGE, handle, NULL, NULL, 0, 0);
    return 1;
}

// ---- <<<grid, block, shared, stream>>>

static _Thread_local struct configurations configurations;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    return push_configuration(&configurations, (struct configuration){grid, block, shared, stream});
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    return pop_configuration(&configurations, grid, block, shared, stream);
}

cudaError_t __cudaGetKernel(struct CUkern_st **handle, const void *function)
{
    *handle = (struct CUkern_st *)function;
    return cudaSuccess;
}

// ---- launches

static struct kernel_sizes {
    const void *function;
    int count;
    uint32_t *sizes;
} known[KERNELS];

// Sizes of a kernel's parameters; NULL: the judge has no such kernel.
static const struct kernel_sizes *sizes_of(const void *function)
{
    static struct message m;
    uint64_t head = (uintptr_t)function;
    struct kernel_sizes *k = known;

    while (k < known + KERNELS - 1 && k->function && k->function != function)
        k++;
    if (k->function == function)
        return k;
    int64_t count = request(PARAMETERS, &head, sizeof head, NULL, 0, &m);
    if (count < 0)
        return NULL;
    free(k->sizes);
    *k = (struct kernel_sizes){function, (int)count, calloc((size_t)count + 1, sizeof *k->sizes)};
    memcpy(k->sizes, m.bytes + sizeof(struct reply), (size_t)count * sizeof *k->sizes);
    return k;
}

// Appends bytes to the message under construction. False: too many.
static bool append(struct message *m, const void *from, size_t size)
{
    size_t rounded = (size + 15) / 16 * 16;

    if (rounded > MAX_MESSAGE - sizeof(struct launch_request) - m->size)
        return false;
    memcpy(m->bytes + m->size, from, size);
    m->size += (uint32_t)rounded;
    return true;
}

static void set_shape(struct launch_request *l, dim3 grid, dim3 block, size_t shared)
{
    const uint32_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};

    memcpy(l->grid, g, sizeof g);
    memcpy(l->block, b, sizeof b);
    l->shared = shared;
}

// before: what l->count counts, of this many bytes each. *node: receives the new node, or is NULL.
static cudaError_t launch(struct launch_request *l, void **args, const void *before, size_t each, cudaGraphNode_t *node)
{
    struct message m = {.size = 0};
    const struct kernel_sizes *k = sizes_of((const void *)(uintptr_t)l->function);
    bool fits = append(&m, before, l->count * each);

    for (int i = 0; k && fits && i < k->count; i++)
        fits = append(&m, args[i], k->sizes[i]);
    if (!fits)
        return cudaErrorInvalidValue;
    int64_t value = request(LAUNCH, l, sizeof *l, m.bytes, m.size, &m);
    if (node)
        memcpy(node, m.bytes + sizeof(struct reply), sizeof *node);
    return (cudaError_t)value;
}

static cudaError_t launch_on(enum launch_kind kind, const void *function, dim3 grid, dim3 block, void **args,
                             size_t shared, cudaStream_t stream)
{
    struct launch_request l = {.kind = kind, .function = (uintptr_t)function, .stream = (uintptr_t)stream};

    set_shape(&l, grid, block, shared);
    return launch(&l, args, NULL, 0, NULL);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    return launch_on(LAUNCH_PLAIN, function, grid, block, args, shared, stream);
}

cudaError_t __cudaLaunchKernel(struct CUkern_st *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    return launch_on(LAUNCH_PLAIN, kernel, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream)
{
    return launch_on(LAUNCH_COOPERATIVE, function, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    struct launch_request l = {.kind = LAUNCH_WITH_ATTRIBUTES, .function = (uintptr_t)function};

    if (!config)
        return cudaErrorInvalidValue;
    l.stream = (uintptr_t)config->stream;
    l.count = config->numAttrs;
    set_shape(&l, config->gridDim, config->blockDim, config->dynamicSmemBytes);
    return launch(&l, args, config->attrs, sizeof *config->attrs, NULL);
}

static cudaError_t kernel_node(enum launch_kind kind, uint64_t graph, uint64_t node,
                               const struct cudaKernelNodeParams *p, const cudaGraphNode_t *before, size_t count,
                               cudaGraphNode_t *out)
{
    struct launch_request l = {.kind = kind, .graph = graph, .node = node, .count = (uint32_t)count};

    if (!p || p->extra)
        return cudaErrorInvalidValue;
    l.function = (uintptr_t)p->func;
    set_shape(&l, p->gridDim, p->blockDim, p->sharedMemBytes);
    return launch(&l, p->kernelParams, before, sizeof *before, out);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const struct cudaKernelNodeParams *params)
{
    return kernel_node(ADD_KERNEL_NODE, (uintptr_t)graph, 0, params, before, count, out);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    return kernel_node(SET_KERNEL_NODE, 0, (uintptr_t)node, params, NULL, 0, NULL);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params)
{
    return kernel_node(SET_EXEC_NODE, (uintptr_t)exec, (uintptr_t)node, params, NULL, 0, NULL);
}

// ---- functions of the host

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void *data)
{
    struct message m;
    struct host_request h = {LAUNCH_HOST, 0, (uintptr_t)call, (uintptr_t)data, (uintptr_t)stream, 0};

    return (cudaError_t)request(HOST_FUNCTION, &h, sizeof h, NULL, 0, &m);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void *data, unsigned flags)
{
    struct message m;
    struct host_request h = {ADD_CALLBACK, 0, (uintptr_t)call, (uintptr_t)data, (uintptr_t)stream, 0};

    return flags ? cudaErrorInvalidValue : (cudaError_t)request(HOST_FUNCTION, &h, sizeof h, NULL, 0, &m);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                 const struct cudaHostNodeParams *params)
{
    struct message m;
    struct host_request h = {.kind = ADD_HOST_NODE, .count = (uint32_t)count, .graph = (uintptr_t)graph};

    if (!params || !out || count > MAX_MESSAGE / sizeof *before / 2)
        return cudaErrorInvalidValue;
    h.function = (uintptr_t)params->fn;
    h.data = (uintptr_t)params->userData;
    int64_t value = request(HOST_FUNCTION, &h, sizeof h, before, count * sizeof *before, &m);
    memcpy(out, m.bytes + sizeof(struct reply), sizeof *out);
    return (cudaError_t)value;
}
