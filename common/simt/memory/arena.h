// The arena and the state of its bytes, for the files of this folder.
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "memory/memory.h"

#define PAGE 4096          // bytes: the unit in which kernels' touches are recorded
#define RECORDS (1u << 20) // maximum of allocations over a program's life
#define SHADOW_PER_BYTE 4  // bytes of the race checker's records, of each kind
#define RECORD_BYTES 16    // of one record; a byte of a word without a whole-word record has two records

// Memory that the program has registered. The state of its bytes is stored as for an allocation at `shadow`.
struct mapping {
    struct allocation memory; // not live: free for another registration of at most this span
    uint64_t shadow;          // offset in the arena
    struct mapping *next;
};

#define PLACES 32 // places to which allocations may be asked to return

#define SPARSE_PIECES 64 // maximum until all of them are freed

// A sparse allocation (sparse.h): its range of offsets, including the empty space after it, and its index in the
// records.
struct piece {
    uint64_t first, end;
    uint32_t index;
};

struct arena {
    uint8_t *data, *written, *writes, *reads, *earlier;
    uint8_t *byte_writes, *byte_reads; // records of single bytes
    atomic_bool *byte_steps;           // which pieces of them are committed
    uint32_t *owner;   // per granule: index of the allocation, 0: none
    uint8_t *complete; // per granule: memory_shadow
    uint32_t *wrote;   // per granule: the last kernel that wrote there, if the race check is on
    uint32_t *touched; // per page: the last kernel there, if it is shared with the host
    uint64_t *visits;  // per VISITS bytes: memory_visits
    uint32_t *reached; // per page: the last launch for which memory_reaches was called
    judge_touch *judge;
    witness_touch *witness;
    bool fills;        // some allocation is filled with a small number
    bool shares;       // some memory is shared with the host
    struct allocation *records;
    uint32_t record_count;
    uint64_t gaps; // total bytes of gaps between allocations
    uint64_t size, end, committed; // bytes of the dense part; first byte never used; bytes that may be touched
    uint64_t whole;                // bytes including the part for sparse allocations
    struct piece pieces[SPARSE_PIECES];
    atomic_uint piece_count;
    uint32_t *freed;               // indices of freed allocations in the order they were freed
    uint32_t freed_first, freed_last;
    uint64_t freed_bytes;
    uint32_t place, placed[PLACES]; // place of the next allocation, 0: anywhere; the last one's index, 0: none
    uint64_t used[16];
    struct stretch *shared; // offsets in the arena that the host may always touch, in ascending order
    uint32_t shared_count, shared_capacity;
    uint32_t at_work;     // how many pieces of work hold the rest open
    bool closed, watched; // watched: we handle the host's faults
    struct flight *flights;
    uint32_t flight_count;
    bool flights_open; // pages of some flights
    struct mapping *mappings; // only grows: host threads read it without a lock
    pthread_mutex_t lock;
};
extern struct arena arena;

// Opens the arena, once.
void use_arena(void);

// Commits the first `end` bytes of the arena, in steps. False: the host, or a limit on it, refuses.
bool arena_commit(uint64_t end);

struct mapping *find_mapping(uint64_t address); // the live registered memory there, or NULL

// The flags of these bytes have changed: what is known of their granules is void.
void arena_forget_complete(uint64_t offset, uint64_t size);

// The arena offset under which the state of the byte at address is stored.
uint64_t shadow_offset(uint64_t address);

// ---- host.c
// Opens the arena, once. From then on we handle the host's faults, unless the program does so itself.
void use_memory(void);

// Stops watching flights that begin in [first, end). Under the arena's lock.
void land_all(uint64_t first, uint64_t end);
