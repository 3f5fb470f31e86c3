// A set-associative cache of tags alone: the estimate needs to know which sectors are resident, not their contents.
#include "estimate/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define WAYS 16

// A set: the lines whose mixed numbers have the same remainder. Fields that are searched together are contiguous.
struct cached_set {
    uint32_t tag[WAYS]; // of the line: 1 + the quotient; 0: none. 32 bits suffice for addresses within 512 GB
    uint32_t used[WAYS];
    uint8_t held[WAYS], written[WAYS]; // masks of sectors
};

struct cache {
    struct cached_set *sets;
    uint64_t count;
    double before; // dirty sectors in each line that was cached before the launch
    uint32_t now;
};

struct cache *cache_open(double bytes, double written_share)
{
    struct cache *c = alloc_zeroed(1, sizeof *c);
    double sets = bytes / LINE_BYTES / WAYS;
    c->count = sets < 1 ? 1 : (uint64_t)sets;
    c->before = written_share * LINE_SECTORS;
    c->sets = alloc_zeroed(c->count, sizeof *c->sets);
    return c;
}

void cache_close(struct cache *c)
{
    if (c)
        free(c->sets);
    free(c);
}

void cache_clear(struct cache *c)
{
    memset(c->sets, 0, c->count * sizeof *c->sets);
    c->now = 0;
}

// Neighbouring lines go to different sets, and so do lines a power of two apart.
static struct cached_set *find_set(const struct cache *c, uint64_t line, uint32_t *tag)
{
    uint64_t mixed = line ^ line >> 9 ^ line >> 18;
    *tag = (uint32_t)(mixed / c->count) + 1;
    return &c->sets[mixed % c->count];
}

void cache_expect(const struct cache *c, uint64_t line)
{
    uint32_t tag;
    const char *set = (const char *)find_set(c, line, &tag);
    for (size_t at = 0; at < sizeof(struct cached_set); at += 64)
        __builtin_prefetch(set + at);
}

// Without a branch: the compiler compares them all at once.
static uint32_t find_ways(const struct cached_set *s, uint32_t tag)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < WAYS; i++)
        found |= (uint32_t)(s->tag[i] == tag) << i;
    return found;
}

static uint32_t oldest_way(const struct cached_set *s)
{
    uint64_t found = UINT64_MAX;
    for (uint64_t i = 0; i < WAYS; i++) {
        uint64_t way = (uint64_t)s->used[i] * WAYS + i;
        found = way < found ? way : found;
    }
    return found % WAYS;
}

uint32_t cache_touch(struct cache *c, uint64_t line, uint32_t sectors, bool write, double *evicted)
{
    uint32_t tag, ways, way;
    struct cached_set *s = find_set(c, line, &tag);
    ways = find_ways(s, tag);
    way = ways ? (uint32_t)__builtin_ctz(ways) : oldest_way(s);
    *evicted = 0;
    if (!ways) {
        *evicted = s->tag[way] ? __builtin_popcount(s->written[way]) : c->before;
        s->tag[way] = tag;
        s->held[way] = s->written[way] = 0;
    }
    uint32_t missing = sectors & ~(uint32_t)s->held[way];
    s->used[way] = ++c->now;
    s->held[way] |= (uint8_t)sectors;
    s->written[way] |= (uint8_t)(write ? sectors : 0);
    return missing;
}

void cache_drop(struct cache *c, uint64_t line, uint32_t sectors)
{
    uint32_t tag, ways;
    struct cached_set *s = find_set(c, line, &tag);
    ways = find_ways(s, tag);
    if (ways)
        s->held[__builtin_ctz(ways)] &= (uint8_t)~sectors;
}
