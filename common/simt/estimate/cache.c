// Caches (cache.h).
#include "estimate/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define WAYS 16

struct cached_line {
    uint64_t tag; // line + 1; 0: none
    uint32_t used;
    uint8_t held, written; // masks of sectors
};

struct cache {
    struct cached_line *lines;
    uint64_t sets;
    uint32_t now;
};

struct cache *cache_open(double bytes)
{
    struct cache *c = alloc_zeroed(1, sizeof *c);
    double sets = bytes / LINE_BYTES / WAYS;
    c->sets = sets < 1 ? 1 : (uint64_t)sets;
    c->lines = alloc_zeroed(c->sets * WAYS, sizeof *c->lines);
    return c;
}

void cache_close(struct cache *c)
{
    if (c)
        free(c->lines);
    free(c);
}

void cache_clear(struct cache *c)
{
    memset(c->lines, 0, c->sets * WAYS * sizeof *c->lines);
    c->now = 0;
}

// Lines that follow one another go to different sets; those a power of two apart, too.
static struct cached_line *find_set(const struct cache *c, uint64_t line)
{
    return &c->lines[(line ^ line >> 9 ^ line >> 18) % c->sets * WAYS];
}

static struct cached_line *find_line(struct cached_line *set, uint64_t line)
{
    for (uint32_t i = 0; i < WAYS; i++)
        if (set[i].tag == line + 1)
            return &set[i];
    return NULL;
}

static struct cached_line *oldest(struct cached_line *set)
{
    struct cached_line *found = set;
    for (uint32_t i = 1; i < WAYS; i++)
        found = set[i].used < found->used ? &set[i] : found;
    return found;
}

uint32_t cache_has(const struct cache *c, uint64_t line, uint32_t sectors)
{
    const struct cached_line *l = find_line(find_set(c, line), line);
    return l ? sectors & l->held : 0;
}

uint32_t cache_touch(struct cache *c, uint64_t line, uint32_t sectors, bool write, uint32_t *evicted)
{
    struct cached_line *set = find_set(c, line), *l = find_line(set, line);
    *evicted = 0;
    if (!l) {
        l = oldest(set);
        *evicted = (uint32_t)__builtin_popcount(l->written);
        *l = (struct cached_line){.tag = line + 1};
    }
    uint32_t missing = sectors & ~(uint32_t)l->held;
    l->used = ++c->now;
    l->held |= (uint8_t)sectors;
    l->written |= (uint8_t)(write ? sectors : 0);
    return missing;
}
