// Special registers (specials.def).
#include "base/clock.h"
#include "decode/forms.h"
#include "exec/handlers.h"
#include "exec/rows.h"
#include "report/settings.h"

static uint64_t nanoseconds(const struct warp *w)
{
    uint64_t stopped = w->block->worker->stopped;
    return stopped ? stopped : clock_nanoseconds(CLOCK_MONOTONIC);
}

// ---- what PTX leaves to the hardware
//
// In a random order these registers take values that a program may not count on: a warp's place is any of its own, a
// multiprocessor's number may be as large as the number of multiprocessors or larger, clocks begin anywhere and wrap.

#define MAX_PLACES 64 // of a multiprocessor, for warps

// In a random order a number that depends only on the seed and on `of`; else 0.
static uint64_t any_number(const struct launch *launch, uint64_t of)
{
    uint64_t x = (settings()->seed << 32) + of + 1;
    if (launch->schedule != SCHEDULE_RANDOM)
        return 0;
    for (int i = 0; i < 2; i++)
        x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

// Warps of a block get different places: an odd factor and a sum permute them. So does the shift, which makes low bits
// depend on high ones, so two of eight warps may have the same place modulo 8.
static uint64_t warp_place(const struct warp *w)
{
    uint64_t any = any_number(w->block->launch, w->block->number);
    uint64_t place = ((any << 1 | 1) * w->index + (any >> 32)) % MAX_PLACES;
    return any ? place ^ place >> 3 : place;
}

static uint64_t multiprocessors(const struct launch *launch)
{
    return settings()->multiprocessors + any_number(launch, 0) % 8;
}

static uint64_t multiprocessor(const struct warp *w)
{
    const struct launch *launch = w->block->launch;
    uint64_t number = w->block->number;
    return (launch->schedule == SCHEDULE_RANDOM ? any_number(launch, number) : number) % multiprocessors(launch);
}

static uint64_t grid_number(const struct launch *launch)
{
    return launch->number + (any_number(launch, 0) >> 2);
}

static uint64_t cycles(const struct warp *w)
{
    return nanoseconds(w) + (any_number(w->block->launch, 0) >> 2);
}

static bool is_per_lane(enum special which)
{
    switch (which) {
#define PER_LANE(id, name, value) case SPECIAL_##id:
#include "decode/specials.def"
        return true;
    default: return false;
    }
}

#define VALUE(id, name, value) \
    case SPECIAL_##id: return value;

static uint64_t value_of(const struct warp *w, enum special which, uint32_t l)
{
    const struct launch *launch = w->block->launch;
    switch (which) {
#define PER_LANE VALUE
#define PER_WARP VALUE
#include "decode/specials.def"
    }
    return 0;
}

static __attribute__((noinline)) void read_special(struct warp *w, const struct insn *in)
{
    enum special which = in->sub;
    uint64_t values[LANES];
    if (!is_per_lane(which)) {
        write_all(w, in, value_of(w, which, 0));
        return;
    }
    for (uint32_t l = 0; l < LANES; l++)
        values[l] = value_of(w, which, l);
    write_row(w, in->dst, in->size, values);
}

void op_special(struct warp *w, const struct insn *in)
{
    enum special which = in->sub;
    if (which <= SPECIAL_TID_Z && in->size == 4 && w->mask == ALL_LANES)
        memcpy(register_row(w, in->dst), w->tid[which], sizeof w->tid[which]);
    else
        read_special(w, in);
}
