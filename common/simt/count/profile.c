// The profile of a program. While kernels run, one tally for each kernel of each module sums up their work. Its counts
// go into a record when the program ends or the module is unloaded; if each launch has its own record, after each
// launch.
#include "count/profile.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "count/record.h"
#include "count/tally.h"
#include "report/output.h"
#include "report/settings.h"

#define MAX_LAUNCHES 1000 // launches that have their own record

struct kernel_tally {
    struct tally tally;
    struct launch_totals whole;
    struct profile_record shape; // kernel and mangled are the module's strings; it has no lines
    struct kernel_tally *next;
};

static struct {
    pthread_mutex_t lock;
    struct kernel_tally *tallies;
    struct profile profile;
    uint64_t launches; // of the program
    bool inside;       // the profile of a range that the program marks
    char **names;      // names that records use
    uint32_t name_count;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- names

// A permanent copy of the name; equal names share it.
static const char *keep(const char *name)
{
    for (uint32_t i = all.name_count; i-- > 0;)
        if (!strcmp(all.names[i], name))
            return all.names[i];
    if (all.name_count % 64 == 0)
        all.names = alloc_resize(all.names, all.name_count + 64, sizeof *all.names);
    char *copy = alloc_resize(NULL, strlen(name) + 1, 1);
    strcpy(copy, name);
    return all.names[all.name_count++] = copy;
}

// ---- records

static int by_place(const void *a, const void *b)
{
    const struct profile_line *x = a, *y = b;
    int file = strcmp(x->file, y->file);
    return file ? file : x->line != y->line ? x->line - y->line : strcmp(x->function, y->function);
}

// Merges equal lines.
static void sort_lines(struct profile_record *r)
{
    uint32_t n = 0;
    if (!r->line_count)
        return;
    qsort(r->lines, r->line_count, sizeof *r->lines, by_place);
    for (uint32_t i = 1; i < r->line_count; i++)
        if (by_place(&r->lines[n], &r->lines[i]))
            r->lines[++n] = r->lines[i];
        else
            add_counters(&r->lines[n].counters, &r->lines[i].counters);
    r->line_count = n + 1;
}

static struct profile_line line_of(const struct tally *t, uint32_t id)
{
    const struct origin *o = &t->module->origins[id];
    return (struct profile_line){
        keep(source_path(t->module->ptx, o->ptx->loc.file)), keep(kernel_name(o->code->name)), o->ptx->loc.line, {0}};
}

// Adds a tally's counts to the record: for each source line, and in all, with the counts of its launches.
static void add_tally(struct profile_record *r, const struct kernel_tally *k)
{
    struct simt_counters counters = {0};
    r->lines = alloc_resize(r->lines, r->line_count + k->tally.count + 1, sizeof *r->lines);
    for (uint32_t id = 0; id < k->tally.count; id++)
        if (k->tally.of[id].warps) {
            struct profile_line *line = &r->lines[r->line_count++];
            *line = line_of(&k->tally, id);
            read_instruction(&k->tally, id, &k->whole, &line->counters);
            add_counters(&counters, &line->counters);
        }
    sort_lines(r);
    counters.barriers = 0; // distributed over lines, which may leave a remainder
    read_launches(&k->whole, &counters);
    add_counters(&r->counters, &counters);
}

static bool is_same(const uint32_t a[3], const uint32_t b[3])
{
    return !memcmp(a, b, 3 * sizeof *a);
}

// Adds to r what else is known of other launches of the same kernel.
static void join_shape(struct profile_record *r, const struct profile_record *more)
{
    r->other_grids |= more->other_grids || !is_same(r->grid, more->grid);
    r->other_blocks |= more->other_blocks || !is_same(r->block, more->block);
    r->sampled |= more->sampled;
    r->failed |= more->failed;
    if (more->residency.blocks < r->residency.blocks) {
        r->residency = more->residency;
        r->dynamic_shared = more->dynamic_shared;
    }
}

// The record for such launches; a new one if there is none.
static struct profile_record *record_for(const struct profile_record *shape)
{
    struct profile *p = &all.profile;
    const char *mangled = keep(shape->mangled), *file = keep(shape->file);
    for (uint32_t i = 0; i < p->count; i++) {
        struct profile_record *r = &p->records[i];
        if (r->mangled == mangled && r->file == file && r->line == shape->line && r->number == shape->number) {
            join_shape(r, shape);
            return r;
        }
    }
    if (p->count % 64 == 0)
        p->records = alloc_resize(p->records, p->count + 64, sizeof *p->records);
    struct profile_record *r = &p->records[p->count++];
    *r = *shape;
    r->kernel = keep(kernel_name(shape->mangled));
    r->mangled = mangled;
    r->file = file;
    return r;
}

static void fold(struct kernel_tally *k)
{
    if (k->whole.launches)
        add_tally(record_for(&k->shape), k);
    free(k->tally.of);
    k->tally.of = NULL;
    k->tally.count = 0;
    k->whole = (struct launch_totals){0};
}

// ---- launches

// Finds where the kernel's code begins: its first line in the user's files.
static struct ptx_loc start_of(const struct ptx_function *f)
{
    for (int i = 0; i < f->instr_count; i++)
        if (f->instrs[i].loc.line)
            return f->instrs[i].loc;
    return (struct ptx_loc){0, 0};
}

static struct profile_record shape_of(const struct launch *l)
{
    struct ptx_loc start = start_of(l->code->ptx);
    bool alone = settings()->profile_launches && all.launches <= MAX_LAUNCHES;
    return (struct profile_record){.mangled = l->code->name,
                                   .file = source_path(l->module->ptx, start.file),
                                   .line = start.line,
                                   .number = alone ? all.launches : 0,
                                   .later = settings()->profile_launches && !alone,
                                   .grid = {l->grid[0], l->grid[1], l->grid[2]},
                                   .block = {l->dim[0], l->dim[1], l->dim[2]},
                                   .dynamic_shared = l->dynamic_shared,
                                   .static_shared = l->code->shared_bytes,
                                   .registers = l->code->registers,
                                   .sampled = l->partial,
                                   .failed = atomic_load(&l->failed) != 0,
                                   .residency = residency(l->code, l->threads_per_block, l->dynamic_shared)};
}

// The tally of the kernel that l launches.
static struct kernel_tally *tally_for(const struct launch *l)
{
    struct kernel_tally **link = &all.tallies, *k;
    while ((k = *link) && (k->tally.module != l->module || k->shape.mangled != l->code->name))
        link = &k->next;
    if (!k) {
        *link = k = alloc_zeroed(1, sizeof *k);
        k->tally.module = l->module;
    }
    struct profile_record shape = shape_of(l);
    if (k->whole.launches)
        join_shape(&k->shape, &shape);
    else
        k->shape = shape;
    return k;
}

void profile_launch(const struct launch *launch, const struct worker *workers)
{
    if (!settings()->profile)
        return;
    pthread_mutex_lock(&all.lock);
    all.launches++;
    if (all.inside || !settings()->profile_range) {
        struct kernel_tally *k = tally_for(launch);
        tally_launch(&k->tally, launch, workers);
        add_launch(&k->whole, launch, workers);
        if (settings()->profile_launches)
            fold(k);
    }
    pthread_mutex_unlock(&all.lock);
}

void profile_host(const struct simt_counters *more)
{
    if (!settings()->profile)
        return;
    pthread_mutex_lock(&all.lock);
    if (all.inside || !settings()->profile_range)
        add_counters(&all.profile.counters, more);
    pthread_mutex_unlock(&all.lock);
}

void profile_range(bool on)
{
    pthread_mutex_lock(&all.lock);
    all.inside = on;
    pthread_mutex_unlock(&all.lock);
}

void profile_forget(const struct module *m)
{
    pthread_mutex_lock(&all.lock);
    for (struct kernel_tally **link = &all.tallies; *link;) {
        struct kernel_tally *k = *link;
        if (k->tally.module == m) {
            fold(k);
            *link = k->next;
            free(k);
        } else
            link = &k->next;
    }
    pthread_mutex_unlock(&all.lock);
}

// ---- the end

static void write_to(FILE *file, void (*write)(const struct profile *p, FILE *to))
{
    if (!file)
        return;
    write(&all.profile, file);
    output_close(file, "SIMT_PROFILE");
}

static void write_profile(void)
{
    const struct settings *s = settings();
    if (!s->profile)
        return;
    pthread_mutex_lock(&all.lock);
    for (struct kernel_tally *k = all.tallies; k; k = k->next)
        fold(k);
    for (uint32_t i = 0; i < all.profile.count; i++)
        add_counters(&all.profile.counters, &all.profile.records[i].counters);
    fflush(stdout);
    write_to(s->profile_json, write_profile_json);
    write_to(s->profile_callgrind, write_profile_callgrind);
    if (s->profile_text) // last, when no reader is left
        write_profile_text(&all.profile, stderr);
    pthread_mutex_unlock(&all.lock);
}

void profile_expect(void)
{
    output_at_end(write_profile);
}
