// A trace for the page: the file that docs/trace.md describes. Instructions and source files are tables for the whole
// program; they follow the launches and are rewritten after each launch.
#include <inttypes.h>
#include <stdlib.h>

#include "decode/opcodes.h"
#include "report/json.h"
#include "report/names.h"
#include "report/settings.h"
#include "trace/calls.h"
#include "trace/describe.h"
#include "trace/flights.h"
#include "trace/forms.h"
#include "trace/trace.h"

#define MAX_SOURCE (1u << 20) // bytes of a source file that go into the page

extern char *program_invocation_name;

// Elements of a list as text.
struct list {
    FILE *to;
    char *text;
    size_t size;
    uint32_t count;
};

// The numbers of a module's instructions in the file.
struct numbering {
    const struct ptx_module *module;
    int32_t *of; // by instruction; -1: none
    uint32_t count;
    struct numbering *next;
};

static struct {
    struct growing file;
    struct list files, instructions;
    VECTOR(char *) paths;
    struct numbering *numberings;
    uint64_t omitted; // launches
    uint32_t calls;    // in the file
} page;

static FILE *list_more(struct list *l)
{
    if (!l->to)
        l->to = open_memstream(&l->text, &l->size);
    fputs(l->count++ ? ",\n" : "\n", l->to);
    return l->to;
}

static void list_write(FILE *to, struct list *l)
{
    if (l->to)
        fflush(l->to);
    fwrite(l->text ? l->text : "", 1, l->text ? l->size : 0, to);
}

// ---- tables

static char *read_source(const char *path)
{
    FILE *f = fopen(path, "re");
    char *text = f ? alloc_zeroed(1, MAX_SOURCE + 1) : NULL;
    size_t n = f ? fread(text, 1, MAX_SOURCE, f) : 0;
    if (f)
        fclose(f);
    if (!n || memchr(text, 0, n)) {
        free(text);
        return NULL;
    }
    return text;
}

static int32_t file_number(const struct ptx_module *m, int file)
{
    if (file <= 0)
        return -1;
    const char *path = source_path(m, file);
    for (uint32_t i = 0; i < page.paths.count; i++)
        if (!strcmp(page.paths.at[i], path))
            return (int32_t)i;
    FILE *to = list_more(&page.files);
    char *text = read_source(path);
    fputs("{\"path\":", to);
    json_string(to, path);
    fputs(",\"text\":", to);
    if (text)
        json_string(to, text);
    else
        fputs("null", to);
    fputc('}', to);
    free(text);
    *PUSH(page.paths) = strdup(path);
    return (int32_t)page.paths.count - 1;
}

static void write_member(FILE *to, const char *name, const char *text)
{
    fprintf(to, ",\"%s\":", name);
    json_string(to, text);
}

static void write_ptx(FILE *to, const struct origin *o)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);
    ptx_print(line, o->code->ptx, o->ptx);
    fclose(line);
    write_member(to, "ptx", text);
    free(text);
}

static void write_memory_members(FILE *to, const struct origin *o)
{
    enum ptx_type type = element_type(o);
    write_member(to, "space", memory_space(o));
    if (type == PTX_NONE)
        return;
    write_member(to, "type", ptx_type_name(type));
    fprintf(to, ",\"bytes\":%u,\"elements\":%u", ptx_type_size(type) * elements_of(o), elements_of(o));
}

static void write_instruction(const struct ptx_module *m, const struct origin *o)
{
    int32_t file = file_number(m, o->ptx->loc.file);
    FILE *to = list_more(&page.instructions);
    fprintf(to, "{\"file\":%d,\"line\":%d", file, o->ptx->loc.line);
    for (const struct ptx_call *c = o->ptx->call; c; c = c->outer)
        fprintf(to, "%s{\"file\":%d,\"line\":%d}%s", c == o->ptx->call ? ",\"called\":[" : ",",
                file_number(m, c->at.file), c->at.line, c->outer ? "" : "]");
    write_member(to, "kernel", kernel_name(o->code->name));
    write_ptx(to, o);
    fprintf(to, ",\"ptx_line\":%d", o->ptx->line);
    write_member(to, "op", o->ptx->op);
    write_member(to, "kind", instruction_kind(o));
    if (memory_space(o))
        write_memory_members(to, o);
    if (o->ptx->guard >= 0)
        fputs(",\"guard\":true", to);
    if (written_type(o) != PTX_NONE)
        write_member(to, "sets", ptx_type_name(written_type(o)));
    fputc('}', to);
}

