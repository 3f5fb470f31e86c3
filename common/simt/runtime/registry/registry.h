// The program's code: fat binaries, kernels and variables, as nvcc's start-up code registers them.
#pragma once

#include "decode/module.h"
#include "runtime/base/base.h"

struct image; // one fat binary

struct kernel {
    const void *host; // address of the stub; a cudaKernel_t is the address of this struct
    const char *name; // as in PTX
    struct image *image;
    uint32_t shared_limit[MAX_DEVICES]; // cudaFuncAttributeMaxDynamicSharedMemorySize; 0: never set
    bool large_clusters;                // cudaFuncAttributeNonPortableClusterSizeAllowed
    struct kernel *next;
};

struct variable {
    const void *host;
    const char *name;
    struct image *image;
    uint64_t size;
    uint32_t sum;   // checksum of its first bytes on the host at registration
    void **managed; // the host's pointer to a __managed__ variable; else NULL
    struct variable *next;
};

// Finds a kernel by the host's address or by handle. NULL: unknown.
struct kernel *find_kernel(const void *function);

// Finds a kernel by its name in the PTX of an image.
struct kernel *find_named_kernel(const struct image *image, const char *name);

// The module instance on that device, loaded at its first use. NULL: *e says why, and a line was printed once.
struct module *image_module(struct image *image, int device, cudaError_t *e);

// Address and size of a variable on the current device.
cudaError_t locate_variable(const void *symbol, uint64_t *address, uint64_t *size);

// Loads code for the program: a fat binary's container or PTX, which is copied. NULL: it does not load; a line on
// stderr said why. Its kernels have handles like all others.
struct image *image_load(const void *container, size_t size, cudaError_t *e);
struct image *image_load_texts(const struct ptx_text *texts, int count, cudaError_t *e);
bool image_unload(struct image *image); // false: there is none
bool is_image(const struct image *image);
int image_kernels(const struct image *image, struct kernel **out, int most); // returns how many there are
cudaError_t image_variable(struct image *image, const char *name, uint64_t *address, uint64_t *size);

// Drops the module instances of the device: its variables get their initial values again.
void forget_modules(int device);
