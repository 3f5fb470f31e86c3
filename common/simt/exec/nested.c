// The device runtime: the calls by which kernels launch kernels and copy. Each thread has its own last error, as in
// CUDA.
#include "exec/nested.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/maybe_unused.h"
#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/library.h"
#include "exec/warp.h"
#include "memory/memory.h"
#include "report/errors.h"
#include "report/settings.h"

// The last error of a thread, and the call that returned it.
struct thread_error {
    uint64_t block;
    uint32_t thread, error, at;
    bool asked; // the thread has queried it
    struct thread_error *next;
};

// A stream or an event that a thread has created and not yet destroyed.
struct handle {
    uint64_t number, block;
    uint32_t thread, at;
    const char *word;
    struct handle *next;
};

struct nested_queue {
    pthread_mutex_t lock;
    struct nested *buffers;      // parameter buffers whose launch is not in a stream yet
    struct nested *first, **end; // work in streams
    struct thread_error *errors;
    struct text { // an error's name or description, in device memory
        uint64_t address;
        struct text *next;
    } * texts;
    struct handle *handles;
    atomic_uint noted;       // errors and handles: checked when a block ends
    uint64_t given, made;    // how many pieces of work, and how many streams and events
    uint64_t launches, most; // how many of the pieces are kernels, and the maximum
    bool events;             // some events order the streams of a block: then these count as one
};

struct nested_queue *nested_open(uint64_t most)
{
    struct nested_queue *q = alloc_zeroed(1, sizeof *q);
    q->most = most;
    pthread_mutex_init(&q->lock, NULL);
    q->end = &q->first;
    return q;
}

static struct nested_queue *lock_queue(struct warp *w)
{
    struct nested_queue *q = w->block->launch->nested;
    pthread_mutex_lock(&q->lock);
    return q;
}

// ---- results and errors

typedef void lane_function(struct warp *w, const struct insn *in, uint32_t lane);

static void each_lane(struct warp *w, const struct insn *in, lane_function *call)
{
    if (!path_guard(w, in))
        return;
    FOR_LANES(l, w->mask)
    call(w, in, l);
    path_enter(w, in->c);
}

static uint32_t argument_32(struct warp *w, const struct insn *in, uint32_t k, uint32_t lane)
{
    uint32_t v;
    memcpy(&v, argument(w, in, k, lane), 4);
    return v;
}

static uint32_t thread_of(const struct warp *w, uint32_t lane)
{
    return w->index * LANES + lane;
}

// The link to the thread's error, or the end of the list.
static struct thread_error **find_error(struct nested_queue *q, const struct warp *w, uint32_t lane)
{
    struct thread_error **e = &q->errors;
    while (*e && ((*e)->block != w->block->number || (*e)->thread != thread_of(w, lane)))
        e = &(*e)->next;
    return e;
}

static void forget_error(struct nested_queue *q, struct thread_error **link)
{
    struct thread_error *e = *link;
    *link = e->next;
    free(e);
    atomic_fetch_sub_explicit(&q->noted, 1, memory_order_relaxed);
}

// Stores a call's result; an error is kept, and the thread may query it later.
static void give(struct warp *w, const struct insn *in, uint32_t lane, uint32_t error)
{
    struct nested_queue *q = w->block->launch->nested;
    memcpy(argument(w, in, 0, lane), &error, 4);
    if (!error)
        return;
    pthread_mutex_lock(&q->lock);
    struct thread_error **link = find_error(q, w, lane);
    if (*link)
        forget_error(q, link);
    struct thread_error *e = alloc_zeroed(1, sizeof *e);
    *e = (struct thread_error){w->block->number, thread_of(w, lane), error, in->id, .next = q->errors};
    q->errors = e;
    atomic_fetch_add_explicit(&q->noted, 1, memory_order_relaxed);
    pthread_mutex_unlock(&q->lock);
}

static void report_unchecked_error(struct block *b, const struct thread_error *e)
{
    if (e->error == CUDA_ERROR_PENDING_LAUNCHES && !e->asked)
        report(b, FINDING_MEMORY, ERROR, e->at, NONE,
               "Launch at %s by %s: it failed, unchecked: %" PRIu64 " launches were pending, the limit; "
               "raise cudaLimitDevRuntimePendingLaunchCount, or check cudaGetLastError()",
               origin_place(b->launch->module, e->at), thread_name(b, e->thread), b->launch->nested->most);
}

