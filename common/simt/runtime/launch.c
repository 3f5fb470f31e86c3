// Launches: the <<<...>>> configuration, the launch calls, attributes of kernels, occupancy.
#include <pthread.h>
#include <stdlib.h>

#include "exec/launch.h"
#include "memory/host_watch.h"
#include "report/report.h"
#include "runtime/observers.h"
#include "runtime/runtime.h"

#define NESTED_CONFIGURATIONS 16

static struct {
    pthread_mutex_t lock; // decoding must not meet a running kernel of the same module
} execution = {PTHREAD_MUTEX_INITIALIZER};

// ---- running a kernel

// Errors of a launch that show at once; any other is a failure of the running kernel.
static bool is_refusal(cudaError_t e)
{
    switch ((int)e) {
    case cudaErrorInvalidValue:
    case cudaErrorMemoryAllocation:
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorCooperativeLaunchTooLarge:
    case cudaErrorNotSupported: return true;
    }
    return false;
}

// The kernel's entry in its module on the device; NULL and *e where there is none.
static const struct ptx_function *kernel_entry(const struct kernel *k, int device, cudaError_t *e)
{
    const struct module *m = image_module(k->image, device, e);
    if (!m)
        return NULL;
    for (int i = 0; i < m->ptx->func_count; i++)
        if (m->ptx->funcs[i].defined && !strcmp(m->ptx->funcs[i].name, k->name))
            return &m->ptx->funcs[i];
    complain("the kernel %s is not in the PTX that nvcc made for it: build the program anew", kernel_name(k->name));
    *e = WRONG_FUNCTION;
    return NULL;
}

// Says which size of a launch is wrong; NULL: none.
static const char *wrong_size(const struct kernel_work *w, const struct ptx_function *f)
{
    static const uint32_t max_block[3] = {1024, 1024, 64}, max_grid[3] = {0x7fffffff, 65535, 65535};
    uint64_t threads = (uint64_t)w->block[0] * w->block[1] * w->block[2], most = f->max_threads[0];
    for (int i = 0; i < 3; i++) {
        if (!w->block[i] || !w->grid[i])
            return "a dimension is 0";
        if (w->block[i] > max_block[i])
            return "a block is at most 1024 x 1024 x 64";
        if (w->grid[i] > max_grid[i])
            return "a grid is at most 2147483647 x 65535 x 65535";
        most *= i && f->max_threads[i] ? f->max_threads[i] : 1;
    }
    if (threads > 1024)
        return "a block has at most 1024 threads";
    return most && threads > most ? "more threads per block than its __launch_bounds__" : NULL;
}

cudaError_t check_kernel(const struct kernel_work *w, int device)
{
    cudaError_t e = cudaSuccess;
    const struct ptx_function *f = kernel_entry(w->kernel, device, &e);
    const char *wrong = f ? wrong_size(w, f) : NULL;
    if (wrong) {
        complain("launch of %s with grid (%u,%u,%u), block (%u,%u,%u): %s", kernel_name(w->kernel->name), w->grid[0],
                 w->grid[1], w->grid[2], w->block[0], w->block[1], w->block[2], wrong);
        return WRONG_CONFIGURATION;
    }
    if (f && w->shared > SHARED_PER_BLOCK && w->shared > w->kernel->shared_limit[device]) {
        complain("launch of %s with %zu bytes of dynamic shared memory: more than %u needs cudaFuncSetAttribute "
                 "(cudaFuncAttributeMaxDynamicSharedMemorySize), and %u is the most",
                 kernel_name(w->kernel->name), w->shared, SHARED_PER_BLOCK, SHARED_PER_BLOCK_OPTIN);
        return cudaErrorInvalidValue;
    }
    return e;
}

// What only shows once the kernel is decoded.
static void explain_refusal(cudaError_t e, const struct kernel_work *w)
{
    const char *name = kernel_name(w->kernel->name);
    if (e == cudaErrorInvalidValue)
        complain("launch of %s: its static shared memory and %zu bytes of dynamic shared memory are more than the %u "
                 "bytes of a block, or its block is not the one of its __launch_bounds__",
                 name, w->shared, SHARED_PER_BLOCK);
    if (e == cudaErrorCooperativeLaunchTooLarge)
        complain("cooperative launch of %s: %u x %u x %u blocks are more than the device holds at a time", name,
                 w->grid[0], w->grid[1], w->grid[2]);
}

