// Kernels as work: validating a launch, copying its arguments, running it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/launch.h"
#include "memory/host_watch.h"
#include "report/report.h"
#include "report/settings.h"
#include "runtime/tasks/observers.h"
#include "runtime/tasks/work.h"

static struct {
    pthread_mutex_t lock; // decoding must not meet a running kernel of the same module
} execution = {PTHREAD_MUTEX_INITIALIZER};

// Errors that the launch itself returns; any other is a failure of the running kernel.
static bool is_refusal(cudaError_t e)
{
    switch ((int)e) {
    case cudaErrorInvalidValue:
    case cudaErrorMemoryAllocation:
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorCooperativeLaunchTooLarge:
    case cudaErrorInvalidClusterSize:
    case cudaErrorNotSupported: return true;
    }
    return false;
}

const struct ptx_function *kernel_entry(const struct kernel *k, int device, cudaError_t *e)
{
    const struct module *m = image_module(k->image, device, e);
    if (!m)
        return NULL;
    for (int i = 0; i < m->ptx->func_count; i++)
        if (m->ptx->funcs[i].defined && !strcmp(m->ptx->funcs[i].name, k->name))
            return &m->ptx->funcs[i];
    complain("the kernel %s is not in the PTX that nvcc made for it: rebuild the program", kernel_name(k->name));
    *e = WRONG_FUNCTION;
    return NULL;
}

