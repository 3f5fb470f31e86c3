// The CUDA runtime API on top of the machine: what its files share. Private to runtime_*.c.
//
//     module.c   fat binaries, kernels and variables of the program
//     launch.c   launches, attributes of kernels, occupancy
//     memory.c   allocation, copies, fills, symbols
//     pointer.c  pools, registered host memory, questions about pointers
//     texture.c  texture objects
//     device.c   emulated devices and their properties
//     stream.c   streams and events        graph.c   capture and graphs
//     order.c    what waits for what       node.c    graphs built node by node
//     handle.c   stream, event, ... handles that can be told from garbage
//     error.c    errors as CUDA keeps them refused.c the calls that are only refused
//
// Every call runs at once and to its end; work given to a stream that is being captured is recorded instead. All work
// (kernels, copies, fills, host functions) is a struct work and passes through submit().
#ifndef SIMT_RUNTIME_H
#define SIMT_RUNTIME_H

#define CUDA_ENABLE_DEPRECATED // toolkits call some functions deprecated that programs still use
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "check/streams.h"
#include "decode/module.h"
#include "memory/memory.h"

#define MAX_DEVICES 16

// The variant of a call for programs compiled with --default-stream per-thread: the same function.
#define PER_THREAD(call, suffix) extern __typeof__(call) call##suffix __attribute__((alias(#call)))

// CUDA 13 has one error for all wrong configurations and another one for addresses that are no kernel's.
#if CUDART_VERSION >= 13000
#define WRONG_CONFIGURATION cudaErrorInvalidValue
#define WRONG_FUNCTION cudaErrorInvalidResourceHandle
#else
#define WRONG_CONFIGURATION cudaErrorInvalidConfiguration
#define WRONG_FUNCTION cudaErrorInvalidDeviceFunction
#endif

// ---- errors: error.c

// What a call must return before it does anything: the current device's error, if it has a lasting one. The second form
// is for calls that wait for the device: a kernel's failure shows there for the first time.
cudaError_t enter(void);
cudaError_t enter_and_wait(void);

// Remembers an error for cudaGetLastError; every call returns through it.
cudaError_t leave(cudaError_t e);

// A kernel on the device failed. Shows at the next call that waits, and stays until cudaDeviceReset.
void device_failed(int device, cudaError_t e);
bool device_is_lost(int device); // whether some kernel failed: later work does not run
void device_recovered(int device);

// Says once that the call is not supported; cudaErrorNotSupported. For refused.c, which must not see the
// prototypes.
int refuse_call(const char *name);

// ---- devices: device.c

int current_device(void);
bool is_device(int device);
cudaError_t device_attribute(enum cudaDeviceAttr attribute, int *value);

// ---- handles: handle.c

enum handle_kind { HANDLE_STREAM = 1, HANDLE_EVENT, HANDLE_GRAPH, HANDLE_EXEC, HANDLE_NODE, HANDLE_POOL };

// A new handle for the object; NULL when there are too many. It is no address: a wrong one is recognised.
void *handle_open(enum handle_kind kind, void *object);
void *handle_object(enum handle_kind kind, const void *handle); // NULL: no such handle
void handle_close(enum handle_kind kind, const void *handle);

// ---- the program's code: module.c

struct image; // one fat binary

struct kernel {
    const void *host; // address of the stub; a cudaKernel_t is the address of this struct
    const char *name; // as in PTX
    struct image *image;
    uint32_t shared_limit[MAX_DEVICES]; // cudaFuncAttributeMaxDynamicSharedMemorySize; 0: never set
    struct kernel *next;
};

struct variable {
    const void *host;
    const char *name;
    struct image *image;
    uint64_t size;
    void **managed; // where the host keeps the address of a __managed__ variable; else NULL
    struct variable *next;
};

// By the host's address or by handle. NULL: unknown.
struct kernel *find_kernel(const void *function);

// The module instance of that device, loaded at its first use. NULL: *e says why, and a line was printed once.
struct module *image_module(struct image *image, int device, cudaError_t *e);

// Address and size of a variable on the current device.
cudaError_t locate_variable(const void *symbol, uint64_t *address, uint64_t *size);

// Forgets the module instances of the device: its variables start anew.
void forget_modules(int device);

// ---- work: launch.c, memory.c, graph.c

// From WORK_EVENT on: in graphs only.
enum work_kind {
    WORK_KERNEL, WORK_COPY, WORK_FILL, WORK_HOST, WORK_CALLBACK,
    WORK_EVENT, WORK_WAIT, WORK_EMPTY, WORK_CHILD, WORK_ALLOCATE, WORK_RELEASE,
};

struct kernel_work {
    struct kernel *kernel;
    uint32_t grid[3], block[3];
    size_t shared;
    bool cooperative;
    void **args;
};

// depth slices of height rows of width bytes. Rows lie pitch bytes apart, slices pitch * slice_rows.
struct copy_work {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, to_rows, from_rows, width, height, depth;
    enum cudaMemcpyKind kind;
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

// Memory that a graph allocates and releases. It keeps its place; only what stands in it comes and goes.
struct memory_work {
    void *p;
    size_t size;
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
        struct graph *child; // the node's own
        cudaEvent_t event;
    };
};

