// Caches of a GPU: which 32-byte sectors they hold. A line has four sectors, 128 bytes; a set evicts its least recently
// used line.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LINE_BYTES 128
#define SECTOR_BYTES 32
#define LINE_SECTORS (LINE_BYTES / SECTOR_BYTES)

struct cache;

// written_share: the dirty share of the old contents, written back as lines replace them.
struct cache *cache_open(double bytes, double written_share);
void cache_close(struct cache *c);
void cache_clear(struct cache *c);

// Requests the sectors of a line. Returns those that missed; now they are resident. *evicted: dirty sectors that were
// evicted. write: the access writes them.
uint32_t cache_touch(struct cache *c, uint64_t line, uint32_t sectors, bool write, double *evicted);
void cache_drop(struct cache *c, uint64_t line, uint32_t sectors); // evicts them
// The line is about to be requested: prefetches its state on the host.
void cache_expect(const struct cache *c, uint64_t line);
