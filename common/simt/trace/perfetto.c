// A trace for Perfetto's and Chrome's viewers: their JSON of trace events. A block is a process, a warp its thread, an
// instruction a slice of one microsecond, which represents a tick; a wait at a barrier is a slice, too. Lanes that wait
// for others of their warp do so while those run, so they are an asynchronous slice beside the track. The host is a
// process, too: a slice for each of its calls, in order.
#include <inttypes.h>

#include "report/json.h"
#include "report/names.h"
#include "trace/describe.h"
#include "trace/forms.h"

#define HOST UINT64_MAX // instead of a block

static struct {
    struct growing file;
    bool host;           // the process has its name
    uint64_t begin, end; // start of this launch, and earliest start of the next
    uint64_t blocks;     // blocks of earlier launches
    uint64_t waits;      // asynchronous slices of lanes so far
} perfetto;

static void write_tail(FILE *to)
{
    fputs("\n],\"displayTimeUnit\":\"ns\"}\n", to);
}

void perfetto_open(FILE *to)
{
    perfetto.file = (struct growing){.to = to, .first = true};
    fputs("{\"traceEvents\":[", to);
    growing_tail(&perfetto.file, write_tail);
}

// The members that all events have; the event's own arguments follow.
static FILE *write_head(const char *phase, const char *name, const char *category, uint64_t block, uint32_t warp)
{
    FILE *to = perfetto.file.to;
    fputs(perfetto.file.first ? "\n" : ",\n", to);
    perfetto.file.first = false;
    fprintf(to, "{\"ph\":\"%s\",\"name\":", phase);
    json_string(to, name);
    fprintf(to, ",\"cat\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%u", category,
            block == HOST ? 1 : perfetto.blocks + block + 2, warp);
    return to;
}

static void write_time(FILE *to, uint64_t time, uint64_t duration)
{
    time += perfetto.begin;
    fprintf(to, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64, time, duration);
    perfetto.end = time + duration > perfetto.end ? time + duration : perfetto.end;
}

static void write_name(const char *what, uint64_t block, uint32_t warp, const char *name)
{
    FILE *to = write_head("M", what, "__metadata", block, warp);
    fputs(",\"ts\":0,\"args\":{\"name\":", to);
    json_string(to, name);
    fputs("}}", to);
}

static void write_names(const struct recording *r)
{
    char name[600];
    for (uint32_t b = 0; b < r->blocks.count; b++) {
        snprintf(name, sizeof name, "%.400s, launch %" PRIu64 ", %s", kernel_name(r->launch->code->name), r->ordinal,
                 block_in(r->launch->grid, r->blocks.at[b].number));
        write_name("process_name", b, 0, name);
        for (uint32_t w = 0; w < r->launch->warps_per_block; w++) {
            snprintf(name, sizeof name, "warp %u", w);
            write_name("thread_name", b, w, name);
        }
    }
}

static void write_instruction(const struct recording *r, const struct event *e)
{
    const struct origin *o = event_origin(r, e);
    FILE *to = write_head("X", o->ptx->op, instruction_kind(o), e->block, e->warp);
    write_time(to, e->time, 1);
    fputs(",\"args\":{\"line\":", to);
    json_string(to, origin_place(r->launch->module, e->id));
    fprintf(to, ",\"event\":%u,\"lanes\":%d,\"mask\":\"0x%08x\"", (unsigned)(e - r->events.at),
            __builtin_popcount(e->executed), e->executed);
    if (e->cost != NO_EVENT)
        fprintf(to, ",\"sectors\":%" PRIu64 ",\"passes\":%" PRIu64, r->costs.at[e->cost].sectors,
                r->costs.at[e->cost].wavefronts);
    fputs("}}", to);
}

// The warps that arrived at a barrier have waited until now.
static void write_waits(const struct recording *r, const struct event *release)
{
    char name[64];
    snprintf(name, sizeof name, "waits at barrier %d", release->barrier);
    for (uint32_t k = 0; k < release->arrival_count; k++) {
        const struct event *e = &r->events.at[r->arrivals.at[release->first_arrival + k]];
        if (!e->waits || release->time <= e->time + 1)
            continue;
        FILE *to = write_head("X", name, "wait", e->block, e->warp);
        write_time(to, e->time + 1, release->time - e->time - 1);
        fputs(",\"args\":{}}", to);
    }
}

