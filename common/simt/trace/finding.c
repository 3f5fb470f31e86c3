// Findings in a trace: which events were the two sides.
#include "trace/finding.h"

#include <stdlib.h>
#include <string.h>

static bool covers(const struct recording *r, const struct event *e, uint32_t lane, const struct scene *s)
{
    for (uint32_t k = 0; k < e->access_count; k++) {
        const struct access_record *a = &r->accesses.at[e->first_access + k];
        uint64_t at = a->mask >> lane & 1 ? row_value(&r->values, &a->at, a->mask, lane) : 0;
        if (a->mask >> lane & 1 && a->space == s->space && at < s->address + s->size && s->address < at + a->bytes)
            return true;
    }
    return false;
}

static bool any_lane_covers(const struct recording *r, const struct event *e, const struct scene *s)
{
    bool found = false;
    for (uint32_t l = 0; l < LANES && !found; l++)
        found = covers(r, e, l, s);
    return found;
}

// Whether the event is the party's access in the scene.
static bool is_part(const struct recording *r, const struct event *e, const struct actor *p, const struct scene *s)
{
    uint32_t lane = p->thread % LANES;
    if (r->blocks.at[e->block].number != p->block)
        return false;
    if (p->thread == NO_THREAD)
        return !p->access || any_lane_covers(r, e, s);
    if (e->warp != p->thread / LANES || !((e->active | e->executed) >> lane & 1))
        return false;
    return !p->access || !s->size || covers(r, e, lane, s);
}

// The last event before `before` in which the party ran the instruction.
static uint32_t find_event(const struct recording *r, uint32_t before, uint32_t id, const struct actor *p,
                           const struct scene *s)
{
    for (uint32_t i = before; i-- > 0;) {
        const struct event *e = &r->events.at[i];
        if (e->kind == EVENT_INSTRUCTION && e->id == id && is_part(r, e, p, s))
            return i;
    }
    return NO_EVENT;
}

static uint32_t id_of(const struct module *m, const struct ptx_instr *in)
{
    for (uint32_t id = 0; in && id < m->origin_count; id++)
        if (m->origins[id].ptx == in)
            return id;
    return NONE;
}

static struct finding_record *known_finding(struct recording *r, const struct finding *f)
{
    for (uint32_t i = 0; i < r->findings.count; i++) {
        struct finding_record *k = &r->findings.at[i];
        if (k->kind == f->kind && k->at == f->at && k->other == f->other && k->detail == f->detail &&
            k->severity == f->severity)
            return k;
    }
    return NULL;
}

static void place_finding(struct recording *r, struct finding_record *k, const struct block *b, const struct finding *f,
                          uint32_t current)
{
    const struct module *m = r->launch->module;
    k->scene = f->scene ? *f->scene : (struct scene){.past.thread = NO_THREAD, .now = {b->number, NO_THREAD, NULL}};
    k->current_id = id_of(m, f->at);
    k->earlier_id = id_of(m, f->other);
    // A refused access is not part of the event, but the event still belongs to the finding.
    bool runs = current != NO_EVENT && r->events.at[current].id == k->current_id;
    k->current_access = runs ? current : find_event(r, r->events.count, k->current_id, &k->scene.now, &k->scene);
    k->earlier_event =
        k->earlier_id == NONE ? NO_EVENT : find_event(r, r->events.count, k->earlier_id, &k->scene.past, &k->scene);
}

bool finding_record(struct recording *r, const struct block *b, const struct finding *f, const char *words,
                    uint32_t current)
{
    struct finding_record *k = known_finding(r, f);
    if (k) {
        k->times++;
        return false;
    }
    if (r->findings.count == MAX_FINDINGS) {
        r->findings_omitted++;
        return false;
    }
    k = PUSH(r->findings);
    *k = (struct finding_record){.kind = f->kind,
                                 .severity = f->severity,
                                 .at = f->at,
                                 .other = f->other,
                                 .detail = f->detail,
                                 .times = 1,
                                 .words = strdup(words)};
    place_finding(r, k, b, f, current);
    return true;
}
