// What nvcc's start-up code registers: fat binaries, kernels, variables. PTX is parsed when a kernel or variable of the
// fat binary is first used on a device. So unsupported PTX does not affect a program that never launches it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "check/leaks.h"
#include "check/streams.h"
#include "count/count.h"
#include "count/profile.h"
#include "estimate/estimate.h"
#include "exec/handlers.h"
#include "memory/memory.h"
#include "memory/other_host.h"
#include "ptx/fatbin.h"
#include "remote.h"
#include "report/names.h"
#include "report/report.h"
#include "runtime/registry/registry.h"
#include "startup.h"
#include "trace/trace.h"

#define MAX_SUMMED 4096 // bytes of a variable

struct image {
    const void *wrapper, *container; // one of them is set, or neither
    size_t size;                     // of the container
    struct part {                    // if it was linked: the containers of the linked files
        const void *container;
        size_t size;
    } * parts;
    int part_count;
    struct ptx_text *texts; // of an image with neither: its own copies
    int text_count;
    void *owned; // copy of the container of an image that the program loads
    struct module *modules[MAX_DEVICES];
    struct retired {
        struct module *module;
        struct retired *next;
    } * retired;       // instances from before a cudaDeviceReset, kept for their counters
    cudaError_t error; // why it does not load; already reported
    struct kernel *kernels;
    struct variable *variables;
    struct image *next;
};

static struct {
    pthread_mutex_t lock;
    struct image *images;
} program = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- loading

// Finds the PTX texts of the image's files. Returns how many; 0: there is a line in error. A linked program has parts
// without PTX, such as the toolkit's own; a missing function is reported where it is called.
static int find_texts(const struct image *image, struct ptx_text *texts, int parts, struct cubin *cubin, char *error,
                      size_t size)
{
    int count = 0;
    if (image->container)
        texts[0].text = fatbin_find(image->container, image->size, &texts[0].length, cubin, error, size);
    for (int i = 0; i < parts; i++) {
        struct ptx_text *t = &texts[count];
        if (!image->container)
            t->text = fatbin_ptx(image->wrapper, i, &t->length, cubin, error, size);
        else if (image->part_count)
            t->text = fatbin_find_part(image->parts[i].container, image->parts[i].size, &t->length, error, size);
        count += t->text != NULL;
    }
    return count;
}

static struct module *load(struct image *image)
{
    char error[512];
    struct cubin cubin = {0};
    int count = image->text_count, parts = count ? 0 : image->part_count ? image->part_count : 1;
    if (!count && !image->container)
        parts = fatbin_parts(image->wrapper, error, sizeof error);
    struct ptx_text *texts = alloc_zeroed((size_t)parts + 1, sizeof *texts);
    count = count ? count : find_texts(image, texts, parts, &cubin, error, sizeof error);
    const struct ptx_text *all = image->text_count ? image->texts : texts;
    struct module *m = count ? module_parse(all, count, exec_handlers(), error, sizeof error) : NULL;
    free(texts);
    if (m)
        m->cubin = cubin;
    if (!m) {
        image->error = count ? cudaErrorInvalidKernelImage : cudaErrorNoKernelImageForDevice;
        complain("%s", error);
    }
    return m;
}

static int find_ptx_variable(const struct module *m, const char *name)
{
    for (int i = 0; i < m->ptx->var_count; i++)
        if (!strcmp(m->ptx->vars[i].name, name))
            return i;
    return -1;
}

// All devices share a managed variable: that of the first instance.
static void share_managed(struct image *image, struct module *m, const struct module *first)
{
    const struct allocation *found;
    for (const struct variable *v = image->variables; v; v = v->next) {
        int i = v->managed ? find_ptx_variable(m, v->name) : -1;
        if (i < 0)
            continue;
        if (first) {
            memory_free(m->var_address[i], &found);
            m->var_address[i] = first->var_address[i];
        }
        *v->managed = (void *)(uintptr_t)m->var_address[i];
    }
}

static bool has_managed(const struct image *image)
{
    for (const struct variable *v = image->variables; v; v = v->next)
        if (v->managed)
            return true;
    return false;
}

// The instance for a device; the registry is locked.
static struct module *instance(struct image *image, int device, cudaError_t *e)
{
    const struct module *first = NULL;
    if (image->modules[device] || (*e = image->error))
        return image->modules[device];
    if (device > 0 && has_managed(image) && !(first = instance(image, 0, e)))
        return NULL;
    struct module *m = load(image);
    if (!m) {
        *e = image->error;
        return NULL;
    }
    memory_open(); // variables get their values
    bool placed = module_place(m, device);
    memory_close();
    if (!placed) {
        module_free(m);
        *e = cudaErrorMemoryAllocation;
        return NULL;
    }
    share_managed(image, m, first);
    return image->modules[device] = m;
}

struct module *image_module(struct image *image, int device, cudaError_t *e)
{
    *e = cudaSuccess;
    pthread_mutex_lock(&program.lock);
    struct module *m = instance(image, device, e);
    pthread_mutex_unlock(&program.lock);
    return m;
}

