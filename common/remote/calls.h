// The CUDA calls that cross unchanged, and the kind of each parameter. client_launch.c has launches, functions that
// streams call, and calls that this table cannot express. All others are refused by name.
//
//     V                a number, a handle, an address of device memory or of memory that is only named
//     IN(t) OUT(t) INOUT(t)       points to a t that is read, written, both
//     INS(t, k), OUTS(t, k)       points to as many t as parameter k says, from 0
//     OUTP(t, k)                  as many as the number says that parameter k points to
//     NOTHING          a pointer that is not passed on: the call gets NULL
#pragma once

#define CUDA_ENABLE_DEPRECATED
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include "remote/message.h"

enum parameter_kind { IS_VALUE, IS_NOTHING, IS_IN = 2, IS_OUT = 4 };

struct parameter {
    unsigned char kind, counted, by_pointer;
    unsigned short size;
};

#define V \
    { \
        IS_VALUE, 0, 0, 0 \
    }
#define NOTHING \
    { \
        IS_NOTHING, 0, 0, 0 \
    }
#define IN(t) \
    { \
        IS_IN, 0, 0, sizeof(t) \
    }
#define OUT(t) \
    { \
        IS_OUT, 0, 0, sizeof(t) \
    }
#define INOUT(t) \
    { \
        IS_IN | IS_OUT, 0, 0, sizeof(t) \
    }
#define INS(t, k) \
    { \
        IS_IN, (k) + 1, 0, sizeof(t) \
    }
#define OUTS(t, k) \
    { \
        IS_OUT, (k) + 1, 0, sizeof(t) \
    }
#define OUTP(t, k) \
    { \
        IS_OUT, (k) + 1, 1, sizeof(t) \
    }

#if CUDART_VERSION >= 13000
#define EDGES_IN NOTHING,
#define PREFETCH(X) X(cudaMemPrefetchAsync, V, V, V, V, V)
#define COUNT_OF_EDGES 4
#else
#define EDGES_IN
#define PREFETCH(X) X(cudaMemPrefetchAsync, V, V, V, V)
#define COUNT_OF_EDGES 3
#endif

#define BEFORE OUT(cudaGraphNode_t), V, INS(cudaGraphNode_t, 3), V

