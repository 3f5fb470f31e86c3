// A profile in callgrind's format, version 1 (https://valgrind.org/docs/manual/cl-format.html), for KCachegrind and
// callgrind_annotate: self costs of source lines, by the functions into which they were compiled.
#define _GNU_SOURCE // program_invocation_name
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "count/record.h"

static uint64_t instructions(const struct simt_counters *c)
{
    return c->warp_instructions;
}

static const struct event {
    const char *name, *meaning;
    uint64_t (*of)(const struct simt_counters *c);
} events[] = {
    {"Instr", "Instructions of warps", instructions},
    {"Idle", "Idle lanes of these, 32 in a warp", idle_lanes},
    {"GlobalReq", "Requests to global memory", global_requests},
    {"Sectors", "32-byte sectors of global memory", global_sectors},
    {"BankPasses", "Passes through the banks of shared memory", bank_passes},
    {"Waits", "Waits of warps at barriers", barrier_waits},
};

enum { EVENTS = sizeof events / sizeof *events };

// "?" is an unknown file, which callgrind calls ???.
static const char *file_of(const char *file)
{
    return strcmp(file, "?") ? file : "???";
}

static void write_costs(FILE *to, const struct simt_counters *c)
{
    for (int i = 0; i < EVENTS; i++)
        fprintf(to, " %llu", (unsigned long long)events[i].of(c));
    fputs("\n", to);
}

// The lines of one function that lie in the given file, or in all others.
static void write_lines(FILE *to, const struct profile_record *r, const char *function, const char *file, bool others)
{
    const char *now = file;
    for (uint32_t i = 0; i < r->line_count; i++) {
        const struct profile_line *line = &r->lines[i];
        if (line->function != function || (line->file != file) != others)
            continue;
        if (line->file != now)
            fprintf(to, "fi=%s\n", file_of(line->file));
        now = line->file;
        fprintf(to, "%d", line->line);
        write_costs(to, &line->counters);
    }
    if (now != file)
        fprintf(to, "fe=%s\n", file_of(file));
}

// first: the function's first line, whose file it begins in; for the kernel itself that line is known.
static void write_function(FILE *to, const struct profile_record *r, const struct profile_line *first)
{
    const char *file = first->function == r->kernel ? r->file : first->file;
    fprintf(to, "\nfl=%s\nfn=%s", file_of(file), first->function);
    if (r->number)
        fprintf(to, " in launch %llu", (unsigned long long)r->number);
    else if (r->later)
        fputs(" in later launches", to);
    fputs("\n", to);
    write_lines(to, r, first->function, file, false);
    write_lines(to, r, first->function, file, true);
}

static bool is_first(const struct profile_record *r, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (r->lines[k].function == r->lines[i].function)
            return false;
    return true;
}

void write_profile_callgrind(const struct profile *p, FILE *to)
{
    fprintf(to, "# callgrind format\nversion: 1\ncreator: simt\npid: %d\ncmd: %s\n\npositions: line\n", (int)getpid(),
            program_invocation_name);
    for (int i = 0; i < EVENTS; i++)
        fprintf(to, "event: %s : %s\n", events[i].name, events[i].meaning);
    fputs("events:", to);
    for (int i = 0; i < EVENTS; i++)
        fprintf(to, " %s", events[i].name);
    fputs("\nsummary:", to);
    write_costs(to, &p->counters);
    for (uint32_t n = 0; n < p->count; n++)
        for (uint32_t i = 0; i < p->records[n].line_count; i++)
            if (is_first(&p->records[n], i))
                write_function(to, &p->records[n], &p->records[n].lines[i]);
    fputs("\ntotals:", to);
    write_costs(to, &p->counters);
}