static struct numbering *numbering_of(const struct module *m)
{
    struct numbering *n = page.numberings;
    while (n && n->module != m->ptx)
        n = n->next;
    if (!n) {
        n = alloc_zeroed(1, sizeof *n);
        n->module = m->ptx;
        n->next = page.numberings;
        page.numberings = n;
    }
    if (n->count < m->origin_count) {
        n->of = alloc_resize(n->of, m->origin_count, sizeof *n->of);
        memset(n->of + n->count, 0xff, (m->origin_count - n->count) * sizeof *n->of);
        n->count = m->origin_count;
    }
    return n;
}

static int32_t instruction_number(const struct module *m, uint32_t id)
{
    if (id >= m->origin_count)
        return -1;
    struct numbering *n = numbering_of(m);
    if (n->of[id] < 0) {
        write_instruction(m->ptx, &m->origins[id]);
        n->of[id] = (int32_t)page.instructions.count - 1;
    }
    return n->of[id];
}

void trace_forget(const struct ptx_module *m)
{
    for (struct numbering **p = &page.numberings; *p; p = &(*p)->next)
        if ((*p)->module == m) {
            struct numbering *gone = *p;
            *p = gone->next;
            free(gone->of);
            free(gone);
            return;
        }
}

// ---- the file

static void write_omitted(FILE *to)
{
    const char *between = page.omitted || page.file.first ? "," : "";
    fputs("],\n\"left_out\":[", to);
    if (page.omitted)
        fprintf(to, "\"%" PRIu64 " launch%s that %s asked for came after the limit was reached\"", page.omitted,
                page.omitted == 1 ? "" : "es", page.omitted == 1 ? "was" : "were");
    else if (page.file.first)
        fputs("\"no selected launch has ended yet\"", to);
    if (calls_omitted())
        fprintf(to, "%s\"%" PRIu64 " calls of the host came after the first %u\"", between, calls_omitted(),
                calls_count());
    fputs("]}\n", to);
}

static void write_calls(FILE *to)
{
    fputs("],\n\"calls\":[", to);
    calls_write(to);
    page.calls = calls_count();
}

static void write_tail(FILE *to)
{
    fputs("],\n\"files\":[", to);
    list_write(to, &page.files);
    fputs("],\n\"instructions\":[", to);
    list_write(to, &page.instructions);
    write_calls(to);
    write_omitted(to);
}

#define CHECK_NAME(name, usual) {s->check_##name, #name},
static void write_checks(FILE *to, const struct settings *s)
{
    const char *between = "";
    const struct {
        bool on;
        const char *name;
    } checks[] = {CHECKS(CHECK_NAME)};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i].on) {
            fprintf(to, "%s\"%s\"", between, checks[i].name);
            between = ",";
        }
}

void page_open(FILE *to)
{
    static const char *const schedules[] = {"order", "reverse", "random", "stall"};
    const struct settings *s = settings();
    page.file = (struct growing){.to = to, .first = true};
    fputs("{\"format\":\"simt-trace\",\"version\":1", to);
    write_member(to, "program", program_invocation_name);
    fputs(",\n\"settings\":{\"check\":[", to);
    write_checks(to, s);
    fprintf(to, "],\"schedule\":\"%s\",\"seed\":%" PRIu64 ",\"count\":%s},\n\"launches\":[", schedules[s->schedule],
            s->seed, s->count ? "true" : "false");
    growing_tail(&page.file, write_tail);
}