#define CALLS(X) \
    /* memory */ \
    X(cudaMalloc, OUT(void *), V) \
    X(cudaMallocManaged, OUT(void *), V, V) \
    X(cudaMallocHost, OUT(void *), V) \
    X(cudaHostAlloc, OUT(void *), V, V) \
    X(cudaMallocPitch, OUT(void *), OUT(size_t), V, V) \
    X(cudaFree, V) \
    X(cudaFreeHost, V) \
    X(cudaMemcpy, V, V, V, V) \
    X(cudaMemcpyAsync, V, V, V, V, V) \
    X(cudaMemcpyPeer, V, V, V, V, V) \
    X(cudaMemcpyPeerAsync, V, V, V, V, V, V) \
    X(cudaMemcpy2D, V, V, V, V, V, V, V) \
    X(cudaMemcpy2DAsync, V, V, V, V, V, V, V, V) \
    X(cudaMemcpy3D, IN(struct cudaMemcpy3DParms)) \
    X(cudaMemcpy3DAsync, IN(struct cudaMemcpy3DParms), V) \
    X(cudaMemset, V, V, V) \
    X(cudaMemsetAsync, V, V, V, V) \
    X(cudaMemset2D, V, V, V, V, V) \
    X(cudaMemset2DAsync, V, V, V, V, V, V) \
    X(cudaGetSymbolAddress, OUT(void *), V) \
    X(cudaGetSymbolSize, OUT(size_t), V) \
    X(cudaMemcpyToSymbol, V, V, V, V, V) \
    X(cudaMemcpyToSymbolAsync, V, V, V, V, V, V) \
    X(cudaMemcpyFromSymbol, V, V, V, V, V) \
    X(cudaMemcpyFromSymbolAsync, V, V, V, V, V, V) \
    X(cudaHostRegister, V, V, V) \
    X(cudaHostUnregister, V) \
    X(cudaHostGetDevicePointer, OUT(void *), V, V) \
    X(cudaHostGetFlags, OUT(unsigned), V) \
    X(cudaPointerGetAttributes, OUT(struct cudaPointerAttributes), V) \
    X(cudaMemGetInfo, OUT(size_t), OUT(size_t)) \
    PREFETCH(X) \
    X(cudaMemAdvise, V, V, V, V) \
    X(cudaMallocAsync, OUT(void *), V, V) \
    X(cudaMallocFromPoolAsync, OUT(void *), V, V, V) \
    X(cudaFreeAsync, V, V) \
    X(cudaDeviceGetDefaultMemPool, OUT(cudaMemPool_t), V) \
    X(cudaDeviceGetMemPool, OUT(cudaMemPool_t), V) \
    X(cudaDeviceSetMemPool, V, V) \
    X(cudaMemPoolCreate, OUT(cudaMemPool_t), IN(struct cudaMemPoolProps)) \
    X(cudaMemPoolDestroy, V) \
    X(cudaMemPoolTrimTo, V, V) \
    X(cudaCreateTextureObject, OUT(cudaTextureObject_t), IN(struct cudaResourceDesc), IN(struct cudaTextureDesc), \
      IN(struct cudaResourceViewDesc)) \
    X(cudaDestroyTextureObject, V) \
    X(cudaCreateSurfaceObject, OUT(cudaSurfaceObject_t), IN(struct cudaResourceDesc)) \
    X(cudaDestroySurfaceObject, V) \
    X(cudaMallocArray, OUT(cudaArray_t), IN(struct cudaChannelFormatDesc), V, V, V) \
    X(cudaFreeArray, V) \
    X(cudaGetChannelDesc, OUT(struct cudaChannelFormatDesc), V) \
    X(cudaMemcpy2DToArray, V, V, V, V, V, V, V, V) \
    X(cudaMemcpy2DToArrayAsync, V, V, V, V, V, V, V, V, V) \
    X(cudaMemcpy2DFromArray, V, V, V, V, V, V, V, V) \
    X(cudaMemcpy2DFromArrayAsync, V, V, V, V, V, V, V, V, V) \
    /* errors and devices */ \
    X(cudaGetLastError, V) \
    X(cudaPeekAtLastError, V) \
    X(cudaGetDeviceCount, OUT(int)) \
    X(cudaSetDevice, V) \
    X(cudaGetDevice, OUT(int)) \
    X(cudaChooseDevice, OUT(int), IN(struct cudaDeviceProp)) \
    X(cudaSetValidDevices, INS(int, 1), V) \
    X(cudaSetDeviceFlags, V) \
    X(cudaGetDeviceFlags, OUT(unsigned)) \
    X(cudaInitDevice, V, V, V) \
    X(cudaDeviceGetAttribute, OUT(int), V, V) \
    X(cudaGetDeviceProperties, OUT(struct cudaDeviceProp), V) \
    X(cudaDriverGetVersion, OUT(int)) \
    X(cudaRuntimeGetVersion, OUT(int)) \
    X(cudaDeviceGetPCIBusId, OUTS(char, 1), V, V) \
    X(cudaDeviceGetStreamPriorityRange, OUT(int), OUT(int)) \
    X(cudaDeviceSynchronize, V) \
    X(cudaDeviceReset, V) \
    X(cudaDeviceSetLimit, V, V) \
    X(cudaDeviceGetLimit, OUT(size_t), V) \
    X(cudaDeviceSetCacheConfig, V) \
    X(cudaDeviceGetCacheConfig, OUT(enum cudaFuncCache)) \
    X(cudaCtxResetPersistingL2Cache, V) \
    X(cudaDeviceCanAccessPeer, OUT(int), V, V) \
    X(cudaDeviceEnablePeerAccess, V, V) \
    X(cudaDeviceDisablePeerAccess, V) \
    X(cudaDeviceGetP2PAttribute, OUT(int), V, V, V) \
    X(cudaProfilerStart, V) \
    X(cudaProfilerStop, V) \
    /* streams and events */ \
    X(cudaStreamCreate, OUT(cudaStream_t)) \
    X(cudaStreamCreateWithFlags, OUT(cudaStream_t), V) \
    X(cudaStreamCreateWithPriority, OUT(cudaStream_t), V, V) \
    X(cudaStreamDestroy, V) \
    X(cudaStreamSynchronize, V) \
    X(cudaStreamQuery, V) \
    X(cudaStreamGetPriority, V, OUT(int)) \
    X(cudaStreamGetFlags, V, OUT(unsigned)) \
    X(cudaStreamGetId, V, OUT(unsigned long long)) \
    X(cudaStreamAttachMemAsync, V, V, V, V) \
    X(cudaStreamSetAttribute, V, V, IN(cudaStreamAttrValue)) \
    X(cudaStreamGetAttribute, V, V, OUT(cudaStreamAttrValue)) \
    X(cudaStreamCopyAttributes, V, V) \
    X(cudaStreamWaitEvent, V, V, V) \
    X(cudaEventCreate, OUT(cudaEvent_t)) \
    X(cudaEventCreateWithFlags, OUT(cudaEvent_t), V) \
    X(cudaEventDestroy, V) \
    X(cudaEventRecord, V, V) \
    X(cudaEventRecordWithFlags, V, V, V) \
    X(cudaEventQuery, V) \
    X(cudaEventSynchronize, V) \
    X(cudaEventElapsedTime, OUT(float), V, V) \
    /* kernels */ \
    X(cudaFuncGetAttributes, OUT(struct cudaFuncAttributes), V) \
    X(cudaFuncSetAttribute, V, V, V) \
    X(cudaFuncSetCacheConfig, V, V) \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessor, OUT(int), V, V, V) \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, OUT(int), V, V, V, V) \
    X(cudaOccupancyAvailableDynamicSMemPerBlock, OUT(size_t), V, V, V) \
    /* graphs */ \
    X(cudaStreamBeginCapture, V, V) \
    X(cudaStreamEndCapture, V, OUT(cudaGraph_t)) \
    X(cudaStreamIsCapturing, V, OUT(enum cudaStreamCaptureStatus)) \
    X(cudaThreadExchangeStreamCaptureMode, INOUT(enum cudaStreamCaptureMode)) \
    X(cudaGraphCreate, OUT(cudaGraph_t), V) \
    X(cudaGraphInstantiate, OUT(cudaGraphExec_t), V, V) \
    X(cudaGraphInstantiateWithFlags, OUT(cudaGraphExec_t), V, V) \
    X(cudaGraphLaunch, V, V) \
    X(cudaGraphUpload, V, V) \
    X(cudaGraphExecDestroy, V) \
    X(cudaGraphDestroy, V) \
    X(cudaGraphExecUpdate, V, V, OUT(cudaGraphExecUpdateResultInfo)) \
    X(cudaGraphExecGetFlags, V, OUT(unsigned long long)) \
    X(cudaGraphGetNodes, V, OUTP(cudaGraphNode_t, 2), INOUT(size_t)) \
    X(cudaGraphGetRootNodes, V, OUTP(cudaGraphNode_t, 2), INOUT(size_t)) \
    X(cudaGraphNodeGetType, V, OUT(enum cudaGraphNodeType)) \
    X(cudaGraphAddDependencies, V, INS(cudaGraphNode_t, COUNT_OF_EDGES), INS(cudaGraphNode_t, COUNT_OF_EDGES), \
      EDGES_IN V) \
    X(cudaGraphAddEmptyNode, BEFORE) \
    X(cudaGraphAddMemcpyNode, BEFORE, IN(struct cudaMemcpy3DParms)) \
    X(cudaGraphAddMemcpyNode1D, BEFORE, V, V, V, V) \
    X(cudaGraphAddMemcpyNodeToSymbol, BEFORE, V, V, V, V, V) \
    X(cudaGraphAddMemcpyNodeFromSymbol, BEFORE, V, V, V, V, V) \
    X(cudaGraphAddMemsetNode, BEFORE, IN(struct cudaMemsetParams)) \
    X(cudaGraphAddChildGraphNode, BEFORE, V) \
    X(cudaGraphAddEventRecordNode, BEFORE, V) \
    X(cudaGraphAddEventWaitNode, BEFORE, V) \
    X(cudaGraphMemcpyNodeSetParams, V, IN(struct cudaMemcpy3DParms)) \
    X(cudaGraphMemcpyNodeSetParams1D, V, V, V, V, V) \
    X(cudaGraphMemsetNodeSetParams, V, IN(struct cudaMemsetParams)) \
    X(cudaGraphExecMemcpyNodeSetParams, V, V, IN(struct cudaMemcpy3DParms)) \
    X(cudaGraphExecMemcpyNodeSetParams1D, V, V, V, V, V, V) \
    X(cudaGraphExecMemsetNodeSetParams, V, V, IN(struct cudaMemsetParams)) \
    X(cudaGraphNodeSetEnabled, V, V, V) \
    X(cudaGraphNodeGetEnabled, V, V, OUT(unsigned)) \
    X(cudaGraphChildGraphNodeGetGraph, V, OUT(cudaGraph_t)) \
    X(cudaGraphClone, OUT(cudaGraph_t), V) \
    X(cudaGraphNodeFindInClone, OUT(cudaGraphNode_t), V, V)

#define CALL_NUMBER(name, ...) CALL_##name,
enum call_number { CALLS(CALL_NUMBER) CALL_COUNT };
#undef CALL_NUMBER

struct signature {
    const char *name;
    struct parameter parameters[CALL_WORDS];
};

// By call_number.
extern const struct signature signatures[CALL_COUNT];

// Bytes that parameter i of a call points to, according to its kind; number: the element count if a pointer holds it.
size_t parameter_bytes(const struct signature *s, int i, const uint64_t words[CALL_WORDS], uint64_t number);
