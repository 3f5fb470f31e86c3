// setmaxnreg moves registers between the warpgroups of a block: warps that take some wait until others have given as
// many back. With machine code next to the PTX, which tells how many a launch gives; a block of 512 threads has 128 for
// each.
//
// Usage: moved_registers enough | too_many | too_late
#include <stdio.h>
#include <string.h>

#define KEEP(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 " #n ";")
#define TAKE(n) asm volatile("setmaxnreg.inc.sync.aligned.u32 " #n ";")
#define MEET() asm volatile("barrier.sync 1, 512;" ::: "memory")

// 3 x 24 registers more, of 88.
__global__ void __launch_bounds__(512, 1) enough(int *out)
{
    if (threadIdx.x >= 384)
        KEEP(40);
    else
        TAKE(152);
    MEET();
    out[threadIdx.x] = 1;
}

// 3 x 40 registers more.
__global__ void __launch_bounds__(512, 1) too_many(int *out)
{
    if (threadIdx.x >= 384)
        KEEP(40);
    else
        TAKE(168); // a
    MEET();
    out[threadIdx.x] = 1;
}

// The warps that give registers back first wait for those that take them.
__global__ void __launch_bounds__(512, 1) too_late(int *out)
{
    if (threadIdx.x >= 384) {
        MEET();
        KEEP(40);
    } else {
        TAKE(152); // b
        MEET();
    }
    out[threadIdx.x] = 1;
}

int main(int argc, char **argv)
{
    int *out;
    cudaMalloc(&out, 512 * sizeof *out);
    if (argc > 1 && !strcmp(argv[1], "too_many"))
        too_many<<<1, 512>>>(out);
    else if (argc > 1 && !strcmp(argv[1], "too_late"))
        too_late<<<1, 512>>>(out);
    else
        enough<<<1, 512>>>(out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", error ? cudaGetErrorName(error) : "ok");
    cudaFree(out);
    return 0;
}
