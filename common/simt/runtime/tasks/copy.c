// Copies and fills as work. Every range is checked against its allocation, and copies carry the flags of written bytes
// along.
#include "count/count.h"
#include "estimate/estimate.h"
#include "memory/host_stack.h"
#include "memory/other_host.h"
#include "report/names.h"
#include "report/report.h"
#include "report/settings.h"
#include "runtime/tasks/work.h"

#define PADDING_RUN 16  // bytes: shorter unwritten runs may be padding of a struct
#define STRUCT_BYTES 64 // a copy of at most this size may be one struct
#define STRUCT_GAPS 16  // maximum of runs of padding in a struct

#define SMALL 32 // smaller bytes are meant as numbers; 0x3f, 0x7f and 0xff are intentional patterns

#define SAMPLED_FROM (UINT64_C(1) << 20) // bytes
#define SAMPLED_END (UINT64_C(64) << 10) // bytes copied at either end

// ---- ranges

// Whether a copy can touch the memory: plain host memory, or a live allocation.
enum place { PLACE_HOST, PLACE_HOST_ALLOCATION, PLACE_DEVICE, PLACE_MANAGED };

static enum place place_of(uint64_t address)
{
    const struct allocation *a = memory_find(address);
    if (!a)
        return memory_nearest(address) ? PLACE_DEVICE : PLACE_HOST;
    return a->kind == MEMORY_HOST || a->kind == MEMORY_REGISTERED ? PLACE_HOST_ALLOCATION
           : a->kind == MEMORY_MANAGED                            ? PLACE_MANAGED
                                                                  : PLACE_DEVICE;
}

bool is_device_memory(const void *p)
{
    return place_of((uint64_t)(uintptr_t)p) == PLACE_DEVICE;
}

bool within_device(const struct copy_work *c)
{
    return is_device_memory(c->to) && is_device_memory(c->from);
}

bool uses_page_locked(const struct copy_work *c)
{
    return place_of((uint64_t)(uintptr_t)c->from) == PLACE_HOST_ALLOCATION ||
           place_of((uint64_t)(uintptr_t)c->to) == PLACE_HOST_ALLOCATION;
}

bool ends_in_pageable(const struct copy_work *c)
{
    return place_of((uint64_t)(uintptr_t)c->to) == PLACE_HOST;
}

bool copies_on_device(const struct copy_work *c, int device)
{
    const struct allocation *to = memory_find((uint64_t)(uintptr_t)c->to);
    const struct allocation *from = memory_find((uint64_t)(uintptr_t)c->from);
    return (to && to->device == device) || (from && from->device == device);
}

bool arrives_late(const struct copy_work *c)
{
    return place_of((uint64_t)(uintptr_t)c->from) == PLACE_HOST && is_device_memory(c->to);
}

static bool is_heap(const void *p)
{
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)p);
    return a && a->live && a->kind == MEMORY_HEAP;
}

bool refuse_heap(const struct copy_work *c)
{
    bool reads = is_heap(c->from);
    if (!reads && !is_heap(c->to))
        return false;
    complain("%s %s memory that a kernel has allocated, to which the host has no access: "
             "let a kernel copy it to memory of cudaMalloc",
             c->call ? c->call : "cudaMemcpy", reads ? "reads" : "writes");
    return true;
}

// Explains why [at, at + size) is not inside one allocation.
static void explain_range(const char *call, const char *verb, uint64_t at, uint64_t size)
{
    const struct allocation *a = memory_find(at);
    a = a ? a : memory_nearest(at);
    unsigned long long n = size, bytes = a ? a->size : 0;
    if (!a || at < a->base)
        complain("%s %s %llu bytes at %p: no allocation of the device", call, verb, n, (void *)(uintptr_t)at);
    else if (!a->live)
        complain("%s %s %llu bytes at %p, %llu bytes inside an allocation of %llu bytes that was freed", call, verb, n,
                 (void *)(uintptr_t)at, (unsigned long long)(at - a->base), bytes);
    else
        complain("%s %s %llu bytes that end %llu bytes past %s%s of %llu bytes", call, verb, n,
                 (unsigned long long)(at + size - a->base - a->size), a->name ? "variable " : "an allocation",
                 a->name ? a->name : "", bytes);
}

