// The driver of machine.h on a GPU, through the CUDA driver API: shows that the tests expect what the hardware does. It
// is not part of the build, because it needs a GPU and a driver:
//
//     cc -std=gnu11 -I/usr/local/cuda/include gpu.c check.c opcodes/{table,kernel,test_opcodes}.c -lm -ldl -o on-gpu
//     ./on-gpu opcodes/family.txt
//
// On an H200 (2026-11-21) every table holds, except for set and testp under a guard: the driver's assembler lets their
// last step run in lanes that the guard disables.
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

struct module {
    CUmodule handle;
};

static void *driver(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        printf("no CUDA driver: %s\n", name);
        exit(1);
    }
    return found;
}

#define CALL(name, ...) \
    do { \
        CUresult e_ = ((__typeof__(&name))driver(#name))(__VA_ARGS__); \
        if (e_) \
            fprintf(stderr, #name " gives %d\n", (int)e_); \
        last = e_; \
    } while (0)

static CUresult last;

static void open_device(void)
{
    static CUcontext context;
    CUdevice device;
    if (context)
        return;
    setvbuf(stdout, NULL, _IOLBF, 0);
    CALL(cuInit, 0);
    CALL(cuDeviceGet, &device, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, device);
    CALL(cuCtxSetCurrent, context);
}

struct module *machine_load(const char *ptx)
{
    static char log[4096];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    struct module *m = calloc(1, sizeof *m);
    open_device();
    log[0] = 0;
    CALL(cuModuleLoadDataEx, &m->handle, ptx, 2, options, values);
    if (last)
        fprintf(stderr, "%s\n%s\n", log, ptx);
    return m;
}

void machine_unload(struct module *m)
{
    if (m->handle)
        CALL(cuModuleUnload, m->handle);
    free(m);
}

int machine_launch(struct module *m, const char *kernel, struct machine_shape s, void **arguments)
{
    CUfunction f;
    if (!m->handle)
        return 218;
    CALL(cuModuleGetFunction, &f, m->handle, kernel);
    CALL(cuLaunchKernel, f, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2], s.shared, NULL,
         arguments, NULL);
    CALL(cuCtxSynchronize);
    return (int)last;
}

void *machine_raw(size_t size)
{
    void *p = NULL;
    open_device();
    CALL(cuMemHostAlloc, &p, size + !size, CU_MEMHOSTALLOC_DEVICEMAP);
    return p;
}

void *machine_buffer(size_t size, int fill)
{
    return memset(machine_raw(size), fill, size);
}

void machine_free(void *buffer)
{
    CALL(cuMemFreeHost, buffer);
}