cudaError_t run_kernel(const struct kernel_work *w, int device, struct operation *op)
{
    cudaError_t e = check_kernel(w, device);
    struct module *m = e ? NULL : image_module(w->kernel->image, device, &e);
    if (!m || device_is_lost(device))
        return e;
    struct launch_request q = {.module = m,
                               .kernel = w->kernel->name,
                               .grid = {w->grid[0], w->grid[1], w->grid[2]},
                               .dim = {w->block[0], w->block[1], w->block[2]},
                               .dynamic_shared = (uint32_t)w->shared,
                               .shared_limit = w->kernel->shared_limit[device],
                               .args = w->args,
                               .cooperative = w->cooperative,
                               .device = device,
                               .number = op ? op->number : operation_number(),
                               .operation = op,
                               .observers = observers_in_use()};
    host_launches();
    pthread_mutex_lock(&execution.lock);
    e = (cudaError_t)launch_kernel(&q);
    pthread_mutex_unlock(&execution.lock);
    host_launched();
    explain_refusal(e, w);
    if (!e || is_refusal(e))
        return e;
    device_failed(device, e);
    return cudaSuccess;
}

void **copy_args(const struct kernel_work *w, int device)
{
    cudaError_t e;
    const struct ptx_function *f = kernel_entry(w->kernel, device, &e);
    if (!f)
        return NULL;
    size_t bytes = (size_t)(f->param_count + 1) * sizeof(void *);
    for (int i = 0; i < f->param_count; i++)
        bytes += (f->params[i].size + 15) & ~(size_t)15;
    void **args = malloc(bytes);
    uint8_t *at = (uint8_t *)(args + f->param_count + 1);
    for (int i = 0; i < f->param_count; i++) {
        memcpy(args[i] = at, w->args[i], f->params[i].size);
        at += (f->params[i].size + 15) & ~(size_t)15;
    }
    return args;
}

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream,
                          bool cooperative)
{
    cudaError_t e = enter();
    struct kernel *k = find_kernel(function);
    if (e || !k)
        return leave(e ? e : WRONG_FUNCTION);
    struct work work = {.kind = WORK_KERNEL,
                        .kernel = {.kernel = k,
                                   .grid = {grid.x, grid.y, grid.z},
                                   .block = {block.x, block.y, block.z},
                                   .shared = shared,
                                   .cooperative = cooperative,
                                   .args = args}};
    return leave(submit(stream, &work, false));
}

// ---- <<<grid, block, shared, stream>>>

static _Thread_local struct {
    struct configuration {
        dim3 grid, block;
        size_t shared;
        cudaStream_t stream;
    } stack[NESTED_CONFIGURATIONS];
    unsigned depth;
} configurations;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(struct CUkern_st **handle, const void *function);
cudaError_t __cudaLaunchKernel(struct CUkern_st *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    if (configurations.depth == NESTED_CONFIGURATIONS)
        return 1;
    configurations.stack[configurations.depth++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!configurations.depth)
        return leave(cudaErrorMissingConfiguration);
    const struct configuration *c = &configurations.stack[--configurations.depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(struct CUkern_st **handle, const void *function)
{
    *handle = (struct CUkern_st *)find_kernel(function);
    return leave(*handle ? cudaSuccess : WRONG_FUNCTION);
}

cudaError_t __cudaLaunchKernel(struct CUkern_st *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    return launch(kernel, grid, block, args, shared, stream, false);
}
PER_THREAD(__cudaLaunchKernel, _ptsz);

// ---- the launch calls

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    return launch(function, grid, block, args, shared, stream, false);
}
PER_THREAD(cudaLaunchKernel, _ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream)
{
    return launch(function, grid, block, args, shared, stream, true);
}
PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);

