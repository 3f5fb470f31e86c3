// Launches: the <<<...>>> configuration, the launch calls, attributes of kernels, occupancy.
#include <stdlib.h>

#include "exec/launch.h"
#include "remote.h"
#include "report/host_line.h"
#include "report/report.h"
#include "runtime/api/submit.h"
#include "startup.h"

// The attributes of a launch.
struct options {
    bool cooperative;
    uint32_t cluster[3]; // 0: unspecified
};

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream,
                          const struct options *o)
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
                                   .cooperative = o->cooperative,
                                   .cluster = {o->cluster[0], o->cluster[1], o->cluster[2]},
                                   .args = args}};
    e = submit(stream, &work, false);
    if (!e)
        launch_succeeded();
    return leave(e);
}

// ---- <<<grid, block, shared, stream>>>

static _Thread_local struct configurations configurations;
static _Thread_local uint64_t callers[NESTED_CONFIGURATIONS]; // the return address of each one's <<<...>>>
static _Thread_local uint64_t popped;                         // of the next launch

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    if (configurations.depth < NESTED_CONFIGURATIONS)
        callers[configurations.depth] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    return push_configuration(&configurations, (struct configuration){grid, block, shared, stream});
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    cudaError_t e = pop_configuration(&configurations, grid, block, shared, stream);
    popped = e ? 0 : callers[configurations.depth];
    return leave(e);
}

cudaError_t __cudaGetKernel(struct CUkern_st **handle, const void *function)
{
    *handle = (struct CUkern_st *)find_kernel(function);
    return leave(*handle ? cudaSuccess : WRONG_FUNCTION);
}

// Launched by <<<...>>>, whose stub discards the error, or by a call that returns it.
static cudaError_t launch_by_stub(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                  cudaStream_t stream)
{
    uint64_t caller = popped;
    popped = 0;
    host_launch(caller);
    cudaError_t e = launch(function, grid, block, args, shared, stream, &(struct options){.cooperative = false});
    const struct kernel *k = e && caller ? find_kernel(function) : NULL;
    if (k)
        launch_refused(k->name, e);
    host_launch(0);
    return e;
}

cudaError_t __cudaLaunchKernel(struct CUkern_st *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    return launch_by_stub(kernel, grid, block, args, shared, stream);
}
PER_THREAD(__cudaLaunchKernel, _ptsz);

// ---- the launch calls

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    return launch_by_stub(function, grid, block, args, shared, stream);
}
PER_THREAD(cudaLaunchKernel, _ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream)
{
    return launch(function, grid, block, args, shared, stream, &(struct options){.cooperative = true});
}
PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);

// Reads one attribute of cudaLaunchKernelExC. Hints are ignored; attributes that would change the result are refused.
static cudaError_t read_attribute(const cudaLaunchAttribute *a, struct options *o)
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
    case cudaLaunchAttributeCooperative: o->cooperative = a->val.cooperative != 0; return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        o->cluster[0] = a->val.clusterDim.x;
        o->cluster[1] = a->val.clusterDim.y;
        o->cluster[2] = a->val.clusterDim.z;
        return o->cluster[0] && o->cluster[1] && o->cluster[2] ? cudaSuccess : cudaErrorInvalidValue;
    case 11: // cudaLaunchAttributePreferredClusterDimension: the device may use the other size
        return cudaSuccess;
    }
    complain("launch attribute %d of cudaLaunchKernelExC is not supported by the SIMT machine: leave it out, "
             "or use a GPU",
             (int)a->id);
    return cudaErrorNotSupported;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    struct options o = {.cooperative = false};
    cudaError_t e = config ? cudaSuccess : cudaErrorInvalidValue;
    for (unsigned i = 0; !e && i < config->numAttrs; i++)
        e = read_attribute(&config->attrs[i], &o);
    if (e)
        return leave(e);
    return launch(function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream, &o);
}
PER_THREAD(cudaLaunchKernelExC, _ptsz);

// ---- attributes of kernels

static cudaError_t find_code(const void *function, struct kernel **k, const struct code **c)
{
    cudaError_t e = enter();
    *k = find_kernel(function);
    if (!e && !*k)
        e = WRONG_FUNCTION;
    *c = e ? NULL : kernel_code(*k, current_device(), &e);
    return e;
}

static uint32_t max_block_threads(const struct code *c)
{
    uint32_t n = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t d = c->ptx->required_threads[i] ? c->ptx->required_threads[i] : c->ptx->max_threads[i];
        n *= d ? d : 1;
    }
    uint32_t most = threads_by_registers(c);
    return (c->ptx->required_threads[0] || c->ptx->max_threads[0]) && n < most ? n : most;
}

// PTX has no register allocation: without machine code, a number within the limits from the count of 32-bit register
// rows.
static int plausible_registers(const struct code *c)
{
    if (c->registers)
        return (int)c->registers;
    uint32_t n = c->reg_bytes / (LANES * 4) / 2;
    n = (n + 7) & ~7u;
    uint32_t limit = max_block_threads(c) > 512 ? 64 : 128;
    return (int)(n < 16 ? 16 : n > limit ? limit : n);
}