void page_omitted(uint64_t omitted)
{
    page.omitted = omitted;
    fseek(page.file.to, page.file.end, SEEK_SET);
    growing_tail(&page.file, write_tail);
}

void page_end(void)
{
    if (page.calls == calls_count() && !calls_omitted())
        return;
    fseek(page.file.to, page.file.end, SEEK_SET);
    growing_tail(&page.file, write_tail);
}

// ---- a launch

static void write_triple(FILE *to, const char *name, const uint32_t v[3])
{
    fprintf(to, ",\"%s\":[%u,%u,%u]", name, v[0], v[1], v[2]);
}

static bool touches(const struct recording *r, const struct access_record *a, uint32_t from, uint32_t size)
{
    uint64_t at = row_value(&r->values, &a->at, a->mask, (uint32_t)__builtin_ctz(a->mask));
    return a->space == PTX_SHARED && at >= from && at - from < size;
}

// Type of the elements from offset `from` on. If PTX declares only bytes, it is the type of the first access.
static enum ptx_type shared_type(const struct recording *r, uint32_t from, uint32_t size)
{
    for (uint32_t i = 0; i < r->events.count; i++) {
        const struct event *e = &r->events.at[i];
        enum ptx_type type = e->access_count ? element_type(event_origin(r, e)) : PTX_NONE;
        for (uint32_t k = 0; k < e->access_count && type != PTX_NONE; k++)
            if (touches(r, &r->accesses.at[e->first_access + k], from, size))
                return type;
    }
    return PTX_B8;
}

static void write_variable(FILE *to, const struct recording *r, const char *name, uint32_t offset, uint32_t size,
                           enum ptx_type type)
{
    type = type == PTX_B8 ? shared_type(r, offset, size) : type;
    fputs("{\"name\":", to);
    json_string(to, name);
    fprintf(to, ",\"offset\":%u,\"size\":%u,\"type\":\"%s\",\"element\":%u}", offset, size, ptx_type_name(type),
            ptx_type_size(type));
}

// Dynamic shared memory has no name.
static void write_shared(FILE *to, const struct recording *r)
{
    const struct launch *l = r->launch;
    const struct code *c = l->code;
    fputs(",\n\"shared\":[", to);
    for (uint32_t i = 0; i < c->shared_count; i++) {
        const struct shared_variable *v = &c->shared[i];
        fputs(i ? "," : "", to);
        write_variable(to, r, variable_name(v->ptx->name), v->offset, v->size, v->ptx->type);
    }
    fputs(c->shared_count && l->dynamic_shared ? "," : "", to);
    if (l->dynamic_shared)
        write_variable(to, r, "", l->dynamic_start, l->dynamic_shared, PTX_B8);
    fputc(']', to);
}

static int32_t allocation_of(const struct recording *r, uint64_t address)
{
    for (uint32_t i = 0; i < r->allocations.count; i++)
        if (address >= r->allocations.at[i].base && address - r->allocations.at[i].base < r->allocations.at[i].size)
            return (int32_t)i;
    return -1;
}

static void write_parameter(FILE *to, const struct recording *r, const struct ptx_variable *p, uint32_t at)
{
    uint64_t value = 0;
    fputs("{\"name\":", to);
    json_string(to, p->name);
    fprintf(to, ",\"type\":\"%s\",\"size\":%" PRIu64, ptx_type_name(p->type), p->size);
    if (p->size <= 8) {
        memcpy(&value, r->launch->params + at, p->size);
        fputs(",\"value\":", to);
        number_write(to, value);
    }
    if (p->size == 8 && allocation_of(r, value) >= 0)
        fprintf(to, ",\"allocation\":%d", allocation_of(r, value));
    fputc('}', to);
}

