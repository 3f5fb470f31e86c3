// Lines that warps of one block load at about the same time.
//
// Here a warp runs thousands of instructions before the next warp, which would find in the L1 cache whatever the first
// has left there. On a GPU the second warp finds only what the first loads at about the same time, or both wait for it
// together.
#pragma once

#include <stdint.h>

// What a block has loaded. Times are clocks of the launch.
struct recent {
    double began, latest; // start of the block; its latest load
    double lines, most;   // lines that it has loaded; lines that its share of the L1 cache holds
    uint32_t block;       // a unique number
};

// Starts a block; bytes: its share of the L1 cache.
void recent_open(struct recent *r, double began, double bytes);

// Of a line's sectors, loaded at time `now`: those that no warp of the block has loaded at about that time. *there:
// when the other sectors have arrived.
uint32_t recent_missing(const struct recent *r, uint64_t line, uint32_t sectors, double now, double *there);

// Notes that a warp requested sectors at time `now`, which arrived at `there`.
void recent_add(struct recent *r, uint64_t line, uint32_t sectors, double now, double there);
