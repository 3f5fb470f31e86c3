// A scoreboard: an instruction issues once its operands are ready, so only dependent chains cost latency.
#include "estimate/issue.h"

#include <string.h>

#include "decode/opcodes.h"
#include "estimate/stall.h"

// Within a basic block ptxas schedules independent instructions first, especially loads. Accesses that may alias keep
// their order.
static double when_issued(const struct cost *c, const struct warp_time *t, const double *ready)
{
    double when = c->pinned ? t->now : t->entered;
    for (uint32_t i = 0; i < c->read_count; i++)
        when = later(when, ready[c->read[i]]);
    for (int space = 0; space < 2; space++)
        if (c->loads[space] || c->stores[space])
            when = later(when, t->stored[space]);
    return when;
}

// ptxas schedules only so far ahead: floating-point arithmetic issues after the instruction WINDOW places before it.
// Loads, and the integer arithmetic of their addresses, go first.
static double keep_order(struct warp_time *t, const struct cost *c, double when)
{
    bool floats = c->unit == UNIT_FLOAT || c->unit == UNIT_DOUBLE || c->unit == UNIT_SPECIAL;
    if (!floats || c->issues <= 0)
        return when;
    double *oldest = &t->window[t->passed % WINDOW], before = t->passed ? t->window[(t->passed - 1) % WINDOW] : 0;
    when = t->passed >= WINDOW ? later(when, *oldest) : when;
    *oldest = later(before, when);
    t->passed++;
    return when;
}

void issue_enter(struct warp_time *t)
{
    t->entered = t->stored[0] = t->stored[1] = t->now;
    t->issued = 0;
    t->passed = 0;
}

double issue_next(struct warp_time *t, const struct cost *c, const double *ready)
{
    double when = keep_order(t, c, when_issued(c, t, ready));
    t->issued += c->issues;
    t->now = later(later(t->now, when + c->issues), t->entered + t->issued);
    for (int space = 0; space < 2; space++)
        if (c->stores[space])
            t->stored[space] = when;
    return when;
}

// cp.async: copies, commits of groups, and waits for groups.
static void follow_copies(struct warp_time *t, const struct insn *in, const char *op, double there)
{
    if (strstr(op, ".commit_group")) {
        t->group[t->groups++ % MAX_GROUPS] = t->copies;
    } else if (strstr(op, ".wait_group")) {
        uint32_t open = (uint32_t)in->imm;
        if (t->groups > open)
            t->now = later(t->now, t->group[(t->groups - 1 - open) % MAX_GROUPS]);
    } else if (strstr(op, ".wait_all"))
        t->now = later(t->now, t->copies);
    else
        t->copies = later(t->copies, there);
}

void issue_finish(const struct running *r, struct warp_time *t, const struct insn *in, const struct origin *o,
                  const struct cost *c, double *ready, uint8_t *why)
{
    double there = r->issued_at + c->latency + r->latency, now = t->now;
    enum stall stall = stall_of_result(r, c);
    for (uint32_t i = 0; i < c->written_count; i++) {
        ready[c->written[i]] = there;
        why[c->written[i]] = (uint8_t)stall;
    }
    if (c->branches || c->splits)
        t->now = later(t->now, r->issued_at + c->latency);
    stall_add(in->id, STALL_BY_BRANCH, t->now - now);
    if (c->splits)
        issue_enter(t);
    if (c->fence) {
        t->now += r->gpu->fence_latency;
        stall_add(in->id, STALL_BY_MEMBAR, r->gpu->fence_latency);
    }
    now = t->now;
    if (o->op == OP_cp)
        follow_copies(t, in, o->ptx->op, there);
    stall_add(in->id, STALL_BY_LONG, t->now - now);
}
