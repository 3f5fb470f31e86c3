// Asynchronous work in a trace: the bulk copies and warpgroup products that traced blocks issue.
#include "trace/flights.h"

#include "base/alloc.h"

// NULL: its issue is not in the trace.
static struct flight_record *find(const struct recording *r, const struct bulk *c)
{
    for (uint32_t i = r->flights.count; i-- > 0;) {
        struct flight_record *f = &r->flights.at[i];
        if (!f->product && f->number == c->number && r->blocks.at[f->block].number == c->warp->block->number)
            return f;
    }
    return NULL;
}

static struct flight_record *add(struct recording *r, uint32_t current)
{
    struct flight_record *f = PUSH(r->flights);
    *f = (struct flight_record){.block = r->events.at[current].block,
                                .issued = current,
                                .arrived = NO_EVENT,
                                .read = NO_EVENT,
                                .waited = NO_EVENT};
    return f;
}

void flight_of_copy(struct recording *r, const struct bulk *c, enum bulk_step step, uint32_t current)
{
    struct flight_record *f = step == BULK_IS_ISSUED ? NULL : find(r, c);
    uint32_t latest = current == NO_EVENT && r->events.count ? r->events.count - 1 : current;
    if (step == BULK_IS_ISSUED && current != NO_EVENT) {
        f = add(r, current);
        f->number = c->number;
        f->bytes = c->bytes;
        f->to_shared = c->to_space == PTX_SHARED;
    }
    if (!f)
        return;
    switch (step) {
    case BULK_IS_ISSUED: break;
    case BULK_ARRIVES: f->arrived = latest; break;
    case BULK_IS_READ: f->read = latest; break;
    case BULK_IS_WAITED: f->waited = latest; break;
    }
}

void flight_of_product(struct recording *r, uint32_t warp, uint32_t number, uint32_t current)
{
    struct flight_record *f = add(r, current);
    f->product = true;
    f->warp = warp;
    f->number = number;
}

void flight_products_done(struct recording *r, uint32_t block, uint32_t warp, uint32_t number, uint32_t current)
{
    for (uint32_t i = r->flights.count; i-- > 0;) {
        struct flight_record *f = &r->flights.at[i];
        if (f->product && f->block == block && f->warp == warp && f->number <= number && f->waited == NO_EVENT)
            f->arrived = f->waited = current;
    }
}

static void write_event_number(FILE *to, const char *name, uint32_t event)
{
    fprintf(to, ",\"%s\":%d", name, event == NO_EVENT ? -1 : (int)event);
}

void flights_write(const struct recording *r, FILE *to)
{
    for (uint32_t i = 0; i < r->flights.count; i++) {
        const struct flight_record *f = &r->flights.at[i];
        fprintf(to, "%s{\"what\":\"%s\"", i ? ",\n" : "\n", f->product ? "product" : "bulk copy");
        if (!f->product)
            fprintf(to, ",\"bytes\":%u,\"to\":\"%s\"", f->bytes, f->to_shared ? "shared" : "global");
        write_event_number(to, "issued", f->issued);
        write_event_number(to, "arrived", f->arrived);
        if (f->read != NO_EVENT)
            write_event_number(to, "read", f->read);
        write_event_number(to, "waited", f->waited);
        fputc('}', to);
    }
}
