// Caches of a GPU: which sectors of 32 bytes they hold. Lines of 128 bytes, four sectors each; of a set the line goes
// that was used longest ago.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LINE_BYTES 128
#define SECTOR_BYTES 32
#define LINE_SECTORS (LINE_BYTES / SECTOR_BYTES)

struct cache;

// written_share: of what was there before, and goes out when a line takes its place.
struct cache *cache_open(double bytes, double written_share);
void cache_close(struct cache *c);
void cache_clear(struct cache *c);

// Requests the sectors of a line. Returns those that missed; now they are resident. *evicted: dirty sectors that were
// evicted. write: the access writes them.
uint32_t cache_touch(struct cache *c, uint64_t line, uint32_t sectors, bool write, double *evicted);
void cache_drop(struct cache *c, uint64_t line, uint32_t sectors); // has them no more
// The line will be requested soon: prefetches its state on the host.
void cache_expect(const struct cache *c, uint64_t line);
