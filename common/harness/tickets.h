// tickets.h: a large case again, as if other blocks had taken many tickets before its own.
#pragma once

#include "harness/machine.h"
#include <math.h>

// As if all tickets but the last few, or but one, were taken. early: where blocks begin with this ticket, one for each
// tile.
static inline void check_last_tickets(void (*call)(void *context), void *context, const struct simt_reach *early,
                                      int kernels, double ticket)
{
    char blocks[80];
    double low = 1;
    for (int k = 0; k < kernels; k++)
        low = early[k].low > 0 && early[k].low < low ? early[k].low : low; // those that take tickets
    for (unsigned left = 8; low < 1 && left > 0; left = left / 8) {        // 8, then 1; low 1: none takes tickets
        snprintf(blocks, sizeof blocks, "first,last,random:4,valid,tickets:%u", (unsigned)ceil(ticket / low) - left);
        simt_sample(blocks);
        run_calls(call, context, 1);
    }
}

// Runs the call of a large case again, as if other blocks had taken 20000 tickets before its own, then 2^16. A kernel
// that begins at the start of the input only in the second run numbers its tiles by 16 bits of a ticket.
static inline void check_tickets(void (*call)(void *context), void *context, const void *in, size_t bytes)
{
    struct simt_reach early[MAX_REACHED] = {}, late[MAX_REACHED] = {};
    if (!simt_reach || is_checked() || !is_in_order())
        return;
    simt_sample("first,last,random:4,tickets:20000");
    run_calls(call, context, 1);
    int before = simt_reach(in, bytes, 0, early, MAX_REACHED);
    simt_sample("first,last,random:4,tickets:65536");
    run_calls(call, context, 1);
    int kernels = simt_reach(in, bytes, 0, late, MAX_REACHED);
    for (int i = 0; i < kernels; i++)
        for (int k = 0; k < before; k++)
            if (!strcmp(late[i].kernel, early[k].kernel) && late[i].high > 0 && late[i].low < early[k].low)
                fail(WRONG, "wrong answer: after 65536 tickets %s begins again with the first tile\n" WRAPS,
                     late[i].kernel);
    check_last_tickets(call, context, early, before, 20000);
}