static void write_parameters(FILE *to, const struct recording *r)
{
    const struct ptx_function *f = r->launch->code->ptx;
    uint32_t at = 0;
    fputs(",\n\"parameters\":[", to);
    for (int k = 0; k < f->param_count; k++) {
        at = param_start(at, &f->params[k]);
        fputs(k ? "," : "", to);
        write_parameter(to, r, &f->params[k], at);
        at += (uint32_t)f->params[k].size;
    }
    fputc(']', to);
}

static void write_allocations(FILE *to, const struct recording *r)
{
    fputs(",\n\"allocations\":[", to);
    for (uint32_t i = 0; i < r->allocations.count; i++) {
        const struct touched *t = &r->allocations.at[i];
        fprintf(to, "%s{\"base\":%" PRIu64 ",\"size\":%" PRIu64 ",\"name\":", i ? "," : "", t->base, t->size);
        json_string(to, t->name ? variable_name(t->name) : "");
        fputc('}', to);
    }
    fputc(']', to);
}

static void write_blocks(FILE *to, const struct recording *r)
{
    const uint32_t *grid = r->launch->grid;
    fputs(",\n\"blocks\":[", to);
    for (uint32_t i = 0; i < r->blocks.count; i++) {
        const struct traced_block *b = &r->blocks.at[i];
        uint64_t n = b->number;
        fprintf(to, "%s{\"number\":%" PRIu64 ",\"index\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", i ? "," : "", n,
                n % grid[0], n / grid[0] % grid[1], n / grid[0] / grid[1]);
        fprintf(to, ",\"events\":%u,\"left_out\":%" PRIu64 ",\"complete\":%s}", b->events, b->omitted,
                b->ended && !b->omitted ? "true" : "false");
    }
    fputc(']', to);
}

// ---- events

// Writes a member of an object; the first has no comma before it.
struct members {
    FILE *to;
    bool some;
};

static FILE *member(struct members *m, const char *name)
{
    fprintf(m->to, "%s\"%s\":", m->some ? "," : "{", name);
    m->some = true;
    return m->to;
}

// One row, or a list of them: the elements of a vector.
static void write_rows(struct members *m, const struct recording *r, uint32_t first, uint32_t count, uint32_t mask)
{
    if (!count)
        return;
    FILE *to = member(m, count == 1 ? "value" : "values");
    fputs(count == 1 ? "" : "[", to);
    for (uint32_t k = 0; k < count; k++) {
        fputs(k ? "," : "", to);
        row_write(to, &r->values, &r->rows.at[first + k], mask);
    }
    fputs(count == 1 ? "" : "]", to);
}

static void write_row_member(struct members *m, const char *name, const struct recording *r, const struct row *row,
                             uint32_t mask)
{
    if (row->kind != ROW_NONE)
        row_write(member(m, name), &r->values, row, mask);
}

static void write_access(FILE *to, const struct recording *r, const struct access_record *a)
{
    static const char *const kinds[] = {"load", "store", "atomic", "copy_issued", "copy_done"};
    struct members m = {to, true};
    fprintf(to, "{\"space\":\"%s\",\"kind\":\"%s\",\"mask\":%u,\"bytes\":%u", space_word(a->space), kinds[a->kind],
            a->mask, a->bytes);
    write_row_member(&m, "at", r, &a->at, a->mask);
    if (a->allocation != NO_EVENT)
        fprintf(member(&m, "allocation"), "%u", a->allocation);
    write_rows(&m, r, a->first_value, a->value_count, a->mask);
    write_row_member(&m, "old", r, &a->old, a->mask);
    write_row_member(&m, "new", r, &a->new, a->mask);
    fputc('}', to);
}

static void write_accesses(struct members *m, const struct recording *r, const struct event *e)
{
    if (!e->access_count)
        return;
    FILE *to = member(m, "access");
    for (uint32_t k = 0; k < e->access_count; k++) {
        fputc(k ? ',' : '[', to);
        write_access(to, r, &r->accesses.at[e->first_access + k]);
    }
    fputc(']', to);
}

