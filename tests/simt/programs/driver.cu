// The driver API as programs use it: contexts, modules of PTX and fat binaries, launches, memory, streams, linked PTX;
// together with the runtime. Arguments: the PTX of driver_kernels.cu, and its fat binary.
#include <cuda.h>

#include <cstring>
#include <vector>

#include "program.h"

#define N 1000

#define DRIVER(call) \
    do { \
        CUresult e_ = (call); \
        const char *name_ = "?"; \
        if (e_ != CUDA_SUCCESS) { \
            cuGetErrorName(e_, &name_); \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_); \
            exit(1); \
        } \
    } while (0)

__global__ void plus_one(float *x)
{
    x[threadIdx.x] += 1;
}

// Calls that fail without an initialized driver, or without a context.
static CUcontext start()
{
    int count = 0, major = 0, warp = 0;
    char name[64];
    size_t bytes = 0;
    CUdevice device;
    CUcontext context, current = (CUcontext)1;
    CUdeviceptr p;
    EXPECT(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED && cuInit(1) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGetCount(&count));
    EXPECT(count >= 1 && cuDeviceGet(&device, count) == CUDA_ERROR_INVALID_DEVICE);
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDeviceGetName(name, sizeof name, device));
    DRIVER(cuDeviceTotalMem(&bytes, device));
    DRIVER(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    DRIVER(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    EXPECT(strlen(name) > 0 && bytes > 0 && major >= 7 && warp == 32);
    DRIVER(cuCtxGetCurrent(&current));
    EXPECT(current == NULL && cuMemAlloc(&p, 4) == CUDA_ERROR_INVALID_CONTEXT);
#if CUDA_VERSION >= 13000
    DRIVER(cuCtxCreate(&context, NULL, 0, device));
#else
    DRIVER(cuCtxCreate(&context, 0, device));
#endif
    DRIVER(cuCtxGetCurrent(&current));
    EXPECT(current == context);
    return context;
}

static void test_launch(CUmodule module)
{
    CUfunction scale, none;
    CUdeviceptr d, calls, factor;
    size_t size;
    int n = N, got = 0, threads = 0;
    float by = 2.5f;
    std::vector<float> x(N);
    void *args[] = {&d, &n};
    for (int i = 0; i < N; i++)
        x[i] = i;
    DRIVER(cuModuleGetFunction(&scale, module, "scale"));
    EXPECT(cuModuleGetFunction(&none, module, "no_such") == CUDA_ERROR_NOT_FOUND);
    DRIVER(cuModuleGetGlobal(&calls, &size, module, "calls"));
    EXPECT(size == sizeof(int) && cuModuleGetGlobal(&calls, &size, module, "nothing") == CUDA_ERROR_NOT_FOUND);
    DRIVER(cuModuleGetGlobal(&factor, NULL, module, "factor"));
    DRIVER(cuMemcpyHtoD(factor, &by, sizeof by));
    DRIVER(cuMemAlloc(&d, N * sizeof(float)));
    DRIVER(cuMemcpyHtoD(d, x.data(), N * sizeof(float)));
    DRIVER(cuLaunchKernel(scale, (N + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, args, NULL));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuMemcpyDtoH(x.data(), d, N * sizeof(float)));
    DRIVER(cuMemcpyDtoH(&got, calls, sizeof got));
    for (int i = 0; i < N; i++)
        EXPECT(x[i] == 2.5f * i);
    EXPECT(got == 4);
    DRIVER(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    EXPECT(threads >= 256 &&
           cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, NULL, args, NULL) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchKernel((CUfunction)(void *)&n, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL) == CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuMemAlloc(&calls, 0) == CUDA_ERROR_INVALID_VALUE && cudaGetLastError() == cudaSuccess);
    DRIVER(cuMemFree(d));
}

static void test_buffer(CUmodule module)
{
    struct {
        CUdeviceptr out;
        char c;
        double d;
        short s;
        int i;
    } packed = {0, 1, 0.5, 20, 300};
    size_t size = sizeof packed, small = 8;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    double out[32] = {0};
    CUfunction mixed;
    DRIVER(cuModuleGetFunction(&mixed, module, "mixed"));
    DRIVER(cuMemAlloc(&packed.out, sizeof out));
    DRIVER(cuLaunchKernel(mixed, 1, 1, 1, 32, 1, 1, 32 * sizeof(double), NULL, NULL, extra));
    DRIVER(cuMemcpyDtoH(out, packed.out, sizeof out));
    EXPECT(out[0] == 321.5 && out[31] == 321.5);
    extra[3] = &small;
    EXPECT(cuLaunchKernel(mixed, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemFree(packed.out));
}

// Rows, fills, streams and events.
static void test_memory()
{
    unsigned in[4][4], out[4][4] = {{0}};
    CUdeviceptr d, base;
    size_t pitch, size;
    CUstream stream;
    CUevent event;
    CUDA_MEMCPY2D p;
    for (int i = 0; i < 16; i++)
        in[i / 4][i % 4] = i;
    DRIVER(cuMemAllocPitch(&d, &pitch, 16, 4, 4));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuEventCreate(&event, CU_EVENT_DEFAULT));
    DRIVER(cuMemsetD32Async(d, 0xabcdu, 4 * pitch / 4, stream));
    memset(&p, 0, sizeof p);
    p.srcMemoryType = CU_MEMORYTYPE_HOST, p.srcHost = in, p.srcPitch = 16, p.srcXInBytes = 4, p.srcY = 1;
    p.dstMemoryType = CU_MEMORYTYPE_DEVICE, p.dstDevice = d, p.dstPitch = pitch, p.dstXInBytes = 8, p.dstY = 2;
    p.WidthInBytes = 8, p.Height = 2;
    DRIVER(cuMemcpy2DAsync(&p, stream));
    DRIVER(cuEventRecord(event, stream));
    DRIVER(cuEventSynchronize(event));
    memset(&p, 0, sizeof p);
    p.srcMemoryType = CU_MEMORYTYPE_DEVICE, p.srcDevice = d, p.srcPitch = pitch;
    p.dstMemoryType = CU_MEMORYTYPE_HOST, p.dstHost = out, p.dstPitch = 16;
    p.WidthInBytes = 16, p.Height = 4;
    DRIVER(cuMemcpy2D(&p));
    EXPECT(out[0][0] == 0xabcd && out[2][2] == 5 && out[3][3] == 10 && out[2][1] == 0xabcd);
    DRIVER(cuMemGetAddressRange(&base, &size, d + 20));
    EXPECT(base == d && size == 4 * pitch);
    DRIVER(cuStreamDestroy(stream));
    DRIVER(cuEventDestroy(event));
    DRIVER(cuMemFree(d));
    EXPECT(cuMemsetD16(d + 1, 0, 1) == CUDA_ERROR_INVALID_VALUE);
}

static void test_texture(CUmodule module)
{
    float in[2][4] = {{0, 1, 2, 4}, {0}}, out[3];
    CUDA_ARRAY_DESCRIPTOR desc = {4, 2, CU_AD_FORMAT_FLOAT, 1};
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    CUDA_MEMCPY2D p;
    CUarray array;
    CUtexObject texture;
    CUfunction fetch;
    CUdeviceptr d;
    DRIVER(cuArrayCreate(&array, &desc));
    memset(&p, 0, sizeof p), memset(&r, 0, sizeof r), memset(&t, 0, sizeof t);
    p.srcMemoryType = CU_MEMORYTYPE_HOST, p.srcHost = in;
    p.dstMemoryType = CU_MEMORYTYPE_ARRAY, p.dstArray = array, p.WidthInBytes = 16, p.Height = 2;
    DRIVER(cuMemcpy2D(&p));
    r.resType = CU_RESOURCE_TYPE_ARRAY, r.res.array.hArray = array;
    t.filterMode = CU_TR_FILTER_MODE_LINEAR, t.addressMode[0] = t.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    DRIVER(cuTexObjectCreate(&texture, &r, &t, NULL));
    DRIVER(cuMemAlloc(&d, sizeof out));
    DRIVER(cuModuleGetFunction(&fetch, module, "fetch"));
    void *args[] = {&texture, &d};
    DRIVER(cuLaunchKernel(fetch, 1, 1, 1, 3, 1, 1, 0, NULL, args, NULL));
    DRIVER(cuMemcpyDtoH(out, d, sizeof out));
    EXPECT(out[0] == 0.5f && out[1] == 1.5f && out[2] == 3);
    DRIVER(cuTexObjectDestroy(texture));
    DRIVER(cuArrayDestroy(array));
    DRIVER(cuMemFree(d));
}

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

// PTX of two files, linked; text that is not PTX.
static void test_link()
{
    static char caller[] = HEAD ".extern .func (.param .b32 r) seven();\n"
                                ".visible .entry store(.param .u64 out)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
                                "ld.param.u64 %rd1, [out];\n{\n.param .b32 got;\ncall (got), seven, ();\n"
                                "ld.param.b32 %r1, [got];\n}\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
    static char callee[] = HEAD ".visible .func (.param .b32 r) seven()\n{\nst.param.b32 [r], 7;\nret;\n}\n";
    CUlinkState link;
    CUmodule module;
    CUfunction store;
    CUdeviceptr d;
    void *image, *args[] = {&d};
    int seven = 0;
    DRIVER(cuLinkCreate(0, NULL, NULL, &link));
    DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller", 0, NULL, NULL));
    DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, callee, sizeof callee, "callee", 0, NULL, NULL));
    DRIVER(cuLinkComplete(link, &image, NULL));
    DRIVER(cuModuleLoadData(&module, image));
    DRIVER(cuLinkDestroy(link));
    DRIVER(cuModuleGetFunction(&store, module, "store"));
    DRIVER(cuMemAlloc(&d, sizeof seven));
    DRIVER(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    DRIVER(cuMemcpyDtoH(&seven, d, sizeof seven));
    EXPECT(seven == 7);
    DRIVER(cuMemFree(d));
    DRIVER(cuModuleUnload(module));
    EXPECT(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
}

// The runtime's pointers, kernels and streams are the driver's.
static void test_beside()
{
    float x[32] = {0}, *d;
    CUcontext current;
    CUfunction function;
    void *args[] = {&d}, *found = NULL;
    CUDA(cudaMalloc(&d, sizeof x));
    DRIVER(cuMemsetD8((CUdeviceptr)d, 0, sizeof x));
    CUDA(cudaGetFuncBySymbol(&function, (const void *)plus_one));
    DRIVER(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    plus_one<<<1, 32>>>(d);
    CUDA(cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost));
    EXPECT(x[0] == 2 && x[31] == 2);
    CUDA(cudaFree(d));
    CUdriverProcAddressQueryResult status;
    DRIVER(cuGetProcAddress("cuMemAlloc", &found, CUDA_VERSION, 0, &status));
    EXPECT(found == (void *)cuMemAlloc);
    DRIVER(cuGetProcAddress("cuNothing", &found, CUDA_VERSION, 0, &status));
    EXPECT(!found && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    DRIVER(cuCtxGetCurrent(&current));
    EXPECT(current != NULL);
}

int main(int argc, char **argv)
{
    CUcontext context = start();
    CUmodule module;
    CUresult e;
    if (argc < 3)
        return 2;
    for (int k = 1; k <= 2; k++) {
        DRIVER(cuModuleLoad(&module, argv[k]));
        test_launch(module);
        test_buffer(module);
        test_texture(module);
        DRIVER(cuModuleUnload(module));
    }
    test_memory();
    test_link();
    test_beside();
    e = cuModuleLoadData(&module, "no PTX at all");
    EXPECT(e == CUDA_ERROR_INVALID_IMAGE && cuModuleLoadData(&module, "") == CUDA_ERROR_INVALID_IMAGE);
    e = cuModuleLoadData(&module, HEAD "nonsense");
    EXPECT(e == CUDA_ERROR_INVALID_PTX && cuModuleLoad(&module, "/none") == CUDA_ERROR_FILE_NOT_FOUND);
    if (argc > 3) { // a wrong address is reported, and the error lasts
        CUfunction outside;
        CUdeviceptr d;
        void *args[] = {&d};
        DRIVER(cuModuleLoad(&module, argv[1]));
        DRIVER(cuModuleGetFunction(&outside, module, "outside"));
        DRIVER(cuMemAlloc(&d, 4));
        DRIVER(cuLaunchKernel(outside, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
        EXPECT(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS && cuMemFree(d) == CUDA_ERROR_ILLEGAL_ADDRESS);
        return wrong != 0;
    }
    DRIVER(cuCtxDestroy(context));
    EXPECT(cuCtxPushCurrent(context) == CUDA_ERROR_INVALID_CONTEXT);
    return finish();
}
