// The devices' memory: one arena of host memory, so that a device address is a host address.
//
// Allocations start at multiples of GRANULE with a redzone between them; a map from granule to allocation finds the
// owner of an address in one step. Every byte has a flag that says whether it was ever written, and every word the race
// checker's records (check/race_global.c). Freed memory is quarantined for a while, so that its use is detected. Host
// threads may look up addresses at any time; allocating and freeing take a lock.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRANULE 256
#define SPARSE_FROM (UINT64_C(1) << 20) // bytes of an allocation that is sparse where launches are sampled

// clang-format off
enum memory_kind {
    MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_HOST, MEMORY_VARIABLE, MEMORY_HEAP, MEMORY_GRAPH,
    MEMORY_REGISTERED, // the program's own memory, outside the arena
    MEMORY_ARRAY,
    MEMORY_IMPORTED, // of another process
};
// clang-format on

const char *memory_kind_word(enum memory_kind kind); // for reports: "page-locked host"

struct allocation {
    uint64_t base, size;
    uint64_t span; // bytes taken from the arena, redzone included
    enum memory_kind kind;
    int device;
    bool live;
    uint64_t number;   // number of the allocation in the program, from 1
    const char *name;  // name of a variable, else NULL
    const void *pool;  // handle of its pool, or NULL
    unsigned flags;    // of registered memory
    const char *place; // where a kernel allocated it, else NULL
    uint8_t filled;    // a small number to which cudaMemset has set its bytes; 0: none
};

// Bytes that each device has.
uint64_t memory_capacity(void);
uint64_t memory_used(int device);

// Allocates size bytes, uninitialised; NULL if the device has too little left. A size of 0 gets a unique address.
struct allocation *memory_alloc(uint64_t size, enum memory_kind kind, int device);

// From now on an allocation reuses the address of the last one with this place number, from 1 to 15, if that is freed
// and has room. 0: any address.
void memory_place(int place);

// Frees the allocation that starts at base. False if none does; *found is then the allocation that contains base, if
// any.
bool memory_free(uint64_t base, const struct allocation **found);

// Registers size bytes of the program's own memory as an allocation that kernels may touch at the same address. False:
// some of it is registered already, or there is no room for its state.
bool memory_register(uint64_t base, uint64_t size, unsigned flags, int device);
bool memory_unregister(uint64_t base); // false: no registered memory starts there

// The owner of the granule at address: a live or freed allocation, or NULL. Addresses in the redzone right after an
// allocation belong to it too: compare with base and size.
struct allocation *memory_find(uint64_t address);

// The allocation nearest to an address without an owner, for reports; NULL if there is none.
struct allocation *memory_nearest(uint64_t address);

// memory_note_fill: cudaMemset has set bytes there to a small nonzero number. memory_fills: whether it has done so
// anywhere.
void memory_note_fill(uint64_t address, uint8_t byte);
bool memory_fills(void);

bool memory_shares(void); // whether anything has been shared with the host

// Whether the host may touch that memory, too. Cheap while nothing is shared with the host.
bool memory_is_shared(uint64_t address);

// Whether [address, address + size) lies in one live allocation.
bool memory_holds(uint64_t address, uint64_t size);

// Device work begins and ends. Meanwhile, and before the first work, the host can touch device memory; otherwise only
// what is shared with it: managed and page-locked memory and variables. Calls may nest, from any thread. With the
// memory check off they do nothing, because they cost two system calls for each piece of work.
void memory_open(void);
void memory_close(void);
void memory_keep_out(void); // protects device memory already before the first work

// A copy is about to touch the program's own memory; call NULL: it has finished. A fault there is reported.
void memory_copies(const char *call, const void *p, uint64_t size, bool reads);

// Watches memory shared with the host that a submitted copy still reads or fills, or that a kernel has touched. Until
// memory_landed, a write by the host, or any access, is reported once and may continue. NULL: it is not watched.
enum flight_kind { FLIGHT_READ, FLIGHT_FILLED, FLIGHT_KERNEL };
struct flight;
struct flight *memory_in_flight(uint64_t address, uint64_t size, enum flight_kind kind, uint64_t operation);
void memory_landed(struct flight *f);
bool memory_is_in_flight(const struct flight *f, uint64_t address,
                         uint64_t size); // a kernel's flight that covers all of these bytes

