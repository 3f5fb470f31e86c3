// A profile as JSON; docs/profile.md describes every field. A change that breaks a reader raises VERSION.
#define _GNU_SOURCE // program_invocation_name
#include <errno.h>
#include <unistd.h>

#include "count/record.h"
#include "report/json.h"

#define VERSION 1

static const char *const limits[] = {
    [LIMIT_BLOCKS] = "blocks", [LIMIT_THREADS] = "threads", [LIMIT_SHARED] = "shared", [LIMIT_REGISTERS] = "registers"};

// all: includes counters that are 0.
static void write_counters(FILE *to, const struct simt_counters *c, bool all)
{
    const char *comma = "";
    fputs("{", to);
#define WRITE(field, meaning) \
    if (all || c->field) { \
        fprintf(to, "%s\"%s\": %llu", comma, #field, (unsigned long long)c->field); \
        comma = ", "; \
    }
    SIMT_COUNTERS(WRITE)
#undef WRITE
    fputs("}", to);
}

static void write_place(FILE *to, const char *file, int line)
{
    fputs("\"file\": ", to);
    json_string(to, file);
    fprintf(to, ", \"line\": %d", line);
}

static void write_size(FILE *to, const char *name, const uint32_t size[3], bool varies)
{
    fprintf(to, "\"%s\": [%u, %u, %u], \"%s_varies\": %s, ", name, size[0], size[1], size[2], name,
            varies ? "true" : "false");
}

static void write_launch(FILE *to, const struct profile_record *r)
{
    uint32_t threads = r->block[0] * r->block[1] * r->block[2];
    if (r->number)
        fprintf(to, "   \"launch\": %llu, ", (unsigned long long)r->number);
    else
        fputs("   \"launch\": null, ", to);
    write_size(to, "grid", r->grid, r->other_grids);
    write_size(to, "block", r->block, r->other_blocks);
    fprintf(to, "\"static_shared\": %u, \"dynamic_shared\": %u, \"registers\": %u,\n", r->static_shared,
            r->dynamic_shared, r->registers);
    fprintf(to,
            "   \"occupancy\": {\"blocks\": %u, \"warps\": %u, \"limit\": \"%s\"}, \"failed\": %s, \"sampled\": %s,\n",
            r->residency.blocks, r->residency.blocks * ((threads + LANES - 1) / LANES), limits[r->residency.limit],
            r->failed ? "true" : "false", r->sampled ? "true" : "false");
}

static void write_notes(FILE *to, const struct profile_record *r)
{
    struct note notes[MAX_NOTES];
    int count = find_notes(r, notes);
    fputs("   \"notes\": [", to);
    for (int i = 0; i < count; i++) {
        fprintf(to, "%s\n    {\"kind\": \"%s\", ", i ? "," : "", notes[i].kind);
        if (notes[i].line) {
            write_place(to, notes[i].line->file, notes[i].line->line);
            fputs(", ", to);
        }
        fputs("\"text\": ", to);
        json_string(to, notes[i].text);
        fputs("}", to);
    }
    fputs("],\n", to);
}

static void write_lines(FILE *to, const struct profile_record *r)
{
    fputs("   \"lines\": [", to);
    for (uint32_t i = 0; i < r->line_count; i++) {
        const struct profile_line *line = &r->lines[i];
        fputs(i ? ",\n    {" : "\n    {", to);
        write_place(to, line->file, line->line);
        fputs(", \"function\": ", to);
        json_string(to, line->function);
        fputs(", \"counters\": ", to);
        write_counters(to, &line->counters, false);
        fputs("}", to);
    }
    fputs("]", to);
}

static void write_record(FILE *to, const struct profile_record *r)
{
    fputs("  {\"kernel\": ", to);
    json_string(to, r->kernel);
    fputs(", \"mangled\": ", to);
    json_string(to, r->mangled);
    fputs(", ", to);
    write_place(to, r->file, r->line);
    fputs(",\n", to);
    write_launch(to, r);
    write_notes(to, r);
    fputs("   \"counters\": ", to);
    write_counters(to, &r->counters, true);
    fputs(",\n", to);
    write_lines(to, r);
    fputs("}", to);
}

void write_profile_json(const struct profile *p, FILE *to)
{
    char here[4096];
    fprintf(to, "{\"format\": \"simt-profile\", \"version\": %d,\n \"program\": ", VERSION);
    json_string(to, program_invocation_name);
    fputs(", \"directory\": ", to);
    json_string(to, getcwd(here, sizeof here) ? here : "");
    fputs(",\n \"counters\": ", to);
    write_counters(to, &p->counters, true);
    fputs(",\n \"kernels\": [\n", to);
    for (uint32_t i = 0; i < p->count; i++) {
        fputs(i ? ",\n" : "", to);
        write_record(to, &p->records[i]);
    }
    fputs("]}\n", to);
}
