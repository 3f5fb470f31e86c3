// The base of the CUDA runtime API: errors as CUDA keeps them, devices, handles.
#pragma once

#define CUDA_ENABLE_DEPRECATED // toolkits mark functions as deprecated that programs still use
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAX_DEVICES 16

// The variant of a call for programs compiled with --default-stream per-thread: the same function.
#define PER_THREAD(call, suffix) extern __typeof__(call) call##suffix __attribute__((alias(#call)))

// CUDA 13 has one error for all invalid configurations and another for addresses that are no kernel.
#if CUDART_VERSION >= 13000
#define WRONG_CONFIGURATION cudaErrorInvalidValue
#define WRONG_FUNCTION cudaErrorInvalidResourceHandle
#else
#define WRONG_CONFIGURATION cudaErrorInvalidConfiguration
#define WRONG_FUNCTION cudaErrorInvalidDeviceFunction
#endif

// ---- errors: error.c

// The current device's lasting error, if any: a call must return it before it does anything. The second form is for
// calls that wait for the device, where a kernel's failure first appears. function: the caller.
#define enter() enter_from(__func__)
#define enter_and_wait() enter_and_wait_from(__func__)
cudaError_t enter_from(const char *function);
cudaError_t enter_and_wait_from(const char *function);

// What the runtime remembers of a host thread: its last error, and whether the thread has used the runtime. The driver
// API, which is built on runtime calls, restores it.
struct runtime_state {
    cudaError_t last;
    bool used;
};
struct runtime_state runtime_state(void);
void set_runtime_state(struct runtime_state s);
bool host_has_one_thread(void); // only one has used the runtime

// Makes call number `call` fail, counted from now on, from 1, over all calls that reach a device; 0: none fails.
// Returns how many calls there were since this function was last called.
uint64_t fail_call(uint64_t number);

// The call that failed, in words: "a copy"; NULL: none has failed since fail_call().
const char *failed_call(void);

// A host function of a stream runs in this thread: until it ends, calls return cudaErrorNotPermitted.
void host_function_runs(bool runs);

// Remembers an error for cudaGetLastError; every call returns through it.
cudaError_t leave(cudaError_t e);

// A kernel on the device failed. The next call that waits returns the error, which stays until cudaDeviceReset.
void device_failed(int device, cudaError_t e);
bool device_is_lost(int device); // whether some kernel failed: later work does not run
void device_recovered(int device);

bool error_lasts(cudaError_t e); // a kernel's error, which stays

// ---- calls that fail: failed.c

// A call of this thread fails: reports it in one line, unless a line has given the reason.
void call_failed(cudaError_t e);

// A <<<...>>> of the kernel was refused. Its stub discards the error; if this thread never queries it, that is a
// finding when the program ends.
void launch_refused(const char *kernel, cudaError_t e);

// After a successful launch, an older error may be mistaken for the launch's.
void launch_succeeded(void);

// The program queries the last error, which is e.
void error_queried(cudaError_t e);
void report_unseen_launches(void); // when the program ends

// ---- devices: device.c

int current_device(void); // of this host thread
void use_device(int device);
bool is_device(int device);
cudaError_t device_attribute(enum cudaDeviceAttr attribute, int *value);
bool device_size_queried(bool now);                      // whether their number was queried; now: it is
size_t device_limit(int device, enum cudaLimit limit); // of an existing device
uint32_t inaccessible_devices(int device);                   // a bit for each device to which it has no peer access
void set_device_limit(int device, enum cudaLimit limit, size_t value);
void reset_device_limits(int device);

// ---- handles: handle.c

// clang-format off
enum handle_kind {
    HANDLE_STREAM = 1, HANDLE_EVENT, HANDLE_GRAPH, HANDLE_EXEC, HANDLE_NODE, HANDLE_POOL, HANDLE_ARRAY, HANDLE_CONTEXT,
    HANDLE_LINK
};
// clang-format on

// A new handle for the object; NULL: there are too many. It is not an address, so an invalid one is recognised.
void *handle_open(enum handle_kind kind, void *object);
void *handle_object(enum handle_kind kind, const void *handle); // NULL: no such handle
void handle_close(enum handle_kind kind, const void *handle);
uint32_t handles_live(void); // the number of open ones
