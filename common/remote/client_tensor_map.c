// cuTensorMapEncodeTiled in the submission: it needs nothing of the machine. So the machine's own file is linked here,
// and this file defines the functions that it calls. Programs of the runtime get its address from
// cudaGetDriverEntryPoint; all other functions of the driver are refused.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

// What the machine's file calls in its driver and its report.
CUresult driver_begin(void);
void complain(const char *format, ...);

CUresult driver_begin(void)
{
    return CUDA_SUCCESS;
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("simt: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static cudaError_t find(const char *symbol, void **function, enum cudaDriverEntryPointQueryResult *status)
{
    if (!symbol || !function)
        return cudaErrorInvalidValue;
    if (strcmp(symbol, "cuTensorMapEncodeTiled")) {
        complain("%s, a function of the driver, is not supported where a program is graded", symbol);
        return cudaErrorNotSupported;
    }
    *function = (void *)cuTensorMapEncodeTiled;
    if (status)
        *status = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status);
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    (void)flags;
    return find(symbol, function, status);
}

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
    (void)version, (void)flags;
    return find(symbol, function, status);
}
#endif
