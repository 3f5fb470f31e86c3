// Work that a program gives to a device: kernels, copies, fills, host functions; and memory.
#pragma once

#include "check/streams.h"
#include "memory/memory.h"
#include "runtime/base/base.h"
#include "runtime/registry/registry.h"

// clang-format off
// From WORK_EVENT on: only in graphs.
enum work_kind {
    WORK_KERNEL, WORK_COPY, WORK_FILL, WORK_HOST, WORK_CALLBACK,
    WORK_EVENT, WORK_WAIT, WORK_EMPTY, WORK_CHILD, WORK_ALLOCATE, WORK_RELEASE, WORK_CONDITION,
};
// clang-format on

struct kernel_work {
    struct kernel *kernel;
    uint32_t grid[3], block[3];
    size_t shared;
    bool cooperative;
    uint32_t cluster[3]; // blocks of a cluster; 0: as the kernel declares
    void **args;
    uint32_t depth; // nesting depth; 0: launched by the host
};

// depth slices of height rows of width bytes. Rows lie pitch bytes apart, slices pitch * slice_rows.
struct copy_work {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, to_rows, from_rows, width, height, depth;
    enum cudaMemcpyKind kind;
    bool other_host;  // the host's own memory is in another process
    const char *call; // the call's name for reports; NULL: a cudaMemcpy
};

struct fill_work {
    void *to;
    size_t pitch, rows, width, height, depth; // width in bytes
    uint32_t value;
    uint32_t element; // bytes of the value that repeat: 1, 2 or 4
};

struct host_work {
    cudaHostFn_t call;
    cudaStreamCallback_t callback; // of cudaStreamAddCallback
    cudaStream_t stream;
    void *data;
};

// Memory that a graph allocates and releases. Its address is fixed; only its contents are allocated and freed.
struct memory_work {
    void *p;
    size_t size;
};

// Graphs that run if a condition holds. The kinds are numbered as in cudaGraphConditionalNodeType, which not every
// toolkit has.
enum condition_kind { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };
struct condition_work {
    uint64_t handle;
    enum condition_kind kind;
    unsigned size;
    struct graph **bodies; // `size` graphs, owned by the node
};

struct work {
    enum work_kind kind;
    int device;
    union {
        struct kernel_work kernel;
        struct copy_work copy;
        struct fill_work fill;
        struct host_work host;
        struct memory_work memory;
        struct graph *child; // owned by the node
        cudaEvent_t event;
        struct condition_work condition;
    };
};

// Runs work on device memory. op: its operation in the stream; NULL: the race check is off. *nested: the work that a
// kernel's threads launch, to run when op has ended; NULL: none.
struct nested;
cudaError_t run_device_work(const struct work *w, struct operation *op, struct nested **nested);

// Converts nested work to ordinary work; parent: the work that launched it. False: the program does not register the
// kernel, reported in one line.
bool read_nested(const struct nested *n, const struct work *parent, struct work *out);
cudaError_t run_host_work(const struct work *w);

// ---- kernels: kernel.c

// The kernel's entry in its module on the device; NULL: there is none, and *e says why.
const struct ptx_function *kernel_entry(const struct kernel *k, int device, cudaError_t *e);

// The decoded kernel; NULL: there is none, and *e says why.
const struct code *kernel_code(const struct kernel *k, int device, cudaError_t *e);

// Validates a launch before it runs: 0, or an error and a line on stderr.
cudaError_t check_kernel(const struct kernel_work *w, int device);
uint64_t refused_launches(bool forget); // launches refused for their sizes so far

// Copies a kernel's arguments into one block of memory, which the caller frees; NULL: the module does not load.
void **copy_args(const struct kernel_work *w, int device);

cudaError_t run_kernel(const struct kernel_work *w, int device, struct operation *op, struct nested **nested);

// ---- copies and fills: copy.c

cudaError_t run_copy(const struct copy_work *w);
cudaError_t run_fill(const struct fill_work *w);

bool within_device(const struct copy_work *c);    // neither end is memory of the host
bool uses_page_locked(const struct copy_work *c); // one end is page-locked memory, as from cudaMallocHost
bool ends_in_pageable(const struct copy_work *c); // the target is the program's own memory
bool arrives_late(const struct copy_work *c);     // from pageable to device memory: cudaMemcpy returns early
bool refuse_heap(const struct copy_work *c);      // one end is memory of a kernel's malloc; reports it
bool copies_on_device(const struct copy_work *c, int device);
bool is_device_memory(const void *p);

// ---- arrays: array.c

struct array {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; // as the program passes it; 0 in absent dimensions
    unsigned flags;
    size_t texel, pitch, rows, slices; // bytes of a texel and of a row; slices: or layers, or faces
    void *memory;
};
struct array *find_array(cudaArray_const_t handle); // NULL: there is none
size_t array_bytes(const struct array *a);

// A part of an array; x and width are in bytes.
struct box {
    size_t x, y, z, width, height, depth;
};
cudaError_t array_place(const struct array *a, const struct box *box, uint8_t **out); // where the part starts

// Converts the parameters of cudaMemcpy3D to a copy: 0, or an error and a line on stderr.
cudaError_t read_box(const struct cudaMemcpy3DParms *p, struct copy_work *out);

// ---- memory: allocation.c

// Allocation and release of device memory, without the checks of a call.
cudaError_t allocate(void **out, size_t size, enum memory_kind kind, int device);
cudaError_t release(void *p, bool host, const char *call); // host: from cudaMallocHost; call: for the report

// Allocates or releases a graph's memory; p NULL: new memory of that size.
cudaError_t read_memory(enum work_kind kind, void *p, size_t size, int device, struct work *out);

#define POOL_ATTRIBUTES (cudaMemPoolAttrUsedMemHigh + 1)

// A pool only remembers its attributes: all memory comes from the device's arena.
struct pool {
    int device;
    bool is_default;
    uint64_t values[POOL_ATTRIBUTES];
    uint64_t bytes, high; // bytes in use; their maximum so far
};
struct pool *find_pool(cudaMemPool_t pool);
void take_from_pool(cudaMemPool_t pool, const void *memory);
