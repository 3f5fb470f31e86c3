// The driver API: a second face on the same machine. Its handles of streams, events, arrays and functions are the
// runtime's, its device pointers are addresses, and most calls pass through the runtime's.
#pragma once

#include "runtime/base/base.h" // first: CUDA_ENABLE_DEPRECATED

#include <cuda.h>

// Declared by a header that not every toolkit has (cudaProfiler.h).
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

// ---- context.c

// Before a call: whether the driver was initialized and, for most, whether the thread has a context. 0: continue.
CUresult driver_begin(void);
CUresult driver_begin_without_context(void);

// After a call of the runtime: its error as the driver's. What the runtime remembers of this thread is as before.
CUresult driver_end(cudaError_t e);

// A call of the runtime between the two. The error of driver_begin stays the same when it is asked twice.
#define THROUGH(call) (driver_begin() ? driver_begin() : driver_end(call))
#define WITHOUT_CONTEXT(call) (driver_begin_without_context() ? driver_begin_without_context() : driver_end(call))

static inline void *pointer_of(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}