// A program that queries the error but ignores the answer has not checked it.
static void give_error(struct warp *w, const struct insn *in, uint32_t lane, bool keep)
{
    const struct origin *origin = &w->block->launch->module->origins[in->id];
    struct nested_queue *q = lock_queue(w);
    struct thread_error **link = find_error(q, w, lane);
    uint32_t error = *link ? (*link)->error : 0;
    bool ignored = error && is_call_ignored(origin->code->ptx, origin->ptx);
    if (ignored && !keep)
        report_unchecked_error(w->block, *link);
    if (error && keep)
        (*link)->asked |= !ignored;
    else if (error)
        forget_error(q, link);
    pthread_mutex_unlock(&q->lock);
    memcpy(argument(w, in, 0, lane), &error, 4);
}

static void last_error(struct warp *w, const struct insn *in, uint32_t lane)
{
    give_error(w, in, lane, false);
}

static void kept_error(struct warp *w, const struct insn *in, uint32_t lane)
{
    give_error(w, in, lane, true);
}

static void give_text(struct warp *w, const struct insn *in, uint32_t lane, const char *text)
{
    size_t size = strlen(text) + 1;
    struct allocation *a = memory_alloc(size, MEMORY_VARIABLE, w->block->launch->device);
    uint64_t address = a ? a->base : 0;
    memcpy(argument(w, in, 0, lane), &address, 8);
    if (!a)
        return;
    memcpy((void *)(uintptr_t)address, text, size);
    memory_mark_written(address, size);
    struct text *t = alloc_zeroed(1, sizeof *t);
    struct nested_queue *q = lock_queue(w);
    *t = (struct text){address, q->texts};
    q->texts = t;
    pthread_mutex_unlock(&q->lock);
}

static void name(struct warp *w, const struct insn *in, uint32_t lane)
{
    give_text(w, in, lane, error_name((int)argument_32(w, in, 1, lane)));
}

static void describe(struct warp *w, const struct insn *in, uint32_t lane)
{
    give_text(w, in, lane, error_text((int)argument_32(w, in, 1, lane)));
}

// ---- launches

static uint32_t parameter_bytes(const struct ptx_function *f)
{
    uint32_t at = 0;
    for (int k = 0; k < f->param_count; k++)
        at = param_start(at, &f->params[k]) + (uint32_t)f->params[k].size;
    return at;
}

// The kernel at an address in device code; NULL: none.
static const struct ptx_function *kernel_at(const struct warp *w, uint64_t address)
{
    const struct ptx_module *m = w->block->launch->module->ptx;
    uint64_t index = address & ~TAG_MASK;
    bool known = (address & TAG_MASK) == TAG_CODE && index < (uint64_t)m->func_count;
    return known && m->funcs[index].entry && m->funcs[index].defined ? &m->funcs[index] : NULL;
}

// Memory for parameters; *out: the launch that will use them. 0: out of memory.
static uint64_t new_buffer(struct warp *w, uint64_t bytes, struct nested **out)
{
    struct allocation *a = memory_alloc(bytes, MEMORY_HEAP, w->block->launch->device);
    if (!a)
        return 0;
    memory_mark_written(a->base, bytes);
    struct nested *n = alloc_zeroed(1, sizeof *n);
    struct nested_queue *q = lock_queue(w);
    n->buffer = a->base;
    n->block = w->block->number;
    n->next = q->buffers;
    q->buffers = n;
    pthread_mutex_unlock(&q->lock);
    *out = n;
    return a->base;
}

static void parameter_space(struct warp *w, const struct insn *in, uint32_t lane)
{
    struct nested *n;
    uint64_t at = new_buffer(w, argument_64(w, in, 2, lane), &n);
    memcpy(argument(w, in, 0, lane), &at, 8);
}

static void parameter_buffer(struct warp *w, const struct insn *in, uint32_t lane)
{
    struct nested *n;
    const struct ptx_function *f = kernel_at(w, argument_64(w, in, 1, lane));
    uint64_t at = f ? new_buffer(w, parameter_bytes(f), &n) : 0;
    if (at) {
        n->entry = f;
        memcpy(n->grid, argument(w, in, 2, lane), sizeof n->grid);
        memcpy(n->dim, argument(w, in, 3, lane), sizeof n->dim);
        n->shared = argument_32(w, in, 4, lane);
    }
    memcpy(argument(w, in, 0, lane), &at, 8);
}

static struct nested *take_buffer(struct warp *w, uint64_t buffer)
{
    struct nested_queue *q = lock_queue(w);
    struct nested **link = &q->buffers;
    while (*link && (*link)->buffer != buffer)
        link = &(*link)->next;
    struct nested *n = *link;
    if (n)
        *link = n->next;
    pthread_mutex_unlock(&q->lock);
    return n;
}