static uint32_t dynamic_limit(const struct kernel *k, const struct code *c)
{
    uint32_t asked = k->shared_limit[current_device()];
    return asked ? asked : c->shared_bytes < SHARED_PER_BLOCK ? SHARED_PER_BLOCK - c->shared_bytes : 0;
}

// The architecture of the PTX, as 10 * major + minor: libraries choose the shapes of their kernels by it.
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
    attr->maxThreadsPerBlock = (int)max_block_threads(c);
    attr->numRegs = plausible_registers(c);
    attr->ptxVersion = ptx_version(c->module->ptx);
    attr->binaryVersion = 90;
    attr->maxDynamicSharedSizeBytes = (int)dynamic_limit(k, c);
    attr->preferredShmemCarveout = -1;
    attr->clusterDimMustBeSet = c->ptx->cluster;
    attr->requiredClusterWidth = (int)c->ptx->cluster_blocks[0];
    attr->requiredClusterHeight = (int)c->ptx->cluster_blocks[1];
    attr->requiredClusterDepth = (int)c->ptx->cluster_blocks[2];
    attr->nonPortableClusterSizeAllowed = k->large_clusters;
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
    if (attr == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        k->large_clusters = value != 0;
        return cudaSuccess;
    }
    if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize) {
        complain("cudaFuncSetAttribute: attribute %d is not supported by the SIMT machine: leave it out, or use a GPU",
                 (int)attr);
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

int simt_parameters(const void *function, uint32_t *sizes, int most)
{
    cudaError_t e = cudaSuccess;
    const struct kernel *k = find_kernel(function);
    const struct ptx_function *f = k ? kernel_entry(k, current_device(), &e) : NULL;
    for (int i = 0; f && i < f->param_count && i < most; i++)
        sizes[i] = (uint32_t)f->params[i].size;
    return f ? f->param_count : -1;
}

// ---- occupancy

static cudaError_t active_blocks(int *blocks, const void *function, int threads, size_t shared)
{
    struct kernel *k;
    const struct code *c;
    cudaError_t e = blocks && threads > 0 ? find_code(function, &k, &c) : cudaErrorInvalidValue;
    if (e)
        return leave(e);
    bool fits = threads <= 1024 && shared <= dynamic_limit(k, c); // __launch_bounds__ has no effect here
    *blocks = fits ? (int)resident_blocks(c, (uint32_t)threads, (uint32_t)shared) : 0;
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

// The maximum of dynamic shared memory with which `blocks` blocks still fit on a multiprocessor.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *function, int blocks, int threads)
{
    struct kernel *k;
    const struct code *c;
    cudaError_t e = shared && blocks > 0 && threads > 0 ? find_code(function, &k, &c) : cudaErrorInvalidValue;
    if (e)
        return leave(e);
    uint32_t all = SHARED_PER_MULTIPROCESSOR / (uint32_t)blocks, own = c->shared_bytes + 1024; // see resident_blocks
    if ((uint32_t)blocks > resident_blocks(c, (uint32_t)threads, 0))
        return leave(cudaErrorInvalidValue);
    uint32_t left = all > own ? all - own : 0, limit = dynamic_limit(k, c);
    *shared = left < limit ? left : limit;
    return cudaSuccess;
}

// ---- clusters

// The kernel of a configuration and the size of its clusters; 0: unspecified.
static cudaError_t read_clusters(const void *function, const cudaLaunchConfig_t *config, struct kernel **k,
                                 const struct code **c, uint32_t *size)
{
    struct options o = {.cooperative = false};
    struct launch_request q = {.cooperative = false};
    uint32_t cluster[3];
    cudaError_t e = config ? find_code(function, k, c) : cudaErrorInvalidValue;
    for (unsigned i = 0; !e && i < config->numAttrs; i++)
        e = read_attribute(&config->attrs[i], &o);
    if (e)
        return e;
    memcpy(q.cluster, o.cluster, sizeof q.cluster);
    cluster_of(&q, *c, cluster);
    *size = o.cluster[0] || (*c)->ptx->cluster_blocks[0] ? cluster[0] * cluster[1] * cluster[2] : 0;
    return cudaSuccess;
}

static uint32_t threads_of(const cudaLaunchConfig_t *config)
{
    return config->blockDim.x * config->blockDim.y * config->blockDim.z;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config)
{
    struct kernel *k;
    const struct code *c;
    uint32_t size;
    cudaError_t e = clusters ? read_clusters(function, config, &k, &c, &size) : cudaErrorInvalidValue;
    if (e)
        return leave(e);
    if (!size || size > (k->large_clusters ? MAX_CLUSTER : PORTABLE_CLUSTER))
        return leave(size ? cudaErrorInvalidClusterSize : cudaErrorInvalidValue);
    *clusters = (int)resident_clusters(c, size, threads_of(config), (uint32_t)config->dynamicSmemBytes);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config)
{
    struct kernel *k;
    const struct code *c;
    uint32_t given;
    cudaError_t e = size ? read_clusters(function, config, &k, &c, &given) : cudaErrorInvalidValue;
    if (e)
        return leave(e);
    uint32_t most = k->large_clusters ? MAX_CLUSTER : PORTABLE_CLUSTER;
    while (most > 1 && !resident_clusters(c, most, threads_of(config), (uint32_t)config->dynamicSmemBytes))
        most /= 2;
    *size = (int)most;
    return cudaSuccess;
}
