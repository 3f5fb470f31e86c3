// Environment variables of the machine. An unknown value ends the program: a misspelt SIMT_CHECK must not grade. The
// program's own simt_defaults (simt.h) apply where the environment has no value.
#define _GNU_SOURCE // sched_getaffinity
#include "report/settings.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "report/output.h"
#include "report/sarif.h"
#include "simt.h"

static struct settings current, of_environment;

// Skips the program's exit handlers: some query the settings, which are still being read.
static void refuse(const char *name, const char *value, const char *accepted)
{
    fprintf(stderr, "simt: %s=%s is not understood; accepted: %s\n", name, value, accepted);
    fflush(stdout);
    _exit(1);
}

// The number that starts `skip` characters into value.
static uint64_t number(const char *name, const char *value, size_t skip, uint64_t low, uint64_t high,
                       const char *accepted)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value + skip, &end, 10);
    if (errno || end == value + skip || *end || value[skip] == '-' || n < low || n > high)
        refuse(name, value, accepted);
    return n;
}

#define CHECK_ROW(name, usual) {#name, &current.check_##name, usual},
#define CHECK_WORD(name, usual) "," #name

// Switches on the check of this name. False: there is no such check.
static bool switch_on(const char *word, size_t length)
{
    const struct {
        const char *name;
        bool *flag;
        bool usual;
    } checks[] = {CHECKS(CHECK_ROW)};
    bool all = length == 3 && !memcmp(word, "all", 3), known = all;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        bool named = strlen(checks[i].name) == length && !memcmp(word, checks[i].name, length);
        *checks[i].flag |= named || (all && checks[i].usual);
        known |= named;
    }
    return known;
}

static void read_checks(const char *value)
{
    if (!strcmp(value, "none"))
        return;
    for (const char *word = value;; word++) {
        size_t length = strcspn(word, ",");
        if (!switch_on(word, length))
            refuse("SIMT_CHECK", value, "none, or a list of all" CHECKS(CHECK_WORD));
        word += length;
        if (!*word)
            break;
    }
    current.only_copies = current.check_origin && !current.check_race;
    current.check_race |= current.check_origin; // that check needs to follow copies
}

static void read_schedule(const char *value)
{
    const char *accepted = "order, reverse, random:SEED or stall:BLOCK";
    if (!strcmp(value, "order"))
        current.schedule = SCHEDULE_ORDER;
    else if (!strcmp(value, "reverse"))
        current.schedule = SCHEDULE_REVERSE;
    else if (!strncmp(value, "random:", 7)) {
        current.schedule = SCHEDULE_RANDOM;
        current.seed = number("SIMT_SCHEDULE", value, strlen("random:"), 0, UINT64_MAX, accepted);
    } else if (!strncmp(value, "stall:", 6)) {
        current.schedule = SCHEDULE_STALL;
        current.seed = number("SIMT_SCHEDULE", value, strlen("stall:"), 0, UINT32_MAX, accepted);
    } else
        refuse("SIMT_SCHEDULE", value, accepted);
}

#define SAMPLES "all, or a list of first,last,powers,random:K,spread:K,tickets:K,valid,at:ADDRESS"

// Parses one word of SIMT_SAMPLE. False: it is unknown.
static bool add_sample(struct sample *s, const char *word)
{
    const struct {
        const char *name;
        bool *flag;
    } words[] = {
        {"all", &s->all}, {"first", &s->first}, {"last", &s->last}, {"powers", &s->powers}, {"valid", &s->valid}};
    const struct {
        const char *name;
        uint32_t *to, most;
    } numbers[] = {{"random:", &s->random, 1000}, {"spread:", &s->spread, 1000}, {"tickets:", &s->tickets, 1 << 30}};
    bool known = false;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t length = strlen(numbers[i].name);
        if (strncmp(word, numbers[i].name, length) != 0)
            continue;
        *numbers[i].to = (uint32_t)number("SIMT_SAMPLE", word, length, 0, numbers[i].most, SAMPLES);
        known = true;
    }
    if (!strncmp(word, "at:", 3)) {
        s->at = number("SIMT_SAMPLE", word, 3, 1, UINT64_MAX, SAMPLES);
        known = true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i].name))
            known = *words[i].flag = true;
    return known;
}

