// A profile as text, 80 columns wide: a block for each kernel or launch, then the most expensive source lines.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "count/record.h"

#define WIDTH 80
#define SHOWN_LINES 12
#define SHOWN_RECORDS 40

// ---- words

// Wraps text into lines of WIDTH columns, all indented except the first, which begins at column `at`.
static void write_folded(FILE *to, const char *text, int at, int indent)
{
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " "), blank = word > text;
        if (blank && at + 1 + length > WIDTH) {
            fprintf(to, "\n%*s", indent, "");
            at = indent;
            blank = 0;
        }
        fprintf(to, "%s%.*s", blank ? " " : "", length, word);
        at += blank + length;
        word += length + (word[length] == ' ');
    }
    fputs("\n", to);
}

static double ratio(uint64_t over, uint64_t under)
{
    return under ? (double)over / (double)under : 0;
}

// ---- counters: cells of 36 columns, two in a row

struct cells {
    FILE *to;
    int count;
};

static void cell(struct cells *c, const char *name, double value, const char *form)
{
    char number[32];
    snprintf(number, sizeof number, form, value);
    fprintf(c->to, "%s%-25s%11s", c->count % 2 ? "    " : "  ", name, number);
    fputs(c->count++ % 2 ? "\n" : "", c->to);
}

static void end_row(struct cells *c)
{
    fputs(c->count % 2 ? "\n" : "", c->to);
    c->count = 0;
}

// A row, unless its first counter is 0.
static void pair(struct cells *c, const char *name, uint64_t value, const char *other, double second, const char *form)
{
    if (!value)
        return;
    cell(c, name, (double)value, "%.0f");
    cell(c, other, second, form);
}

static void write_counters(FILE *to, const struct profile_record *r)
{
    const struct simt_counters *c = &r->counters;
    uint32_t warps = (r->block[0] * r->block[1] * r->block[2] + LANES - 1) / LANES;
    uint64_t accesses = c->shared_load_requests + c->shared_store_requests;
    struct cells t = {to, 0};
    pair(&t, "launches", c->launches, "blocks", (double)c->blocks, "%.0f");
    pair(&t, "warps", c->warps, "resident warps, of 64", r->residency.blocks * warps, "%.0f");
    pair(&t, "warp instructions", c->warp_instructions, "lanes at work, of 32",
         ratio(c->thread_instructions, c->warp_instructions), "%.1f");
    pair(&t, "branches", c->branches, "divergent branches", (double)c->divergent_branches, "%.0f");
    pair(&t, "waits at barriers", barrier_waits(c), "for each warp", ratio(barrier_waits(c), c->warps), "%.1f");
    pair(&t, "global load requests", c->global_load_requests, "sectors per request",
         ratio(c->global_load_sectors, c->global_load_requests), "%.1f");
    pair(&t, "global store requests", c->global_store_requests, "sectors per request",
         ratio(c->global_store_sectors, c->global_store_requests), "%.1f");
    pair(&t, "shared accesses", accesses, "passes per access",
         ratio(c->shared_load_wavefronts + c->shared_store_wavefronts, accesses), "%.1f");
    pair(&t, "global atomics", c->global_atomics, "most lanes at one address", (double)c->global_atomic_same, "%.0f");
    pair(&t, "shared atomics", c->shared_atomics, "most lanes at one word", (double)c->shared_atomic_same, "%.0f");
    pair(&t, "bulk copies", c->bulk_copies, "bytes per copy",
         ratio(c->bulk_load_bytes + c->bulk_store_bytes, c->bulk_copies), "%.0f");
    pair(&t, "accesses in other blocks", c->peer_requests, "atomics, in lanes", (double)c->peer_atomics, "%.0f");
    pair(&t, "waits at cluster barriers", c->cluster_waits, "for each warp", ratio(c->cluster_waits, c->warps), "%.1f");
    pair(&t, "shuffles", c->shuffles, "for each warp", ratio(c->shuffles, c->warps), "%.1f");
    pair(&t, "votes", c->votes, "for each warp", ratio(c->votes, c->warps), "%.1f");
    pair(&t, "bytes of local memory", c->local_bytes, "for each warp", ratio(c->local_bytes, c->warps), "%.1f");
    pair(&t, "floating-point operations", c->flops, "for each warp", ratio(c->flops, c->warps), "%.1f");
    end_row(&t);
}

// ---- records

static void write_notes(FILE *to, const struct profile_record *r)
{
    struct note notes[MAX_NOTES];
    int count = find_notes(r, notes);
    fputs(count ? "  What stands out:\n" : "  Nothing stands out.\n", to);
    for (int i = 0; i < count; i++) {
        char text[1600];
        if (notes[i].line)
            snprintf(text, sizeof text, "%s:%d: %s", notes[i].line->file, notes[i].line->line, notes[i].text);
        else
            snprintf(text, sizeof text, "%s", notes[i].text);
        fputs("  - ", to);
        write_folded(to, text, 4, 4);
    }
}