static void write_cost(struct members *m, const struct memory_count *c)
{
    const struct {
        const char *name;
        uint64_t n;
    } all[] = {{"requests", c->requests},
               {"lanes", c->lanes},
               {"sectors", c->sectors},
               {"sectors_ideal", c->sectors_ideal},
               {"passes", c->wavefronts},
               {"passes_ideal", c->wavefronts_ideal},
               {"same", c->same},
               {"warps", c->warps},
               {"shared_requests", c->shared_requests},
               {"shared_lanes", c->shared_lanes},
               {"shared_same", c->shared_same}};
    struct members own = {member(m, "cost"), false};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].n)
            fprintf(member(&own, all[i].name), "%" PRIu64, all[i].n);
    fputs(own.some ? "}" : "{}", own.to);
}

static void write_release(struct members *m, const struct recording *r, const struct event *e)
{
    fprintf(member(m, "release"), "%d", e->barrier);
    fprintf(member(m, "warps"), "%u", e->active);
    FILE *to = member(m, "arrived");
    fputc('[', to);
    for (uint32_t k = 0; k < e->arrival_count; k++)
        fprintf(to, "%s%u", k ? "," : "", r->arrivals.at[e->first_arrival + k]);
    fputc(']', to);
}

static void write_step(struct members *m, const struct recording *r, const struct event *e)
{
    const struct origin *o = event_origin(r, e);
    if (e->has_bits)
        fprintf(member(m, "value"), "%u", e->bits);
    write_rows(m, r, e->first_value, e->value_count, e->executed);
    write_accesses(m, r, e);
    if (e->cost != NO_EVENT)
        write_cost(m, &r->costs.at[e->cost]);
    if (o->op == OP_bra)
        fprintf(member(m, "taken"), "%u", e->taken);
    write_row_member(m, "from", r, &e->from, e->executed);
    if (e->barrier >= 0)
        fprintf(member(m, "barrier"), "%d", e->barrier);
    if (e->waits)
        fputs("true", member(m, "waits"));
}

static void write_more(struct members *m, const struct recording *r, const struct event *e)
{
    switch (e->kind) {
    case EVENT_INSTRUCTION: write_step(m, r, e); break;
    case EVENT_RELEASE: write_release(m, r, e); break;
    case EVENT_JOIN: fputs("true", member(m, "join")); break;
    case EVENT_START: fputs("true", member(m, "start")); break;
    case EVENT_END: fputs("true", member(m, "end")); break;
    }
}

static void write_event(FILE *to, const struct recording *r, const struct event *e)
{
    bool step = e->kind == EVENT_INSTRUCTION, lanes = step || e->kind == EVENT_JOIN;
    struct members m = {to, false};
    fprintf(to, "[%u,%d,%u,%d,%u,%u,", e->block, e->warp == NO_EVENT ? -1 : (int)e->warp, e->time,
            step ? instruction_number(r->launch->module, e->id) : -1, lanes ? e->active : 0, lanes ? e->executed : 0);
    write_more(&m, r, e);
    fputs(m.some ? "}]" : "{}]", to);
}

static void write_events(FILE *to, const struct recording *r)
{
    fputs(",\n\"events\":[", to);
    for (uint32_t i = 0; i < r->events.count; i++) {
        fputs(i ? ",\n" : "\n", to);
        write_event(to, r, &r->events.at[i]);
    }
    fputc(']', to);
}

// ---- findings

static void write_side(FILE *to, const struct recording *r, const struct actor *p, uint32_t id, uint32_t event)
{
    const struct module *m = r->launch->module;
    const struct ptx_instr *in = instr_of(m, id);
    bool known = p->thread != NO_THREAD;
    fprintf(to, "{\"file\":%d,\"line\":%d,\"instruction\":%d,\"access\":\"%s\",\"block\":%" PRIu64,
            in ? file_number(m->ptx, in->loc.file) : -1, in ? in->loc.line : 0, instruction_number(m, id),
            p->access ? p->access : "", p->block);
    fprintf(to, ",\"thread\":%d,\"warp\":%d,\"lane\":%d,\"event\":%d}", known ? (int)p->thread : -1,
            known ? (int)(p->thread / LANES) : -1, known ? (int)(p->thread % LANES) : -1,
            event == NO_EVENT ? -1 : (int)event);
}

