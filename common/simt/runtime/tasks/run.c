// One function for each kind of work; streams, graphs and device-side launches all run it through here.
#include "runtime/tasks/work.h"

#include "exec/nested.h"
#include "report/report.h"

// Only such work opens device memory; the host itself cannot touch it.
cudaError_t run_device_work(const struct work *w, struct operation *op, struct nested **nested)
{
    *nested = NULL;
    if (w->kind == WORK_ALLOCATE || w->kind == WORK_RELEASE) {
        memory_mark_unwritten((uint64_t)(uintptr_t)w->memory.p, w->memory.size);
        return cudaSuccess;
    }
    memory_open();
    cudaError_t e = w->kind == WORK_KERNEL ? run_kernel(&w->kernel, w->device, op, nested)
                    : w->kind == WORK_COPY ? run_copy(&w->copy)
                                           : run_fill(&w->fill);
    memory_close();
    return e;
}

cudaError_t run_host_work(const struct work *w)
{
    host_function_runs(true);
    if (w->kind == WORK_HOST)
        w->host.call(w->host.data);
    if (w->kind == WORK_CALLBACK)
        w->host.callback(w->host.stream, cudaSuccess, w->host.data);
    host_function_runs(false);
    return cudaSuccess;
}

// clang-format off
static void read_stretch(const struct nested *n, struct work *out)
{
    void *to = (void *)(uintptr_t)n->to;
    if (n->kind == NESTED_FILL)
        out->fill = (struct fill_work){.to = to, .pitch = n->size, .rows = 1, .width = n->size, .height = 1, .depth = 1,
                                       .value = n->value, .element = 1};
    else
        out->copy = (struct copy_work){.to = to, .from = (const void *)(uintptr_t)n->from, .to_pitch = n->size,
                                       .from_pitch = n->size, .to_rows = 1, .from_rows = 1, .width = n->size,
                                       .height = 1, .depth = 1, .kind = cudaMemcpyDeviceToDevice};
}
// clang-format on

bool read_nested(const struct nested *n, const struct work *parent, struct work *out)
{
    *out = (struct work){.kind = n->kind == NESTED_COPY   ? WORK_COPY
                                 : n->kind == NESTED_FILL ? WORK_FILL
                                                          : WORK_KERNEL,
                         .device = parent->device};
    if (n->kind != NESTED_KERNEL) {
        read_stretch(n, out);
        return true;
    }
    struct kernel *k = find_named_kernel(parent->kernel.kernel->image, n->entry->name);
    if (!k)
        complain("kernel %s, which a kernel launches, is not registered by the program", kernel_name(n->entry->name));
    out->kernel = (struct kernel_work){.kernel = k,
                                       .grid = {n->grid[0], n->grid[1], n->grid[2]},
                                       .block = {n->dim[0], n->dim[1], n->dim[2]},
                                       .shared = n->shared,
                                       .args = n->args,
                                       .depth = parent->kernel.depth + 1};
    return k != NULL;
}
