// Explains why an address is wrong. Freed memory, an index that wraps around and the host's own memory are different
// mistakes, so each has its own message.
#include "exec/bounds.h"

#include <stdio.h>

#include "exec/machine.h"
#include "memory/memory.h"
#include "report/names.h"

const char *space_name(enum ptx_space space)
{
    return space == PTX_SHARED                          ? "__shared__"
           : space == PTX_LOCAL || space == SPACE_FRAME ? "__local__"
           : space == PTX_PARAM                         ? "__param__"
           : space == PTX_CONST                         ? "__constant__"
                                                        : "__global__";
}

// The live allocation that the address misses because an index of 1- to 16-byte elements has wrapped around once: an
// int that overflowed, or an unsigned index slightly below 0 (*below: bytes, else 0). NULL: there is none. *wrapped:
// log2 of the element size.
static const struct allocation *wrapped_from(uint64_t address, uint32_t size, unsigned *wrapped, uint64_t *below)
{
    for (*wrapped = 32; *wrapped <= 36; ++*wrapped)
        for (int sign = -1; sign <= 1; sign += 2) {
            uint64_t meant = address + (uint64_t)sign * (UINT64_C(1) << *wrapped);
            const struct allocation *a = memory_nearest(meant);
            *below = a && a->live && meant < a->base ? a->base - meant : 0;
            if (memory_holds(meant, size))
                return memory_find(meant);
            if (sign < 0 && *below && *below <= LANES * (uint64_t)size)
                return a;
        }
    return NULL;
}

static const char *owner_words(const struct allocation *a)
{
    return a->name ? variable_name(a->name) : "an allocation";
}

// Describes an address that lies in no allocation.
static const char *elsewhere(uint64_t address)
{
    const char *host = memory_host_part(address);
    return (address & TAG_MASK) == TAG_SHARED  ? ": it is in __shared__ memory, accessible only to its own block"
           : (address & TAG_MASK) == TAG_LOCAL ? ": it is in a local variable, accessible only to its own thread"
           : address < 4096                    ? " (a null pointer)"
           : host                              ? host
                                               : ": a wild index, or a host pointer?";
}

static void describe_wrapped(const struct allocation *a, unsigned wrapped, uint64_t below, char *out, size_t out_size)
{
    if (below)
        snprintf(out, out_size,
                 "it is 2^%u bytes away from %llu bytes before %s of %llu bytes: an unsigned index has gone below 0",
                 wrapped, (unsigned long long)below, owner_words(a), (unsigned long long)a->size);
    else
        snprintf(out, out_size, "it is 2^%u bytes away from %s of %llu bytes: an int has overflowed", wrapped,
                 owner_words(a), (unsigned long long)a->size);
}

// Describes an address in the allocation a, or near it.
static void describe_near(const struct allocation *a, uint64_t address, uint32_t size, char *out, size_t out_size)
{
    const char *name = a->name ? a->name : "the nearest allocation,";
    uint64_t end = a->base + a->size;
    if (!a->live && address >= a->base)
        snprintf(out, out_size, "it is %llu bytes into %llu bytes that were freed",
                 (unsigned long long)(address - a->base), (unsigned long long)a->size);
    else if (address >= end || address + size > end)
        snprintf(out, out_size, "it is %llu bytes %s the end of %s of %llu bytes",
                 (unsigned long long)(address >= end ? address - end : end - address),
                 address >= end ? "past" : "before", name, (unsigned long long)a->size);
    else
        snprintf(out, out_size, "it is %llu bytes before the start of %s of %llu bytes",
                 (unsigned long long)(a->base - address), name, (unsigned long long)a->size);
}

bool is_inaccessible(const struct launch *launch, uint64_t address)
{
    const struct allocation *a = memory_find(address);
    bool own = a && (a->kind == MEMORY_DEVICE || a->kind == MEMORY_VARIABLE || a->kind == MEMORY_HEAP);
    return own && !a->pool && launch->inaccessible >> a->device & 1; // a memory pool has its own access rights
}

void describe_global(const struct launch *launch, uint64_t address, uint32_t size, char *out, size_t out_size)
{
    unsigned wrapped = 0;
    uint64_t below = 0;
    const struct allocation *a = memory_find(address),
                            *meant = a ? NULL : wrapped_from(address, size, &wrapped, &below);
    if (!a)
        a = memory_nearest(address);
    const char *host = a && a->live ? NULL : memory_host_variable(address);
    if (host)
        snprintf(out, out_size,
                 "it is the host's address of %s; "
                 "kernels use the variable by its name, or the address that cudaGetSymbolAddress gives",
                 variable_name(host));
    else if (meant)
        describe_wrapped(meant, wrapped, below, out, out_size);
    else if (!a)
        snprintf(out, out_size, "0x%llx lies in no allocation of the device%s", (unsigned long long)address,
                 elsewhere(address));
    else if (is_inaccessible(launch, address) && memory_holds(address, size))
        snprintf(out, out_size,
                 "it is memory of device %d, and device %d has no access to it: "
                 "cudaDeviceEnablePeerAccess(%d, 0) is missing",
                 a->device, launch->device, a->device);
    else
        describe_near(a, address, size, out, out_size);
}

// Describes an address in dynamic shared, local or parameter memory of size bytes; an index below 0 wraps around.
void describe_window(uint64_t address, uint32_t size, char *out, size_t out_size)
{
    if (address > INT32_MAX)
        snprintf(out, out_size, "it is %u bytes before the start", -(uint32_t)address);
    else if (address >= size)
        snprintf(out, out_size, "it is %llu bytes past the end of %u bytes", (unsigned long long)address - size, size);
    else
        snprintf(out, out_size, "it ends past the end of %u bytes", size);
}

// The variable nearest to a wrong address; for an address in a gap, the one before it.
void describe_shared(const struct launch *launch, uint64_t address, uint32_t size, char *out, size_t out_size)
{
    const struct shared_variable *v = NULL, *all = launch->code->shared;
    for (uint32_t i = 0; i < launch->code->shared_count && all[i].offset <= address; i++)
        v = &all[i];
    if (address > INT32_MAX || !v || address >= launch->dynamic_start) {
        uint32_t start = launch->dynamic_shared ? launch->dynamic_start : 0;
        bool before = address > INT32_MAX && !launch->code->shared_count;
        if (shared_size(launch) == 0) {
            snprintf(out, out_size, "the launch gives its blocks no dynamic shared memory");
            return;
        }
        describe_window(before ? address : address - start, shared_size(launch) - start, out, out_size);
        return;
    }
    const char *name = variable_name(v->ptx->name);
    uint64_t past = address - v->offset - v->size, next = NONE;
    if (address < v->offset + v->size)
        snprintf(out, out_size, "it ends past the end of %s of %u bytes", name, v->size);
    else if (v + 1 < all + launch->code->shared_count && (next = v[1].offset - address) < past && next <= size * LANES)
        snprintf(out, out_size, "it is %llu bytes before the start of %s", (unsigned long long)next,
                 variable_name(v[1].ptx->name));
    else
        snprintf(out, out_size, "it is %llu bytes past the end of %s of %u bytes", (unsigned long long)past, name,
                 v->size);
}