static void write_finding(FILE *to, const struct recording *r, const struct finding_record *f)
{
    static const char *const kinds[] = {"memory", "init", "sync", "race", "streams"};
    static const char *const severities[] = {"information", "warning", "error"};
    fprintf(to, "{\"kind\":\"%s\",\"severity\":\"%s\",\"times\":%" PRIu64, kinds[f->kind], severities[f->severity],
            f->times);
    write_member(to, "words", f->words);
    if (f->scene.size) {
        fprintf(to, ",\"space\":\"%s\",\"bytes\":%u,\"address\":", space_word(f->scene.space), f->scene.size);
        number_write(to, f->scene.address);
    }
    write_member(to, "missing", f->scene.missing ? f->scene.missing : "");
    fputs(",\"sides\":[", to);
    if (f->earlier_id != NONE) {
        write_side(to, r, &f->scene.past, f->earlier_id, f->earlier_event);
        fputc(',', to);
    }
    write_side(to, r, &f->scene.now, f->current_id, f->current_access);
    fputs("]}", to);
}

static void write_findings(FILE *to, const struct recording *r)
{
    fputs(",\n\"findings\":[", to);
    for (uint32_t i = 0; i < r->findings.count; i++) {
        fputs(i ? ",\n" : "\n", to);
        write_finding(to, r, &r->findings.at[i]);
    }
    fputc(']', to);
}

// ---- the rest of a launch

static void write_counters(FILE *to, const char *name, const struct simt_counters *c)
{
    fprintf(to, ",\n\"%s\":{", name);
    const char *between = "";
#define WRITE_COUNTER(field, meaning) \
    fprintf(to, "%s\"" #field "\":%" PRIu64, between, c->field); \
    between = ",";
    SIMT_COUNTERS(WRITE_COUNTER)
#undef WRITE_COUNTER
    fputc('}', to);
}

struct sentences {
    FILE *to;
    bool some;
};

static void write_sentence(const char *sentence, void *data)
{
    struct sentences *s = data;
    fputs(s->some ? "," : "", s->to);
    json_string(s->to, sentence);
    s->some = true;
}

static void write_head(FILE *to, const struct recording *r)
{
    const struct launch *l = r->launch;
    fputs("{\"kernel\":", to);
    json_string(to, kernel_name(l->code->name));
    write_member(to, "name", l->code->name);
    fprintf(to, ",\"launch\":%" PRIu64 ",\"number\":%" PRIu64 ",\"device\":%d", r->ordinal, l->number, l->device);
    write_triple(to, "grid", l->grid);
    write_triple(to, "block", l->dim);
    fprintf(to, ",\"warps\":%u,\"shared_bytes\":%u,\"registers\":%u,\"cooperative\":%s", l->warps_per_block,
            l->code->shared_bytes + l->dynamic_shared, l->code->registers, l->cooperative ? "true" : "false");
    if (r->failed)
        fprintf(to, ",\"failed\":%d", r->failed);
}

void page_launch(const struct recording *r)
{
    FILE *to = page.file.to;
    struct sentences omitted = {to, false};
    growing_more(&page.file);
    write_head(to, r);
    write_shared(to, r);
    write_parameters(to, r);
    write_allocations(to, r);
    write_blocks(to, r);
    write_events(to, r);
    write_findings(to, r);
    fputs(",\n\"flights\":[", to);
    flights_write(r, to);
    fputc(']', to);
    if (settings()->count && !r->cut)
        write_counters(to, "counters", &r->counters);
    if (settings()->count)
        write_counters(to, "traced", &r->traced);
    fputs(",\n\"left_out\":[", to);
    omitted_each(r, write_sentence, &omitted);
    fputs("]}", to);
    growing_tail(&page.file, write_tail);
}
