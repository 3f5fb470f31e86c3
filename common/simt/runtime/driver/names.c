// Driver functions by name, for cuGetProcAddress and cudaGetDriverEntryPoint; names of errors.
#include "runtime/driver/driver.h"

// clang-format off
#define FUNCTIONS(X) \
    X(cuInit) X(cuDriverGetVersion) X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetName) X(cuDeviceTotalMem) \
    X(cuDeviceGetAttribute) X(cuDeviceComputeCapability) X(cuDeviceGetProperties) X(cuDeviceGetUuid) \
    X(cuDeviceGetPCIBusId) X(cuDeviceGetByPCIBusId) X(cuDeviceCanAccessPeer) X(cuDeviceGetP2PAttribute) \
    X(cuDeviceGetDefaultMemPool) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease) \
    X(cuDevicePrimaryCtxGetState) X(cuDevicePrimaryCtxSetFlags) X(cuDevicePrimaryCtxReset) X(cuCtxDestroy) \
    X(cuCtxPushCurrent) X(cuCtxPopCurrent) X(cuCtxSetCurrent) X(cuCtxGetCurrent) X(cuCtxGetDevice) X(cuCtxGetFlags) \
    X(cuCtxGetApiVersion) X(cuCtxSynchronize) X(cuCtxSetLimit) X(cuCtxGetLimit) X(cuCtxGetCacheConfig) \
    X(cuCtxSetCacheConfig) X(cuCtxGetStreamPriorityRange) X(cuCtxEnablePeerAccess) X(cuCtxDisablePeerAccess) \
    X(cuGetErrorString) X(cuModuleLoadData) X(cuModuleLoadDataEx) X(cuModuleLoadFatBinary) X(cuModuleLoad) \
    X(cuModuleUnload) X(cuModuleGetLoadingMode) X(cuLinkCreate) X(cuLinkAddData) X(cuLinkAddFile) X(cuLinkComplete) \
    X(cuLinkDestroy) X(cuModuleGetFunction) X(cuModuleGetGlobal) X(cuFuncGetAttribute) X(cuFuncSetAttribute) \
    X(cuFuncSetCacheConfig) X(cuFuncGetModule) X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) X(cuOccupancyMaxPotentialBlockSize) X(cuLaunchKernel) \
    X(cuLaunchCooperativeKernel) X(cuLaunchKernelEx) X(cuMemAlloc) X(cuMemAllocPitch) X(cuMemAllocManaged) \
    X(cuMemAllocHost) X(cuMemHostAlloc) X(cuMemFree) X(cuMemFreeHost) X(cuMemAllocAsync) X(cuMemFreeAsync) \
    X(cuMemHostRegister) X(cuMemHostUnregister) X(cuMemHostGetDevicePointer) X(cuMemHostGetFlags) X(cuMemGetInfo) \
    X(cuMemGetAddressRange) X(cuPointerGetAttribute) X(cuPointerGetAttributes) X(cuMemcpy) X(cuMemcpyAsync) \
    X(cuMemcpyHtoD) X(cuMemcpyDtoH) X(cuMemcpyDtoD) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) \
    X(cuMemcpyPeer) X(cuMemcpy2D) X(cuMemcpy2DUnaligned) X(cuMemcpy2DAsync) X(cuMemcpy3D) X(cuMemcpy3DAsync) \
    X(cuMemsetD8) X(cuMemsetD8Async) X(cuMemsetD16) X(cuMemsetD16Async) X(cuMemsetD32) X(cuMemsetD32Async) \
    X(cuMemsetD2D8) X(cuMemsetD2D8Async) X(cuMemsetD2D16) X(cuMemsetD2D16Async) X(cuMemsetD2D32) \
    X(cuMemsetD2D32Async) X(cuStreamCreate) X(cuStreamCreateWithPriority) X(cuStreamDestroy) X(cuStreamSynchronize) \
    X(cuStreamQuery) X(cuStreamGetPriority) X(cuStreamGetFlags) X(cuStreamWaitEvent) X(cuStreamAddCallback) \
    X(cuLaunchHostFunc) X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord) X(cuEventQuery) X(cuEventSynchronize) \
    X(cuEventElapsedTime) X(cuProfilerStart) X(cuProfilerStop) X(cuArray3DCreate) X(cuArrayCreate) X(cuArrayDestroy) \
    X(cuMemcpyHtoA) X(cuMemcpyAtoH) X(cuMemcpyDtoA) X(cuMemcpyAtoD) X(cuTexObjectCreate) X(cuTexObjectDestroy) \
    X(cuSurfObjectCreate) X(cuSurfObjectDestroy) X(cuGetProcAddress) X(cuGetErrorName) X(cuTensorMapEncodeTiled) \
    X(cuTensorMapEncodeIm2col) X(cuTensorMapReplaceAddress)
