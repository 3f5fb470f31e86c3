// The driver's modules: PTX and fat binaries that the program loads at run time, their functions and launches.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "report/report.h"
#include "runtime/driver/driver.h"
#include "runtime/tasks/work.h"

// How images begin.
#define CONTAINER "\x50\xed\x55\xba"
#define WRAPPER "\xb1\x43\x62\x46"
#define CUBIN "\177ELF"
#define LINKED "LINK" // cuLinkComplete's result, not a cubin but a handle of linked PTX

// ---- what an image is

struct linked {
    char magic[4];
    CUlinkState state;
};

struct link {
    struct ptx_text *texts;
    int count;
    struct linked result;
};

// A PTX text may be shorter than the header of other images.
static bool begins(const void *image, const char *magic)
{
    return !strncmp(image, magic, 4);
}

static size_t container_size(const void *container)
{
    const uint8_t *p = container;
    uint16_t header;
    uint64_t size;
    memcpy(&header, p + 6, sizeof header);
    memcpy(&size, p + 8, sizeof size);
    return size < UINT32_MAX ? header + (size_t)size : 0;
}

static bool is_text(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return *p == '.' || *p == '/';
}

static CUresult load_text(CUmodule *module, const char *text)
{
    cudaError_t e;
    const struct ptx_text texts = {text, strlen(text)};
    if (!is_text(text)) {
        complain("cuModuleLoadData: the image is neither PTX nor a fat binary");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    *module = (CUmodule)image_load_texts(&texts, 1, &e);
    return *module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

static CUresult load_linked(CUmodule *module, const struct linked *l)
{
    cudaError_t e;
    const struct link *link = handle_object(HANDLE_LINK, l->state);
    if (!link)
        return CUDA_ERROR_INVALID_IMAGE;
    *module = (CUmodule)image_load_texts(link->texts, link->count, &e);
    return *module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

static CUresult load(CUmodule *module, const void *image)
{
    cudaError_t e;
    if (begins(image, WRAPPER))
        memcpy(&image, (const uint8_t *)image + 8, sizeof image);
    if (begins(image, LINKED))
        return load_linked(module, image);
    if (begins(image, CUBIN)) {
        complain("cuModuleLoadData: a cubin is machine code of a GPU, which is not run here: load PTX, "
                 "or a fat binary with PTX (nvcc -fatbin -gencode arch=compute_80,code=compute_80)");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    if (!begins(image, CONTAINER))
        return load_text(module, image);
    *module = (CUmodule)image_load(image, container_size(image), &e);
    return *module                                ? CUDA_SUCCESS
           : e == cudaErrorNoKernelImageForDevice ? CUDA_ERROR_NO_BINARY_FOR_GPU
                                                  : CUDA_ERROR_INVALID_PTX;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    CUresult e = driver_begin();
    if (e || !module || !image)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    e = load(module, image);
    driver_end(cudaSuccess);
    return e;
}

// Logs stay empty: errors are printed on stderr.
static void empty_logs(unsigned count, const CUjit_option *options, void **values)
{
    for (unsigned i = 0; i < count; i++)
        if (options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER)
            *(char *)values[i] = 0;
        else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            values[i] = NULL;
        else if (options[i] == CU_JIT_WALL_TIME)
            memset(&values[i], 0, sizeof values[i]);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                            void **values)
{
    empty_logs(count, options, values);
    return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return cuModuleLoadData(module, image);
}

// The file's bytes, terminated by a 0; the caller frees them. NULL: it cannot be read.
static char *read_file(const char *path, size_t *size)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    char *bytes = NULL;
    *size = 0;
    for (size_t n = 1, capacity = 0; file && n > 0; *size += n) {
        if (capacity < *size + 65536)
            bytes = alloc_resize(bytes, capacity = 2 * *size + 65536, 1);
        n = fread(bytes + *size, 1, capacity - *size - 1, file);
    }
    if (file)
        fclose(file);
    if (bytes)
        bytes[*size] = 0;
    return bytes;
}

// Whether the bytes match their header.
static bool is_complete_image(const char *bytes, size_t size)
{
    if (size < 16)
        return false;
    return begins(bytes, WRAPPER) ? false : !begins(bytes, CONTAINER) || container_size(bytes) <= size;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    size_t size;
    CUresult e = driver_begin();
    char *bytes = e ? NULL : read_file(path, &size);
    if (!bytes)
        return e ? e : CUDA_ERROR_FILE_NOT_FOUND;
    e = is_complete_image(bytes, size) ? cuModuleLoadData(module, bytes) : CUDA_ERROR_INVALID_IMAGE;
    free(bytes);
    return e;
}

CUresult cuModuleUnload(CUmodule module)
{
    CUresult e = driver_begin();
    return e ? e : image_unload((struct image *)module) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

// ---- linking: the texts are linked when the result is loaded

CUresult cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *out)
{
    CUresult e = driver_begin();
    if (e || !out)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    empty_logs(count, options, values);
    struct link *link = alloc_zeroed(1, sizeof *link);
    *out = handle_open(HANDLE_LINK, link);
    link->result = (struct linked){{'L', 'I', 'N', 'K'}, *out};
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                       unsigned int count, CUjit_option *options, void **values)
{
    CUresult e = driver_begin();
    struct link *link = handle_object(HANDLE_LINK, state);
    (void)name, (void)count, (void)options, (void)values;
    if (e || !link || !data || !size)
        return e ? e : link ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    if (type != CU_JIT_INPUT_PTX) {
        complain("cuLinkAddData: only PTX can be linked here (CU_JIT_INPUT_PTX)");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    char *copy = memcpy(alloc_zeroed(size + 1, 1), data, size);
    link->texts = alloc_resize(link->texts, (size_t)link->count + 1, sizeof *link->texts);
    link->texts[link->count++] = (struct ptx_text){copy, strlen(copy)};
    return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int count,
                       CUjit_option *options, void **values)
{
    size_t size;
    char *bytes = read_file(path, &size);
    CUresult e =
        bytes ? cuLinkAddData(state, type, bytes, size, path, count, options, values) : CUDA_ERROR_FILE_NOT_FOUND;
    free(bytes);
    return e;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
    CUresult e = driver_begin();
    struct link *link = handle_object(HANDLE_LINK, state);
    if (e || !link || !image || !link->count)
        return e ? e : link ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    *image = &link->result;
    if (size)
        *size = sizeof link->result;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    struct link *link = handle_object(HANDLE_LINK, state);
    if (!link)
        return CUDA_ERROR_INVALID_HANDLE;
    handle_close(HANDLE_LINK, state);
    for (int i = 0; i < link->count; i++)
        free((void *)(uintptr_t)link->texts[i].text);
    free(link->texts);
    free(link);
    return CUDA_SUCCESS;
}

// ---- what is in a module

static CUresult begin_module(CUmodule module)
{
    CUresult e = driver_begin();
    return e ? e : is_image((struct image *)module) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    CUresult e = begin_module(module);
    if (e || !out || !name)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    *out = (CUfunction)find_named_kernel((struct image *)module, name);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal(CUdeviceptr *out, size_t *bytes, CUmodule module, const char *name)
{
    uint64_t address, size;
    CUresult e = begin_module(module);
    if (e || !name)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    e = (CUresult)image_variable((struct image *)module, name, &address, &size);
    if (!e && out)
        *out = address;
    if (!e && bytes)
        *bytes = size;
    return e;
}

#if CUDA_VERSION >= 12040
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    CUresult e = begin_module(module);
    if (e || !count)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    *count = (unsigned)image_kernels((struct image *)module, NULL, 0);
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned int most, CUmodule module)
{
    CUresult e = begin_module(module);
    if (!e)
        image_kernels((struct image *)module, (struct kernel **)out, (int)most);
    return e;
}
#endif

// ---- functions

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct cudaFuncAttributes a;
    CUresult e = THROUGH(cudaFuncGetAttributes(&a, function));
    if (e || !value)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    const int values[] = {[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = a.maxThreadsPerBlock,
                          [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)a.sharedSizeBytes,
                          [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)a.constSizeBytes,
                          [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)a.localSizeBytes,
                          [CU_FUNC_ATTRIBUTE_NUM_REGS] = a.numRegs,
                          [CU_FUNC_ATTRIBUTE_PTX_VERSION] = a.ptxVersion,
                          [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = a.binaryVersion,
                          [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = 0,
                          [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = a.maxDynamicSharedSizeBytes,
                          [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = a.preferredShmemCarveout};
    if ((size_t)attribute >= sizeof values / sizeof *values)
        return CUDA_ERROR_INVALID_VALUE;
    *value = values[attribute];
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    return THROUGH(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    return THROUGH(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}

CUresult cuFuncGetModule(CUmodule *out, CUfunction function)
{
    CUresult e = driver_begin();
    const struct kernel *k = find_kernel(function);
    if (e || !out || !k)
        return e ? e : k ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    *out = (CUmodule)k->image;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12030
CUresult cuFuncGetName(const char **name, CUfunction function)
{
    return THROUGH(cudaFuncGetName(name, function));
}
#endif

#if CUDA_VERSION >= 12040
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    return THROUGH(cudaFuncGetParamInfo(function, index, offset, size));
}
#endif

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared)
{
    return THROUGH(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                              size_t shared, unsigned int flags)
{
    (void)flags;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

// The largest block of whole warps with which the most threads fit on a multiprocessor.
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit)
{
    int most = 0, best = 0, units = 0, device = current_device();
    CUresult e = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    if (e || !grid || !block)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    cuDeviceGetAttribute(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    for (int threads = limit > 0 && limit < most ? limit : most; !e && threads > 0; threads = (threads - 1) / 32 * 32) {
        int blocks = 0;
        e = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads,
                                                        shared_of ? shared_of(threads) : shared);
        if (blocks * threads <= best)
            continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * units;
    }
    return e;
}

// ---- launches

// Reads parameters from one buffer (CU_LAUNCH_PARAM_BUFFER_POINTER). False: it is too small or missing.
static bool unpack(const struct ptx_function *f, void **extra, void **args)
{
    const uint8_t *buffer = NULL;
    uint32_t at = 0;
    size_t size = 0;
    for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2)
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = *(const size_t *)extra[1];
        else
            return false;
    for (int i = 0; i < f->param_count; i++) {
        at = param_start(at, &f->params[i]);
        args[i] = (void *)(uintptr_t)(buffer + at);
        at += (uint32_t)f->params[i].size;
    }
    return !f->param_count || (buffer && at <= size);
}

static CUresult launch(CUfunction function, const unsigned size[6], unsigned shared, CUstream stream, void **params,
                       void **extra, bool cooperative)
{
    const dim3 grid = {size[0], size[1], size[2]}, block = {size[3], size[4], size[5]};
    cudaError_t error = cudaSuccess;
    CUresult e = driver_begin();
    const struct kernel *k = e ? NULL : find_kernel(function);
    const struct ptx_function *f = k ? kernel_entry(k, current_device(), &error) : NULL;
    if (!f)
        return e ? e : k ? driver_end(error) : CUDA_ERROR_INVALID_HANDLE;
    void **args = alloc_zeroed((size_t)f->param_count + 1, sizeof *args);
    if ((params && extra) || (!params && !unpack(f, extra, args)))
        e = CUDA_ERROR_INVALID_VALUE;
    else
        e = driver_end((cooperative ? cudaLaunchCooperativeKernel
                                    : cudaLaunchKernel)(function, grid, block, params ? params : args, shared, stream));
    free(args);
    return e;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                        unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void **params,
                        void **extra)
{
    return launch(function, (const unsigned[]){gx, gy, gz, bx, by, bz}, shared, stream, params, extra, false);
}
PER_THREAD(cuLaunchKernel, _ptsz);

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz,
                                   unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
                                   CUstream stream, void **params)
{
    return launch(function, (const unsigned[]){gx, gy, gz, bx, by, bz}, shared, stream, params, NULL, true);
}
PER_THREAD(cuLaunchCooperativeKernel, _ptsz);

// The attributes have the runtime's numbers and layout.
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **params, void **extra)
{
    if (!c || extra)
        return c ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
    const cudaLaunchConfig_t config = {.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                       .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                       .dynamicSmemBytes = c->sharedMemBytes,
                                       .stream = c->hStream,
                                       .attrs = (cudaLaunchAttribute *)c->attrs,
                                       .numAttrs = c->numAttrs};
    return THROUGH(cudaLaunchKernelExC(&config, function, params));
}
PER_THREAD(cuLaunchKernelEx, _ptsz);
