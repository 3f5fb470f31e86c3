// Calls of the CUDA runtime that the machine does not have: each says so once and returns cudaErrorNotSupported. They
// are here so that a program that only may use them still links. Interoperation with graphics is left to the linker.
//
// The prototypes are CUDA's, with any parameters, which C calls ignore; so this file must not see them.
#include "runtime/base/refuse.h"

#define REFUSED(X) \
    X(cudaArrayGetInfo) \
    X(cudaArrayGetMemoryRequirements) \
    X(cudaArrayGetPlane) \
    X(cudaArrayGetSparseProperties) \
    X(cudaCreateSurfaceObject) \
    X(cudaDestroyExternalMemory) \
    X(cudaDestroyExternalSemaphore) \
    X(cudaDestroySurfaceObject) \
    X(cudaDeviceFlushGPUDirectRDMAWrites) \
    X(cudaDeviceGetGraphMemAttribute) \
    X(cudaDeviceGetHostAtomicCapabilities) \
    X(cudaDeviceGetNvSciSyncAttributes) \
    X(cudaDeviceGetP2PAtomicCapabilities) \
    X(cudaDeviceGetTexture1DLinearMaxWidth) \
    X(cudaDeviceRegisterAsyncNotification) \
    X(cudaDeviceSetGraphMemAttribute) \
    X(cudaDeviceUnregisterAsyncNotification) \
    X(cudaExternalMemoryGetMappedBuffer) \
    X(cudaExternalMemoryGetMappedMipmappedArray) \
    X(cudaFreeArray) \
    X(cudaFreeMipmappedArray) \
    X(cudaGetChannelDesc) \
    X(cudaGetExportTable) \
    X(cudaGetMipmappedArrayLevel) \
    X(cudaGetSurfaceObjectResourceDesc) \
    X(cudaGetTextureObjectResourceDesc) \
    X(cudaGetTextureObjectResourceViewDesc) \
    X(cudaGetTextureObjectTextureDesc) \
    X(cudaGraphAddExternalSemaphoresSignalNode) \
    X(cudaGraphAddExternalSemaphoresWaitNode) \
    X(cudaGraphAddNode) \
    X(cudaGraphConditionalHandleCreate) \
    X(cudaGraphDestroyNode) \
    X(cudaGraphEventRecordNodeGetEvent) \
    X(cudaGraphEventRecordNodeSetEvent) \
    X(cudaGraphEventWaitNodeGetEvent) \
    X(cudaGraphEventWaitNodeSetEvent) \
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
    X(cudaGraphRemoveDependencies) \
    X(cudaGraphRetainUserObject) \
    X(cudaImportExternalMemory) \
    X(cudaImportExternalSemaphore) \
    X(cudaIpcCloseMemHandle) \
    X(cudaIpcGetEventHandle) \
    X(cudaIpcGetMemHandle) \
    X(cudaIpcOpenEventHandle) \
    X(cudaIpcOpenMemHandle) \
    X(cudaKernelSetAttributeForDevice) \
    X(cudaLibraryEnumerateKernels) \
    X(cudaLibraryGetGlobal) \
    X(cudaLibraryGetKernel) \
    X(cudaLibraryGetKernelCount) \
    X(cudaLibraryGetManaged) \
    X(cudaLibraryGetUnifiedFunction) \
    X(cudaLibraryLoadData) \
    X(cudaLibraryLoadFromFile) \
    X(cudaLibraryUnload) \
    X(cudaLogsCurrent) \
    X(cudaLogsDumpToFile) \
    X(cudaLogsDumpToMemory) \
    X(cudaLogsRegisterCallback) \
    X(cudaLogsUnregisterCallback) \
    X(cudaMalloc3DArray) \
    X(cudaMallocArray) \
    X(cudaMallocMipmappedArray) \
    X(cudaMemDiscardAndPrefetchBatchAsync) \
    X(cudaMemDiscardAndPrefetchBatchAsync_ptsz) \
    X(cudaMemDiscardBatchAsync) \
    X(cudaMemDiscardBatchAsync_ptsz) \
    X(cudaMemGetDefaultMemPool) \
    X(cudaMemGetMemPool) \
    X(cudaMemPoolExportPointer) \
    X(cudaMemPoolExportToShareableHandle) \
    X(cudaMemPoolImportFromShareableHandle) \
    X(cudaMemPoolImportPointer) \
    X(cudaMemPrefetchBatchAsync) \
    X(cudaMemPrefetchBatchAsync_ptsz) \
    X(cudaMemRangeGetAttribute) \
    X(cudaMemRangeGetAttributes) \
    X(cudaMemSetMemPool) \
    X(cudaMemcpy2DArrayToArray) \
    X(cudaMemcpy2DArrayToArray_ptds) \
    X(cudaMemcpy2DFromArray) \
    X(cudaMemcpy2DFromArrayAsync) \
    X(cudaMemcpy2DFromArrayAsync_ptsz) \
    X(cudaMemcpy2DFromArray_ptds) \
    X(cudaMemcpy2DToArray) \
    X(cudaMemcpy2DToArrayAsync) \
    X(cudaMemcpy2DToArrayAsync_ptsz) \
    X(cudaMemcpy2DToArray_ptds) \
    X(cudaMemcpy3DBatchAsync) \
    X(cudaMemcpy3DBatchAsync_ptsz) \
    X(cudaMemcpy3DPeer) \
    X(cudaMemcpy3DPeerAsync) \
    X(cudaMemcpy3DPeerAsync_ptsz) \
    X(cudaMemcpy3DPeer_ptds) \
    X(cudaMemcpyArrayToArray) \
    X(cudaMemcpyArrayToArray_ptds) \
    X(cudaMemcpyBatchAsync) \
    X(cudaMemcpyBatchAsync_ptsz) \
    X(cudaMemcpyFromArray) \
    X(cudaMemcpyFromArrayAsync) \
    X(cudaMemcpyFromArrayAsync_ptsz) \
    X(cudaMemcpyFromArray_ptds) \
    X(cudaMemcpyToArray) \
    X(cudaMemcpyToArrayAsync) \
    X(cudaMemcpyToArrayAsync_ptsz) \
    X(cudaMemcpyToArray_ptds) \
    X(cudaMipmappedArrayGetMemoryRequirements) \
    X(cudaMipmappedArrayGetSparseProperties) \
    X(cudaOccupancyMaxActiveClusters) \
    X(cudaOccupancyMaxPotentialClusterSize) \
    X(cudaSignalExternalSemaphoresAsync) \
    X(cudaSignalExternalSemaphoresAsync_ptsz) \
    X(cudaStreamBeginCaptureToGraph) \
    X(cudaStreamBeginCaptureToGraph_ptsz) \
    X(cudaStreamUpdateCaptureDependencies) \
    X(cudaStreamUpdateCaptureDependencies_ptsz) \
    X(cudaUserObjectCreate) \
    X(cudaUserObjectRelease) \
    X(cudaUserObjectRetain) \
    X(cudaWaitExternalSemaphoresAsync) \
    X(cudaWaitExternalSemaphoresAsync_ptsz)

#define REFUSE(name) \
    int name(void); \
    int name(void) \
    { \
        return refuse_call(#name); \
    }

REFUSED(REFUSE)
