// The async proxy: tensor cores and bulk copies read shared memory by another path than loads and stores do. They see
// what a thread has stored after its fence.proxy.async. A fence by the warp that issues the product or copy is enough,
// and so is one by any thread after a barrier.
#include <stdlib.h>

#include "base/alloc.h"
#include "check/race.h"
#include "decode/opcodes.h"
#include "exec/bounds.h"
#include "exec/finding.h"
#include "memory/memory.h"

// The last store to a word. time 0: there was none, or no thread made it.
struct stored {
    uint32_t time, id, thread;
    uint8_t layout; // enum tile_layout, of a tile that a copy of a tensor has written
};

struct block_proxy {
    uint32_t time;    // counts stores, fences and barriers
    uint32_t barrier; // time of the latest one
    uint32_t covered; // stores before this time are followed by a barrier and then a fence
    uint32_t fence[MAX_WARPS * LANES];
    uint32_t fenced[MAX_WARPS * LANES]; // the time of the warp's clock (race.h) at that fence
    uint32_t floor;                     // the block's time at the latest fence: earlier stores are covered
    uint32_t words;
    struct stored stored[];
};

void race_proxy_start(struct block *b)
{
    struct block_race *r = race_of(b);
    uint32_t words = shared_size(b->launch) / 4 + 8;
    size_t bytes = sizeof *r->proxy + words * sizeof *r->proxy->stored;
    if (!b->launch->code->followed_count && !b->launch->bulk)
        return;
    r->proxy = r->proxy ? r->proxy : alloc_zeroed(1, bytes);
    memset(r->proxy, 0, bytes);
    r->proxy->words = words;
}

void race_proxy_fence(struct warp *w)
{
    struct block_proxy *p = race_of(w->block)->proxy;
    if (!p)
        return;
    p->time++;
    p->covered = p->barrier;
    p->floor = race_of(w->block)->floor;
    FOR_LANES(l, w->mask)
    {
        p->fence[w->index * LANES + l] = p->time;
        p->fenced[w->index * LANES + l] = clock_of(w)->now;
    }
    clock_of(w)->now++; // the warp's stores from here on are not covered
}

void race_proxy_barrier(struct block *b)
{
    struct block_proxy *p = race_of(b)->proxy;
    if (p)
        p->barrier = ++p->time;
}

static void record_store(struct warp *w, struct block_proxy *p, const struct access *a)
{
    p->time++;
    FOR_LANES(l, a->mask)
    for (uint64_t i = a->addr[l] / 4; i <= (a->addr[l] + a->size - 1) / 4 && i < p->words; i++)
        p->stored[i] = (struct stored){a->async ? 0 : p->time, a->in->id, w->index * LANES + l, a->layout};
}

static bool is_fenced(const struct warp *w, const struct block_proxy *p, const struct stored *s)
{
    bool seen = !s->time || p->fence[s->thread] > s->time || p->covered > s->time;
    for (uint32_t l = 0; l < LANES && !seen; l++)
        seen = p->fence[w->index * LANES + l] > s->time;
    return seen;
}

// Notes a store by `thread` of the block, at instruction id.
static void report_unfenced(struct warp *w, const struct access *a, uint32_t l, uint32_t id, uint32_t thread)
{
    const struct module *m = w->block->launch->module;
    struct scene s = scene_of_access(w, a, l);
    s.past = (struct actor){w->block->number, thread, access_word(STORE)};
    s.missing = "fence.proxy.async";
    report_scene(w->block, &s, FINDING_RACE, ERROR, a->in->id, id,
                 "Race (RAW) in %s memory: %s write by %s, "
                 "then the %s at %s reads it by the async proxy: no fence.proxy.async after the write",
                 space_name(a->space), origin_place(m, id), thread_name(w->block, thread),
                 a->async == BULK_ISSUED ? "bulk copy" : "product", origin_place(m, a->in->id));
}

