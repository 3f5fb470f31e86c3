// A direct-mapped table of the lines that blocks have loaded, with block and time. A collision forgets the older line.
#include "estimate/recent.h"

#include "estimate/cache.h"

#define LINES (1u << 15) // remembered lines; later lines replace earlier ones

struct loaded {
    uint64_t line;
    double there[LINE_SECTORS]; // when each sector arrived
    uint32_t block, sectors;
};

static struct {
    uint32_t blocks; // blocks that have begun
    struct loaded lines[LINES];
} loaded;

static struct loaded *place_of(uint64_t line)
{
    return &loaded.lines[(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) % LINES];
}

void recent_open(struct recent *r, double began, double bytes)
{
    *r = (struct recent){.began = began, .latest = began, .most = bytes / LINE_BYTES, .block = ++loaded.blocks};
}

// How long a line stays in the cache: until the block has loaded as many lines as its share holds.
static double stay(const struct recent *r)
{
    return r->lines > r->most ? (r->latest - r->began) * r->most / r->lines : r->latest - r->began;
}

uint32_t recent_missing(const struct recent *r, uint64_t line, uint32_t sectors, double now, double *there)
{
    const struct loaded *l = place_of(line);
    double longest = stay(r);
    *there = now;
    if (l->block != r->block || l->line != line)
        return sectors;
    for (uint32_t s = 0; s < LINE_SECTORS; s++) {
        double apart = now > l->there[s] ? now - l->there[s] : l->there[s] - now;
        if (!(sectors & l->sectors & 1u << s) || apart > longest)
            continue;
        sectors &= ~(1u << s);
        *there = l->there[s] > *there ? l->there[s] : *there;
    }
    return sectors;
}

void recent_add(struct recent *r, uint64_t line, uint32_t sectors, double now, double there)
{
    struct loaded *l = place_of(line);
    if (l->block != r->block || l->line != line)
        *l = (struct loaded){.line = line, .block = r->block};
    for (uint32_t s = 0; s < LINE_SECTORS; s++)
        if (sectors >> s & 1)
            l->there[s] = there;
    l->sectors |= sectors;
    r->lines++;
    r->latest = now > r->latest ? now : r->latest;
}
