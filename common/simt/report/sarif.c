// SARIF. The results come last in the file; a new one overwrites the closing brackets and writes them again.
#include "report/sarif.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/json.h"
#include "report/names.h"

#define MOST 10000 // results
static const char closing[] = "\n]}]}\n";

static struct {
    pthread_mutex_t lock;
    int file; // -1: none
    pid_t process;
    long end; // where the closing brackets begin
    uint32_t count;
    uint64_t known[MOST];
} sarif = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static const struct {
    const char *rule, *name, *what;
} rules[] = {
    {"memory", "InvalidMemoryAccess",
     "An access outside of allocations, misaligned, to freed memory or to memory of the host."},
    {"init", "UninitializedValue", "A read of memory that nothing wrote, or the use of a variable without a value."},
    {"sync", "WrongSynchronization",
     "A barrier, mask or shuffle that some of its threads do not reach, or threads that wait forever."},
    {"race", "Race", "Unordered accesses of two threads to the same bytes, at least one of them a write."},
    {"streams", "StreamRace", "Unordered accesses to the same bytes by work in two streams, or by the host."},
    {"call", "RefusedCall", "A call of the runtime, or a launch, that the device or the machine refuses."},
    {"host", "WrongHostCall", "A leak, free, copy or access of the host that is not allowed."},
};

// ---- places

// Removes "." and ".." from a path.
static void make_plain(const char *path, char *out, size_t size)
{
    size_t end = 0;
    for (const char *at = path; *at;) {
        size_t length = strcspn(at, "/");
        char *last = end ? strrchr(out, '/') : NULL;
        bool up = length == 2 && !strncmp(at, "..", 2), can_go_up = end && strcmp(last ? last : out, "/..") != 0;
        if (up && can_go_up) {
            end = last ? (size_t)(last - out) : 0;
        } else if (length && !(length == 1 && *at == '.') && end + length + 2 < size) {
            if (end || *path == '/')
                out[end++] = '/';
            memcpy(out + end, at, length);
            end += length;
        }
        out[end] = 0;
        at += length + (at[length] == '/');
    }
}

// Escapes characters that a URI may not contain, as %20.
static void write_uri(FILE *to, const char *path)
{
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("-._~/+", *c))
            fputc(*c, to);
        else
            fprintf(to, "%%%02X", *c);
}

// Relative to where the program began, if the file lies below it, so that code hosts find the file in their checkout.
static void write_file(FILE *to, const char *name)
{
    char path[4096] = "";
    make_plain(name, path, sizeof path);
    const char *below = name_below(path);
    bool relative = below || *path != '/';
    fputs(relative ? "{\"uri\": \"" : "{\"uri\": \"file://", to);
    write_uri(to, below ? below : path);
    fputs(relative ? "\", \"uriBaseId\": \"SRCROOT\"}" : "\"}", to);
}

static const char *file_at(const struct ptx_module *m, struct ptx_loc loc)
{
    return m && loc.file > 0 && loc.file < m->file_count ? m->files[loc.file] : NULL;
}

static const char *file_of(const struct sarif_end *e)
{
    return e->instr ? file_at(e->module, e->instr->loc) : NULL;
}

static void write_place(FILE *to, const struct ptx_module *m, struct ptx_loc loc)
{
    fputs("\"physicalLocation\": {\"artifactLocation\": ", to);
    write_file(to, file_at(m, loc));
    fprintf(to, ", \"region\": {\"startLine\": %d}}", loc.line);
}

// Describes the instruction at one end, for someone who reads only that line.
static const char *word_of(const struct ptx_instr *in)
{
    return is_family(in->op, "ld") || is_family(in->op, "ldu")        ? "read"
           : is_family(in->op, "st")                                  ? "write"
           : is_family(in->op, "atom") || is_family(in->op, "red")    ? "atomic"
           : is_family(in->op, "bar") || is_family(in->op, "barrier") ? "barrier"
           : is_family(in->op, "shfl")                                ? "shuffle"
                                                                      : "here";
}

// One of the related locations, which count from 1.
static void write_related(FILE *to, const struct ptx_module *m, struct ptx_loc loc, const char *word, int *count)
{
    fprintf(to, "%s{\"id\": %d, ", *count ? ",\n  " : ",\n \"relatedLocations\": [", *count + 1);
    write_place(to, m, loc);
    fprintf(to, ", \"message\": {\"text\": \"%s\"}}", word);
    ++*count;
}