#define ERRORS(X) \
    X(0, CUDA_SUCCESS) X(1, CUDA_ERROR_INVALID_VALUE) X(2, CUDA_ERROR_OUT_OF_MEMORY) \
    X(3, CUDA_ERROR_NOT_INITIALIZED) X(4, CUDA_ERROR_DEINITIALIZED) X(5, CUDA_ERROR_PROFILER_DISABLED) \
    X(6, CUDA_ERROR_PROFILER_NOT_INITIALIZED) X(7, CUDA_ERROR_PROFILER_ALREADY_STARTED) \
    X(8, CUDA_ERROR_PROFILER_ALREADY_STOPPED) X(34, CUDA_ERROR_STUB_LIBRARY) \
    X(36, CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER) X(46, CUDA_ERROR_DEVICE_UNAVAILABLE) X(100, CUDA_ERROR_NO_DEVICE) \
    X(101, CUDA_ERROR_INVALID_DEVICE) X(102, CUDA_ERROR_DEVICE_NOT_LICENSED) X(200, CUDA_ERROR_INVALID_IMAGE) \
    X(201, CUDA_ERROR_INVALID_CONTEXT) X(202, CUDA_ERROR_CONTEXT_ALREADY_CURRENT) X(205, CUDA_ERROR_MAP_FAILED) \
    X(206, CUDA_ERROR_UNMAP_FAILED) X(207, CUDA_ERROR_ARRAY_IS_MAPPED) X(208, CUDA_ERROR_ALREADY_MAPPED) \
    X(209, CUDA_ERROR_NO_BINARY_FOR_GPU) X(210, CUDA_ERROR_ALREADY_ACQUIRED) X(211, CUDA_ERROR_NOT_MAPPED) \
    X(212, CUDA_ERROR_NOT_MAPPED_AS_ARRAY) X(213, CUDA_ERROR_NOT_MAPPED_AS_POINTER) \
    X(214, CUDA_ERROR_ECC_UNCORRECTABLE) X(215, CUDA_ERROR_UNSUPPORTED_LIMIT) \
    X(216, CUDA_ERROR_CONTEXT_ALREADY_IN_USE) X(217, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) \
    X(218, CUDA_ERROR_INVALID_PTX) X(219, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT) \
    X(220, CUDA_ERROR_NVLINK_UNCORRECTABLE) X(221, CUDA_ERROR_JIT_COMPILER_NOT_FOUND) \
    X(222, CUDA_ERROR_UNSUPPORTED_PTX_VERSION) X(223, CUDA_ERROR_JIT_COMPILATION_DISABLED) \
    X(224, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY) X(225, CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC) \
    X(226, CUDA_ERROR_CONTAINED) X(300, CUDA_ERROR_INVALID_SOURCE) X(301, CUDA_ERROR_FILE_NOT_FOUND) \
    X(302, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND) X(303, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED) \
    X(304, CUDA_ERROR_OPERATING_SYSTEM) X(400, CUDA_ERROR_INVALID_HANDLE) X(401, CUDA_ERROR_ILLEGAL_STATE) \
    X(402, CUDA_ERROR_LOSSY_QUERY) X(500, CUDA_ERROR_NOT_FOUND) X(600, CUDA_ERROR_NOT_READY) \
    X(700, CUDA_ERROR_ILLEGAL_ADDRESS) X(701, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) X(702, CUDA_ERROR_LAUNCH_TIMEOUT) \
    X(703, CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING) X(704, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) \
    X(705, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED) X(708, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE) \
    X(709, CUDA_ERROR_CONTEXT_IS_DESTROYED) X(710, CUDA_ERROR_ASSERT) X(711, CUDA_ERROR_TOO_MANY_PEERS) \
    X(712, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) X(713, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED) \
    X(714, CUDA_ERROR_HARDWARE_STACK_ERROR) X(715, CUDA_ERROR_ILLEGAL_INSTRUCTION) \
    X(716, CUDA_ERROR_MISALIGNED_ADDRESS) X(717, CUDA_ERROR_INVALID_ADDRESS_SPACE) X(718, CUDA_ERROR_INVALID_PC) \
    X(719, CUDA_ERROR_LAUNCH_FAILED) X(720, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) \
    X(721, CUDA_ERROR_TENSOR_MEMORY_LEAK) X(800, CUDA_ERROR_NOT_PERMITTED) X(801, CUDA_ERROR_NOT_SUPPORTED) \
    X(802, CUDA_ERROR_SYSTEM_NOT_READY) X(803, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) \
    X(804, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE) X(805, CUDA_ERROR_MPS_CONNECTION_FAILED) \
    X(806, CUDA_ERROR_MPS_RPC_FAILURE) X(807, CUDA_ERROR_MPS_SERVER_NOT_READY) \
    X(808, CUDA_ERROR_MPS_MAX_CLIENTS_REACHED) X(809, CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED) \
    X(810, CUDA_ERROR_MPS_CLIENT_TERMINATED) X(811, CUDA_ERROR_CDP_NOT_SUPPORTED) \
    X(812, CUDA_ERROR_CDP_VERSION_MISMATCH) X(900, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) \
    X(901, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) X(902, CUDA_ERROR_STREAM_CAPTURE_MERGE) \
    X(903, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED) X(904, CUDA_ERROR_STREAM_CAPTURE_UNJOINED) \
    X(905, CUDA_ERROR_STREAM_CAPTURE_ISOLATION) X(906, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) \
    X(907, CUDA_ERROR_CAPTURED_EVENT) X(908, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD) X(909, CUDA_ERROR_TIMEOUT) \
    X(910, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) X(911, CUDA_ERROR_EXTERNAL_DEVICE) \
    X(912, CUDA_ERROR_INVALID_CLUSTER_SIZE) X(913, CUDA_ERROR_FUNCTION_NOT_LOADED) \
    X(914, CUDA_ERROR_INVALID_RESOURCE_TYPE) X(915, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION) \
    X(916, CUDA_ERROR_KEY_ROTATION) X(999, CUDA_ERROR_UNKNOWN)
