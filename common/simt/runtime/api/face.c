// The machine's own functions for programs (simt.h).
#include "simt.h"

#include <string.h>

#include "check/leaks.h"
#include "check/origin.h"
#include "check/provenance.h"
#include "count/count.h"
#include "count/reach.h"
#include "estimate/estimate.h"
#include "exec/convert.h"
#include "exec/host_overlap.h"
#include "exec/library.h"
#include "exec/sample.h"
#include "exec/texture.h"
#include "memory/host_watch.h"
#include "memory/memory.h"
#include "remote.h"
#include "report/output.h"
#include "report/report.h"
#include "report/settings.h"
#include "runtime/base/base.h"
#include "runtime/tasks/work.h"

void simt_read(struct simt_counters *out)
{
    overlap_wait();
    host_watch_end();
    count_read(out);
}

int simt_lines(const char *name, struct simt_line *out, int max)
{
    return count_lines(name, out, max);
}

int simt_grids(struct simt_grid *out, int max)
{
    return count_grids(out, max);
}

int simt_reach(const void *p, uint64_t bytes, int stores, struct simt_reach *out, int max)
{
    return reach_read(p, bytes, stores, out, max);
}

const void *simt_nonzero(const void *p, uint64_t bytes, int floats, const struct simt_range *known, int count)
{
    memory_open();
    const void *found = reach_nonzero(p, bytes, floats, known, count);
    memory_close();
    return found;
}

const char *simt_rounded(void)
{
    return convert_rounded();
}

double simt_sampled_loads(void)
{
    return count_loads_of_all();
}

uint64_t simt_findings(void)
{
    return findings_count();
}

uint64_t simt_refused_launches(void)
{
    return refused_launches(false);
}

int simt_asked_size(void)
{
    return device_size_queried(false);
}

static void count_allocation(const struct allocation *a, void *count)
{
    *(uint64_t *)count += is_of_program(a);
}

uint64_t simt_objects(void)
{
    uint64_t count = handles_live() + textures_live();
    memory_open();
    memory_each(count_allocation, &count);
    memory_close();
    return count;
}

struct kept {
    uint64_t since, number, size;
};

static void first_kept(const struct allocation *a, void *data)
{
    struct kept *k = data;
    if (is_of_program(a) && a->kind != MEMORY_HOST && a->number > k->since && (!k->number || a->number < k->number)) {
        k->number = a->number;
        k->size = a->size;
    }
}

uint64_t simt_kept(uint64_t since, uint64_t *size)
{
    struct kept k = {.since = since};
    memory_open();
    memory_each(first_kept, &k);
    memory_close();
    *size = k.size;
    return k.number;
}

uint64_t simt_allocations(void)
{
    return memory_count();
}

void simt_poison(void *p, int byte, uint64_t size)
{
    memory_open();
    if (!settings()->sample.on || size < SPARSE_FROM) // sparse memory holds zeros
        memset(p, byte, size);
    memory_close();
}

void simt_place(int place)
{
    memory_place(place);
}

void simt_wrong(const void *p, const char *words)
{
    provenance_word(p, words);
}

void simt_ends(void)
{
    output_end();
}

void simt_print_limit(uint64_t bytes)
{
    print_limit(bytes);
}

void simt_schedule(const char *order)
{
    set_schedule(order);
}

void simt_sample(const char *blocks)
{
    set_sample(blocks);
    sample_begin();
}

void simt_count(int accesses)
{
    set_count(accesses);
}

uint64_t simt_fail(uint64_t number)
{
    return fail_call(number);
}

const char *simt_failed(void)
{
    return failed_call();
}

int simt_estimated(struct simt_estimate *out)
{
    return estimate_read(out);
}

void simt_estimate(int on)
{
    estimate_switch(on);
}

void simt_reset(void)
{
    overlap_wait();
    origin_reset();
    estimate_reset();
    count_reset();
    reach_reset();
    convert_forget();
    findings_reset();
    refused_launches(true);
    host_watch_begin();
}
