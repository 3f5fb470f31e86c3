// The arena and the state of its bytes, for the files of this room.
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "memory/memory.h"

#define PAGE 4096          // bytes the unit in which touches by kernels are kept
#define RECORDS (1u << 20) // allocations in the life of a program
#define SHADOW_PER_BYTE 4  // bytes of the race checker's records, of each kind
#define RECORD_BYTES 16    // of one record; a byte whose word has no record for all of it has two of its own

// Registered memory of the program. The state of its bytes is stored as for an allocation at `shadow`.
struct mapping {
    struct allocation memory; // not live: free for another one that needs no more span
    uint64_t shadow;          // offset in the arena
    struct mapping *next;
};

#define PLACES 16 // that allocations are asked to return to

#define SPARSE_PIECES 64 // before all of them are freed

// A sparse allocation (sparse.h): offsets in the arena, up to where nothing else lies, and its index in the records.
struct piece {
    uint64_t first, end;
    uint32_t index;
};

struct arena {
    uint8_t *data, *written, *writes, *reads, *earlier;
    uint8_t *byte_writes, *byte_reads; // records of single bytes
    atomic_bool *byte_steps;           // pieces of them that are usable
    uint32_t *owner;   // per granule: index of the allocation, 0: none
    uint32_t *wrote;   // per granule: the last kernel that wrote there, if the race check is on
    uint32_t *touched; // per page: the last kernel there, if it is shared with the host
    uint32_t *reached; // per page: the last launch for which memory_reaches was called
    judge_touch *judge;
    witness_touch *witness;
    bool fills;        // some allocation is filled with a small number
    bool shares;       // some memory is
    struct allocation *records;
    uint32_t record_count;
    uint64_t gaps; // bytes given up between allocations
    uint64_t size, end, committed; // bytes of the dense part; first byte never used; bytes that may be touched
    uint64_t whole;                // bytes with the part for sparse allocations
    struct piece pieces[SPARSE_PIECES];
    atomic_uint piece_count;
    uint32_t *freed;               // indices of freed allocations in the order they were freed
    uint32_t freed_first, freed_last;
    uint64_t freed_bytes;
    uint32_t place, placed[PLACES]; // of the next allocation, 0: anywhere; the last one's index, 0: there was none
    uint64_t used[16];
    struct stretch *shared; // offsets in the arena that the host may always touch, in ascending order
    uint32_t shared_count, shared_capacity;
    uint32_t at_work;     // how many hold the rest open
    bool closed, watched; // watched: the host's faults come here
    struct flight *flights;
    uint32_t flight_count;
    struct mapping *mappings; // grows only: host threads look things up without a lock
    pthread_mutex_t lock;
};
extern struct arena arena;

// Opens the arena, once.
void use_arena(void);

// Makes the first `end` bytes of the arena usable, in steps. False: the host (or a limit on it) does not give them.
bool arena_commit(uint64_t end);

struct mapping *find_mapping(uint64_t address); // live registered memory there, or NULL

// The offset in the arena whose state belongs to the byte at address.
uint64_t shadow_offset(uint64_t address);

// ---- host.c
// Opens the arena, once; from then on the host's faults come to us, unless the program handles them itself.
void use_memory(void);

// Flights that begin in [first, end) are no longer watched. Under the arena's lock.
void land_all(uint64_t first, uint64_t end);