// What kernels touch: memory_touch notes the page of the address, once there is memory shared with the host.
// memory_touched finds runs of pages of such memory that were last touched by `stamp`, a few for each allocation, and
// returns how many, at most `most`.
struct stretch {
    uint64_t first, end;
};
void memory_touch(uint64_t address, uint32_t stamp);
uint32_t memory_touched(uint32_t stamp, struct stretch *out, uint32_t most);

// Copies all page-locked memory. NULL: there is none, or too much. memory_changes frees the copy; it finds runs of
// bytes that have changed since, at most `most` of them, and returns how many.
struct snapshot;
struct snapshot *memory_remember(void);
uint32_t memory_changes(struct snapshot *s, struct stretch *out, uint32_t most);

// The name of the device variable with this host address, which is not its device address. NULL: none.
typedef const char *name_host_variable(uint64_t address);
void memory_names(name_host_variable *name);
const char *memory_host_variable(uint64_t address);

// The part of the host's program that contains the address, for reports; NULL: unknown.
const char *memory_host_part(uint64_t address);

// Whether the host may touch a word in a FLIGHT_KERNEL. If not, fills in the line to print.
enum verdict { VERDICT_INNOCENT, VERDICT_GUILTY, VERDICT_SIGNAL }; // SIGNAL: the kernel's signal to the host
typedef enum verdict judge_touch(uint64_t address, bool write, char *text, size_t size);
void memory_judge(judge_touch *judge);

// Called for every reported touch of a copy's flight, with the operation and the line.
typedef void witness_touch(uint64_t operation, const char *text);
void memory_witness(witness_touch *witness);

// Flags of written bytes: one byte per byte, of which the lowest bit counts. Kept only with check_init. ZEROED: a
// variable's initial 0.
enum { WRITTEN = 1, ZEROED = 3 };
uint8_t *memory_written(uint64_t address);
void memory_mark_written(uint64_t address, uint64_t size);
void memory_mark_unwritten(uint64_t address, uint64_t size);
void memory_copy_written(uint64_t to, uint64_t from, uint64_t size);

// The race checker's records, 16 bytes for every word: the last writes and the last reads.
void *memory_write_records(uint64_t address);
void *memory_read_records(uint64_t address);
void *memory_earlier_reads(uint64_t address); // reads by another stream, before the last read

// The same for single bytes, for words whose bytes different threads touch. memory_open_bytes commits the records
// around the address, under the lock of the address; false: the host has no more memory.
bool memory_open_bytes(uint64_t address);
void *memory_byte_writes(uint64_t address);
void *memory_byte_reads(uint64_t address);

// Whether `stamp` was the last to write to the 256 bytes around the address, or this is unknown: then they may have
// records of writes. Call both under the lock of the address.
bool memory_written_by(uint64_t address, uint32_t stamp);
void memory_note_write(uint64_t address, uint32_t stamp);

// All of these for many addresses, without a lock; only for memory in the arena.
struct record_range {
    uint64_t first; // address of the arena's first byte
    const uint8_t *written; // flags of written bytes
    uint8_t *complete;      // per granule: what check/init.c knows of these flags; 0 if they have been cleared
    uint8_t *reads;
    const uint8_t *writes;
    const uint32_t *wrote;
};
bool memory_shadow(uint64_t low, uint64_t high, struct record_range *s); // false: some of the bytes lie elsewhere

static inline void *reads_at(const struct record_range *s, uint64_t address)
{
    return s->reads + ((address - s->first) & ~UINT64_C(3)) * 4;
}

static inline const void *writes_at(const struct record_range *s, uint64_t address)
{
    return s->writes + ((address - s->first) & ~UINT64_C(3)) * 4;
}

static inline const void *written_at(const struct record_range *s, uint64_t address)
{
    return s->written + (address - s->first);
}

static inline uint8_t *complete_at(const struct record_range *s, uint64_t address)
{
    return &s->complete[(address - s->first) / GRANULE];
}

static inline uint32_t wrote_at(const struct record_range *s, uint64_t address)
{
    return __atomic_load_n(&s->wrote[(address - s->first) / GRANULE], __ATOMIC_RELAXED);
}

// A word for the VISITS bytes around the address, initially 0, in which check/streams.c notes the kernels that have
// touched them. NULL: there is none.
#define VISITS 1024
uint64_t *memory_visits(uint64_t address);

// Whether the launch requests this page of an allocation for the first time. Only one launch may call this at a time.
bool memory_reaches(uint64_t address, uint32_t launch);

// How many allocations there have been, that is the number of the last one.
uint64_t memory_count(void);

// Calls see for every live allocation.
void memory_each(void (*see)(const struct allocation *a, void *data), void *data);