static bool is_lane_wait(const struct recording *r, const struct event *e)
{
    return e->kind == EVENT_INSTRUCTION && e->waits && waits_for_lanes(event_origin(r, e));
}

// The first later event at which some of these lanes synchronize with the others.
static const struct event *meeting_of(const struct recording *r, const struct event *waits)
{
    for (const struct event *e = waits + 1; e < r->events.at + r->events.count; e++)
        if (e->kind == EVENT_INSTRUCTION && e->block == waits->block && e->warp == waits->warp && e->id == waits->id &&
            !e->waits && e->executed & waits->executed)
            return e;
    return NULL;
}

static void write_lanes_end(const struct event *e, const char *phase, uint64_t id, uint64_t time)
{
    FILE *to = write_head(phase, "lanes wait", "wait", e->block, e->warp);
    fprintf(to, ",\"id\":%" PRIu64 ",\"ts\":%" PRIu64 ",\"args\":{\"mask\":\"0x%08x\"}}", id, time, e->executed);
}

// Lanes that no other lane meets wait until the end.
static void write_lanes_wait(const struct recording *r, const struct event *e)
{
    const struct event *met = meeting_of(r, e);
    uint64_t begin = perfetto.begin + e->time + 1;
    uint64_t end = met ? perfetto.begin + met->time : perfetto.end;
    write_lanes_end(e, "b", perfetto.waits, begin);
    write_lanes_end(e, "e", perfetto.waits++, end > begin ? end : begin);
}

static void write_instant(const struct event *e, const char *name, const char *category, const char *words)
{
    FILE *to = write_head("i", name, category, e->block, e->warp == NO_EVENT ? 0 : e->warp);
    fprintf(to, ",\"ts\":%" PRIu64 ",\"s\":\"%s\",\"args\":{\"words\":", perfetto.begin + e->time,
            e->warp == NO_EVENT ? "p" : "t");
    json_string(to, words);
    fputs("}}", to);
}

static void write_event(const struct recording *r, const struct event *e)
{
    char name[64];
    snprintf(name, sizeof name, "barrier %d is complete", e->barrier);
    switch (e->kind) {
    case EVENT_INSTRUCTION: write_instruction(r, e); break;
    case EVENT_RELEASE:
        write_waits(r, e);
        write_instant(e, name, "barrier", name);
        break;
    case EVENT_JOIN: write_instant(e, "join", "branch", "diverged lanes continue together"); break;
    case EVENT_START:
    case EVENT_END: break;
    }
}

// The time of a call: before the launch that it submits, after launches that have ended.
void perfetto_call(const char *name, const char *words)
{
    struct growing *g = &perfetto.file;
    fseek(g->to, g->end, SEEK_SET);
    if (!perfetto.host) {
        write_name("process_name", HOST, 0, "the host");
        write_name("thread_name", HOST, 0, "its calls");
        perfetto.host = true;
    }
    perfetto.begin = perfetto.end;
    FILE *to = write_head("X", name, "host", HOST, 0);
    write_time(to, 0, 1);
    fputs(",\"args\":{\"words\":", to);
    json_string(to, words);
    fputs("}}", to);
    growing_tail(g, write_tail);
}

void perfetto_launch(const struct recording *r)
{
    struct growing *g = &perfetto.file;
    fseek(g->to, g->end, SEEK_SET);
    perfetto.begin = perfetto.end + (perfetto.end ? 10 : 0);
    write_names(r);
    for (uint32_t i = 0; i < r->events.count; i++)
        write_event(r, &r->events.at[i]);
    for (uint32_t i = 0; i < r->events.count; i++)
        if (is_lane_wait(r, &r->events.at[i]))
            write_lanes_wait(r, &r->events.at[i]);
    for (uint32_t i = 0; i < r->findings.count; i++) {
        const struct finding_record *f = &r->findings.at[i];
        if (f->earlier_event != NO_EVENT)
            write_instant(&r->events.at[f->earlier_event], "finding", "finding", f->words);
        if (f->current_access != NO_EVENT)
            write_instant(&r->events.at[f->current_access], "finding", "finding", f->words);
    }
    perfetto.blocks += r->blocks.count;
    growing_tail(g, write_tail);
}
