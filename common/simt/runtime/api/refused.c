// Calls of the CUDA runtime that the machine does not support: each reports so once and returns cudaErrorNotSupported.
// Thanks to them a program that refers to such a call still links. Calls for graphics interoperability remain
// undefined.
//
// These functions take any parameters and ignore them, so this file must not see CUDA's prototypes.
#include "runtime/base/refuse.h"

#define ARRAYS(X) \
    X(cudaArrayGetMemoryRequirements) \
    X(cudaArrayGetPlane) \
    X(cudaArrayGetSparseProperties) \
    X(cudaDeviceGetTexture1DLinearMaxWidth) \
    X(cudaFreeMipmappedArray) \
    X(cudaGetMipmappedArrayLevel) \
    X(cudaGetTextureObjectResourceViewDesc) \
    X(cudaMallocMipmappedArray) \
    X(cudaMemcpy3DPeer) \
    X(cudaMemcpy3DPeerAsync) \
    X(cudaMemcpy3DPeerAsync_ptsz) \
    X(cudaMemcpy3DPeer_ptds) \
    X(cudaMipmappedArrayGetMemoryRequirements) \
    X(cudaMipmappedArrayGetSparseProperties)

#define PROCESSES(X) \
    X(cudaDestroyExternalMemory) \
    X(cudaDestroyExternalSemaphore) \
    X(cudaDeviceFlushGPUDirectRDMAWrites) \
    X(cudaDeviceGetNvSciSyncAttributes) \
    X(cudaExternalMemoryGetMappedBuffer) \
    X(cudaExternalMemoryGetMappedMipmappedArray) \
    X(cudaImportExternalMemory) \
    X(cudaImportExternalSemaphore) \
    X(cudaMemPoolExportPointer) \
    X(cudaMemPoolExportToShareableHandle) \
    X(cudaMemPoolImportFromShareableHandle) \
    X(cudaMemPoolImportPointer) \
    X(cudaSignalExternalSemaphoresAsync) \
    X(cudaSignalExternalSemaphoresAsync_ptsz) \
    X(cudaWaitExternalSemaphoresAsync) \
    X(cudaWaitExternalSemaphoresAsync_ptsz)

#define GRAPHS(X) \
    X(cudaGraphAddExternalSemaphoresSignalNode) \
    X(cudaGraphAddExternalSemaphoresWaitNode) \
    X(cudaGraphExecChildGraphNodeSetParams) \
    X(cudaGraphExecEventRecordNodeSetEvent) \
    X(cudaGraphExecEventWaitNodeSetEvent) \
    X(cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
    X(cudaGraphExecExternalSemaphoresWaitNodeSetParams) \
    X(cudaGraphExecNodeSetParams) \
    X(cudaGraphExternalSemaphoresSignalNodeGetParams) \
    X(cudaGraphExternalSemaphoresSignalNodeSetParams) \
    X(cudaGraphExternalSemaphoresWaitNodeGetParams) \
    X(cudaGraphExternalSemaphoresWaitNodeSetParams) \
    X(cudaGraphKernelNodeCopyAttributes) \
    X(cudaGraphKernelNodeGetAttribute) \
    X(cudaGraphKernelNodeSetAttribute) \
    X(cudaGraphNodeSetParams) \
    X(cudaGraphReleaseUserObject) \
    X(cudaGraphRetainUserObject) \
    X(cudaUserObjectCreate) \
    X(cudaUserObjectRelease) \
    X(cudaUserObjectRetain)

#define LIBRARIES(X) \
    X(cudaLibraryEnumerateKernels) \
    X(cudaLibraryGetGlobal) \
    X(cudaLibraryGetKernel) \
    X(cudaLibraryGetKernelCount) \
    X(cudaLibraryGetManaged) \
    X(cudaLibraryGetUnifiedFunction) \
    X(cudaLibraryLoadData) \
    X(cudaLibraryLoadFromFile) \
    X(cudaLibraryUnload)

#define OTHERS(X) \
    X(cudaDeviceGetHostAtomicCapabilities) \
    X(cudaDeviceGetP2PAtomicCapabilities) \
    X(cudaDeviceRegisterAsyncNotification) \
    X(cudaDeviceUnregisterAsyncNotification) \
    X(cudaGetExportTable) \
    X(cudaKernelSetAttributeForDevice) \
    X(cudaLogsCurrent) \
    X(cudaLogsDumpToFile) \
    X(cudaLogsDumpToMemory) \
    X(cudaLogsRegisterCallback) \
    X(cudaLogsUnregisterCallback) \
    X(cudaMemDiscardAndPrefetchBatchAsync) \
    X(cudaMemDiscardAndPrefetchBatchAsync_ptsz) \
    X(cudaMemDiscardBatchAsync) \
    X(cudaMemDiscardBatchAsync_ptsz) \
    X(cudaMemGetDefaultMemPool) \
    X(cudaMemGetMemPool) \
    X(cudaMemPrefetchBatchAsync) \
    X(cudaMemPrefetchBatchAsync_ptsz) \
    X(cudaMemRangeGetAttribute) \
    X(cudaMemRangeGetAttributes) \
    X(cudaMemSetMemPool) \
    X(cudaMemcpy3DBatchAsync) \
    X(cudaMemcpy3DBatchAsync_ptsz) \
    X(cudaMemcpyBatchAsync) \
    X(cudaMemcpyBatchAsync_ptsz)

#define REFUSE(name, instead) \
    int name(void); \
    int name(void) \
    { \
        return refuse_call(#name, instead); \
    }

#define REFUSE_ARRAYS(name) REFUSE(name, "use one array for each level, without views or planes, or a GPU")
ARRAYS(REFUSE_ARRAYS)

#define REFUSE_PROCESSES(name) REFUSE(name, "use one process, with several devices (SIMT_DEVICES), or a GPU")
PROCESSES(REFUSE_PROCESSES)

#define REFUSE_GRAPHS(name) REFUSE(name, "make the graph by capturing a stream, or use a GPU")
GRAPHS(REFUSE_GRAPHS)

#define REFUSE_LIBRARIES(name) REFUSE(name, "link the kernels with the program, or use a GPU")
LIBRARIES(REFUSE_LIBRARIES)

#define REFUSE_OTHERS(name) REFUSE(name, "leave the call out, or use a GPU")
OTHERS(REFUSE_OTHERS)