static void read_sample(const char *value)
{
    current.sample = (struct sample){.on = true};
    for (const char *word = value;; word++) {
        size_t length = strcspn(word, ",");
        char text[32] = "";
        if (length < sizeof text)
            memcpy(text, word, length);
        if (!add_sample(&current.sample, text))
            refuse("SIMT_SAMPLE", value, SAMPLES);
        word += length;
        if (!*word)
            return;
    }
}

// The value of name among the program's own settings; NULL: it has none.
static const char *find_default(const char *name)
{
    static char *lines; // a copy of them, split into NAME=VALUE strings
    size_t length = strlen(name), bytes = strlen(simt_defaults) + 2;
    if (!lines) {
        lines = memcpy(alloc_zeroed(bytes, 1), simt_defaults, bytes - 1);
        for (char *end = lines; (end = strchr(end, '\n')); end++)
            *end = '\0';
    }
    for (const char *line = lines; line < lines + bytes - 1; line += strlen(line) + 1)
        if (!strncmp(line, name, length) && line[length] == '=')
            return line + length + 1;
    return NULL;
}

const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value || !simt_defaults ? value : find_default(name);
}

// The files that SIMT_PROFILE and SIMT_REPORT name.
static struct {
    char *json, *callgrind, *sarif;
} files;

static void read_profile(const char *value)
{
    for (const char *word = value;; word++) {
        size_t length = strcspn(word, ",");
        bool text = length == 4 && !memcmp(word, "text", 4), range = length == 5 && !memcmp(word, "range", 5);
        bool launches = length == 8 && !memcmp(word, "launches", 8);
        current.profile_text |= text;
        current.profile_launches |= launches;
        current.profile_range |= range;
        if (!text && !range && !launches && !names_file(word, length, "json:", &files.json) &&
            !names_file(word, length, "callgrind:", &files.callgrind))
            refuse("SIMT_PROFILE", value, "a list of text, json:FILE, callgrind:FILE, and launches, range");
        word += length;
        if (!*word)
            break;
    }
    if (!current.profile_text && !files.json && !files.callgrind)
        refuse("SIMT_PROFILE", value, "a list with one of text, json:FILE, callgrind:FILE");
}

static void read_report(const char *value)
{
    if (!names_file(value, strlen(value), "sarif:", &files.sarif))
        refuse("SIMT_REPORT", value, "sarif:FILE");
}

// Whether `word` comes next; if so, *rest points after it.
static bool take_word(const char **rest, const char *word)
{
    bool is = !strncmp(*rest, word, strlen(word));
    *rest += is ? strlen(word) : 0;
    return is;
}

// Parses GPU[,range][,lines]; range: only work between cudaProfilerStart and cudaProfilerStop counts.
static void read_estimate(const char *value)
{
    char name[512], error[512];
    size_t length = strcspn(value, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, value);
    const char *rest = value + length;
    current.estimate_range = take_word(&rest, ",range");
    current.estimate_lines = take_word(&rest, ",lines");
    if (!length || length >= sizeof name || *rest)
        refuse("SIMT_ESTIMATE", value, GPU_ACCEPTED ", and then ,range and ,lines");
    if (!gpu_read(name, &current.gpu, error, sizeof error)) {
        fprintf(stderr, "simt: SIMT_ESTIMATE: %s\n", error);
        refuse("SIMT_ESTIMATE", value, GPU_ACCEPTED);
    }
    current.estimate = true;
    current.multiprocessors = (uint32_t)current.gpu.multiprocessors;
}

static FILE *open_trace(const char *path)
{
    return path ? output_open("SIMT_TRACE", path) : NULL;
}

static void read_trace(const char *value)
{
    struct selection *s = &current.trace;
    if (!read_selection(value, s))
        refuse("SIMT_TRACE", value, SELECTION_ACCEPTED);
    current.trace_text = s->text ? stderr : open_trace(s->text_path);
    current.trace_page = open_trace(s->file_path);
    current.trace_perfetto = open_trace(s->perfetto_path);
    current.traces = current.trace_text || current.trace_page || current.trace_perfetto;
}

