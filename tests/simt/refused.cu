// Programs that use what the SIMT machine does not support, one for each name on the command line. Each must end with
// error 801, cudaErrorNotSupported, and say on one line what is missing, where, and what to do.
#include <cstdio>
#include <cstring>
#include <cuda.h>

__global__ void sparse(unsigned *out)
{
    unsigned d[4] = {0, 0, 0, 0};
    asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4, %4}, "
                 "{%0, %1, %2, %3}, %4, 0;"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(out[0]));
    out[1] = d[0];
}

// A group of four warps.
__global__ void group(unsigned *out)
{
    float d[4] = {0, 0, 0, 0};
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, %5, 0, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(0ull), "r"(out[0]));
    *out = (unsigned)d[0];
}

__global__ void bulk(const int *in)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%0, %0, %0}], [%0], {%2}, %2;" ::"r"(0),
                 "l"(in), "h"((short)0));
}

__global__ void formatted(cudaSurfaceObject_t s)
{
    asm volatile("sust.p.1d.b32.trap [%0, {%1}], {%1};" ::"l"(s), "r"(0));
}

__global__ void plain()
{
}

static cudaError_t launch_with(int id)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = (cudaLaunchAttributeID)id;
    config.gridDim = 2;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, plain);
}

static cudaError_t launch(const char *name, void *p)
{
    if (!strcmp(name, "sparse"))
        sparse<<<1, 32>>>((unsigned *)p);
    else if (!strcmp(name, "group"))
        group<<<1, 128>>>((unsigned *)p);
    else if (!strcmp(name, "bulk"))
        bulk<<<1, 1>>>((int *)p);
    else if (!strcmp(name, "formatted"))
        formatted<<<1, 1>>>(0);
    else
        plain<<<1, 32>>>();
    return cudaGetLastError();
}

static cudaError_t make_texture()
{
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    cudaTextureObject_t t;
    resource.resType = cudaResourceTypeMipmappedArray;
    return cudaCreateTextureObject(&t, &resource, &texture, nullptr);
}

static cudaError_t make_map(void *p)
{
    const cuuint64_t size[] = {32, 4, 4}, strides[] = {128, 512};
    const cuuint32_t steps[] = {1, 1, 1};
    const int corner[] = {0};
    CUtensorMap map;
    return (cudaError_t)cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, p, size, strides, corner,
                                                corner, 4, 4, steps, CU_TENSOR_MAP_INTERLEAVE_16B,
                                                CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static cudaError_t call(const char *name, void *p)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMemPoolPtrExportData handle;
    cudaMipmappedArray_t mipmap;
    if (!strcmp(name, "memory"))
        return cudaMalloc(&p, (size_t)5 << 30);
    if (!strcmp(name, "mipmap"))
        return cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(4, 4, 0), 2);
    if (!strcmp(name, "texture"))
        return make_texture();
    if (!strcmp(name, "share"))
        return cudaMemPoolExportPointer(&handle, p);
    if (!strcmp(name, "interleave"))
        return make_map(p);
    if (!strcmp(name, "attribute"))
        return launch_with(99);
    return launch(name, p);
}

// Calls whose prototypes differ among toolkits: the machine ignores their arguments.
#define ADDRESS(name) (reinterpret_cast<cudaError_t (*)()>(reinterpret_cast<void *>(name)))

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "none";
    void *p;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    cudaError_t e = !strcmp(name, "graph")     ? ADDRESS(cudaGraphRetainUserObject)()
                    : !strcmp(name, "library") ? ADDRESS(cudaLibraryLoadData)()
                                               : call(name, p);
    fflush(stdout);
    printf("refused: %d\n", (int)(e ? e : cudaDeviceSynchronize()));
    return 0;
}
