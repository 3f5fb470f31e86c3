// Gives every observer fixed offsets for the whole program, so that finding its state costs one load.
#include "exec/observer_state.h"

#include <stdlib.h>

static uint32_t units(uint32_t bytes)
{
    return (bytes + STATE_UNIT - 1) / STATE_UNIT;
}

static void place(struct observer_state *s)
{
    static uint32_t end[STATE_LEVELS]; // placed so far, in units
    for (int i = 0; i < STATE_LEVELS && !s->placed; i++) {
        s->at[i] = (uint16_t)end[i];
        end[i] += units(s->bytes[i]);
        if (end[i] > UINT16_MAX)
            abort(); // 4 MB
    }
    s->placed = true;
}

void state_place(struct launch *launch)
{
    for (uint32_t o = 0; o < launch->observers.count; o++) {
        struct observer_state *s = launch->observers.list[o]->state;
        if (s)
            place(s);
        for (int i = 0; s && i < STATE_LEVELS; i++) {
            uint32_t end = (s->at[i] + units(s->bytes[i])) * STATE_UNIT;
            launch->state_bytes[i] = end > launch->state_bytes[i] ? end : launch->state_bytes[i];
        }
    }
}
