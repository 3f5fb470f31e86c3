// Kernels as work: what is wrong with a launch, its arguments, running it.
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/launch.h"
#include "memory/host_watch.h"
#include "report/report.h"
#include "runtime/tasks/observers.h"
#include "runtime/tasks/work.h"

static struct {
    pthread_mutex_t lock; // decoding must not meet a running kernel of the same module
} execution = {PTHREAD_MUTEX_INITIALIZER};

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
    void **args = alloc_zeroed(1, bytes);
    uint8_t *at = (uint8_t *)(args + f->param_count + 1);
    for (int i = 0; i < f->param_count; i++) {
        memcpy(args[i] = at, w->args[i], f->params[i].size);
        at += (f->params[i].size + 15) & ~(size_t)15;
    }
    return args;
}