// Puts work at the end of a stream.
static void append(struct warp *w, uint32_t lane, struct nested *n, uint64_t stream)
{
    NOTIFY(w->block->launch, device_launch, w, lane, n);
    struct nested_queue *q = lock_queue(w);
    n->block = w->block->number;
    n->stream = stream;
    n->number = q->given++;
    n->next = NULL;
    *q->end = n;
    q->end = &n->next;
    pthread_mutex_unlock(&q->lock);
}

static bool wrong_size(const struct nested *n)
{
    static const uint32_t max_dim[3] = {1024, 1024, 64}, max_grid[3] = {0x7fffffff, 65535, 65535};
    bool wrong = (uint64_t)n->dim[0] * n->dim[1] * n->dim[2] > 1024;
    for (int k = 0; k < 3; k++)
        wrong |= !n->dim[k] || !n->grid[k] || n->dim[k] > max_dim[k] || n->grid[k] > max_grid[k];
    return wrong;
}

// Validates the launch: 0, or an error. Reports the error, because programs rarely check it.
static uint32_t check_launch(struct warp *w, const struct insn *in, uint32_t lane, const struct nested *n)
{
    const struct launch *launch = w->block->launch;
    char what[160];
    uint32_t error = 0;
    if (wrong_size(n)) {
        snprintf(what, sizeof what, "a block is at most 1024 x 1024 x 64 with 1024 threads, no dimension is 0");
        error = CUDA_ERROR_INVALID_CONFIGURATION;
    } else if (launch->depth + 1 >= MAX_NESTING) {
        snprintf(what, sizeof what, "grids can be nested at most %d deep", MAX_NESTING);
        error = CUDA_ERROR_MAX_DEPTH;
    }
    if (error)
        report(w->block, FINDING_MEMORY, ERROR, in->id, NONE,
               "Launch of %s with grid (%u,%u,%u), block (%u,%u,%u) at %s by %s: %s", kernel_name(n->entry->name),
               n->grid[0], n->grid[1], n->grid[2], n->dim[0], n->dim[1], n->dim[2],
               origin_place(launch->module, in->id), thread_name(w->block, thread_of(w, lane)), what);
    return error;
}

static void discard(struct nested *n)
{
    const struct allocation *found;
    if (n->buffer)
        memory_free(n->buffer, &found);
    free(n->args);
    free(n);
}

// No launch starts before the grid ends, so each counts as pending.
static bool take_place(struct warp *w)
{
    struct nested_queue *q = lock_queue(w);
    bool room = q->launches < q->most;
    q->launches += room;
    pthread_mutex_unlock(&q->lock);
    return room;
}

static void launch_or_discard(struct warp *w, const struct insn *in, uint32_t lane, struct nested *n, uint64_t stream)
{
    uint32_t error = n && n->entry ? check_launch(w, in, lane, n) : CUDA_ERROR_INVALID_VALUE;
    if (!error && !take_place(w))
        error = CUDA_ERROR_PENDING_LAUNCHES;
    if (!error)
        append(w, lane, n, stream);
    else if (n)
        discard(n);
    give(w, in, lane, error);
}

static void launch_buffer(struct warp *w, const struct insn *in, uint32_t lane)
{
    struct nested *n = take_buffer(w, argument_64(w, in, 1, lane));
    launch_or_discard(w, in, lane, n, argument_64(w, in, 2, lane));
}

static void launch_function(struct warp *w, const struct insn *in, uint32_t lane)
{
    struct nested *n = take_buffer(w, argument_64(w, in, 2, lane));
    if (n) {
        n->entry = kernel_at(w, argument_64(w, in, 1, lane));
        memcpy(n->grid, argument(w, in, 3, lane), sizeof n->grid);
        memcpy(n->dim, argument(w, in, 4, lane), sizeof n->dim);
        n->shared = argument_32(w, in, 5, lane);
    }
    launch_or_discard(w, in, lane, n, argument_64(w, in, 6, lane));
}

// ---- copies, fills, memory

// A range of the device's memory; NULL if it is none.
static bool is_memory(uint64_t address, uint64_t size)
{
    return !size || memory_holds(address, size);
}

static void give_work(struct warp *w, const struct insn *in, uint32_t lane, struct nested work, uint64_t stream)
{
    bool known = is_memory(work.to, work.size) && (work.kind == NESTED_FILL || is_memory(work.from, work.size));
    struct nested *n = known ? alloc_zeroed(1, sizeof *n) : NULL;
    if (n) {
        *n = work;
        append(w, lane, n, stream);
    }
    give(w, in, lane, known ? 0 : CUDA_ERROR_INVALID_VALUE);
}

