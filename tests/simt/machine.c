// The driver of machine.h on the SIMT machine.
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/streams.h"
#include "count/count.h"
#include "decode/module.h"
#include "exec/handlers.h"
#include "exec/launch.h"
#include "memory/memory.h"
#include "report/report.h"
#include "runtime/tasks/observers.h"
#include "trace/trace.h"

struct module *machine_load(const char *ptx)
{
    char error[512];
    struct module *m = module_parse(&(struct ptx_text){ptx, strlen(ptx)}, 1, exec_handlers(), error, sizeof error);
    if (!m || !module_place(m, 0)) {
        printf("the machine refuses this PTX: %s\n%s\n", m ? "no memory for its variables" : error, ptx);
        exit(1);
    }
    return m;
}

void machine_unload(struct module *m)
{
    count_forget(m);
    findings_forget(m->ptx);
    trace_forget(m->ptx);
    module_free(m);
}

const struct observer *machine_observer;

int machine_launch(struct module *m, const char *kernel, struct machine_shape shape, void **arguments)
{
    struct launch_request q = {.module = m,
                               .kernel = kernel,
                               .dynamic_shared = shape.shared,
                               .args = arguments,
                               .shared_limit = shape.shared > 48 << 10 ? shape.shared : 0,
                               .cooperative = shape.cooperative,
                               .cluster = {shape.cluster, shape.cluster != 0, shape.cluster != 0},
                               .number = operation_number(),
                               .observers = observers_in_use(kernel)};
    memcpy(q.grid, shape.grid, sizeof q.grid);
    memcpy(q.dim, shape.block, sizeof q.dim);
    if (machine_observer)
        q.observers.list[q.observers.count++] = machine_observer;
    return launch_kernel(&q);
}

void *machine_raw(size_t size)
{
    struct allocation *a = memory_alloc(size, MEMORY_DEVICE, 0);
    if (!a) {
        printf("no %zu bytes of device memory\n", size);
        exit(1);
    }
    return (void *)(uintptr_t)a->base;
}

void *machine_buffer(size_t size, int fill)
{
    void *p = machine_raw(size);
    memset(p, fill, size);
    memory_mark_written((uintptr_t)p, size);
    return p;
}

void machine_free(void *buffer)
{
    const struct allocation *found;
    if (!memory_free((uintptr_t)buffer, &found)) {
        printf("machine_free: %p is no buffer\n", buffer);
        exit(1);
    }
}
