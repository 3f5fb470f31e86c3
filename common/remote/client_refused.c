// Calls that the SIMT machine supports but that do not cross to the judge: each reports that and returns
// cudaErrorNotSupported. A program in a single process may use them. The prototypes are CUDA's, with any parameters, so
// this file must not include CUDA's header.
#include <stdio.h>

enum { NOT_SUPPORTED = 801 };

#define STAY(X) \
    X(cudaDeviceGetByPCIBusId) \
    X(cudaDeviceGetSharedMemConfig) \
    X(cudaDeviceGraphMemTrim) \
    X(cudaDeviceSetSharedMemConfig) \
    X(cudaFuncGetName) \
    X(cudaFuncGetParamInfo) \
    X(cudaFuncSetSharedMemConfig) \
    X(cudaGetFuncBySymbol) \
    X(cudaGetKernel) \
    X(cudaGraphAddMemAllocNode) \
    X(cudaGraphAddMemFreeNode) \
    X(cudaGraphDebugDotPrint) \
    X(cudaGraphExecHostNodeSetParams) \
    X(cudaGraphExecMemcpyNodeSetParamsFromSymbol) \
    X(cudaGraphExecMemcpyNodeSetParamsToSymbol) \
    X(cudaGraphGetEdges) \
    X(cudaGraphHostNodeGetParams) \
    X(cudaGraphHostNodeSetParams) \
    X(cudaGraphInstantiateWithParams) \
    X(cudaGraphKernelNodeGetParams) \
    X(cudaGraphMemAllocNodeGetParams) \
    X(cudaGraphMemFreeNodeGetParams) \
    X(cudaGraphMemcpyNodeGetParams) \
    X(cudaGraphMemcpyNodeSetParamsFromSymbol) \
    X(cudaGraphMemcpyNodeSetParamsToSymbol) \
    X(cudaGraphMemsetNodeGetParams) \
    X(cudaGraphNodeGetDependencies) \
    X(cudaGraphNodeGetDependentNodes) \
    X(cudaMemPoolGetAccess) \
    X(cudaMemPoolGetAttribute) \
    X(cudaMemPoolSetAccess) \
    X(cudaMemPoolSetAttribute) \
    X(cudaStreamGetCaptureInfo) \
    X(cudaStreamGetDevice)

#define REFUSE(name) \
    int name(void); \
    int name(void) \
    { \
        fprintf(stderr, "simt: %s is not supported where a program is graded\n", #name); \
        return NOT_SUPPORTED; \
    }

STAY(REFUSE)
