// Atomics of several elements: each element is atomic by itself, and the address is a multiple of the whole vector. All
// results are an H200's.
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "program.h"

__global__ void add_floats(float4 *four, float2 *two, float4 *old)
{
    float4 before = atomicAdd(&four[threadIdx.x / 32], make_float4(1, 2, 3, threadIdx.x));
    if (threadIdx.x == 0)
        *old = before;
    atomicAdd(two, make_float2(1, -1));
}

__global__ void change_halves(unsigned short *h, unsigned short *old)
{
    const short one = 0x3c00, two = 0x4000;
    short a, b;
    asm volatile("red.global.add.noftz.v4.f16 [%0], {%1, %2, %3, %3};" ::"l"(h), "h"(one), "h"(two), "h"((short)1)
                 : "memory");
    asm volatile("red.global.min.noftz.v2.bf16 [%0], {%1, %2};" ::"l"(h + 8), "h"((short)0x3f80), "h"(two) : "memory");
    asm volatile("red.global.add.noftz.v2.f16x2 [%0], {%1, %2};" ::"l"(h + 16), "r"(0x3c003c00), "r"(0x40004000)
                 : "memory");
    asm volatile("atom.global.max.noftz.v2.f16 {%0, %1}, [%2], {%3, %4};"
                 : "=h"(a), "=h"(b)
                 : "l"(h + 24), "h"(one), "h"(two)
                 : "memory");
    old[0] = (unsigned short)a;
    old[1] = (unsigned short)b;
}

__global__ void add_at(float *to)
{
    asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(to), "f"(1.f) : "memory");
}

static void check_floats()
{
    float4 *four = managed<float4>(3);
    float2 *two = managed<float2>(1);
    add_floats<<<1, 64>>>(four, two, four + 2);
    CUDA(cudaDeviceSynchronize());
    EXPECT(four[0].x == 32 && four[0].y == 64 && four[0].z == 96 && four[0].w == 496);
    EXPECT(four[1].x == 32 && four[1].w == 1520);
    EXPECT(two->x == 64 && two->y == -64);
    EXPECT(four[2].x >= 0 && four[2].x < 32 && four[2].y < 64 && four[2].z < 96); // in any order for each element
    CUDA(cudaFree(four));
    CUDA(cudaFree(two));
}

static void check_halves()
{
    const unsigned short want[] = {0x4000, 0x4200, 0x3c00, 0x3c00}, sums[] = {0x4000, 0x4000, 0x4200, 0x4200};
    unsigned short *h = managed<unsigned short>(40);
    for (int i = 0; i < 40; i++)
        h[i] = 0x3c00; // 1; in bf16 2^-7
    change_halves<<<1, 1>>>(h, h + 32);
    CUDA(cudaDeviceSynchronize());
    EXPECT(!memcmp(h, want, sizeof want) && !memcmp(h + 16, sums, sizeof sums));
    EXPECT(h[8] == 0x3c00 && h[9] == 0x3c00);
    EXPECT(h[24] == 0x3c00 && h[25] == 0x4000 && h[32] == 0x3c00 && h[33] == 0x3c00);
    CUDA(cudaFree(h));
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        add_at<<<1, 1>>>(managed<float>(8) + 1);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 0;
    }
    check_floats();
    check_halves();
    return finish();
}