// clang-format on

struct named {
    const char *name;
    void *function;
};

static const struct named functions[] = {
#define ENTRY(name) {#name, (void *)name},
    FUNCTIONS(ENTRY)};

// Strips the version and the kind of default stream from the end of a name.
static size_t stem_length(const char *name)
{
    size_t n = strlen(name);
    if (n > 5 && (!strcmp(name + n - 5, "_ptsz") || !strcmp(name + n - 5, "_ptds")))
        n -= 5;
    return n > 3 && name[n - 3] == '_' && name[n - 2] == 'v' ? n - 3 : n;
}

// The function of that name, with or without _v2; NULL: no such function.
static void *driver_function(const char *name)
{
    size_t n = stem_length(name);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == n && !strncmp(functions[i].name, name, n))
            return functions[i].function;
    return NULL;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    (void)version, (void)flags;
    if (!name || !function)
        return CUDA_ERROR_INVALID_VALUE;
    *function = driver_function(name);
    if (status)
        *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// ---- the runtime's way to the driver

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status);
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    (void)flags;
    if (!symbol || !function)
        return leave(cudaErrorInvalidValue);
    *function = driver_function(symbol);
    if (!status)
        return leave(*function ? cudaSuccess : cudaErrorSymbolNotFound);
    *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
PER_THREAD(cudaGetDriverEntryPoint, _ptsz);

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
    (void)version;
    return cudaGetDriverEntryPoint(symbol, function, flags, status);
}
PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz);
#endif

// ---- errors

CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = NULL;
    switch ((int)error) {
#define ERROR_NAME(number, text) \
    case number: *name = #text; break;
        ERRORS(ERROR_NAME)
    }
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    const char *unknown = cudaGetErrorString((cudaError_t)-1), *known = cudaGetErrorString((cudaError_t)error);
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = known == unknown ? NULL : known;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
