// Shared by the programs in this folder: prints and counts each failed check; the count is the exit status.
#pragma once

#include <cstdio>
#include <cstdlib>

static int wrong;

#define CUDA(call) \
    do { \
        cudaError_t e_ = (call); \
        if (e_ != cudaSuccess) { \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_)); \
            exit(1); \
        } \
    } while (0)

#define EXPECT(holds) \
    do { \
        if (!(holds)) { \
            printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #holds); \
            wrong++; \
        } \
    } while (0)

template <typename T> static T *managed(size_t n)
{
    T *p;
    CUDA(cudaMallocManaged(&p, n * sizeof(T)));
    for (size_t i = 0; i < n; i++)
        p[i] = T();
    return p;
}

static int finish()
{
    CUDA(cudaDeviceSynchronize());
    if (!wrong)
        printf("ok\n");
    return wrong != 0;
}