// The device's memory is gone: the instance must not free what may now belong to others.
static void retire(struct image *image, int device)
{
    struct module *m = image->modules[device];
    struct retired *r = m ? alloc_zeroed(1, sizeof *r) : NULL;
    if (!r)
        return;
    memset(m->var_address, 0, (size_t)m->ptx->var_count * sizeof *m->var_address);
    *r = (struct retired){m, image->retired};
    image->retired = r;
    image->modules[device] = NULL;
}

void forget_modules(int device)
{
    pthread_mutex_lock(&program.lock);
    for (struct image *image = program.images; image; image = image->next)
        for (int d = 0; d < MAX_DEVICES; d++)
            if (d == device || (device == 0 && has_managed(image))) // they share the first one's managed variables
                retire(image, d);
    pthread_mutex_unlock(&program.lock);
}

// ---- look-up

static struct kernel *lookup_kernel(const void *function)
{
    for (const struct image *image = program.images; image; image = image->next)
        for (struct kernel *k = image->kernels; k; k = k->next)
            if (k->host == function || k == function)
                return k;
    return NULL;
}

struct kernel *find_kernel(const void *function)
{
    pthread_mutex_lock(&program.lock);
    struct kernel *k = function ? lookup_kernel(function) : NULL;
    pthread_mutex_unlock(&program.lock);
    return k;
}

struct kernel *find_named_kernel(const struct image *image, const char *name)
{
    pthread_mutex_lock(&program.lock);
    struct kernel *k = image->kernels;
    while (k && strcmp(k->name, name))
        k = k->next;
    pthread_mutex_unlock(&program.lock);
    return k;
}

// The program names a managed variable by the address of the host's pointer to it, or by that pointer's value.
static struct variable *lookup_variable(const void *symbol)
{
    for (const struct image *image = program.images; image; image = image->next)
        for (struct variable *v = image->variables; v; v = v->next)
            if (v->host == symbol || (v->managed && *v->managed == symbol))
                return v;
    return NULL;
}

static const char *host_variable(uint64_t address)
{
    const char *name = NULL;
    if (pthread_mutex_trylock(&program.lock))
        return NULL;
    for (const struct image *image = program.images; image; image = image->next)
        for (const struct variable *v = image->variables; v; v = v->next)
            if (!v->managed && address - (uint64_t)(uintptr_t)v->host < v->size)
                name = v->name;
    pthread_mutex_unlock(&program.lock);
    return name;
}

cudaError_t locate_variable(const void *symbol, uint64_t *address, uint64_t *size)
{
    cudaError_t e = cudaErrorInvalidSymbol;
    pthread_mutex_lock(&program.lock);
    const struct variable *v = symbol ? lookup_variable(symbol) : NULL;
    const struct module *m = v ? instance(v->image, current_device(), &e) : NULL;
    int i = m ? find_ptx_variable(m, v->name) : -1;
    if (i >= 0) {
        *address = m->var_address[i];
        *size = v->size;
        e = cudaSuccess;
    } else if (m) {
        complain("the variable %s is not in the PTX that nvcc made for it: rebuild the program", v->name);
        e = cudaErrorInvalidSymbol;
    }
    pthread_mutex_unlock(&program.lock);
    return e;
}

// ---- what the start-up code calls (crt/host_runtime.h of CUDA)

static void **add_image(const void *wrapper, const void *container, size_t size)
{
    struct image *image = alloc_zeroed(1, sizeof *image);
    profile_expect();
    estimate_expect();
    image->wrapper = wrapper;
    image->container = container;
    image->size = size;
    pthread_mutex_lock(&program.lock);
    image->next = program.images;
    program.images = image;
    pthread_mutex_unlock(&program.lock);
    return (void **)image;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    return add_image(wrapper, NULL, 0);
}

void **simt_register(const void *container, size_t size)
{
    return add_image(NULL, container, size);
}

