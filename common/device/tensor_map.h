// tensor_map.h: maps of matrices in global memory, and copies of boxes by them: from step 4 of chapter 10-hopper.
//
// A tensor map tells the copy engine everything about a matrix: its address, size and pitch, the size of a box, and the
// layout of a box's rows in shared memory. A copy then needs only the coordinates of the box's first element. The
// engine computes all addresses, fills elements outside the matrix with zeros, and stores nothing there.
//
// In a box of 128-byte rows, quad q (16 bytes) of row y is at place q ^ y % 8 of the row: the swizzle of step 9 of
// chapter 07-matmul. This requires a shared memory address that is a multiple of 1024. Compute capability 9.0.
#pragma once

#include <cuda.h>

#include "device/bulk_copy.h"
#include "device/launch.h"

typedef CUresult encode_function(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// cuTensorMapEncodeTiled, a function of the driver: programs linked only with the runtime query its address.
static inline encode_function *tensor_map_encoder()
{
    static void *encoder;
    cudaDriverEntryPointQueryResult result;
    if (encoder == NULL) {
#if CUDART_VERSION >= 12050
        check_cuda(
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encoder, 12000, cudaEnableDefault, &result));
#else
        check_cuda(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encoder, cudaEnableDefault, &result));
#endif
    }
    return (encode_function *)encoder;
}

// A map of a matrix whose rows begin pitch elements apart, for boxes of box_rows (at most 256) rows of 128 bytes.
// Neither rows nor columns may be 0; data and rows begin at multiples of 16 bytes.
static inline CUtensorMap map_of_matrix(CUtensorMapDataType type, unsigned element, const void *data, int rows,
                                        int columns, int pitch, int box_rows)
{
    static CUtensorMap map; // aligned, as the caller's place for a result may not be
    cuuint64_t size[] = {(cuuint64_t)columns, (cuuint64_t)rows}, stride[] = {(cuuint64_t)pitch * element};
    cuuint32_t box[] = {128 / element, (cuuint32_t)box_rows}, step[] = {1, 1};
    CUresult result = tensor_map_encoder()(&map, type, 2, (void *)data, size, stride, box, step,
                                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                           CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    check_cuda(result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue);
    return map;
}

static inline CUtensorMap map_of_floats(const float *data, int rows, int columns, int pitch, int box_rows)
{
    return map_of_matrix(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, sizeof *data, data, rows, columns, pitch, box_rows);
}

// Copies the box whose first element is (row, column) to shared memory, all of its bytes: zeros outside the matrix.
static inline __device__ void box_load(void *shared, const CUtensorMap *map, int row, int column, mbarrier *b)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            shared_address(shared)),
        "l"(map), "r"(column), "r"(row), "r"(shared_address(b))
        : "memory");
}

// Copies the box from shared memory into the matrix, and skips elements outside of it. The copy belongs to the
// thread's open group.
static inline __device__ void box_store(const CUtensorMap *map, int row, int column, const void *shared)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(column),
                 "r"(row), "r"(shared_address(shared))
                 : "memory");
}

// Closes the thread's group of stores, and waits until all of them have read their shared memory.
static inline __device__ void wait_for_stores_to_read()
{
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Makes what the thread has stored in shared memory visible to the copy engine.
static inline __device__ void copy_engine_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
