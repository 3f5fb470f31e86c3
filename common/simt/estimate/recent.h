// Lines that warps of one block load at about the same time.
//
// Here a warp runs thousands of instructions before the next one does, and that one finds in the L1 cache what the
// first has left there. On a GPU it finds what the first loads at about the same time, or waits for it together.
#pragma once

#include <stdint.h>

// What a block has loaded. Times are clocks of the launch.
struct recent {
    double began, latest; // the block; its last load in time
    double lines, most;   // that it has loaded; that its share of the L1 cache holds
    uint32_t block;       // a number of its own
};

// A block starts; bytes: its share of the L1 cache.
void recent_open(struct recent *r, double began, double bytes);

// The sectors of a line, loaded at time `now`, that no warp of the block has loaded at about that time. *there: when
// the others have arrived.
uint32_t recent_missing(const struct recent *r, uint64_t line, uint32_t sectors, double now, double *there);

// A warp requested them at time `now`, and they arrived at `there`.
void recent_add(struct recent *r, uint64_t line, uint32_t sectors, double now, double there);