// Both ends, and their call chains, innermost first.
static void write_ends(FILE *to, const struct sarif_result *r)
{
    const struct sarif_end *const ends[] = {&r->at, &r->other};
    int count = 0;
    for (int i = 0; i < 2 && file_of(&r->at) && file_of(&r->other); i++)
        write_related(to, ends[i]->module, ends[i]->instr->loc, word_of(ends[i]->instr), &count);
    for (int i = 0; i < 2; i++)
        for (const struct ptx_call *c = file_of(ends[i]) ? ends[i]->instr->call : NULL; c; c = c->outer)
            write_related(to, ends[i]->module, c->at, "called here", &count);
    if (count)
        fputs("]", to);
}

// ---- results

static void write_result(FILE *to, const struct sarif_result *r)
{
    char text[8000];
    snprintf(text, sizeof text, "%s%s", r->text, r->where);
    fprintf(to, "%s\n{\"ruleId\": \"%s\", \"level\": \"%s\", \"message\": {\"text\": ", sarif.count > 1 ? "," : "",
            r->rule, r->level);
    json_string(to, text);
    fputs("}", to);
    if (file_of(&r->at)) {
        fputs(",\n \"locations\": [{", to);
        write_place(to, r->at.module, r->at.instr->loc);
        fputs("}]", to);
    }
    write_ends(to, r);
    fputs("}", to);
}

static uint64_t hash(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h * 31;
}

static uint64_t hash_end(uint64_t h, const struct sarif_end *e)
{
    char line[24];
    const char *file = file_of(e);
    snprintf(line, sizeof line, "%d", !e->instr ? 0 : file ? e->instr->loc.line : -e->instr->line);
    return hash(hash(h, file ? file : ""), line);
}

static bool is_new(const struct sarif_result *r)
{
    uint64_t h = hash(hash(UINT64_C(0xcbf29ce484222325) + r->detail, r->rule), r->level);
    h = hash_end(hash_end(h, &r->at), &r->other);
    if (!r->at.instr)
        h = hash(h, r->text);
    for (uint32_t i = 0; i < sarif.count; i++)
        if (sarif.known[i] == h)
            return false;
    if (sarif.count == MOST)
        return false;
    sarif.known[sarif.count++] = h;
    return true;
}

// Uses a single write, so that the file holds complete results whenever the program ends.
static void put(const char *text, size_t size, long at)
{
    if (lseek(sarif.file, at, SEEK_SET) == at && write(sarif.file, text, size) == (ssize_t)size)
        sarif.end = at + (long)size - (long)strlen(closing);
}

void sarif_add(const struct sarif_result *r)
{
    char *text = NULL;
    size_t size;
    pthread_mutex_lock(&sarif.lock);
    if (sarif.file >= 0 && sarif.process == getpid() && is_new(r)) {
        FILE *to = open_memstream(&text, &size);
        if (to) {
            write_result(to, r);
            fputs(closing, to);
            fclose(to);
            put(text, size, sarif.end);
            free(text);
        }
    }
    pthread_mutex_unlock(&sarif.lock);
}

static void write_rules(FILE *to)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        fprintf(to, "%s{\"id\": \"%s\", \"name\": \"%s\", \"shortDescription\": {\"text\": \"%s\"}}", i ? ",\n  " : "",
                rules[i].rule, rules[i].name, rules[i].what);
}

void sarif_begin(FILE *file)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    fputs("{\"$schema\": "
          "\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json\",\n"
          "\"version\": \"2.1.0\", \"runs\": [{\n\"tool\": {\"driver\": {\"name\": \"simt\", \"fullName\": "
          "\"the SIMT machine of Warpbook\", \"rules\": [\n  ",
          to);
    write_rules(to);
    fputs("]}},\n\"originalUriBaseIds\": {\"SRCROOT\": {\"uri\": \"file://", to);
    write_uri(to, strcmp(first_directory(), "/") ? first_directory() : "");
    fputs("/\"}},\n\"columnKind\": \"unicodeCodePoints\",\n\"results\": [", to);
    fputs(closing, to);
    fclose(to);
    sarif.file = fileno(file);
    sarif.process = getpid();
    put(text, size, 0);
    free(text);
}
