// The few values of cudaError_t that the machine below the runtime API needs, and the names of all errors.
#pragma once

enum {
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_INVALID_CONFIGURATION = 9,
    CUDA_ERROR_MAX_DEPTH = 65,
    CUDA_ERROR_PENDING_LAUNCHES = 69,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    CUDA_ERROR_INVALID_PC = 718,
    CUDA_ERROR_LAUNCH_FAILURE = 719,
    CUDA_ERROR_COOPERATIVE_TOO_LARGE = 720,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
};

// The results of cudaGetErrorName and cudaGetErrorString for a number.
const char *error_name(int number);
const char *error_text(int number);