static bool check_range(const char *call, const char *verb, const void *p, uint64_t size)
{
    uint64_t at = (uint64_t)(uintptr_t)p;
    if (place_of(at) == PLACE_HOST ? p != NULL : memory_holds(at, size))
        return true;
    explain_range(call, verb, at, size);
    return false;
}

// Bytes from the first to the last one that a pitched region touches.
static uint64_t extent_of(uint64_t pitch, uint64_t rows, uint64_t width, uint64_t height, uint64_t depth)
{
    return ((depth - 1) * rows + height - 1) * pitch + width;
}

// ---- reads of what was never written

struct gaps {
    uint64_t unwritten, longest; // bytes in all; of the longest run
    uint64_t runs;
    uint64_t starts[STRUCT_GAPS + 1]; // offsets of the first runs
};

static struct gaps find_gaps(const uint8_t *written, uint64_t n)
{
    struct gaps g = {0};
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *zero = memchr(written + i, 0, n - i);
        if (!zero)
            break;
        uint64_t start = (uint64_t)(zero - written), end = start;
        while (end < n && !written[end])
            end++;
        if (g.runs <= STRUCT_GAPS)
            g.starts[g.runs] = start;
        g.longest = end - start > g.longest ? end - start : g.longest;
        g.unwritten += end - start;
        g.runs++;
        i = end;
    }
    return g;
}

// Structs have padding that kernels do not write and cudaMemcpy reads. Short gaps that repeat from struct to struct, or
// any short gap in a copy as small as a struct, count as padding.
static bool is_padding(const struct gaps *g, const uint8_t *written, uint64_t n)
{
    if (g->longest >= PADDING_RUN || g->unwritten == n)
        return false;
    for (uint64_t i = 1; i < g->runs && i <= STRUCT_GAPS; i++) {
        uint64_t period = g->starts[i] - g->starts[0];
        if (2 * period <= n && !memcmp(written, written + period, n - period))
            return true;
    }
    return n <= STRUCT_BYTES;
}

static const char *call_of(const struct copy_work *w)
{
    return w->call ? w->call : "cudaMemcpy";
}

// True: all bytes were written.
static bool check_written(const char *call, uint64_t from, uint64_t n)
{
    struct gaps g = find_gaps(memory_written(from), n);
    const struct allocation *a = memory_find(from);
    if (!g.unwritten || is_padding(&g, memory_written(from), n))
        return true;
    report_program(g.unwritten < n ? WARNING : ERROR,
                   "Uninitialized __global__ memory read of size %llu by %s: %llu of these bytes were never written, "
                   "the first at byte %llu of an allocation of %llu bytes",
                   (unsigned long long)n, call, (unsigned long long)g.unwritten,
                   (unsigned long long)(from + g.starts[0] - a->base), (unsigned long long)a->size);
    return false;
}

// ---- copies

static bool is_to_host(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
}

static bool is_from_host(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
}

