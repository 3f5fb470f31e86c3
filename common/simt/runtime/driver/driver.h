// The driver API: a second interface to the same machine. Its handles of streams, events, arrays and functions are the
// runtime's, its device pointers are addresses, and most calls go through the runtime.
#pragma once

#include "runtime/base/base.h" // first: CUDA_ENABLE_DEPRECATED

#include <cuda.h>

// Declared by a header that not every toolkit has (cudaProfiler.h).
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

// ---- context.c

// Begins a call: checks that the driver is initialized and, for most calls, that the thread has a context. 0: continue.
CUresult driver_begin(void);
CUresult driver_begin_without_context(void);

// After a runtime call: converts its error to the driver's, and restores what the runtime remembers of this thread.
CUresult driver_end(cudaError_t e);

// Wraps a runtime call between the two. driver_begin returns the same error if it is called twice.
#define THROUGH(call) (driver_begin() ? driver_begin() : driver_end(call))
#define WITHOUT_CONTEXT(call) (driver_begin_without_context() ? driver_begin_without_context() : driver_end(call))

static inline void *pointer_of(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}
