// Bulk copies that threads have issued and nothing has waited for yet. A cluster keeps those of its blocks, which run
// on one host thread.
#ifndef SIMT_BULK_H
#define SIMT_BULK_H

#include "exec/machine.h"

struct bulk {
    struct insn in;
    struct warp *warp; // whose lane issued it
    uint32_t lane, bytes;
    uint8_t *to;
    const uint8_t *from;
    uint8_t *data;            // what the source held; NULL: it has not been read yet
    enum ptx_space to_space;  // PTX_GLOBAL or PTX_SHARED
    uint64_t to_address;      // as the instruction gives it
    uint64_t barrier_address; // likewise
    uint8_t *barrier;         // NULL: it belongs to a bulk group
    uint64_t word;            // what the mbarrier held before these bytes came
    int32_t after;            // groups that its lane has committed since, its own not counted; -1: it is in none yet
    bool source_free;         // a wait_group.read has covered it
    bool waited;              // a test has found its phase complete
    bool arrived;             // the bytes are there
};

struct bulk_queue {
    struct bulk *list;
    uint32_t count, capacity;
};

// Whether nothing has shown yet that the copy is over: its bytes may come at any time.
bool bulk_in_flight(const struct bulk *c);

// In a random order: some bytes come between two turns.
void bulk_turn(struct block *b);

// The block has come to its end: its copies, and those to its memory, are done.
void bulk_block_end(struct block *b);

void bulk_forget(struct cluster *c);

#endif
