// What all of the CUDA runtime API stands on: errors as CUDA keeps them, the devices, handles.
#pragma once

#define CUDA_ENABLE_DEPRECATED // toolkits call some functions deprecated that programs still use
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAX_DEVICES 16

// The variant of a call for programs compiled with --default-stream per-thread: the same function.
#define PER_THREAD(call, suffix) extern __typeof__(call) call##suffix __attribute__((alias(#call)))

// CUDA 13 has one error for all wrong configurations and another one for addresses of no kernel.
#if CUDART_VERSION >= 13000
#define WRONG_CONFIGURATION cudaErrorInvalidValue
#define WRONG_FUNCTION cudaErrorInvalidResourceHandle
#else
#define WRONG_CONFIGURATION cudaErrorInvalidConfiguration
#define WRONG_FUNCTION cudaErrorInvalidDeviceFunction
#endif

// ---- errors: error.c

// What a call must return before it does anything: the current device's error, if it has a lasting one. The second form
// is for calls that wait for the device: a kernel's failure shows there for the first time. function: the caller.
#define enter() enter_from(__func__)
#define enter_and_wait() enter_and_wait_from(__func__)
cudaError_t enter_from(const char *function);
cudaError_t enter_and_wait_from(const char *function);

// What the runtime remembers of a host thread: its last error, and whether it was used at all. The driver API, which
// stands on its calls, puts it back.
struct runtime_state {
    cudaError_t last;
    bool used;
};
struct runtime_state runtime_state(void);
void set_runtime_state(struct runtime_state s);

// Makes call number `call` fail, counting from 1 from now on and over all calls that reach a device; 0: none fails.
// Returns how many there were since this function was called last.
uint64_t fail_call(uint64_t number);

// The call that failed, in words: "a copy"; NULL: none has failed since fail_call().
const char *failed_call(void);

// A host function of a stream runs in this thread: until it is over, calls give cudaErrorNotPermitted.
void host_function_runs(bool runs);

// Remembers an error for cudaGetLastError; every call returns through it.
cudaError_t leave(cudaError_t e);

// A kernel on the device failed. Shows at the next call that waits, and stays until cudaDeviceReset.
void device_failed(int device, cudaError_t e);
bool device_is_lost(int device); // whether some kernel failed: later work does not run
void device_recovered(int device);

bool error_lasts(cudaError_t e); // it is a kernel's, which stays

// ---- calls that fail: failed.c

// A call of this thread fails: one line reports it, unless a line has given the reason.
void call_failed(cudaError_t e);

// A <<<...>>> of the kernel was refused. Its stub drops the error; if this thread never queries it, that is a finding
// when the program ends.
void launch_refused(const char *kernel, cudaError_t e);

// After it an error that was there before may be mistaken for the launch's.
void launch_succeeded(void);

// The program queries the last error, which is e.
void error_queried(cudaError_t e);
void report_unseen_launches(void); // when the program ends

// ---- devices: device.c

int current_device(void); // of this host thread
void use_device(int device);
bool is_device(int device);
cudaError_t device_attribute(enum cudaDeviceAttr attribute, int *value);
bool device_size_queried(bool now);                      // how many multiprocessors there are: so far, or from now on
size_t device_limit(int device, enum cudaLimit limit); // one that there is
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

// A new handle for the object; NULL when there are too many. It is not an address: a wrong one is recognised.
void *handle_open(enum handle_kind kind, void *object);
void *handle_object(enum handle_kind kind, const void *handle); // NULL: no such handle
void handle_close(enum handle_kind kind, const void *handle);
uint32_t handles_live(void); // how many were opened and not closed