// Runs the work, or records it where the stream is being captured. `waits`: the call comes back when the work is done
// (cudaMemcpy): such calls are not allowed during a capture.
cudaError_t submit(cudaStream_t stream, struct work *work, bool waits);
cudaError_t run_kernel(const struct kernel_work *w, int device, struct operation *op);
cudaError_t run_copy(const struct copy_work *w);
cudaError_t run_fill(const struct fill_work *w);

// The copy that the parameters of cudaMemcpy3D describe: 0, or an error and a line on stderr.
cudaError_t read_box(const struct cudaMemcpy3DParms *p, struct copy_work *out);

// What is wrong with a launch before it runs: 0, or an error and a line on stderr.
cudaError_t check_kernel(const struct kernel_work *w, int device);

// Copies of a kernel's arguments, one block of memory to be freed by the caller; NULL: the module does not load.
void **copy_args(const struct kernel_work *w, int device);

// Allocation and release of device memory, without the checks of a call.
cudaError_t allocate(void **out, size_t size, enum memory_kind kind, int device);
cudaError_t release(void *p, bool host, const char *call); // host: from cudaMallocHost; call: for the report
void back_to_pool(const struct allocation *a); // it was freed
void report_leaks(void); // what the program allocated and never freed, if it asked for that

// ---- streams: stream.c

struct capture;

// One lock for what changes in streams, events and captures. Not to be held while work runs.
void lock_streams(void);
void unlock_streams(void);

struct stream {
    int device;
    unsigned flags;
    int priority;
    unsigned long long id;
    bool legacy;           // the device's default stream
    uint32_t timeline;
    struct order known;    // what later work waits for
    struct stream *next;   // of all streams
    struct capture *capture; // NULL: runs its work
    struct node **front;     // in a capture: the nodes that the next one follows
    size_t front_count;
};

struct event {
    int device;
    unsigned flags;
    bool recorded;
    double time;             // seconds, host clock
    struct order known;      // what is over when it has happened
    struct capture *capture; // recorded within this capture, which may have ended since
    unsigned long long capture_id;
    struct node **front;
    size_t front_count;
};

// NULL: no such stream. The default streams (0, 1, 2) are streams too.
struct stream *find_stream(cudaStream_t stream);
struct event *find_event(cudaEvent_t event);
bool is_capturing(struct stream *s);

// The work on the device's memory itself. op: what it is in its stream; NULL: the race check is off.
cudaError_t run_device_work(const struct work *w, struct operation *op);
cudaError_t run_host_work(const struct work *w);
void mark_event(struct event *e);

// ---- what waits for what: order.c. These four with the streams locked:

void order_open(struct stream *s);
void order_close(struct stream *s);
void order_record(const struct stream *s, struct event *e);
void order_wait(struct stream *s, const struct event *e);

void host_waits_for_stream(const struct stream *s);
void callback_follows_stream(const struct stream *s); // what it may touch is there
void host_waits_for_event(const struct event *e);
void host_waits_for_device(int device);

// Runs device work of the stream, and checks it against what may run beside it.
cudaError_t run_in_order(struct stream *s, const struct work *w, bool waits);

// Memory that the stream allocates or is about to free: all of it counts as written by `call`.
void order_memory(struct stream *s, void *p, const char *call);

// The same for a graph: it starts with what the stream waits for; its nodes run one by one; the stream goes on when all
// are over. Each node is on a timeline: that of a node before it, or a new one, which graph_ends gives back.
void graph_starts(const struct stream *s, struct order *start);
uint32_t graph_branches(void);
cudaError_t run_node(const struct stream *s, const struct work *w, uint32_t timeline, struct order *order);
void graph_ends(struct stream *s, const struct order *end, const uint32_t *timelines, size_t count);
void order_join(struct order *into, const struct order *from);

// Of copies: memory.c.
bool within_device(const struct copy_work *c);    // neither end is memory of the host
bool ends_in_pageable(const struct copy_work *c); // the target is the program's own memory
bool copies_on_device(const struct copy_work *c, int device);
bool is_device_memory(const void *p);

// ---- capture: graph.c

// What a call that captures forbid must return while one goes on: 0, or cudaErrorStreamCaptureUnsupported. And one that
// uses the legacy stream of the device, which waits for all blocking streams.
cudaError_t check_unsafe_in_capture(void);
cudaError_t check_legacy_in_capture(int device);
cudaError_t capture_work(struct stream *s, const struct work *work);

// What allocates or releases a graph's memory; NULL p: new memory of that size.
cudaError_t read_memory(enum work_kind kind, void *p, size_t size, int device, struct work *out);
cudaError_t capture_event(struct stream *s, struct event *e);
cudaError_t capture_wait(struct stream *s, struct event *e);
cudaError_t break_capture(struct stream *s); // a call that a capturing stream does not allow
void leave_capture(struct stream *s);        // the stream is about to go away
void free_front(struct node ***front, size_t *count);

#endif
