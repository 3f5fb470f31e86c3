// Memory that is never freed: leaks.cu guilty | kept | innocent
#include <cstring>

#include "../programs/program.h"

__device__ int variable; // is not a leak
__managed__ int shared_variable;

__global__ void allocate(bool keep)
{
    void *p = malloc(64);
    if (!keep)
        free(p);
}

int main(int argc, char **argv)
{
    bool guilty = argc > 1 && !strcmp(argv[1], "guilty");
    void *device, *host, *managed;
    CUDA(cudaMalloc(&device, 4000));
    CUDA(cudaMallocHost(&host, 100));
    CUDA(cudaMallocManaged(&managed, 8));
    CUDA(cudaMemcpyToSymbol(variable, &guilty, 1));
    shared_variable = 1;
    CUDA(cudaFree(managed));
    allocate<<<1, 32>>>(argc > 1 && !strcmp(argv[1], "kept"));
    CUDA(cudaDeviceSynchronize());
    if (!guilty) {
        CUDA(cudaFree(device));
        CUDA(cudaFreeHost(host));
    }
    return finish();
}
