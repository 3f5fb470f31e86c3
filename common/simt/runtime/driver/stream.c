// The driver's streams, events and host functions: the runtime's, under other names.
#include "runtime/driver/driver.h"

#include <cuda_profiler_api.h>

CUresult cuStreamCreate(CUstream *out, unsigned int flags)
{
    return THROUGH(cudaStreamCreateWithFlags(out, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *out, unsigned int flags, int priority)
{
    return THROUGH(cudaStreamCreateWithPriority(out, flags, priority));
}

CUresult cuStreamDestroy(CUstream stream)
{
    return THROUGH(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
    return THROUGH(cudaStreamSynchronize(stream));
}
PER_THREAD(cuStreamSynchronize, _ptsz);

CUresult cuStreamQuery(CUstream stream)
{
    return THROUGH(cudaStreamQuery(stream));
}
PER_THREAD(cuStreamQuery, _ptsz);

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    return THROUGH(cudaStreamGetPriority(stream, priority));
}
PER_THREAD(cuStreamGetPriority, _ptsz);

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    return THROUGH(cudaStreamGetFlags(stream, flags));
}
PER_THREAD(cuStreamGetFlags, _ptsz);

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    return THROUGH(cudaStreamWaitEvent(stream, event, flags));
}
PER_THREAD(cuStreamWaitEvent, _ptsz);

// The callback's first parameter and errors are the runtime's, under other names.
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags)
{
    return THROUGH(cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))callback, data, flags));
}
PER_THREAD(cuStreamAddCallback, _ptsz);

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn call, void *data)
{
    return THROUGH(cudaLaunchHostFunc(stream, call, data));
}
PER_THREAD(cuLaunchHostFunc, _ptsz);

CUresult cuEventCreate(CUevent *out, unsigned int flags)
{
    return THROUGH(cudaEventCreateWithFlags(out, flags));
}

CUresult cuEventDestroy(CUevent event)
{
    return THROUGH(cudaEventDestroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return THROUGH(cudaEventRecord(event, stream));
}
PER_THREAD(cuEventRecord, _ptsz);

CUresult cuEventQuery(CUevent event)
{
    return THROUGH(cudaEventQuery(event));
}

CUresult cuEventSynchronize(CUevent event)
{
    return THROUGH(cudaEventSynchronize(event));
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    return THROUGH(cudaEventElapsedTime(ms, start, end));
}

// ---- profiles

CUresult cuProfilerStart(void)
{
    return THROUGH(cudaProfilerStart());
}

CUresult cuProfilerStop(void)
{
    return THROUGH(cudaProfilerStop());
}
