// Combines the estimates of launches into one of the program.
//
// The host submits pieces of work, which takes it some time for each. A piece begins when it has been submitted and the
// previous one has ended, so short kernels wait for the host, and long ones hide it. All streams count as one.
#include "estimate/estimate.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "estimate/clock.h"
#include "estimate/stall.h"
#include "report/names.h"
#include "report/output.h"
#include "report/settings.h"

// The sum over a kernel's launches.
struct kernel_estimate {
    const char *mangled;
    char name[96];
    uint64_t launches;
    double us, parts[LIMIT_BY_LAUNCHES];
    double goes_to[LIMIT_BY_LAUNCHES]; // parts of us
    double bytes, issues;              // bytes of device memory; warp instructions
    struct stalls stalls;
    struct kernel_estimate *next;
};

static struct {
    pthread_mutex_t lock;
    struct kernel_estimate *kernels;
    double host, device; // us: when the host is free, and when the device has finished
    double busy;         // us of kernels, copies and fills
    uint64_t pieces;
    bool off;     // estimates are suspended
    bool inside;  // within a range that the program marks
    bool partial; // some launches were sampled
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- the time of the program

// given: the host's time to launch it; gap: the device's time until it begins. Timing begins between two events in a
// busy stream, so the host is ahead: by the time it takes to fill the L2 cache twice, as before each run of a
// benchmark.
static void add_piece(double us, double given, double gap)
{
    const struct gpu *g = &settings()->gpu;
    if (!all.pieces) {
        all.host = -2 * g->l2_bytes / g->dram_copy_gb_per_s / 1e3;
        all.device = g->start_us;
    }
    all.host += given;
    all.device += gap;
    all.device = (all.host > all.device ? all.host : all.device) + us;
    all.busy += us;
    all.pieces++;
}

static bool is_on(void)
{
    return settings()->estimate && !all.off && (all.inside || !settings()->estimate_range);
}

bool estimate_wants(void)
{
    return is_on();
}

void estimate_fill(uint64_t bytes)
{
    const struct gpu *g = &settings()->gpu;
    if (!is_on())
        return;
    pthread_mutex_lock(&all.lock);
    add_piece((double)bytes / g->l2_gb_per_s / 1e3, g->fill_us, g->fill_us);
    pthread_mutex_unlock(&all.lock);
}

// The bus to the host is not part of the GPU: transfers count as waits only.
void estimate_copy(uint64_t bytes, bool from_host, bool to_host)
{
    const struct gpu *g = &settings()->gpu;
    if (!is_on())
        return;
    pthread_mutex_lock(&all.lock);
    double device = from_host || to_host ? 0 : 2 * (double)bytes / g->dram_copy_gb_per_s / 1e3;
    add_piece(device + 2 * g->dram_latency / g->clock_ghz / 1e3, g->launch_us, g->gap_us);
    pthread_mutex_unlock(&all.lock);
    if (from_host || to_host)
        estimate_wait();
}

void estimate_wait(void)
{
    if (!is_on() || !all.pieces)
        return;
    pthread_mutex_lock(&all.lock);
    all.host = (all.host > all.device ? all.host : all.device) + settings()->gpu.wait_us;
    pthread_mutex_unlock(&all.lock);
}

void estimate_switch(bool on)
{
    all.off = !on;
}

void estimate_range(bool on)
{
    all.inside = on;
}

// ---- launches

static struct kernel_estimate *kernel_of(const struct launch *l)
{
    struct kernel_estimate **link = &all.kernels;
    while (*link && strcmp((*link)->mangled, l->code->name))
        link = &(*link)->next;
    if (!*link) {
        struct kernel_estimate *k = *link = alloc_zeroed(1, sizeof *k);
        size_t size = strlen(l->code->name) + 1;
        k->mangled = memcpy(alloc_zeroed(size, 1), l->code->name, size);
        snprintf(k->name, sizeof k->name, "%s", kernel_name(l->code->name));
    }
    return *link;
}

static void add_launch_estimate(const struct launch *l, const struct totals *t)
{
    struct bounds b = find_bounds(t, &settings()->gpu);
    pthread_mutex_lock(&all.lock);
    struct kernel_estimate *k = kernel_of(l);
    k->launches++;
    k->us += b.total;
    k->bytes += t->read + t->written;
    k->issues += t->issues;
    if (settings()->estimate_lines)
        stall_take(&k->stalls, l->module);
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++) {
        k->parts[i] += b.us[i];
        k->goes_to[i] += b.goes_to[i];
    }
    add_piece(b.total, settings()->gpu.launch_us, settings()->gpu.gap_us);
    all.partial |= l->partial;
    pthread_mutex_unlock(&all.lock);
}

void estimate_forget(const struct module *m)
{
    clock_forget(m);
}

// ---- the result

