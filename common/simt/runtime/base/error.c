// Errors as CUDA keeps them. An ordinary error belongs to the host thread: the call returns it and cudaGetLastError
// clears it. A kernel's failure belongs to the device: the first call that waits for the device returns it, and so does
// every later call until cudaDeviceReset.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "exec/host_overlap.h"
#include "memory/host_watch.h"
#include "report/report.h"
#include "runtime/base/base.h"
#include "runtime/base/refuse.h"
#include "remote.h"
#include "trace/calls.h"

#define REFUSED_MAX 256

static struct {
    pthread_mutex_t lock;
    cudaError_t pending[MAX_DEVICES], lasting[MAX_DEVICES];
    const char *named[REFUSED_MAX]; // unsupported calls that were named on stderr
    int named_count;
} errors = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local cudaError_t last;
static _Thread_local bool used; // whether this thread has used the runtime
static atomic_uint users;       // threads that have

struct runtime_state runtime_state(void)
{
    return (struct runtime_state){last, used};
}

void set_runtime_state(struct runtime_state s)
{
    last = s.last;
    used = s.used;
}

bool host_has_one_thread(void)
{
    return users < 2;
}

// The call chosen by fail_call() to fail.
static struct {
    _Atomic uint64_t calls, failing; // calls so far; number of the one that fails
    const char *_Atomic failed;      // the failed call
} planned;

uint64_t fail_call(uint64_t number)
{
    planned.failing = number;
    planned.failed = NULL;
    return atomic_exchange(&planned.calls, 0);
}

const char *failed_call(void)
{
    return planned.failed;
}

// clang-format off
// Describes a call: by its name or, if many calls share one function, by what they do.
static const char *call_words(const char *function)
{
    static const char *const words[][2] = {
        {"allocate_now", "an allocation"}, {"allocate_in_order", "an allocation"},
        {"release_now", "a release of memory"}, {"submit_copy", "a copy"},
        {"fill", "a fill of memory"}, {"symbol_byte", "a copy of a symbol"},
        {"launch", "a launch"}, {"find_code", "a query of a kernel"},
        {"create_stream", "a new stream"}, {"known_stream", "a call for a stream"},
        {"wait_for", "a wait for a stream"}, {"event_done", "a call for an event"},
        {"submit_host", "a host function"}, {"instantiate", "a graph's instantiation"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], function))
            return words[i][1];
    return function;
}
// clang-format on

// Counts this call. Whether it is the one that must fail.
static bool fails_as_planned(const char *function)
{
    bool fails = atomic_fetch_add(&planned.calls, 1) + 1 == planned.failing;
    if (fails)
        planned.failed = call_words(function);
    return fails;
}

static _Thread_local bool in_host_function;

void host_function_runs(bool runs)
{
    in_host_function = runs;
}

// With `waits`, returns a pending error, too.
static cudaError_t enter_call(const char *function, bool waits)
{
    if (in_host_function)
        return cudaErrorNotPermitted;
    host_moved();
    overlap_wait();
    users += !used;
    used = true;
    if (fails_as_planned(function))
        return cudaErrorDevicesUnavailable;
    int d = current_device();
    pthread_mutex_lock(&errors.lock);
    if (waits && !errors.lasting[d])
        errors.lasting[d] = errors.pending[d];
    cudaError_t e = errors.lasting[d];
    pthread_mutex_unlock(&errors.lock);
    return e;
}

cudaError_t enter_from(const char *function)
{
    return enter_call(function, false);
}

cudaError_t enter_and_wait_from(const char *function)
{
    return enter_call(function, true);
}

bool error_lasts(cudaError_t e)
{
    pthread_mutex_lock(&errors.lock);
    bool lasts = errors.lasting[current_device()] == e;
    pthread_mutex_unlock(&errors.lock);
    return lasts;
}

cudaError_t leave(cudaError_t e)
{
    if (e != cudaSuccess && e != cudaErrorNotReady) {
        last = e;
        trace_failed_call(cudaGetErrorName(e));
        if (!error_lasts(e))
            call_failed(e);
    }
    return e;
}

void device_failed(int device, cudaError_t e)
{
    pthread_mutex_lock(&errors.lock);
    if (!errors.pending[device])
        errors.pending[device] = e;
    pthread_mutex_unlock(&errors.lock);
}

bool device_is_lost(int device)
{
    pthread_mutex_lock(&errors.lock);
    bool lost = errors.pending[device] != cudaSuccess;
    pthread_mutex_unlock(&errors.lock);
    return lost;
}

void device_recovered(int device)
{
    pthread_mutex_lock(&errors.lock);
    errors.pending[device] = errors.lasting[device] = cudaSuccess;
    pthread_mutex_unlock(&errors.lock);
    last = cudaSuccess;
}

// As on an H200 with CUDA 13: this clears even a lasting error, but the next call that needs the device returns it
// again.
cudaError_t cudaGetLastError(void)
{
    cudaError_t e = last;
    error_queried(e);
    last = cudaSuccess;
    return e;
}

cudaError_t cudaPeekAtLastError(void)
{
    error_queried(last);
    return last;
}

int simt_kept_error(void)
{
    return last;
}

int refuse_call(const char *name, const char *instead)
{
    bool known = false;
    pthread_mutex_lock(&errors.lock);
    for (int i = 0; i < errors.named_count; i++)
        known |= errors.named[i] == name;
    if (!known && errors.named_count < REFUSED_MAX)
        errors.named[errors.named_count++] = name;
    pthread_mutex_unlock(&errors.lock);
    if (!known)
        complain("%s is not supported by the SIMT machine: %s", name, instead);
    return leave(cudaErrorNotSupported);
}