static const char *layout_word(uint8_t layout)
{
    static const char *const words[] = {"", "no swizzle", "a swizzle of 32 bytes", "a swizzle of 64 bytes",
                                        "a swizzle of 128 bytes"};
    return words[layout];
}

// Reports a product that reads the tile in another layout than the copy wrote.
static void report_layout(struct warp *w, const struct access *a, uint32_t l, const struct stored *s)
{
    const struct module *m = w->block->launch->module;
    struct scene scene = scene_of_access(w, a, l);
    report_scene(
        w->block, &scene, FINDING_MEMORY, ERROR, a->in->id, s->id,
        "Invalid matrix descriptor at %s: it reads the tile with %s, but the tensor copy at %s wrote it with %s",
        origin_place(m, a->in->id), layout_word(a->layout), origin_place(m, s->id), layout_word(s->layout));
}

// Reports a product whose swizzle begins elsewhere than that of the tile.
static void report_shift(struct warp *w, const struct access *a, uint32_t l, const struct stored *s)
{
    const struct module *m = w->block->launch->module;
    struct scene scene = scene_of_access(w, a, l);
    uint32_t repeats = 128u << (a->layout - LAYOUT_PLAIN);
    char why[160] = "its base offset is not 0, but the copy's swizzle goes by addresses";
    if (!s->layout)
        snprintf(why, sizeof why, "the swizzle repeats from multiples of %u bytes on, and the tile begins elsewhere",
                 repeats);
    report_scene(w->block, &scene, FINDING_MEMORY, ERROR, a->in->id, s->id,
                 "Invalid matrix descriptor at %s, of the tile that the %s at %s wrote: %s", origin_place(m, a->in->id),
                 s->layout ? "tensor copy" : "store", origin_place(m, s->id), why);
}

// The word that decides whether the product's swizzle fits: one that a copy wrote, if there is any, else one that a
// thread stored. NULL: neither.
static const struct stored *find_writer(const struct block_proxy *p, const struct access *a, uint32_t *lane)
{
    const struct stored *by = NULL;
    FOR_LANES(l, a->mask)
    {
        const struct stored *s = a->addr[l] / 4 < p->words ? &p->stored[a->addr[l] / 4] : NULL;
        if (s && (s->layout || (s->time && !by))) {
            by = s;
            *lane = l;
            if (s->layout)
                break;
        }
    }
    return by;
}

static void check_shift(struct warp *w, const struct block_proxy *p, const struct access *a)
{
    uint32_t l = 0;
    const struct stored *by = find_writer(p, a, &l);
    if (by && a->shift & (by->layout ? SHIFTED_IF_COPIED : SHIFTED_IF_STORED))
        report_shift(w, a, l, by);
}

// Whether the async proxy may read the word; if not, reports it.
static bool check_word(struct warp *w, const struct access *a, uint32_t l, const struct stored *s)
{
    bool seen = is_fenced(w, race_of(w->block)->proxy, s), fits = !s->layout || !a->layout || s->layout == a->layout;
    if (!seen)
        report_unfenced(w, a, l, s->id, s->thread);
    else if (!fits)
        report_layout(w, a, l, s);
    return seen && fits;
}

// a is an access to shared memory, and the block has the checker's state.
void race_proxy_access(struct warp *w, const struct access *a)
{
    struct block_proxy *p = race_of(w->block)->proxy;
    if (a->peer || is_async_end(a->async))
        return;
    if (a->kind != LOAD) {
        record_store(w, p, a);
        return;
    }
    if (a->shift)
        check_shift(w, p, a);
    FOR_LANES(l, a->async == BULK_ISSUED || is_warpgroup_wide(a->in->op) ? a->mask : 0)
    for (uint64_t i = a->addr[l] / 4; i < (a->addr[l] + a->size) / 4 && i < p->words; i++)
        if (!check_word(w, a, l, &p->stored[i]))
            return;
}