// Reads one attribute of cudaLaunchKernelExC. Hints are ignored; what would change the result is refused.
static cudaError_t read_attribute(const cudaLaunchAttribute *a, bool *cooperative)
{
    switch ((int)a->id) {
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeProgrammaticStreamSerialization: // kernels run one after another anyway
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case 14: // cudaLaunchAttributePreferredSharedMemoryCarveout
        return cudaSuccess;
    case cudaLaunchAttributeCooperative: *cooperative = a->val.cooperative != 0; return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        if (a->val.clusterDim.x <= 1 && a->val.clusterDim.y <= 1 && a->val.clusterDim.z <= 1)
            return cudaSuccess;
        complain("clusters of blocks (cudaLaunchAttributeClusterDimension) are not supported by the SIMT machine: use "
                 "plain blocks, or a GPU");
        return cudaErrorNotSupported;
    }
    complain("launch attribute %d of cudaLaunchKernelExC is not supported by the SIMT machine", (int)a->id);
    return cudaErrorNotSupported;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    bool cooperative = false;
    cudaError_t e = config ? cudaSuccess : cudaErrorInvalidValue;
    for (unsigned i = 0; !e && i < config->numAttrs; i++)
        e = read_attribute(&config->attrs[i], &cooperative);
    if (e)
        return leave(e);
    return launch(function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream,
                  cooperative);
}
PER_THREAD(cudaLaunchKernelExC, _ptsz);

// ---- attributes of kernels

// The decoded kernel on the current device.
static const struct code *decoded(const struct kernel *k, cudaError_t *e)
{
    char error[512];
    struct module *m = image_module(k->image, current_device(), e);
    if (!m)
        return NULL;
    pthread_mutex_lock(&execution.lock);
    const struct code *c = module_code(m, k->name, error, sizeof error);
    pthread_mutex_unlock(&execution.lock);
    if (!c) {
        complain("%s", error);
        *e = cudaErrorNotSupported;
    }
    return c;
}

static cudaError_t find_code(const void *function, struct kernel **k, const struct code **c)
{
    cudaError_t e = enter();
    *k = find_kernel(function);
    if (!e && !*k)
        e = WRONG_FUNCTION;
    *c = e ? NULL : decoded(*k, &e);
    return e;
}

static uint32_t most_threads(const struct code *c)
{
    uint32_t n = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t d = c->ptx->required_threads[i] ? c->ptx->required_threads[i] : c->ptx->max_threads[i];
        n *= d ? d : 1;
    }
    return (c->ptx->required_threads[0] || c->ptx->max_threads[0]) && n < 1024 ? n : 1024;
}

// PTX has no register allocation: a number that fits the limits, from the count of 32-bit register rows.
static int plausible_registers(const struct code *c)
{
    uint32_t n = c->reg_bytes / (LANES * 4) / 2;
    n = (n + 7) & ~7u;
    uint32_t limit = most_threads(c) > 512 ? 64 : 128;
    return (int)(n < 16 ? 16 : n > limit ? limit : n);
}

static uint32_t dynamic_limit(const struct kernel *k, const struct code *c)
{
    uint32_t asked = k->shared_limit[current_device()];
    return asked ? asked : c->shared_bytes < SHARED_PER_BLOCK ? SHARED_PER_BLOCK - c->shared_bytes : 0;
}

// The architecture the PTX is for, as 10 * major + minor: libraries choose their kernels' shapes by it.
static int ptx_version(const struct ptx_module *m)
{
    const char *digits = strpbrk(m->target, "0123456789");
    return digits ? atoi(digits) : 0;
}

