// What nvcc's start-up code and <<<...>>> call (crt/host_runtime.h of the toolkit). The machine implements it, and so
// does the submission's half of a graded program (common/remote).
#pragma once

#include <cuda_runtime_api.h>

// ---- before main, per file of the program

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *stub, const char *name, int threads, uint3 *tid,
                            uint3 *bid, dim3 *block, dim3 *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);
char __cudaInitModule(void **handle);

// ---- <<<grid, block, shared, stream>>>

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(struct CUkern_st **handle, const void *function);
cudaError_t __cudaLaunchKernel(struct CUkern_st *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);

// A stack of this thread's launch configurations whose arguments are still being evaluated; these may contain launches.
struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
enum { NESTED_CONFIGURATIONS = 16 };
struct configurations {
    struct configuration stack[NESTED_CONFIGURATIONS];
    unsigned depth;
};

// Returns 1 if there are too many.
static inline unsigned push_configuration(struct configurations *all, struct configuration c)
{
    if (all->depth == NESTED_CONFIGURATIONS)
        return 1;
    all->stack[all->depth++] = c;
    return 0;
}

static inline cudaError_t pop_configuration(struct configurations *all, dim3 *grid, dim3 *block, size_t *shared,
                                            void *stream)
{
    if (!all->depth)
        return cudaErrorMissingConfiguration;
    const struct configuration *c = &all->stack[--all->depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}