static void read_outputs(void)
{
    const char *value;
    if ((value = setting("SIMT_PROFILE")))
        read_profile(value);
    if ((value = setting("SIMT_REPORT")))
        read_report(value);
    if ((value = setting("SIMT_TRACE")))
        read_trace(value);
    if (files.json)
        current.profile_json = output_open("SIMT_PROFILE", files.json);
    if (files.callgrind)
        current.profile_callgrind = output_open("SIMT_PROFILE", files.callgrind);
    if (files.sarif)
        current.report_sarif = output_open("SIMT_REPORT", files.sarif);
    current.profile = current.profile_text || current.profile_json || current.profile_callgrind;
    if (current.profile || current.report_sarif || current.traces || setting("SIMT_ESTIMATE"))
        output_begin();
    if (current.report_sarif)
        sarif_begin(current.report_sarif);
}

void open_outputs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_outputs);
}

#define MIN_MEMORY 4   // GiB of each device
#define MAX_MEMORY 128 // unless SIMT_MEMORY asks for more: the address space is reserved beforehand

// Half of the host's memory: some programs take all that a device has left.
static uint32_t default_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    uint64_t gib = pages > 0 && page > 0 ? ((uint64_t)pages * (uint64_t)page) >> 31 : 0;
    return gib < MIN_MEMORY ? MIN_MEMORY : gib > MAX_MEMORY ? MAX_MEMORY : (uint32_t)gib;
}

uint32_t setting_memory(void)
{
    const char *value = setting("SIMT_MEMORY");
    return value ? (uint32_t)number("SIMT_MEMORY", value, 0, 1, 1024, "GiB, 1 to 1024") : default_memory();
}

// CPUs that this process may use, possibly limited by taskset or a container; at most 64.
static uint32_t usable_cores(void)
{
    cpu_set_t set;
    long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 64 ? 64 : (uint32_t)cores;
}

static void read_environment(void)
{
    const char *value;
    current.threads = usable_cores();
    current.devices = 1;
    current.memory = setting_memory();
    current.multiprocessors = 16;
    current.timeout = 60;
    current.patience = 300;
    current.progress = 10;
    current.count = true;
    read_checks((value = setting("SIMT_CHECK")) ? value : "all");
    if ((value = setting("SIMT_SCHEDULE")))
        read_schedule(value);
    if ((value = setting("SIMT_SAMPLE")))
        read_sample(value);
    if ((value = setting("SIMT_THREADS")))
        current.threads = (uint32_t)number("SIMT_THREADS", value, 0, 1, 256, "1 to 256");
    if ((value = setting("SIMT_DEVICES")))
        current.devices = (uint32_t)number("SIMT_DEVICES", value, 0, 1, 16, "1 to 16");
    if ((value = setting("SIMT_ESTIMATE")))
        read_estimate(value);
    if ((value = setting("SIMT_MULTIPROCESSORS")))
        current.multiprocessors = (uint32_t)number("SIMT_MULTIPROCESSORS", value, 0, 1, 1024, "1 to 1024");
    if ((value = setting("SIMT_TIMEOUT")))
        current.timeout = current.patience = (double)number("SIMT_TIMEOUT", value, 0, 1, 86400, "seconds, 1 to 86400");
    if ((value = setting("SIMT_PROGRESS")))
        current.progress = (double)number("SIMT_PROGRESS", value, 0, 0, 86400, "seconds, 0 to 86400; 0 for never");
    if ((value = setting("SIMT_COUNT")))
        current.count = number("SIMT_COUNT", value, 0, 0, 1, "0 or 1");
    if ((value = setting("SIMT_EXIT")) && *value)
        current.exit = (int)number("SIMT_EXIT", value, 0, 1, 255, "1 to 255");
    open_outputs();
    if (current.estimate && !current.count)
        refuse("SIMT_COUNT", "0", "1 if SIMT_ESTIMATE is set: an estimate needs the counters");
    if (current.profile && !current.count)
        refuse("SIMT_COUNT", "0", "1 if SIMT_PROFILE is set: a profile needs the counters");
    current.count_accesses = current.count;
    of_environment = current;
}

const struct settings *settings(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
    return &current;
}

void set_schedule(const char *value)
{
    settings();
    current.schedule = of_environment.schedule;
    current.seed = of_environment.seed;
    if (value)
        read_schedule(value);
}

void set_sample(const char *value)
{
    settings();
    current.sample = of_environment.sample;
    if (value)
        read_sample(value);
}

void set_count(bool accesses)
{
    settings();
    current.count_accesses = current.count && (accesses || current.profile);
}
