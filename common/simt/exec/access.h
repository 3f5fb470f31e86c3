// Addresses of a memory instruction: from rows to checked places in host memory.
#pragma once

#include "exec/machine.h"

// A checked access: lane l's bytes are at origin + addr[l] + l * lane_stride.
struct place {
    uint8_t *origin;
    uint64_t lane_stride;
};

static inline uint8_t *lane_place(const struct place *p, const struct access *a, uint32_t l)
{
    return p->origin + a->addr[l] + l * p->lane_stride;
}

// Calls `perform` once for each address space that the lanes' addresses lie in.
typedef void perform_access(struct warp *w, struct access *a, const struct place *p);
void access_memory(struct warp *w, const struct insn *in, enum access_kind kind, perform_access *perform);

// A store of data[l * stride]. The bytes do not come from a register, or were read earlier.
void access_async(struct warp *w, const struct insn *in, enum async_part part, const void *data, uint32_t stride,
                  perform_access *perform);

// Reads size bytes at each lane's global address through the read-only cache; data is passed on to perform.
void access_texels(struct warp *w, const struct insn *in, uint32_t lanes, uint64_t *addr, uint32_t size,
                   const void *data, perform_access *perform);

// Whether lane l's atomic never changes the word, or, as a compare-and-swap, may not change it. It looks only at the
// operands, so no count depends on which of several threads comes first.
bool atomic_only_reads(const struct warp *w, const struct insn *in, uint32_t l);

// One element of an atomic operation, without a lock: *to = op(*to, *from). in->count and in->sub give type and op.
void atomic_apply(const struct insn *in, uint8_t *to, const uint8_t *from, bool global);

// A load or store by `lanes` at these global addresses; in gives its size and registers.
void access_surface(struct warp *w, const struct insn *in, enum access_kind kind, uint32_t lanes, uint64_t *addr);

// Copy the bytes of each lane to its place in data, or from there.
void perform_read(struct warp *w, struct access *a, const struct place *p);
void perform_write(struct warp *w, struct access *a, const struct place *p);

// Reads or writes 16 bytes at the address of each lane of `lanes`; rows: 16 bytes a lane, passed on to perform.
void access_rows(struct warp *w, const struct insn *in, enum access_kind kind, uint32_t lanes, void *rows,
                 perform_access *perform);

// Reads or writes size bytes at the address of each active lane; data: 8 bytes a lane, passed on to perform.
void access_at(struct warp *w, const struct insn *in, enum access_kind kind, uint64_t *addr, uint32_t size, void *data,
               perform_access *perform);

// A perform_access that does nothing: only the observers see the access.
void access_nothing(struct warp *w, struct access *a, const struct place *p);

// An access by one lane, whether or not its warp is running it now; fills in mask, space and addresses.
void access_lane(struct warp *w, struct access *a, uint32_t lane, uint64_t address, perform_access *perform);

// An access within one space; its mask and addresses are filled in and have been found valid.
void repeat_access(struct warp *w, struct access *a, perform_access *perform);

// Strong accesses to global memory, part by part under their locks: notifies observers, then performs.
void access_ordered(struct warp *w, struct access *a, const struct place *p, perform_access *perform);

// In a launch that skips blocks: whether instruction id computes its address from a value that these may have written.
bool access_unknown(const struct launch *launch, uint32_t id);

// Where memory has what lane l accesses.
static inline const uint8_t *lane_memory(const struct warp *w, const struct access *a, uint32_t l)
{
    return a->space == PTX_SHARED ? w->block->shared + a->addr[l] : (const uint8_t *)(uintptr_t)a->addr[l];
}

static inline bool is_ordered(const struct access *a)
{
    return a->space == PTX_GLOBAL && (a->kind == ATOMIC || (a->in->order & (ORDER_VOLATILE | ORDER_STRONG)));
}

// The lock of the 256 bytes around a global address. A thread may hold only one at a time.
void lock_address(uint64_t address);
void unlock_address(uint64_t address);
#define LOCK_SPAN 8 // addresses that agree above these bits share a lock
