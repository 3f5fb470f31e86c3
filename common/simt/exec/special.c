// Special registers.
#include <time.h>

#include "decode/forms.h"
#include "exec/handlers.h"
#include "exec/rows.h"
#include "report/settings.h"

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool is_per_lane(enum special which)
{
    switch (which) {
#define PER_LANE(id, name, value) case SPECIAL_##id:
#include "decode/specials.def"
        return true;
    default:
        return false;
    }
}

#define VALUE(id, name, value) case SPECIAL_##id: return value;

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
