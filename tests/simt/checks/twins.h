// A guilty kernel and its innocent twin in one text, where the constant `innocent` tells them apart:
//
//     TWINS(no_barrier, a_barrier)
//     {
//         if (innocent)
//             __syncthreads();
//     }
//
// test_checks.c runs both. The comments before them are the guilty one's; a sum is the innocent one's.
#pragma once

#define TWINS_OF(guilty, twin, of_kernel, of_function, arguments) \
    template <bool innocent> static __device__ __forceinline__ void text_of_##guilty of_function; \
    extern "C" __global__ void guilty of_kernel \
    { \
        text_of_##guilty<false> arguments; \
    } \
    extern "C" __global__ void twin of_kernel \
    { \
        text_of_##guilty<true> arguments; \
    } \
    template <bool innocent> static __device__ __forceinline__ void text_of_##guilty of_function

#define TWINS(guilty, twin) \
    TWINS_OF(guilty, twin, (int *data, int *out, int n), (int *data, int *out, int n), (data, out, n))

// Kernels that take a tensor map, too.
#define TWINS_WITH_MAP(guilty, twin) \
    TWINS_OF(guilty, twin, (int *data, int *out, int n, const __grid_constant__ map t), \
             (int *data, int *out, int n, const map &t), (data, out, n, t))
