// The check of reads from memory that was never written: a flag per byte, set by every store and copy.
#include <stdlib.h>

#include "base/alloc.h"
#include "check/check.h"
#include "decode/forms.h"
#include "exec/finding.h"
#include "exec/undefined.h"
#include "memory/memory.h"
#include "report/names.h"

// A flag byte per byte of shared memory, and of the part of each lane's local memory that local_checked gives; NULL:
// unchecked.
struct block_flags {
    uint8_t *shared, *local;
};

static struct observer_state init_state = {.bytes = {[OF_BLOCK] = sizeof(struct block_flags)}};

static struct block_flags *flags_of_block(const struct block *b)
{
    return block_state(b, &init_state);
}

static uint8_t *local_flags(const struct warp *w, uint32_t lane)
{
    uint64_t thread = w->index * LANES + lane;
    return flags_of_block(w->block)->local + thread * local_checked(w->block->launch);
}

static uint8_t *flags_of(struct warp *w, const struct access *a, uint32_t lane)
{
    uint64_t address = a->addr[lane];
    return a->space == PTX_SHARED  ? flags_of_block(accessed_block(w, a))->shared + address
           : a->space == PTX_LOCAL ? local_flags(w, lane) + address
                                   : memory_written(address);
}

#define WITHOUT_VALUE 2 // a flag: an undefined value was stored
#define IN_FLIGHT 4     // an asynchronous copy writes it, and no wait has covered it yet

static const char *space_word(const struct access *a)
{
    return a->space == PTX_SHARED ? "__shared__" : a->space == PTX_LOCAL ? "__local__" : "__global__";
}

// CUB's merges read one shared word past their input and do not use it. No user can fix what a toolkit kernel does to
// its own shared memory; an unwritten global word may be the user's.
static enum severity severity_of(const struct module *m, const struct access *a)
{
    return a->space == PTX_SHARED && ptx_in_toolkit(m->ptx, m->origins[a->in->id].ptx->loc) ? INFORMATION : ERROR;
}

// Describes bytes that were never written.
static const char *reason(const struct access *a, const uint8_t *flags)
{
    bool copied = false;
    for (uint32_t i = 0; i < a->size; i++)
        copied |= flags[i] == IN_FLIGHT;
    return copied                  ? ": the thread that began an asynchronous copy to it has not waited for the copy"
           : a->space != PTX_LOCAL ? ""
           : a->in->space == PTX_GENERIC ? ": a part of a local array or struct that was never written; "
                                           "an address from another thread leads to the reading thread's own variable"
                                         : ": a part of a local array or struct that was never written";
}

static void report_lane(struct warp *w, const struct access *a, uint32_t lane)
{
    const struct module *m = w->block->launch->module;
    struct scene s = scene_of_access(w, a, lane);
    report_scene(w->block, &s, FINDING_INIT, severity_of(m, a), a->in->id, NONE,
                 "Uninitialized %s memory read of size %u at %s by %s%s", space_word(a), a->size,
                 origin_place(m, a->in->id), thread_name(w->block, w->index * LANES + lane),
                 reason(a, flags_of(w, a, lane)));
}

#define ONES_4 UINT32_C(0x01010101)
#define ONES_8 UINT64_C(0x0101010101010101)

static bool all_set(const uint8_t *flags, uint32_t n)
{
    uint64_t all = ONES_8, last = ONES_8;
    for (uint32_t i = 0; i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, flags + i, 8);
        all &= eight;
    }
    for (uint32_t i = n & ~7u; i < n; i++)
        last &= flags[i];
    return all == ONES_8 && last & 1;
}

// The flags of one lane's bytes, laid out as the bytes are. Blocks on other host threads may be changing them.
static bool lane_set(const uint8_t *flags, uint32_t n)
{
    if (n == 4)
        return (__atomic_load_n((const uint32_t *)flags, __ATOMIC_RELAXED) & ONES_4) == ONES_4;
    if (n == 8)
        return (__atomic_load_n((const uint64_t *)flags, __ATOMIC_RELAXED) & ONES_8) == ONES_8;
    uint8_t all = 1;
    for (uint32_t i = 0; i < n; i++)
        all &= __atomic_load_n(&flags[i], __ATOMIC_RELAXED);
    return all & WRITTEN;
}

