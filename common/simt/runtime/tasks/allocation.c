// Device memory for work: allocation, release and pools.
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "memory/exported.h"
#include "report/report.h"
#include "report/settings.h"
#include "runtime/tasks/work.h"

cudaError_t allocate(void **out, size_t size, enum memory_kind kind, int device)
{
    if (!out) {
        complain("the address of the pointer that an allocation sets is NULL: is an & missing, as in cudaMalloc(&p, "
                 "bytes)?");
        return cudaErrorInvalidValue;
    }
    *out = NULL;
    if (!size)
        return cudaSuccess;
    const struct allocation *a = memory_alloc(size, kind, device);
    if (!a) {
        char was[60] = "";
        if (size > INT64_MAX)
            snprintf(was, sizeof was, " (a size of %lld, below 0)", (long long)size);
        complain("%zu bytes%s do not fit into the memory of device %d: it has %llu MiB, %llu in use; "
                 "SIMT_MEMORY=GIB gives it more",
                 size, was, device, (unsigned long long)(memory_capacity() >> 20),
                 (unsigned long long)(memory_used(device) >> 20));
        return cudaErrorMemoryAllocation;
    }
    if (kind != MEMORY_DEVICE) // the host may write it unnoticed
        memory_mark_written(a->base, size);
    else
        memory_keep_out();
    *out = (void *)(uintptr_t)a->base;
    return cudaSuccess;
}

static pthread_mutex_t pools = PTHREAD_MUTEX_INITIALIZER; // guards the pools' byte counts, and each allocation's pool

struct pool *find_pool(cudaMemPool_t pool)
{
    return handle_object(HANDLE_POOL, pool);
}

void take_from_pool(cudaMemPool_t pool, const void *memory)
{
    struct allocation *a = memory_find((uint64_t)(uintptr_t)memory);
    struct pool *p = find_pool(pool);
    pthread_mutex_lock(&pools);
    a->pool = pool;
    p->bytes += a->size;
    p->high = p->bytes > p->high ? p->bytes : p->high;
    pthread_mutex_unlock(&pools);
}

static void return_to_pool(const struct allocation *a)
{
    struct pool *p = a->pool ? find_pool((cudaMemPool_t)a->pool) : NULL;
    pthread_mutex_lock(&pools);
    if (p)
        p->bytes -= a->size;
    pthread_mutex_unlock(&pools);
}

__attribute__((format(printf, 2, 3))) static void report_free(const char *call, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (settings()->check_memory)
        report_program(ERROR, "%s (%s)", text, call);
    else
        complain("%s (%s)", text, call);
}

static void explain_free(const char *call, void *p, const struct allocation *a)
{
    uint64_t at = (uint64_t)(uintptr_t)p;
    if (!a)
        report_free(call, "Invalid free of %p: it is in no allocation of the device", p);
    else if (a->base != at)
        report_free(call, "Invalid free of %p: %llu bytes inside %s allocation of %llu bytes", p,
                    (unsigned long long)(at - a->base), a->live ? "an" : "a freed", (unsigned long long)a->size);
    else if (!a->live)
        report_free(call, "Double free of %p (%llu bytes, allocation %llu of the program)", p,
                    (unsigned long long)a->size, (unsigned long long)a->number);
    else
        report_free(call, "Invalid free of %p: it is %s memory", p, memory_kind_word(a->kind));
}

cudaError_t release(void *p, bool host, const char *call)
{
    uint64_t base = (uint64_t)(uintptr_t)p;
    const struct allocation *a = memory_find(base);
    if (!p)
        return cudaSuccess;
    if (a && a->kind == MEMORY_GRAPH && a->base == base && !host) { // its address belongs to the graph forever
        memory_mark_unwritten(base, a->size);
        return cudaSuccess;
    }
    bool right = a && a->live && a->base == base && !a->name &&
                 (host ? a->kind == MEMORY_HOST : a->kind == MEMORY_DEVICE || a->kind == MEMORY_MANAGED);
    if (right)
        memory_end_export(base);
    if (right && memory_free(base, &a)) {
        return_to_pool(a);
        return cudaSuccess;
    }
    explain_free(call, p, a);
    return cudaErrorInvalidValue;
}

cudaError_t read_memory(enum work_kind kind, void *p, size_t size, int device, struct work *out)
{
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)p);
    cudaError_t e = p || size ? cudaSuccess : cudaErrorInvalidValue;
    if (!e && !p)
        e = allocate(&p, size, MEMORY_GRAPH, device);
    else if (!e && (!a || a->kind != MEMORY_GRAPH || a->base != (uint64_t)(uintptr_t)p)) {
        complain("%p is freed in a graph, but was not allocated in one: free it outside", p);
        e = cudaErrorInvalidValue;
    }
    *out = (struct work){.kind = kind, .device = device, .memory = {p, size ? size : a ? a->size : 0}};
    return e;
}