// The kernel that takes longest limits the program, unless no kernel runs for most of the time. *share: the limit's
// share of the time.
static enum limit limit_of_all(double *share)
{
    const struct kernel_estimate *longest = all.kernels;
    for (const struct kernel_estimate *k = all.kernels; k; k = k->next)
        longest = k->us > longest->us ? k : longest;
    if (!longest || all.busy < all.device / 2) {
        *share = all.device > 0 ? 1 - all.busy / all.device : 0;
        return LIMIT_BY_LAUNCHES;
    }
    enum limit limit = find_limit(longest->parts);
    *share = longest->us > 0 ? fmin(longest->parts[limit] / longest->us, 1) : 0;
    return limit;
}

static void add_parts(struct simt_parts *p, const double *us)
{
    p->memory += us[LIMIT_BY_DRAM] + us[LIMIT_BY_L2];
    p->shared += us[LIMIT_BY_L1] + us[LIMIT_BY_ACCESSES] + us[LIMIT_BY_CONSTANT];
    p->instructions += us[LIMIT_BY_ISSUE] + us[LIMIT_BY_INTEGER] + us[LIMIT_BY_FLOAT] + us[LIMIT_BY_DOUBLE] +
                       us[LIMIT_BY_SPECIAL] + us[LIMIT_BY_TENSOR];
    p->latency += us[LIMIT_BY_LATENCY];
    p->atomics += us[LIMIT_BY_ATOMICS] + us[LIMIT_BY_ONE_ADDRESS];
    p->launches += us[LIMIT_BY_BLOCKS];
}

bool estimate_read(struct simt_estimate *out)
{
    double kernels = 0;
    const struct gpu *g = &settings()->gpu;
    pthread_mutex_lock(&all.lock);
    *out = (struct simt_estimate){.us = all.device, .memory_rate = g->dram_read_gb_per_s};
    for (const struct kernel_estimate *k = all.kernels; k; k = k->next) {
        out->bytes += k->bytes;
        out->instructions += k->issues;
        kernels += k->us;
        add_parts(&out->parts, k->goes_to);
    }
    out->parts.launches += fmax(all.device - kernels, 0);
    out->limit = limit_words(limit_of_all(&out->limit_share));
    out->gpu = settings()->estimate ? g->name : NULL;
    out->memory_share = all.device > 0 ? out->bytes / (all.device * 1e3) / g->dram_read_gb_per_s : 0;
    out->issue_rate = g->issue_per_clock * g->multiprocessors * g->clock_ghz;
    bool any = all.pieces && !all.partial;
    pthread_mutex_unlock(&all.lock);
    return settings()->estimate && any;
}

void estimate_reset(void)
{
    pthread_mutex_lock(&all.lock);
    for (struct kernel_estimate *k = all.kernels, *next; k; k = next) {
        next = k->next;
        free((char *)k->mangled);
        stall_free(&k->stalls);
        free(k);
    }
    all.kernels = NULL;
    all.host = all.device = all.busy = 0;
    all.pieces = 0;
    all.partial = false;
    clock_cold();
    pthread_mutex_unlock(&all.lock);
}

// ---- the report

// "0.25 ms": three digits, in us or ms.
static const char *time_text(double us, char *out, size_t size)
{
    double shown = us < 1000 ? us : us / 1000;
    snprintf(out, size, "%.*f %s", shown < 10 ? 2 : shown < 100 ? 1 : 0, shown, us < 1000 ? "us" : "ms");
    return out;
}

static void write_kernel(const struct kernel_estimate *k, FILE *to)
{
    enum limit limit = find_limit(k->parts);
    char each[32];
    fprintf(to, "  %-28s %8llu x %10s  limited by %s (", k->name, (unsigned long long)k->launches,
            time_text(k->us / (double)k->launches, each, sizeof each), limit_words(limit));
    const char *comma = "";
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++)
        if (k->parts[i] > 0.3 * k->us) {
            fprintf(to, "%s%s %.0f %%", comma, limit_words((enum limit)i), 100 * k->parts[i] / k->us);
            comma = ", ";
        }
    fprintf(to, ")\n");
    stall_write(&k->stalls, k->parts, k->us, to);
}

static void write_estimate(void)
{
    struct simt_estimate e;
    char whole[32];
    if (!settings()->estimate)
        return;
    fflush(stdout);
    if (!estimate_read(&e)) {
        fprintf(stderr, "simt: estimate: nothing was launched that can be estimated\n");
        return;
    }
    fprintf(stderr, "simt: estimate: ~%s on an %s, limited by %s; an estimate, not a measurement\n",
            time_text(e.us, whole, sizeof whole), e.gpu, e.limit);
    for (const struct kernel_estimate *k = all.kernels; k; k = k->next)
        write_kernel(k, stderr);
}

void estimate_expect(void)
{
    clock_report_to(add_launch_estimate);
    output_at_end(write_estimate);
}