static void lane_mark(uint8_t *flags, uint32_t n, uint8_t value)
{
    if (n == 4)
        __atomic_store_n((uint32_t *)flags, 0x01010101u * value, __ATOMIC_RELAXED);
    else if (n == 8)
        __atomic_store_n((uint64_t *)flags, UINT64_C(0x0101010101010101) * value, __ATOMIC_RELAXED);
    else
        for (uint32_t i = 0; i < n; i++)
            __atomic_store_n(&flags[i], value, __ATOMIC_RELAXED);
}

// How many of the four bytes were written, if these are the first 0, 1, 2 or 4; else 3.
static uint32_t scalar_bytes(const uint8_t *flags)
{
    uint32_t word;
    memcpy(&word, flags, 4);
    return word == 0x01010101u ? 4 : word == 0x0101u ? 2 : word == 1 ? 1 : word ? 3 : 0;
}

// Structs have padding that is never written. Compilers read them by 8 bytes: unwritten bytes after a scalar at the
// start of such an element, or after one in its middle, count as padding.
static bool is_padding(const uint8_t *flags, const struct access *a)
{
    bool padding = a->in->size == 8 && a->size % 8 == 0;
    for (uint32_t i = 0; padding && i < a->size; i += 8) {
        uint32_t first = scalar_bytes(flags + i), second = scalar_bytes(flags + i + 4);
        padding = first && first != 3 && second != 3;
    }
    return padding;
}

// Compilers copy a thread's structs by words and vectors, including padding and undefined members.
static bool is_partly_set(const uint8_t *flags, const struct access *a)
{
    uint8_t some = 0;
    for (uint32_t i = 0; i < a->size; i++)
        some |= flags[i];
    return a->space == PTX_LOCAL && some;
}

// Whether all of it was written, but some with an undefined value: then the use of the value decides.
static bool is_without_value(const uint8_t *flags, const struct access *a)
{
    uint8_t all = WITHOUT_VALUE | 1, some = 0;
    for (uint32_t i = 0; i < a->size && all; i++) {
        all = flags[i] ? all : 0;
        some |= flags[i];
    }
    return a->kind == LOAD && a->space != PTX_GLOBAL && all && some & WITHOUT_VALUE;
}

// Whether the loaded value may go unused: then the check is made where the value is used (decode/maybe_unused.h).
static bool is_maybe_unused(const struct warp *w, const struct access *a)
{
    return a->space == PTX_SHARED && a->kind == LOAD && !a->async &&
           w->block->launch->module->origins[a->in->id].maybe_unused;
}

static bool lane_reads(struct warp *w, const struct access *a, uint32_t lane)
{
    const uint8_t *flags = flags_of(w, a, lane);
    if (lane_set(flags, a->size))
        return true;
    bool without = is_without_value(flags, a) || (!is_padding(flags, a) && is_maybe_unused(w, a));
    w->loaded_undefined |= (uint32_t)without << lane;
    return without || is_padding(flags, a) || is_partly_set(flags, a);
}

#define NEAR 1024 // bytes: checking this many flags at once is faster than checking 32 lanes one by one

// The flags of global memory are as large as the data. So a granule is examined as a whole at its second read, and the
// answer is kept until the host changes flags there: then most reads load one byte for 256.
enum { READ_ONCE = 1, HAS_GAPS, COMPLETE };

static uint32_t is_open(const struct record_range *s, uint64_t address)
{
    return __atomic_load_n(complete_at(s, address), __ATOMIC_RELAXED) ^ COMPLETE;
}

static void examine(const struct record_range *s, uint64_t address)
{
    uint8_t *known = complete_at(s, address), old = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (old > READ_ONCE)
        return;
    bool complete = old && all_set(written_at(s, address & ~(uint64_t)(GRANULE - 1)), GRANULE);
    __atomic_store_n(known, complete ? COMPLETE : old + 1, __ATOMIC_RELAXED);
}