static const char *size_text(const uint32_t size[3], bool varies, char out[64])
{
    const char *form = size[2] > 1 ? "%u x %u x %u" : size[1] > 1 ? "%u x %u" : "%u";
    int length = snprintf(out, 48, form, size[0], size[1], size[2]);
    snprintf(out + length, 16, varies ? " and other" : "");
    return out;
}

static void write_record(FILE *to, const struct profile_record *r)
{
    char title[2400], grid[64], block[64], launch[48] = "";
    if (r->number)
        snprintf(launch, sizeof launch, ", launch %llu", (unsigned long long)r->number);
    snprintf(title, sizeof title, "%s%s%s, %s:%d, %s block%s of %s threads", r->kernel, launch,
             r->later ? ", later launches" : "", r->file, r->line, size_text(r->grid, r->other_grids, grid),
             r->counters.blocks == 1 ? "" : "s", size_text(r->block, r->other_blocks, block));
    fputs("\n", to);
    write_folded(to, title, 0, 2);
    write_counters(to, r);
    write_notes(to, r);
}

// ---- lines

// The sort key of lines: the slots of a multiprocessor's units that they use.
static uint64_t cost(const struct simt_counters *c)
{
    return c->warp_instructions + global_sectors(c) + bank_passes(c);
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_line *x = *(const struct profile_line *const *)a, *y = *(const struct profile_line *const *)b;
    uint64_t p = cost(&x->counters), q = cost(&y->counters);
    return p < q ? 1 : p > q ? -1 : strcmp(x->file, y->file) ? strcmp(x->file, y->file) : x->line - y->line;
}

// The line's text, cut between characters to fit.
static void cut(const char *text, char *out, size_t size)
{
    size_t length = strcspn(text, "\r\n");
    bool all = length < size;
    length = all ? length : size - sizeof "...";
    while (!all && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    snprintf(out, size, "%.*s%s", (int)length, text, all ? "" : "...");
}

// The source line without its indentation; empty if the file cannot be read.
static void read_source(const struct profile_line *line, char *out, size_t size)
{
    char *text = NULL;
    size_t room = 0;
    FILE *file = line->line ? fopen(line->file, "re") : NULL;
    out[0] = 0;
    for (int i = 0; file && i < line->line && getline(&text, &room, file) > 0; i++)
        if (i + 1 == line->line)
            cut(text + strspn(text, " \t"), out, size);
    if (file)
        fclose(file);
    free(text);
}

static void write_share(FILE *to, uint64_t part, uint64_t whole)
{
    if (part)
        fprintf(to, "%6.1f %%", 100 * ratio(part, whole));
    else
        fputs("       -", to);
}

static void write_ratio(FILE *to, uint64_t over, uint64_t under)
{
    if (under)
        fprintf(to, "%9.1f", ratio(over, under));
    else
        fputs("        -", to);
}

static void write_line(FILE *to, const struct profile_line *line, const struct simt_counters *whole)
{
    const struct simt_counters *c = &line->counters;
    char source[60];
    write_share(to, c->warp_instructions, whole->warp_instructions);
    write_share(to, idle_lanes(c), LANES * c->warp_instructions);
    write_ratio(to, global_sectors(c), global_requests(c));
    write_ratio(to, bank_passes(c), shared_requests(c));
    write_share(to, barrier_waits(c), barrier_waits(whole));
    fprintf(to, "  %s:%d\n", line->file, line->line);
    read_source(line, source, sizeof source);
    if (*source)
        fprintf(to, "%20s%s\n", "", source);
}

static void write_lines(FILE *to, const struct profile *p)
{
    uint32_t count = 0, shown = 0;
    for (uint32_t i = 0; i < p->count; i++)
        count += p->records[i].line_count;
    const struct profile_line **lines = alloc_resize(NULL, count + 1, sizeof *lines);
    count = 0;
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->records[i].line_count; k++)
            lines[count++] = &p->records[i].lines[k];
    qsort(lines, count, sizeof *lines, by_cost);
    fprintf(to, "\nThe lines that cost most, by instructions, sectors and passes:\n\n"
                "  instr.    idle  sectors   passes    waits\n"
                " of all   lanes /request  /access   of all\n");
    for (; shown < count && shown < SHOWN_LINES; shown++)
        write_line(to, lines[shown], &p->counters);
    if (shown < count)
        fprintf(to, "and %u lines more\n", count - shown);
    free(lines);
}

void write_profile_text(const struct profile *p, FILE *to)
{
    const struct simt_counters *c = &p->counters;
    fprintf(to, "\nsimt: profile: %llu launch%s\n", (unsigned long long)c->launches, c->launches == 1 ? "" : "es");
    for (uint32_t i = 0; i < p->count && i < SHOWN_RECORDS; i++)
        write_record(to, &p->records[i]);
    if (p->count > SHOWN_RECORDS)
        fprintf(to, "\nand %u more; json:FILE has all of them\n", p->count - SHOWN_RECORDS);
    if (p->count)
        write_lines(to, p);
}