// As on an H100: refuses only the program's own memory, passed as device memory. Otherwise the address shows where the
// memory lies.
static cudaError_t check_direction(const struct copy_work *w)
{
    enum place to = place_of((uint64_t)(uintptr_t)w->to), from = place_of((uint64_t)(uintptr_t)w->from);
    const char *wrong = NULL;
    if ((unsigned)w->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (w->kind == cudaMemcpyDefault)
        return cudaSuccess;
    if (!is_to_host(w->kind) && to == PLACE_HOST)
        wrong = "destination is host";
    else if (!is_from_host(w->kind) && from == PLACE_HOST)
        wrong = "source is host";
    if (!wrong)
        return cudaSuccess;
    static const char *const words[] = {"HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice"};
    const char *name = memory_host_variable((uint64_t)(uintptr_t)(wrong[0] == 'd' ? w->to : w->from));
    complain("%s: the kind is cudaMemcpy%s but the %s memory%s%s%s", call_of(w), words[w->kind], wrong,
             name ? ": the host's address of " : "", name ? variable_name(name) : "",
             name ? ", which cudaMemcpyToSymbol and cudaMemcpyFromSymbol take" : "");
    return cudaErrorInvalidValue;
}

// A block of malloc or new that is shorter than what a copy touches. As on a GPU the copy runs all the same.
static void check_block(const struct copy_work *w, const void *p, uint64_t bytes, bool reads)
{
    uint64_t at = (uint64_t)(uintptr_t)p;
    if (!settings()->check_memory || other_host() || place_of(at) != PLACE_HOST)
        return;
    memory_copies(call_of(w), p, bytes, reads);
    (void)*(const volatile uint8_t *)p;
    uint64_t room = host_block_short(at, bytes);
    memory_copies(NULL, NULL, 0, false);
    if (room)
        report_program(ERROR,
                       "%s %s %llu bytes of host memory at %p, but the block that malloc or new gave there has %llu",
                       call_of(w), reads ? "reads" : "writes", (unsigned long long)bytes, p, (unsigned long long)room);
}

static cudaError_t check_copy(const struct copy_work *w)
{
    uint64_t written = extent_of(w->to_pitch, w->to_rows, w->width, w->height, w->depth);
    uint64_t read = extent_of(w->from_pitch, w->from_rows, w->width, w->height, w->depth);
    if ((w->height > 1 || w->depth > 1) && (w->to_pitch < w->width || w->from_pitch < w->width))
        return cudaErrorInvalidPitchValue;
    if (!check_range(call_of(w), "writes", w->to, written) || !check_range(call_of(w), "reads", w->from, read))
        return cudaErrorInvalidValue;
    cudaError_t e = check_direction(w);
    if (!e) {
        check_block(w, w->to, written, false);
        check_block(w, w->from, read, true);
    }
    return e;
}

// Copies from and to the memory of another host, which does the access itself.
static void move_remote(uint64_t to, uint64_t from, size_t n)
{
    uint8_t bytes[4096];
    for (size_t done = 0, now; done < n; done += now) {
        const void *source = (const void *)(uintptr_t)(from + done);
        now = n - done < sizeof bytes ? n - done : sizeof bytes;
        if (place_of(from) == PLACE_HOST)
            other_host()->read(bytes, from + done, now), source = bytes;
        if (place_of(to) == PLACE_HOST)
            other_host()->write(to + done, source, now);
        else
            memmove((void *)(uintptr_t)(to + done), source, now);
    }
}

// In a sampled program, copies or fills only both ends of such a large range. The bytes between are unknown.
static bool is_sampled(uint64_t bytes)
{
    const struct sample *s = &settings()->sample;
    return s->on && !s->all && bytes > SAMPLED_FROM;
}

// Of count rows, layers or elements, the next after i that is copied or filled.
static size_t next_one(size_t i, size_t count, bool sampled)
{
    return sampled && i + 1 < count - 1 ? count - 1 : i + 1;
}

// check: report bytes that were never written; cleared after a report.
static void copy_row(const struct copy_work *w, uint8_t *to, const uint8_t *from, size_t n, bool *check)
{
    uint64_t source = (uint64_t)(uintptr_t)from, target = (uint64_t)(uintptr_t)to;
    enum place to_place = place_of(target), from_place = place_of(source);
    bool tracked = from_place == PLACE_DEVICE, reads = from_place == PLACE_HOST;
    if (reads || to_place == PLACE_HOST)
        memory_copies(call_of(w), reads ? from : to, n, reads);
    if (w->other_host && (to_place == PLACE_HOST || from_place == PLACE_HOST))
        move_remote(target, source, n);
    else
        memmove(to, from, n);
    memory_copies(NULL, NULL, 0, false);
    if (to_place == PLACE_DEVICE && tracked)
        memory_copy_written(target, source, n);
    else if (to_place != PLACE_HOST)
        memory_mark_written(target, n);
    if (to_place != PLACE_DEVICE && tracked && *check)
        *check = check_written(call_of(w), source, n);
}

static uint64_t sectors_from(const void *p, uint64_t n)
{
    uint64_t at = (uint64_t)(uintptr_t)p;
    return (at + n - 1) / 32 - at / 32 + 1;
}

// Sectors that the copy reads and writes. Contiguous rows count as one.
static uint64_t sectors_of(const struct copy_work *w, bool one_row)
{
    uint64_t bytes = one_row ? (uint64_t)w->width * w->height * w->depth : w->width, sectors = 0;
    for (size_t z = 0; z < (one_row ? 1 : w->depth); z++)
        for (size_t y = 0; y < (one_row ? 1 : w->height); y++)
            sectors += sectors_from((uint8_t *)w->to + (z * w->to_rows + y) * w->to_pitch, bytes) +
                       sectors_from((const uint8_t *)w->from + (z * w->from_rows + y) * w->from_pitch, bytes);
    return sectors;
}

cudaError_t run_copy(const struct copy_work *w)
{
    if (!w->width || !w->height || !w->depth)
        return cudaSuccess;
    cudaError_t e = check_copy(w);
    bool one_row =
        w->to_pitch == w->width && w->from_pitch == w->width && w->to_rows == w->height && w->from_rows == w->height;
    uint64_t bytes = (uint64_t)w->width * w->height * w->depth;
    bool sampled = is_sampled(bytes);
    bool check = settings()->check_init && (!settings()->sample.on || settings()->sample.all);
    if (e)
        return e;
    estimate_copy(bytes, !is_device_memory(w->from), !is_device_memory(w->to));
    count_copy(!is_device_memory(w->from), !is_device_memory(w->to)); // memory shared with the host is the host's
    if (within_device(w))
        count_copied(sectors_of(w, one_row));
    if (one_row) {
        copy_row(w, w->to, w->from, sampled ? SAMPLED_END : bytes, &check);
        bytes -= sampled ? SAMPLED_END : bytes;
        if (bytes > 0)
            copy_row(w, (uint8_t *)w->to + bytes, (const uint8_t *)w->from + bytes, SAMPLED_END, &check);
        return cudaSuccess;
    }
    for (size_t z = 0; z < w->depth; z = next_one(z, w->depth, sampled))
        for (size_t y = 0; y < w->height; y = next_one(y, w->height, sampled))
            copy_row(w, (uint8_t *)w->to + (z * w->to_rows + y) * w->to_pitch,
                     (const uint8_t *)w->from + (z * w->from_rows + y) * w->from_pitch, w->width, &check);
    return cudaSuccess;
}

// ---- fills

static void fill_bytes(uint8_t *row, size_t width, const struct fill_work *w)
{
    if (w->element == 1)
        memset(row, (int)w->value, width);
    for (size_t i = 0; w->element > 1 && i < width; i += w->element)
        memcpy(row + i, &w->value, w->element);
    memory_mark_written((uint64_t)(uintptr_t)row, width);
}

static void fill_row(uint8_t *row, const struct fill_work *w, bool sampled)
{
    bool in_part = sampled && w->width > 2 * SAMPLED_END;
    fill_bytes(row, in_part ? SAMPLED_END : w->width, w);
    if (in_part)
        fill_bytes(row + w->width - SAMPLED_END, SAMPLED_END, w);
}

cudaError_t run_fill(const struct fill_work *w)
{
    if (!w->width || !w->height || !w->depth)
        return cudaSuccess;
    if ((w->height > 1 || w->depth > 1) && w->pitch < w->width)
        return cudaErrorInvalidPitchValue;
    uint64_t all = extent_of(w->pitch, w->rows, w->width, w->height, w->depth);
    if (place_of((uint64_t)(uintptr_t)w->to) == PLACE_HOST) {
        complain("cudaMemset at %p: this is not device memory", w->to);
        return cudaErrorInvalidValue;
    }
    if (!check_range("cudaMemset", "writes", w->to, all))
        return cudaErrorInvalidValue;
    bool sampled = is_sampled((uint64_t)w->width * w->height * w->depth);
    if (w->element == 1 && (uint8_t)w->value && (uint8_t)w->value < SMALL)
        memory_note_fill((uint64_t)(uintptr_t)w->to, (uint8_t)w->value);
    estimate_fill((uint64_t)w->width * w->height * w->depth);
    for (size_t z = 0; z < w->depth; z = next_one(z, w->depth, sampled))
        for (size_t y = 0; y < w->height; y = next_one(y, w->height, sampled))
            fill_row((uint8_t *)w->to + (z * w->rows + y) * w->pitch, w, sampled);
    return cudaSuccess;
}