static bool run_set(const struct access *a, const struct record_range *s)
{
    uint32_t open = 0;
    for (uint64_t at = a->low & ~(uint64_t)(GRANULE - 1); at < a->high; at += GRANULE)
        open |= is_open(s, at);
    if (!open)
        return true;
    if (!all_set(written_at(s, a->low), (uint32_t)(a->high - a->low)))
        return false;
    for (uint64_t at = a->low & ~(uint64_t)(GRANULE - 1); at < a->high; at += GRANULE)
        examine(s, at);
    return true;
}

// The same where lanes lie apart, without a branch from one to the next.
static bool lanes_set(const struct access *a, const struct record_range *s)
{
    uint32_t open = 0, missing = 0;
    for (uint32_t l = 0; l < LANES; l++)
        open |= is_open(s, a->mask >> l & 1 ? a->addr[l] : a->low);
    if (!open || a->size % 4)
        return !open;
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t *flags = written_at(s, a->mask >> l & 1 ? a->addr[l] : a->low);
        for (uint32_t k = 0; k < a->size / 4; k++)
            missing |= ~__atomic_load_n(&flags[k], __ATOMIC_RELAXED);
    }
    FOR_LANES(l, missing & ONES_4 ? 0 : a->mask)
    examine(s, a->addr[l]);
    return !(missing & ONES_4);
}

// The usual case: whether everything from the lowest to the highest byte was written, or all that the lanes read.
static bool all_around_set(struct warp *w, const struct access *a)
{
    uint64_t bytes = a->high - a->low;
    bool one = a->contiguous || bytes == a->size;
    struct record_range s;
    if (a->space == PTX_SHARED)
        return (one || bytes <= NEAR) &&
               all_set(flags_of_block(accessed_block(w, a))->shared + a->low, (uint32_t)bytes);
    if (a->space != PTX_GLOBAL)
        return false;
    if (memory_shadow(a->low, a->high, &s))
        return one ? run_set(a, &s) : lanes_set(a, &s);
    return one && all_set(memory_written(a->low), (uint32_t)bytes);
}

static void check_read(struct warp *w, const struct access *a)
{
    w->loaded_undefined &= ~a->mask;
    if (all_around_set(w, a))
        return;
    FOR_LANES(l, a->mask)
    if (!lane_reads(w, a, l))
        report_lane(w, a, l);
}

static void mark_written(struct warp *w, const struct access *a)
{
    if (a->contiguous && a->space != PTX_LOCAL) {
        memset(flags_of(w, a, 0), 1, LANES * (size_t)a->size);
        return;
    }
    FOR_LANES(l, a->mask)
    lane_mark(flags_of(w, a, l), a->size, 1);
}

// Undefined values: in global memory others see them; in shared and local memory their use decides.
static void store_undefined(struct warp *w, const struct access *a)
{
    uint32_t lanes = undefined_lanes(w, a->in) & a->mask;
    if (lanes && a->space == PTX_GLOBAL)
        report_undefined(w, w->undefined_at, lanes);
    FOR_LANES(l, a->space == PTX_GLOBAL ? 0 : lanes)
    lane_mark(flags_of(w, a, l), a->size, WITHOUT_VALUE);
}

// Only the kernel's own local memory is checked, because the frames of calls overlap.
static bool is_own(const struct warp *w, const struct access *a)
{
    return a->space == PTX_LOCAL && flags_of_block(w->block)->local && a->high <= local_checked(w->block->launch);
}

#define FILLED (NONE - 3) // distinguishes this finding from others of the instruction

// cudaMemset sets bytes: if all bytes of a word are the same small number, the word was probably meant to be that
// number.
static void hint_fill(struct warp *w, const struct access *a)
{
    uint32_t lane = (uint32_t)__builtin_ctz(a->mask), word;
    const struct allocation *m = memory_find(a->addr[lane]);
    if (!m || !m->filled || a->in->size != 4)
        return;
    memcpy(&word, (const void *)(uintptr_t)a->addr[lane], sizeof word);
    if (word != ONES_4 * m->filled)
        return;
    struct scene s = scene_of_access(w, a, lane);
    report_scene(w->block, &s, FINDING_INIT, INFORMATION, a->in->id, FILLED,
                 "Read of 4 bytes at %s by %s: "
                 "cudaMemset has set each byte to %u, not each element, so an int there is %u",
                 origin_place(w->block->launch->module, a->in->id), thread_name(w->block, w->index * LANES + lane),
                 m->filled, word);
}