static void copy(struct warp *w, const struct insn *in, uint32_t lane)
{
    struct nested n = {.kind = NESTED_COPY,
                       .to = argument_64(w, in, 1, lane),
                       .from = argument_64(w, in, 2, lane),
                       .size = argument_64(w, in, 3, lane)};
    give_work(w, in, lane, n, argument_64(w, in, 5, lane));
}

static void fill(struct warp *w, const struct insn *in, uint32_t lane)
{
    struct nested n = {.kind = NESTED_FILL,
                       .to = argument_64(w, in, 1, lane),
                       .value = (uint8_t)argument_32(w, in, 2, lane),
                       .size = argument_64(w, in, 3, lane)};
    give_work(w, in, lane, n, argument_64(w, in, 4, lane));
}

static void allocate(struct warp *w, const struct insn *in, uint32_t lane)
{
    struct allocation *a = memory_alloc(argument_64(w, in, 2, lane), MEMORY_HEAP, w->block->launch->device);
    uint64_t address = a ? a->base : 0;
    bool stored = put_result(w, argument_64(w, in, 1, lane), lane, &address, 8);
    give(w, in, lane, !stored ? CUDA_ERROR_INVALID_VALUE : a ? 0 : CUDA_ERROR_OUT_OF_MEMORY);
}

static void release(struct warp *w, const struct insn *in, uint32_t lane)
{
    const struct allocation *found;
    uint64_t address = argument_64(w, in, 1, lane);
    give(w, in, lane, !address || memory_free(address, &found) ? 0 : CUDA_ERROR_INVALID_VALUE);
}

// ---- streams and events: only their number matters

static void new_handle(struct warp *w, const struct insn *in, uint32_t lane, uint32_t wanted_flags, const char *word)
{
    struct nested_queue *q = lock_queue(w);
    uint64_t number = ++q->made << 12;
    pthread_mutex_unlock(&q->lock);
    bool right = argument_32(w, in, 2, lane) == wanted_flags;
    right = right && put_result(w, argument_64(w, in, 1, lane), lane, &number, 8);
    give(w, in, lane, right ? 0 : CUDA_ERROR_INVALID_VALUE);
    if (!right)
        return;
    struct handle *h = alloc_zeroed(1, sizeof *h);
    lock_queue(w);
    *h = (struct handle){number, w->block->number, thread_of(w, lane), in->id, word, q->handles};
    q->handles = h;
    atomic_fetch_add_explicit(&q->noted, 1, memory_order_relaxed);
    pthread_mutex_unlock(&q->lock);
}

static void new_stream(struct warp *w, const struct insn *in, uint32_t lane)
{
    new_handle(w, in, lane, 1, "Stream"); // cudaStreamNonBlocking: device code has no other kind
}

static void forget_handle(struct nested_queue *q, struct handle **link)
{
    struct handle *h = *link;
    *link = h->next;
    free(h);
    atomic_fetch_sub_explicit(&q->noted, 1, memory_order_relaxed);
}

static void destroy(struct warp *w, const struct insn *in, uint32_t lane)
{
    struct nested_queue *q = lock_queue(w);
    struct handle **link = &q->handles;
    while (*link && (*link)->number != argument_64(w, in, 1, lane))
        link = &(*link)->next;
    bool known = *link;
    if (known)
        forget_handle(q, link);
    pthread_mutex_unlock(&q->lock);
    give(w, in, lane, known ? 0 : CUDA_ERROR_INVALID_HANDLE);
}

static void order(struct warp *w, const struct insn *in, uint32_t lane)
{
    lock_queue(w)->events = true;
    pthread_mutex_unlock(&w->block->launch->nested->lock);
    give(w, in, lane, 0);
}

static void new_event(struct warp *w, const struct insn *in, uint32_t lane)
{
    new_handle(w, in, lane, 2, "Event"); // cudaEventDisableTiming, likewise
}

static void device_number(struct warp *w, const struct insn *in, uint32_t lane)
{
    int32_t device = w->block->launch->device;
    bool stored = put_result(w, argument_64(w, in, 1, lane), lane, &device, 4);
    give(w, in, lane, stored ? 0 : CUDA_ERROR_INVALID_VALUE);
}

// ---- the calls

#define CALL(name, call) \
    void op_##name(struct warp *w, const struct insn *in) \
    { \
        each_lane(w, in, call); \
    }
