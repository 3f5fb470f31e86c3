// Waits of warps. While a launch runs, a wait costs the machine one addition; lines and sentences are made from the
// sums when the launch has ended.
#include "estimate/stall.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/names.h"

enum { SHOWN = 6 };

static const char *const words[STALL_COUNT] = {
#define STALL_WORDS(name, text) text,
    STALLS(STALL_WORDS)
#undef STALL_WORDS
};

static struct {
    double (*clocks)[STALL_COUNT]; // by instruction
    uint32_t count, capacity;
    double throttle[STALL_COUNT];
    double all;
} launch;

void stall_open(uint32_t count)
{
    if (launch.capacity < count) {
        free(launch.clocks);
        launch.clocks = alloc_zeroed(launch.capacity = count, sizeof *launch.clocks);
    } else if (count) {
        memset(launch.clocks, 0, count * sizeof *launch.clocks);
    }
    launch.count = count;
    memset(launch.throttle, 0, sizeof launch.throttle);
    launch.all = 0;
}

void stall_add(uint32_t id, enum stall why, double clocks)
{
    if (id < launch.count && clocks > 0)
        launch.clocks[id][why] += clocks;
}

void stall_add_all(double clocks)
{
    launch.all += clocks;
}

void stall_throttle(enum limit limit, double clocks)
{
    bool memory = limit == LIMIT_BY_L1 || limit == LIMIT_BY_ACCESSES || limit == LIMIT_BY_CONSTANT;
    launch.throttle[limit == LIMIT_BY_ISSUE ? STALL_BY_ISSUE : memory ? STALL_BY_MIO : STALL_BY_MATH] += clocks;
}

enum stall stall_of_result(const struct running *r, const struct cost *c)
{
    if (c->unit == UNIT_SPECIAL)
        return STALL_BY_SHORT;
    if (c->unit != UNIT_MEMORY)
        return STALL_BY_WAIT;
    return r->shared || r->latency <= 0 ? STALL_BY_SHORT : STALL_BY_LONG;
}

enum stall stall_reason(const struct cost *c, const double *ready, const uint8_t *why, double when)
{
    for (uint32_t i = 0; i < c->read_count; i++)
        if (ready[c->read[i]] >= when)
            return (enum stall)why[c->read[i]];
    return STALL_BY_WAIT; // waits for an earlier instruction, which issues in order before this one
}

// ---- lines

static struct stall_line *line_of(struct stalls *s, const char *file, int line, enum stall why)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->lines[i].line == line && s->lines[i].why == why && !strcmp(s->lines[i].file, file))
            return &s->lines[i];
    if (s->count == s->capacity)
        s->lines = alloc_resize(s->lines, s->capacity = 2 * s->capacity + 16, sizeof *s->lines);
    size_t size = strlen(file) + 1;
    s->lines[s->count] = (struct stall_line){memcpy(alloc_zeroed(size, 1), file, size), line, why, 0};
    return &s->lines[s->count++];
}

void stall_take(struct stalls *to, const struct module *m)
{
    for (uint32_t id = 0; id < launch.count; id++)
        for (int why = 0; why < STALL_COUNT; why++)
            if (launch.clocks[id][why] > 0) {
                const struct ptx_instr *ptx = m->origins[id].ptx;
                line_of(to, source_path(m->ptx, ptx->loc.file), ptx->loc.line, (enum stall)why)->clocks +=
                    launch.clocks[id][why];
            }
    for (int why = STALL_BY_MIO; why < STALL_COUNT; why++)
        if (launch.throttle[why] > 0)
            line_of(to, "", 0, (enum stall)why)->clocks += launch.throttle[why];
    to->clocks += launch.all;
}

void stall_free(struct stalls *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        free((char *)s->lines[i].file);
    free(s->lines);
    *s = (struct stalls){0};
}

// ---- the report

static int by_clocks(const void *a, const void *b)
{
    const struct stall_line *x = a, *y = b;
    if (x->clocks != y->clocks)
        return x->clocks < y->clocks ? 1 : -1;
    return x->line != y->line ? x->line - y->line : (int)x->why - (int)y->why;
}

// An upper bound on the share of the kernel's time saved if its warps do not wait for this: its share of the clocks,
// weighted by how much latency limits the kernel, and at most what the next limit allows.
static double max_gain(double share, const double *parts, double us)
{
    double next = 0;
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++)
        next = i != LIMIT_BY_LATENCY ? later(next, parts[i]) : next;
    double latency = us > 0 ? parts[LIMIT_BY_LATENCY] / us : 0, room = us > 0 ? 1 - next / us : 0;
    double gain = share * (latency < 1 ? latency : 1);
    return gain < room ? gain : later(room, 0);
}

static void write_row(const struct stall_line *l, double share, double gain, FILE *to)
{
    char saved[16] = "-";
    if (gain >= 0.01)
        snprintf(saved, sizeof saved, "%.0f %%", 100 * gain);
    fprintf(to, "  %5.0f %%  %7s  %-18s  ", 100 * share, saved, words[l->why]);
    if (*l->file)
        fprintf(to, "%s:%d\n", l->file, l->line);
    else
        fputs("all lines together\n", to);
}

void stall_write(const struct stalls *s, const double *parts, double us, FILE *to)
{
    if (s->count)
        fputs("    waits  at most  reason              line\n   of all    saved\n", to);
    qsort(s->lines, s->count, sizeof *s->lines, by_clocks);
    for (uint32_t i = 0; i < s->count && i < SHOWN; i++) {
        double share = s->clocks > 0 ? s->lines[i].clocks / s->clocks : 0;
        if (share >= 0.02)
            write_row(&s->lines[i], share, max_gain(share, parts, us), to);
    }
}