// ---- global memory: what threads of the block have stored in this kernel, and a bulk copy reads

static bool is_covered(const struct warp *w, const struct record *r)
{
    const struct block_proxy *p = race_of(w->block)->proxy;
    bool covered = p->fenced[r->thread] >= r->clock || r->clock < p->floor;
    for (uint32_t l = 0; l < LANES && !covered; l++)
        covered = p->fenced[w->index * LANES + l] >= r->clock;
    return covered;
}

void race_proxy_global(struct warp *w, const struct access *a)
{
    const struct module *m = w->block->launch->module;
    FOR_LANES(l, race_of(w->block)->proxy ? a->mask : 0)
    {
        struct record r = *race_write_of(a->addr[l]);
        bool own = r.stamp == race_stamp(w->block->launch->number) && r.block == (uint32_t)w->block->number;
        if (!own || r.atomic || r.id >= m->origin_count || m->origins[r.id].op == OP_cp || is_covered(w, &r))
            continue;
        report_unfenced(w, a, l, r.id, r.thread);
        return;
    }
}

// ---- tensor maps in global memory, which copies read by a proxy of their own. They see what this kernel has written
// there after a fence.proxy.tensormap of the block that acquires the map. A map's version is the records of its words.

#define MAP_BYTES 128
#define MAPS 64 // remembered fences of a block

struct block_maps {
    uint32_t count;
    struct {
        uint64_t address, version;
    } fenced[MAPS];
};

// The map's version; 0: this kernel has not written it. last: the record of a write.
static uint64_t map_version(const struct launch *launch, uint64_t address, struct record *last)
{
    uint64_t version = 0;
    for (uint64_t at = address; at < address + MAP_BYTES; at += 4) {
        struct record *r = race_write_of(at), now;
        now.who = __atomic_load_n(&r->who, __ATOMIC_ACQUIRE);
        now.what = __atomic_load_n(&r->what, __ATOMIC_ACQUIRE);
        if (now.stamp != race_stamp(launch->number))
            continue;
        version = (version ^ now.who ^ now.what << 7) * UINT64_C(0x9e3779b97f4a7c15) + 1;
        *last = now;
    }
    return version;
}

void race_map_fence(struct warp *w, uint64_t address)
{
    struct block_race *b = race_of(w->block);
    struct record last;
    if (address & TAG_MASK || !memory_holds(address, MAP_BYTES))
        return;
    b->maps = b->maps ? b->maps : alloc_zeroed(1, sizeof *b->maps);
    uint32_t i = b->maps->count++ % MAPS;
    b->maps->fenced[i].address = address;
    b->maps->fenced[i].version = map_version(w->block->launch, address, &last);
}

static void report_map(struct warp *w, const struct insn *in, uint32_t lane, const struct record *r)
{
    struct block *b = w->block;
    struct scene s = scene_of_lane(w, lane);
    s.past = (struct actor){r->block, r->thread, access_word(STORE)};
    s.missing = "fence.proxy.tensormap";
    report_scene(
        b, &s, FINDING_RACE, ERROR, in->id, r->id,
        "Race (RAW) in __global__ memory: %s write, then the copy of a tensor at %s by %s reads its map there: "
        "no fence.proxy.tensormap::generic.acquire after the write",
        origin_place(b->launch->module, r->id), origin_place(b->launch->module, in->id),
        thread_name(b, w->index * LANES + lane));
}

void race_map_read(struct warp *w, const struct insn *in, uint32_t lane, uint64_t address)
{
    const struct block_maps *maps = race_of(w->block)->maps;
    struct record last = {.who = 0};
    uint64_t version = map_version(w->block->launch, address, &last);
    bool fenced = !version;
    for (uint32_t i = 0; maps && i < maps->count && i < MAPS; i++)
        fenced |= maps->fenced[i].address == address && maps->fenced[i].version == version;
    if (!fenced)
        report_map(w, in, lane, &last);
}