CALL(parameter_space, parameter_space)
CALL(parameter_buffer, parameter_buffer)
CALL(device_launch, launch_function)
CALL(device_launch_buffer, launch_buffer)
CALL(device_copy, copy)
CALL(device_fill, fill)
CALL(device_allocate, allocate)
CALL(device_release, release)
CALL(device_stream, new_stream)
CALL(device_event, new_event)
CALL(device_order, order)
CALL(device_destroy, destroy)
CALL(device_error, last_error)
CALL(device_error_kept, kept_error)
CALL(device_error_name, name)
CALL(device_error_text, describe)
CALL(device_number, device_number)

// ---- the end of a block, and of the grid

static void report_kept(struct block *b, const struct handle *h)
{
    report(b, FINDING_MEMORY, ERROR, h->at, NONE, "%s made at %s by %s: its block ended without destroying it", h->word,
           origin_place(b->launch->module, h->at), thread_name(b, h->thread));
}

void nested_block_end(struct block *b)
{
    struct nested_queue *q = b->launch->nested;
    if (!atomic_load_explicit(&q->noted, memory_order_relaxed))
        return;
    pthread_mutex_lock(&q->lock);
    for (struct thread_error **link = &q->errors; *link;)
        if ((*link)->block == b->number) {
            report_unchecked_error(b, *link);
            forget_error(q, link);
        } else
            link = &(*link)->next;
    for (struct handle **link = &q->handles; *link;)
        if ((*link)->block == b->number) {
            report_kept(b, *link);
            forget_handle(q, link);
        } else
            link = &(*link)->next;
    pthread_mutex_unlock(&q->lock);
}

// Copies the parameters out of the device's memory.
static void copy_parameters(struct nested *n)
{
    const struct ptx_function *f = n->entry;
    const struct allocation *found;
    const uint8_t *from = (const uint8_t *)(uintptr_t)n->buffer;
    size_t pointers = ((size_t)f->param_count + 1) * sizeof(void *);
    n->args = alloc_zeroed(1, pointers + parameter_bytes(f) + 16);
    uint8_t *to = (uint8_t *)n->args + pointers;
    memcpy(to, from, parameter_bytes(f));
    uint32_t at = 0;
    for (int k = 0; k < f->param_count; k++) {
        at = param_start(at, &f->params[k]);
        n->args[k] = to + at;
        at += (uint32_t)f->params[k].size;
    }
    memory_free(n->buffer, &found);
    n->buffer = 0;
}

// The position of a block's work among that of other blocks, which nothing orders.
static uint64_t rank(const struct launch *launch, uint64_t block)
{
    uint64_t seed = settings()->seed + launch->number;
    return launch->schedule == SCHEDULE_REVERSE  ? ~block
           : launch->schedule == SCHEDULE_RANDOM ? (block + seed) * UINT64_C(0x9e3779b97f4a7c15)
                                                 : block;
}

static int compare(const void *a, const void *b)
{
    const struct nested *x = *(struct nested *const *)a, *y = *(struct nested *const *)b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

// Sorts the list by rank, then by number.
static struct nested *sort(struct nested *list, uint64_t count)
{
    struct nested **all = alloc_zeroed((size_t)count + 1, sizeof *all);
    for (uint64_t i = 0; i < count; i++, list = list->next)
        all[i] = list;
    qsort(all, count, sizeof *all, compare);
    for (uint64_t i = 0; i < count; i++)
        all[i]->next = all[i + 1];
    struct nested *first = all[0];
    free(all);
    return first;
}

static void close_queue(struct nested_queue *q)
{
    for (struct nested *n = q->buffers, *next; n; n = next) {
        next = n->next;
        discard(n);
    }
    for (struct thread_error *e = q->errors, *next; e; e = next) {
        next = e->next;
        free(e);
    }
    while (q->handles)
        forget_handle(q, &q->handles);
    for (struct text *t = q->texts, *next; t; t = next) {
        const struct allocation *found;
        next = t->next;
        memory_free(t->address, &found);
        free(t);
    }
    pthread_mutex_destroy(&q->lock);
    free(q);
}

struct nested *nested_close(struct launch *launch)
{
    struct nested_queue *q = launch->nested;
    for (struct nested *n = q->first; n; n = n->next) {
        if (n->kind == NESTED_KERNEL)
            copy_parameters(n);
        if (q->events && n->stream != STREAM_TAIL && n->stream != STREAM_FORGET)
            n->stream = 0;
        n->rank = rank(launch, n->block);
    }
    struct nested *all = sort(q->first, q->given);
    close_queue(q);
    return all;
}

void nested_free(struct nested *list)
{
    for (struct nested *next; list; list = next) {
        next = list->next;
        discard(list);
    }
}
