// A kernel that calls a declared but undefined function, by name or through a pointer. Refused, with the function's
// name.
//
//     undefined [pointer]
#include <cstdio>
#include <cuda_runtime.h>

__device__ int elsewhere(int x);

__global__ void calls(int *p)
{
    *p = elsewhere(1);
}

__global__ void calls_pointer(int *p, int k)
{
    int (*f)(int) = k ? elsewhere : nullptr;
    *p = f(1);
}

int main(int argc, char **)
{
    int *p;
    cudaMalloc(&p, sizeof *p);
    if (argc == 1)
        calls<<<1, 1>>>(p);
    else
        calls_pointer<<<1, 1>>>(p, argc);
    cudaError_t error = cudaDeviceSynchronize();
    error = error ? error : cudaGetLastError();
    printf("ended: %s\n", cudaGetErrorName(error));
    return error == cudaSuccess;
}
