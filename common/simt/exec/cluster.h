// Clusters: blocks of a grid that run together, share a barrier and reach one another's shared memory.
#pragma once

#include "exec/machine.h"

// Number of the block that has this rank in cluster `number`. Ranks and clusters are numbered like blocks: x first.
uint64_t cluster_block(const struct launch *launch, uint64_t number, uint32_t rank);

// Starts the cluster; its blocks start afterwards.
void cluster_start(struct cluster *c, uint64_t number);

// Threads have arrived, waited or exited: completes the barrier if no thread is missing.
void cluster_check(struct cluster *c);

// Whether warps of b wait for other blocks of the cluster that can still make progress.
bool cluster_can_continue(const struct block *b);

// Whether a block of the cluster was stopped in a sampled launch. Another one that waits for it is stopped, too.
static inline bool cluster_stopped(const struct cluster *c)
{
    bool stopped = false;
    for (uint32_t r = 0; r < c->size; r++)
        stopped |= c->blocks[r]->cut_off;
    return stopped;
}

// The block to whose shared memory an address with this rank + 1 points; NULL: there is none.
static inline struct block *cluster_peer(const struct warp *w, uint64_t address)
{
    const struct cluster *c = w->block->cluster;
    uint32_t rank = (uint32_t)((address & RANK_MASK) >> RANK_SHIFT) - 1;
    return rank < c->size ? c->blocks[rank] : NULL;
}
