// Bulk copies that threads have issued and that no wait has covered yet. They are kept by cluster, since its blocks run
// on one host thread.
#pragma once

#include "exec/machine.h"

#define BULK_PIECE 16 // bytes: the unit of copies, and of the accesses that observers see

// Elements of a tensor that are contiguous in global memory; at: their offset in the tile.
struct bulk_row {
    uint64_t address;
    uint8_t *place;
    uint32_t at, bytes;
};

// A copy between a tensor and its tile in shared memory, whose rows have row_bytes bytes and lie pitch bytes apart.
struct bulk_tile {
    uint64_t low, high;                    // of all rows in global memory
    uint32_t rows, row_bytes, pitch, base; // base: the tile's offset in shared memory
    uint32_t swizzle;                      // which address bits from 7 on are xored into bits 4 to 6: 0, 1, 3, 7
    uint32_t count;
    uint8_t type; // enum tensor_type
    bool loads, nan;
    struct bulk_row row[];
};

struct bulk {
    struct insn in;
    const char *name;  // for reports
    uint32_t number;   // of the cluster's bulk copies, from 1
    struct warp *warp; // whose lane issued it
    uint32_t lane;
    uint32_t bytes;           // of the end in shared memory, gaps between rows included
    uint32_t counted;         // bytes that the mbarrier has counted
    uint8_t *to;              // NULL: this end is the tensor
    const uint8_t *from;      // likewise, or the instruction carried the data
    struct bulk_tile *tile;   // NULL: both ends are contiguous
    struct insn sum;          // of a reduction: the operation on each element; size 0: the copy is no reduction
    uint8_t *data;            // the contents of the source; NULL: it has not been read yet
    enum ptx_space to_space;  // PTX_GLOBAL or PTX_SHARED
    uint64_t to_address;      // as the instruction gives it
    uint64_t barrier_address; // likewise
    uint8_t *barrier;         // NULL: it belongs to a bulk group
    uint64_t word;            // the mbarrier before these bytes arrived
    int32_t after;            // groups that its lane has committed since its own; -1: it is in none yet
    bool source_free;         // a wait_group.read has covered it, or there is none
    bool waited;              // a test has found its phase complete
    bool arrived;             // its bytes have arrived
    uint32_t late;            // failing tests of its mbarrier before they arrive
};

struct bulk_queue {
    struct bulk *list;
    uint32_t count, capacity, issued;
};

// Whether the copy may still be in flight: its bytes may arrive at any time.
bool bulk_in_flight(const struct bulk *c);

// Whether the copy writes (or else reads) any of the size bytes at this host address.
bool bulk_overlaps(const struct bulk *c, bool writes, const uint8_t *at, uint32_t size);

// In a random order: some bytes arrive between two time slices.
void bulk_advance(struct block *b);

// The block has finished: completes its copies, and those to its memory. Reports them, unless it was stopped.
void bulk_block_end(struct block *b, bool stopped);

void bulk_forget(struct cluster *c);

// ---- issuing: bulk.c

// The address that four words of an instruction's operand list give for lane l.
uint64_t bulk_address(const struct warp *w, const uint32_t *list, uint32_t l);

// Decodes a reduction's word in the operand list; size 0 for a copy. type: PTX_NONE if the word contains it.
struct insn bulk_sum(const struct insn *in, uint32_t word, enum ptx_type type);

// Issues c to each of the ranks, or to c's own destination if there are none. c is complete except for host addresses;
// c->data has bytes for observers and is freed. begin: finds the destination and notifies observers.
typedef bool bulk_begin(struct warp *w, struct bulk *c);
void bulk_issue(struct warp *w, struct bulk *c, bool many, uint32_t ranks, bulk_begin *begin);

// Reports an access in pieces to observers, in space in->space; returns the host address of the first, or NULL: out of
// bounds.
uint8_t *bulk_touch(struct warp *w, const struct bulk *c, const struct insn *in, enum access_kind kind,
                    uint64_t address, uint32_t bytes, const uint8_t *data);

// Bytes of the next piece, naturally aligned; for a reduction, one element.
static inline uint32_t bulk_piece(const struct insn *sum, uint64_t address, uint32_t left)
{
    uint32_t size = sum->size ? sum->size : BULK_PIECE;
    while (!sum->size && (address % size || size > left))
        size /= 2;
    return size;
}

// The instruction by which observers see the end that the copy writes or adds to, in this space.
static inline struct insn bulk_writer(const struct bulk *c, uint32_t space)
{
    struct insn as = c->sum.size ? c->sum : c->in;
    as.space = (uint8_t)space;
    as.order = c->sum.size ? ORDER_STRONG : 0;
    return as;
}

static inline enum access_kind bulk_kind(const struct bulk *c)
{
    return c->sum.size ? ATOMIC : STORE;
}

// Reports an address or a size that is not a multiple of what the copy takes. what: "__shared__ write"; why: what it
// takes. The launch ends.
void bulk_refuse_place(struct warp *w, const struct bulk *c, const char *what, const char *why);

// ---- moving the bytes: bulk_move.c

void bulk_read(struct bulk *c);        // fills data, if it is empty
void bulk_write(const struct bulk *c); // from data

// Reports the destination to observers again: the bytes have arrived.
void bulk_notify_written(const struct bulk *c);
