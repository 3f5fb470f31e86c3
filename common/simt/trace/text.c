// A trace as text, one line for each event:
//
//     #12 t5 block 0 warp 3 f.cu:31  ld.shared.u32 %r5, [%rd3+4];  lanes ffffffff  shared load at
//     4+4*lane  = 1,2,3,...  passes 2 of 1
#include <inttypes.h>

#include "report/names.h"
#include "trace/describe.h"
#include "trace/forms.h"

void text_launch(FILE *to, const struct recording *r)
{
    const struct launch *l = r->launch;
    fprintf(to, "trace: launch %" PRIu64 " of %s, grid (%u,%u,%u), block (%u,%u,%u), device %d\n", r->ordinal,
            kernel_name(l->code->name), l->grid[0], l->grid[1], l->grid[2], l->dim[0], l->dim[1], l->dim[2], l->device);
}

static void write_value(FILE *to, uint64_t bits, enum ptx_type type)
{
    float single;
    double whole;
    memcpy(&single, &bits, sizeof single);
    memcpy(&whole, &bits, sizeof whole);
    if (type == PTX_F32)
        fprintf(to, "%g", (double)single);
    else if (type == PTX_F64)
        fprintf(to, "%g", whole);
    else
        fprintf(to, "%" PRIu64, bits);
}

static void write_row(FILE *to, const struct recording *r, const struct row *row, uint32_t mask, enum ptx_type type)
{
    const char *between = "";
    if (row->kind == ROW_SAME)
        write_value(to, row->base, type);
    else if (row->kind == ROW_STEP && type != PTX_F32 && type != PTX_F64)
        fprintf(to, "%" PRId64 "%+" PRId64 "*lane", (int64_t)row->base, row->step);
    else
        FOR_LANES(l, mask)
        {
            fputs(between, to);
            write_value(to, row_value(&r->values, row, mask, l), type);
            between = ",";
        }
}

static void write_rows(FILE *to, const struct recording *r, uint32_t first, uint32_t count, uint32_t mask,
                       enum ptx_type type)
{
    for (uint32_t k = 0; k < count; k++) {
        fputs(k ? " | " : "", to);
        write_row(to, r, &r->rows.at[first + k], mask, type);
    }
}

static void write_access(FILE *to, const struct recording *r, const struct access_record *a, enum ptx_type type)
{
    static const char *const kinds[] = {"load", "store", "atomic", "copy issued", "copy done"};
    fprintf(to, "  %s %s at ", space_word(a->space), kinds[a->kind]);
    write_row(to, r, &a->at, a->mask, PTX_NONE);
    if (a->value_count) {
        fputs(" value ", to);
        write_rows(to, r, a->first_value, a->value_count, a->mask, type);
    }
    if (a->new.kind != ROW_NONE) {
        fputs(" becomes ", to);
        write_row(to, r, &a->new, a->mask, type);
    }
}

static void write_cost(FILE *to, const struct memory_count *c)
{
    if (c->sectors)
        fprintf(to, "  sectors %" PRIu64 " of %" PRIu64, c->sectors, c->sectors_ideal);
    if (c->wavefronts)
        fprintf(to, "  passes %" PRIu64 " of %" PRIu64, c->wavefronts, c->wavefronts_ideal);
    if (c->same > 1 || c->shared_same > 1)
        fprintf(to, "  %" PRIu64 " lanes at one address", c->same > c->shared_same ? c->same : c->shared_same);
}

static void write_place(FILE *to, const struct recording *r, const struct event *e)
{
    fprintf(to, "#%u t%u block %" PRIu64, (unsigned)(e - r->events.at), e->time, r->blocks.at[e->block].number);
    if (e->warp != NO_EVENT)
        fprintf(to, " warp %u", e->warp);
}

static void write_instruction(FILE *to, const struct recording *r, const struct event *e)
{
    const struct origin *o = event_origin(r, e);
    fprintf(to, " %s  ", origin_place(r->launch->module, e->id));
    ptx_print(to, o->code->ptx, o->ptx);
    fprintf(to, "  lanes %08x", e->executed);
    if (e->active != e->executed)
        fprintf(to, " of %08x", e->active);
    if (o->ptx->guard >= 0 && !strcmp(instruction_kind(o), "branch"))
        fprintf(to, "  taken %08x%s", e->taken, e->taken && e->taken != e->active ? ", diverges" : "");
    if (e->has_bits)
        fprintf(to, "  = %08x", e->bits);
    if (e->value_count) {
        fputs("  = ", to);
        write_rows(to, r, e->first_value, e->value_count, e->executed, written_type(o));
    }
    if (e->from.kind != ROW_NONE) {
        fputs("  from lane ", to);
        write_row(to, r, &e->from, e->executed, PTX_NONE);
    }
}

void text_event(FILE *to, const struct recording *r, uint32_t i)
{
    const struct event *e = &r->events.at[i];
    write_place(to, r, e);
    switch (e->kind) {
    case EVENT_INSTRUCTION: write_instruction(to, r, e); break;
    case EVENT_RELEASE: fprintf(to, " barrier %d is complete, warps %08x", e->barrier, e->active); break;
    case EVENT_JOIN: fprintf(to, " lanes %08x continue together", e->active); break;
    case EVENT_START: fputs(" starts", to); break;
    case EVENT_END: fputs(" ends", to); break;
    }
    for (uint32_t k = 0; k < e->access_count; k++)
        write_access(to, r, &r->accesses.at[e->first_access + k], element_type(event_origin(r, e)));
    if (e->cost != NO_EVENT)
        write_cost(to, &r->costs.at[e->cost]);
    fputs(e->waits ? "  waits\n" : "\n", to);
}

static void write_side(FILE *to, const char *word, uint32_t event)
{
    if (event != NO_EVENT)
        fprintf(to, "  %s #%u", word, event);
}

void text_finding(FILE *to, const struct recording *r, const struct finding_record *f)
{
    static const char *const words[] = {"information", "warning", "error"};
    (void)r;
    fprintf(to, "found: %s: %s", words[f->severity], f->words);
    write_side(to, "first", f->earlier_event);
    write_side(to, "at", f->current_access);
    fputc('\n', to);
}

static void write_omitted(const char *sentence, void *data)
{
    fprintf((FILE *)data, "trace: left out: %s\n", sentence);
}

void text_launch_end(FILE *to, const struct recording *r)
{
    const char *how = r->cut ? "was cut off" : r->failed ? "failed" : "is over";
    fprintf(to, "trace: launch %" PRIu64 " of %s %s, %u events\n", r->ordinal, kernel_name(r->launch->code->name), how,
            r->events.count);
    omitted_each(r, write_omitted, to);
}