static size_t constant_bytes(const struct ptx_module *m)
{
    size_t bytes = 0;
    for (int i = 0; i < m->var_count; i++)
        bytes += m->vars[i].space == PTX_CONST ? m->vars[i].size : 0;
    return bytes;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *function)
{
    struct kernel *k;
    const struct code *c;
    cudaError_t e = attr ? find_code(function, &k, &c) : cudaErrorInvalidValue;
    if (e)
        return leave(e);
    memset(attr, 0, sizeof *attr);
    attr->sharedSizeBytes = c->shared_bytes;
    attr->localSizeBytes = c->local_bytes;
    attr->constSizeBytes = constant_bytes(c->module->ptx);
    attr->maxThreadsPerBlock = (int)most_threads(c);
    attr->numRegs = plausible_registers(c);
    attr->ptxVersion = ptx_version(c->module->ptx);
    attr->binaryVersion = 90;
    attr->maxDynamicSharedSizeBytes = (int)dynamic_limit(k, c);
    attr->preferredShmemCarveout = -1;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value)
{
    struct kernel *k;
    const struct code *c;
    cudaError_t e = find_code(function, &k, &c);
    if (e)
        return leave(e);
    if (attr == cudaFuncAttributePreferredSharedMemoryCarveout)
        return leave(value < -1 || value > 100 ? cudaErrorInvalidValue : cudaSuccess);
    if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize) {
        complain("cudaFuncSetAttribute: attribute %d is not supported by the SIMT machine", (int)attr);
        return leave(cudaErrorNotSupported);
    }
    if (value < 0 || (uint32_t)value + c->shared_bytes > SHARED_PER_BLOCK_OPTIN)
        return leave(cudaErrorInvalidValue);
    k->shared_limit[current_device()] = (uint32_t)value;
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    (void)config;
    cudaError_t e = enter();
    return leave(e ? e : find_kernel(function) ? cudaSuccess : WRONG_FUNCTION);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    return cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *symbol)
{
    cudaError_t e = enter();
    *out = (cudaFunction_t)find_kernel(symbol);
    return leave(e ? e : *out ? cudaSuccess : WRONG_FUNCTION);
}

#if CUDART_VERSION >= 12010
cudaError_t cudaGetKernel(cudaKernel_t *out, const void *symbol)
{
    cudaError_t e = enter();
    *out = (cudaKernel_t)find_kernel(symbol);
    return leave(e ? e : *out ? cudaSuccess : WRONG_FUNCTION);
}
#endif

#if CUDART_VERSION >= 12030
cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    const struct kernel *k = find_kernel(function);
    if (name && k)
        *name = k->name;
    return leave(!name ? cudaErrorInvalidValue : k ? cudaSuccess : WRONG_FUNCTION);
}
#endif

#if CUDART_VERSION >= 12040
cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size)
{
    cudaError_t e = enter();
    const struct kernel *k = find_kernel(function);
    const struct ptx_function *f = e || !k ? NULL : kernel_entry(k, current_device(), &e);
    if (e || !f || !offset || index >= (size_t)f->param_count)
        return leave(e ? e : k ? cudaErrorInvalidValue : WRONG_FUNCTION);
    *offset = 0;
    for (size_t i = 0; i <= index; i++) {
        const struct ptx_variable *p = &f->params[i];
        size_t align = p->align ? p->align : ptx_type_size(p->type);
        *offset = (*offset + align - 1) / align * align + (i < index ? p->size : 0);
    }
    if (size)
        *size = f->params[index].size;
    return cudaSuccess;
}
#endif

// ---- occupancy

static cudaError_t active_blocks(int *blocks, const void *function, int threads, size_t shared)
{
    struct kernel *k;
    const struct code *c;
    cudaError_t e = blocks && threads > 0 ? find_code(function, &k, &c) : cudaErrorInvalidValue;
    if (e)
        return leave(e);
    bool fits = threads <= 1024 && shared <= dynamic_limit(k, c); // __launch_bounds__ do not count
    *blocks = fits ? (int)resident_blocks((uint32_t)threads, c->shared_bytes + (uint32_t)shared) : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared)
{
    return active_blocks(blocks, function, threads, shared);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                   size_t shared, unsigned int flags)
{
    (void)flags;
    return active_blocks(blocks, function, threads, shared);
}

// The most dynamic shared memory with which `blocks` blocks still fit on a multiprocessor.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *function, int blocks, int threads)
{
    struct kernel *k;
    const struct code *c;
    cudaError_t e = shared && blocks > 0 && threads > 0 ? find_code(function, &k, &c) : cudaErrorInvalidValue;
    if (e)
        return leave(e);
    uint32_t all = SHARED_PER_MULTIPROCESSOR / (uint32_t)blocks, own = c->shared_bytes + 1024; // see resident_blocks
    if ((uint32_t)blocks > resident_blocks((uint32_t)threads, c->shared_bytes))
        return leave(cudaErrorInvalidValue);
    uint32_t left = all > own ? all - own : 0, limit = dynamic_limit(k, c);
    *shared = left < limit ? left : limit;
    return cudaSuccess;
}
