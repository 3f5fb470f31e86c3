// clangd.h: included before an exercise by clangd, the language server of editors, and never by nvcc. See
// common/cmake/editors.cmake.
//
// clang has its own CUDA headers, but only for a few versions of the toolkit: not for 12 in Debian's clang 14, nor for
// 13 in later ones. So it reads the toolkit's headers, as nvcc does. This file works around what clang rejects in them:
//
// - Functions of the C library run on the host; the toolkit declares some again, for both sides. Within the pragma, a
//   function without an attribute is for both.
// - The C++ library has constexpr on functions of <math.h>, and the toolkit does not. Its header is left out, and what
//   only that header declares is below.
// - clang knows __syncthreads itself, but only on the device.
#pragma once

#define __CUDACC__
#define __NV_NO_HOST_COMPILER_CHECK 1     // the toolkit rejects a newer clang
#define __MATH_FUNCTIONS_H__              // crt/math_functions.h
#define _CG_LIMIT_INCLUDED_DEPENDENCIES 1 // cooperative groups without the toolkit's C++ library

#pragma clang force_cuda_host_device begin
#include <assert.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DECLARE_MIN_MAX(type, a, b) type min(a, b), max(a, b);
DECLARE_MIN_MAX(int, int, int)
DECLARE_MIN_MAX(unsigned, unsigned, unsigned)
DECLARE_MIN_MAX(unsigned, unsigned, int)
DECLARE_MIN_MAX(unsigned, int, unsigned)
DECLARE_MIN_MAX(long, long, long)
DECLARE_MIN_MAX(unsigned long, unsigned long, unsigned long)
DECLARE_MIN_MAX(unsigned long, unsigned long, long)
DECLARE_MIN_MAX(unsigned long, long, unsigned long)
DECLARE_MIN_MAX(long long, long long, long long)
DECLARE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
DECLARE_MIN_MAX(unsigned long long, unsigned long long, long long)
DECLARE_MIN_MAX(unsigned long long, long long, unsigned long long)
DECLARE_MIN_MAX(float, float, float)
DECLARE_MIN_MAX(double, double, double)
DECLARE_MIN_MAX(double, double, float)
DECLARE_MIN_MAX(double, float, double)
#undef DECLARE_MIN_MAX

extern "C" { // noexcept, since newer C libraries declare some of these
float rsqrtf(float) noexcept, rcbrtf(float) noexcept, normcdff(float) noexcept, erfcxf(float) noexcept;
double rsqrt(double) noexcept, rcbrt(double) noexcept, normcdf(double) noexcept, erfcx(double) noexcept;
float sinpif(float) noexcept, cospif(float) noexcept;
double sinpi(double) noexcept, cospi(double) noexcept;
void sincospif(float, float *, float *) noexcept, sincospi(double, double *, double *) noexcept;
}

#define __syncthreads toolkit_syncthreads
#include <cuda_runtime.h>
#undef __syncthreads
#pragma clang force_cuda_host_device end

__device__ void __syncthreads(void);

// What clang calls for <<<...>>> if it does not know the toolkit's version.
extern "C" cudaError_t cudaConfigureCall(dim3 blocks, dim3 threads, size_t shared = 0, cudaStream_t stream = 0);