const struct code *kernel_code(const struct kernel *k, int device, cudaError_t *e)
{
    char error[512];
    struct module *m = image_module(k->image, device, e);
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

// Writes to why which size of a launch is invalid; false: none.
static bool wrong_size(const struct kernel_work *w, const struct ptx_function *f, char *why, size_t size)
{
    static const uint32_t max_block[3] = {1024, 1024, 64}, max_grid[3] = {0x7fffffff, 65535, 65535};
    uint64_t threads = (uint64_t)w->block[0] * w->block[1] * w->block[2], most = f->max_threads[0];
    for (int i = 0; i < 3; i++) {
        const char *wrong = !w->block[i] || !w->grid[i]  ? "a dimension is 0"
                            : w->block[i] > max_block[i] ? "a block is at most 1024 x 1024 x 64"
                            : w->grid[i] > max_grid[i]   ? "a grid is at most 2147483647 x 65535 x 65535"
                                                         : NULL;
        if (wrong)
            return snprintf(why, size, "%s", wrong);
        most *= i && f->max_threads[i] ? f->max_threads[i] : 1;
    }
    if (threads > MAX_THREADS)
        return snprintf(why, size, "a block has at most %d threads, not %llu", MAX_THREADS,
                        (unsigned long long)threads);
    if (most && threads > most)
        return snprintf(why, size, "%llu threads per block, more than the %llu of its __launch_bounds__",
                        (unsigned long long)threads, (unsigned long long)most);
    return false;
}

static atomic_uint_fast64_t refused;

uint64_t refused_launches(bool forget)
{
    return forget ? atomic_exchange(&refused, 0) : atomic_load(&refused);
}

cudaError_t check_kernel(const struct kernel_work *w, int device)
{
    cudaError_t e = cudaSuccess;
    const struct ptx_function *f = kernel_entry(w->kernel, device, &e);
    char wrong[128];
    if (f && wrong_size(w, f, wrong, sizeof wrong)) {
        complain("launch of %s with grid (%u,%u,%u), block (%u,%u,%u): %s", kernel_name(w->kernel->name), w->grid[0],
                 w->grid[1], w->grid[2], w->block[0], w->block[1], w->block[2], wrong);
        atomic_fetch_add(&refused, 1);
        return WRONG_CONFIGURATION;
    }
    if (f && w->shared > SHARED_PER_BLOCK && w->shared > w->kernel->shared_limit[device]) {
        complain("launch of %s with %zu bytes of dynamic shared memory: more than %u needs cudaFuncSetAttribute "
                 "(cudaFuncAttributeMaxDynamicSharedMemorySize), and the maximum is %u",
                 kernel_name(w->kernel->name), w->shared, SHARED_PER_BLOCK, SHARED_PER_BLOCK_OPTIN);
        return cudaErrorInvalidValue;
    }
    return e;
}

static void explain_shared(const char *name, const struct kernel_work *w, const struct code *c, uint32_t asked)
{
    uint32_t limit = asked ? SHARED_PER_BLOCK_OPTIN : SHARED_PER_BLOCK;
    if (c->shared_bytes + w->shared > limit)
        complain("launch of %s: "
                 "%u bytes of static and %zu bytes of dynamic shared memory are more than the %u bytes of a block%s",
                 name, c->shared_bytes, w->shared, limit,
                 asked ? ""
                       : "; more dynamic shared memory needs cudaFuncSetAttribute"
                         "(cudaFuncAttributeMaxDynamicSharedMemorySize)");
    else
        complain("launch of %s: its block of %u x %u x %u threads is not the one that the kernel requires", name,
                 w->block[0], w->block[1], w->block[2]);
}

static void explain_registers(const char *name, const struct kernel_work *w, const struct code *c)
{
    uint32_t threads = w->block[0] * w->block[1] * w->block[2];
    complain("launch of %s: %u threads of %u registers each take %u registers, a block has %d; "
             "take at most %u threads a block, or declare the kernel with __launch_bounds__(%u), "
             "so that nvcc uses fewer registers",
             name, threads, c->registers, block_registers(c, threads), REGISTERS, threads_by_registers(c), threads);
}

// Reports what is wrong with the launch's clusters; false: nothing.
static bool explain_cluster(const char *name, const struct kernel_work *w, const struct code *c)
{
    struct launch_request q = {.cluster = {w->cluster[0], w->cluster[1], w->cluster[2]}};
    uint32_t size[3], most = w->kernel->large_clusters ? MAX_CLUSTER : PORTABLE_CLUSTER;
    cluster_of(&q, c, size);
    uint64_t blocks = (uint64_t)size[0] * size[1] * size[2];
    const uint32_t *own = c->ptx->cluster_blocks;
    char why[160] = "";
    if (c->ptx->cluster && !own[0] && !w->cluster[0])
        snprintf(why, sizeof why,
                 "the kernel must run in clusters: launch it by cudaLaunchKernelEx with a cluster size");
    else if (own[0] && w->cluster[0] && memcmp(own, size, sizeof size))
        snprintf(why, sizeof why, "the kernel's __cluster_dims__ are %u x %u x %u", own[0], own[1], own[2]);
    else if (w->grid[0] % size[0] || w->grid[1] % size[1] || w->grid[2] % size[2])
        snprintf(why, sizeof why, "a grid of %u x %u x %u blocks is not made of whole clusters", w->grid[0], w->grid[1],
                 w->grid[2]);
    else if (blocks > most)
        snprintf(why, sizeof why, "a cluster has at most %u blocks%s", most,
                 w->kernel->large_clusters ? ""
                                           : ", or 16 after cudaFuncSetAttribute"
                                             "(cudaFuncAttributeNonPortableClusterSizeAllowed)");
    else if (c->ptx->max_cluster && blocks > c->ptx->max_cluster)
        snprintf(why, sizeof why, "__launch_bounds__ promises at most %u blocks", c->ptx->max_cluster);
    else if (blocks > 1 &&
             !resident_clusters(c, (uint32_t)blocks, w->block[0] * w->block[1] * w->block[2], (uint32_t)w->shared))
        snprintf(why, sizeof why, "the device has no room for all its blocks at a time");
    if (why[0])
        complain("launch of %s in clusters of %u x %u x %u: %s", name, size[0], size[1], size[2], why);
    return why[0];
}

// Checks that need the decoded kernel.
static void explain_refusal(cudaError_t e, const struct kernel_work *w, int device)
{
    const char *name = kernel_name(w->kernel->name);
    cudaError_t ignored;
    if (!e || !is_refusal(e) || e == cudaErrorNotSupported)
        return;
    const struct code *c = kernel_code(w->kernel, device, &ignored);
    if (!c)
        return;
    if (explain_cluster(name, w, c))
        return;
    if (e == cudaErrorInvalidValue)
        explain_shared(name, w, c, w->kernel->shared_limit[device]);
    if (e == cudaErrorLaunchOutOfResources)
        explain_registers(name, w, c);
    if (e == cudaErrorCooperativeLaunchTooLarge) {
        device_size_queried(true);
        complain("cooperative launch of %s: %u x %u x %u blocks are more than the %u that the device holds at a time",
                 name, w->grid[0], w->grid[1], w->grid[2],
                 settings()->multiprocessors *
                     resident_blocks(c, w->block[0] * w->block[1] * w->block[2], (uint32_t)w->shared));
    }
}

// How many kernel launches may be pending: at least 32.
static uint64_t pending_launches(int device)
{
    size_t most = device_limit(device, cudaLimitDevRuntimePendingLaunchCount);
    return most > 32 ? most : 32;
}

cudaError_t run_kernel(const struct kernel_work *w, int device, struct operation *op, struct nested **nested)
{
    cudaError_t e = check_kernel(w, device);
    struct module *m = e ? NULL : image_module(w->kernel->image, device, &e);
    if (!m || device_is_lost(device))
        return e;
    struct launch_request q = {.module = m,
                               .kernel = w->kernel->name,
                               .grid = {w->grid[0], w->grid[1], w->grid[2]},
                               .dim = {w->block[0], w->block[1], w->block[2]},
                               .cluster = {w->cluster[0], w->cluster[1], w->cluster[2]},
                               .large_clusters = w->kernel->large_clusters,
                               .dynamic_shared = (uint32_t)w->shared,
                               .shared_limit = w->kernel->shared_limit[device],
                               .args = w->args,
                               .cooperative = w->cooperative,
                               .device = device,
                               .inaccessible = inaccessible_devices(device),
                               .limits = {.stack = device_limit(device, cudaLimitStackSize),
                                          .heap = device_limit(device, cudaLimitMallocHeapSize),
                                          .print = device_limit(device, cudaLimitPrintfFifoSize)},
                               .number = op ? op->number : operation_number(),
                               .operation = op,
                               .depth = w->depth,
                               .nested = nested,
                               .nested_most = pending_launches(device)};
    host_launches();
    pthread_mutex_lock(&execution.lock);
    q.observers = observers_in_use(w->kernel->name);
    e = (cudaError_t)launch_kernel(&q);
    pthread_mutex_unlock(&execution.lock);
    host_launched();
    explain_refusal(e, w, device);
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
    void **args = alloc_zeroed(1, bytes);
    uint8_t *at = (uint8_t *)(args + f->param_count + 1);
    for (int i = 0; i < f->param_count; i++) {
        memcpy(args[i] = at, w->args[i], f->params[i].size);
        at += (f->params[i].size + 15) & ~(size_t)15;
    }
    return args;
}