void simt_register_part(void **handle, const void *container, size_t size)
{
    struct image *image = (struct image *)handle;
    image->parts = alloc_resize(image->parts, (size_t)image->part_count + 1, sizeof *image->parts);
    image->parts[image->part_count++] = (struct part){container, size};
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

static void register_kernel(struct image *image, const char *host, const char *name)
{
    struct kernel *k = alloc_zeroed(1, sizeof *k);
    pthread_mutex_lock(&program.lock);
    k->host = host;
    k->name = name;
    k->image = image;
    k->next = image->kernels;
    image->kernels = k;
    pthread_mutex_unlock(&program.lock);
}

void __cudaRegisterFunction(void **handle, const char *host, char *stub, const char *name, int threads, uint3 *tid,
                            uint3 *bid, dim3 *block, dim3 *grid, int *warp)
{
    (void)stub, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    register_kernel((struct image *)handle, host, name);
}

// A checksum of the host's own copy of the variable, which kernels do not see.
static uint32_t host_sum(const struct variable *v)
{
    uint32_t sum = 2166136261u; // FNV-1a
    const uint8_t *bytes = v->host;
    for (uint64_t i = 0; !v->managed && !other_host() && i < v->size && i < MAX_SUMMED; i++)
        sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

// Reports variables that the host has written by their names.
static void report_written(const struct image *image)
{
    for (const struct variable *v = image->variables; v; v = v->next)
        if (host_sum(v) != v->sum)
            complain("the host has written to its own copy of %s, which kernels do not see: "
                     "cudaMemcpyToSymbol writes to the device's",
                     variable_name(v->name));
}

static void add_variable(void **handle, const void *host, const char *name, size_t size, void **managed)
{
    struct variable *v = alloc_zeroed(1, sizeof *v);
    memory_names(host_variable);
    pthread_mutex_lock(&program.lock);
    *v = (struct variable){host, name, (struct image *)handle, size, 0, managed, NULL};
    v->sum = host_sum(v);
    v->next = v->image->variables;
    v->image->variables = v;
    pthread_mutex_unlock(&program.lock);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    add_variable(handle, host, name, size, NULL);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                              int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    add_variable(handle, host, name, size, host);
}

// The host is about to use a managed variable: it must have its address.
char __cudaInitModule(void **handle)
{
    cudaError_t e;
    return image_module((struct image *)handle, 0, &e) != NULL;
}

static void free_module(struct module *m)
{
    count_forget(m);
    findings_forget(m->ptx);
    trace_forget(m->ptx);
    estimate_forget(m);
    module_free(m);
}

static void free_image(struct image *image)
{
    for (struct kernel *k = image->kernels, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    for (struct variable *v = image->variables, *next; v; v = next) {
        next = v->next;
        free(v);
    }
    for (struct retired *r = image->retired, *next; r; r = next) {
        next = r->next;
        free_module(r->module);
        free(r);
    }
    for (int d = 0; d < MAX_DEVICES; d++)
        if (image->modules[d])
            free_module(image->modules[d]);
    for (int i = 0; i < image->text_count; i++)
        free((void *)(uintptr_t)image->texts[i].text);
    free(image->texts);
    free(image->parts);
    free(image->owned);
    free(image);
}

// Removes the image from the list; NULL: it is not in the list.
static struct image *take_image(const void *handle, bool *last)
{
    pthread_mutex_lock(&program.lock);
    struct image **link = &program.images;
    while (*link && *link != handle)
        link = &(*link)->next;
    struct image *image = *link;
    if (image)
        *link = image->next;
    *last = image && !program.images;
    pthread_mutex_unlock(&program.lock);
    return image;
}

void __cudaUnregisterFatBinary(void **handle)
{
    bool last;
    struct image *image = take_image(handle, &last);
    if (image) {
        report_written(image);
        free_image(image);
    }
    if (last) { // the program ends
        report_unseen_launches();
        report_unflushed();
        report_leaks();
    }
}

// ---- images that the program loads itself

// Loads the image for the current device and registers its kernels. NULL: it does not load, and a line said why.
static struct image *open_image(struct image *image, cudaError_t *e)
{
    bool last;
    const struct module *m = image_module(image, current_device(), e);
    for (int i = 0; m && i < m->ptx->func_count; i++)
        if (m->ptx->funcs[i].entry)
            register_kernel(image, NULL, m->ptx->funcs[i].name);
    if (!m)
        free_image(take_image(image, &last));
    return m ? image : NULL;
}

struct image *image_load(const void *container, size_t size, cudaError_t *e)
{
    void *copy = memcpy(alloc_resize(NULL, size, 1), container, size);
    struct image *image = (struct image *)add_image(NULL, copy, size);
    image->owned = copy;
    return open_image(image, e);
}

struct image *image_load_texts(const struct ptx_text *texts, int count, cudaError_t *e)
{
    struct image *image = (struct image *)add_image(NULL, NULL, 0);
    image->texts = alloc_zeroed((size_t)count, sizeof *image->texts);
    for (int i = 0; i < count; i++) {
        char *copy = alloc_zeroed(texts[i].length + 1, 1);
        image->texts[i] = (struct ptx_text){memcpy(copy, texts[i].text, texts[i].length), texts[i].length};
    }
    image->text_count = count;
    return open_image(image, e);
}

bool image_unload(struct image *image)
{
    bool last;
    struct image *taken = take_image(image, &last);
    if (taken)
        free_image(taken);
    return taken != NULL;
}

bool is_image(const struct image *image)
{
    pthread_mutex_lock(&program.lock);
    const struct image *i = program.images;
    while (i && i != image)
        i = i->next;
    pthread_mutex_unlock(&program.lock);
    return i != NULL;
}

int image_kernels(const struct image *image, struct kernel **out, int most)
{
    int count = 0;
    pthread_mutex_lock(&program.lock);
    for (struct kernel *k = image->kernels; k; k = k->next, count++)
        if (count < most)
            out[count] = k;
    pthread_mutex_unlock(&program.lock);
    return count;
}

cudaError_t image_variable(struct image *image, const char *name, uint64_t *address, uint64_t *size)
{
    cudaError_t e;
    const struct module *m = image_module(image, current_device(), &e);
    int i = m ? find_ptx_variable(m, name) : -1;
    if (i < 0)
        return e ? e : cudaErrorSymbolNotFound;
    *address = m->var_address[i];
    *size = m->ptx->vars[i].size;
    return cudaSuccess;
}
