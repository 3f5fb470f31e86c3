// A device assertion that fails: the launch ends with cudaErrorAssert, and the error stays.
#include <cassert>

#include "program.h"

__global__ void positive(const int *v)
{
    assert(v[threadIdx.x] > 0 && "every value is positive");
}

int main()
{
    int *v = managed<int>(32);
    for (int i = 0; i < 32; i++)
        v[i] = 1 + i;
    positive<<<1, 32>>>(v);
    CUDA(cudaDeviceSynchronize());
    v[9] = 0;
    positive<<<1, 32>>>(v);
    EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
    EXPECT(cudaGetLastError() == cudaErrorAssert && cudaDeviceSynchronize() == cudaErrorAssert);
    if (!wrong)
        printf("ok\n");
    return wrong != 0;
}