static void init_access(struct warp *w, const struct access *a)
{
    bool known = a->space == PTX_GLOBAL || a->space == PTX_SHARED || is_own(w, a);
    if (!known || is_reserved(w->block->launch, a))
        return;
    if (a->space == PTX_GLOBAL && w->block->launch->partial)
        return;                                         // a skipped block may have written it
    if (a->async == ASYNC_ISSUED && a->kind == STORE) { // undefined until the thread has waited for the copy
        FOR_LANES(l, a->mask)
        lane_mark(flags_of(w, a, l), a->size, IN_FLIGHT);
        return;
    }
    bool only_writes = a->kind == STORE || (a->kind == ATOMIC && a->in->sub == ATOM_EXCH && a->in->dst == NONE);
    if (!only_writes)
        check_read(w, a);
    if (a->kind == LOAD && a->space == PTX_GLOBAL && memory_fills())
        hint_fill(w, a);
    if (a->kind != LOAD)
        mark_written(w, a);
    if (a->kind == STORE && w->undefined && a->async < BULK_ISSUED)
        store_undefined(w, a);
}

static void init_library_store(struct warp *w, uint64_t address, uint32_t lane, uint32_t bytes)
{
    uint64_t plain = address & ~TAG_MASK, tag = address & TAG_MASK;
    if (tag == TAG_SHARED)
        memset(flags_of_block(w->block)->shared + plain, 1, bytes);
    else if (tag != TAG_LOCAL)
        memset(memory_written(address), 1, bytes);
    else if (plain + bytes <= local_checked(w->block->launch))
        memset(local_flags(w, lane) + plain, 1, bytes);
}

// Constant memory without an initializer is 0, and threads cannot change it: the host may have forgotten a copy.
static void init_constant(struct warp *w, const struct access *a)
{
    const struct module *m = w->block->launch->module;
    bool vector = a->in->count > 1; // compilers read constant arrays as vectors, beyond the used part
    if (vector || (a->high - a->low <= NEAR && !memchr(memory_written(a->low), ZEROED, a->high - a->low)))
        return;
    FOR_LANES(l, a->mask)
    {
        const struct allocation *v = memory_find(a->addr[l]);
        if (!v || !memchr(memory_written(a->addr[l]), ZEROED, a->size))
            continue;
        struct scene s = scene_of_access(w, a, l);
        report_scene(w->block, &s, FINDING_INIT, INFORMATION, a->in->id, NONE,
                     "Read of a __constant__ variable at %s by %s: "
                     "the host has not copied to byte %llu of %s of %llu bytes, which is still 0",
                     origin_place(m, a->in->id), thread_name(w->block, w->index * LANES + l),
                     (unsigned long long)(a->addr[l] - v->base), v->name ? variable_name(v->name) : "it",
                     (unsigned long long)v->size);
        return;
    }
}

static void init_block(struct block *b)
{
    struct block_flags *f = flags_of_block(b);
    uint64_t shared = shared_size(b->launch), local = (uint64_t)local_checked(b->launch) * LANES * b->warp_count;
    if (!f->shared) {
        uint64_t base = (uint64_t)(uintptr_t)b->shared;
        f->shared = b->launch->clustered ? memory_written(base) : alloc_aligned(64, shared + 64);
        f->local = local ? alloc_zeroed(1, local) : NULL;
    } else if (local)
        memset(f->local, 0, local);
    memset(f->shared, 0, shared);
}

static void init_close(struct block *b)
{
    if (!b->launch->clustered)
        free(flags_of_block(b)->shared);
    free(flags_of_block(b)->local);
}

const struct observer init_check = {.state = &init_state,
                                    .access = init_access,
                                    .constant_access = init_constant,
                                    .library_store = init_library_store,
                                    .block_start = init_block,
                                    .block_close = init_close};
