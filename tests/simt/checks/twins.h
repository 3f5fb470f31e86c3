// A guilty kernel and its innocent twin in one text, distinguished by the constant `innocent`:
//
//     TWINS(no_barrier, a_barrier)
//     {
//         if (innocent)
//             __syncthreads();
//     }
//
// test_checks.c runs both. The comments before them apply to the guilty kernel; a sum applies to the innocent one.
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

// The same for kernels that also take a tensor map.
#define TWINS_WITH_MAP(guilty, twin) \
    TWINS_OF(guilty, twin, (int *data, int *out, int n, const __grid_constant__ map t), \
             (int *data, int *out, int n, const map &t), (data, out, n, t))
