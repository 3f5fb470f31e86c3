// Words for reports: kernels, source lines, threads and blocks.
#include "report/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = 1024, KEPT = 16 }; // bytes of a buffer; number of buffers

// Returns one of a few buffers in turn.
static char *next_buffer(void)
{
    static _Thread_local char buffers[KEPT][NAME_SIZE];
    static _Thread_local unsigned turn;
    return buffers[turn++ % KEPT];
}

extern char *__cxa_demangle(const char *, char *, size_t *, int *) __attribute__((weak));

// Demangles without libstdc++: _Z3putPii is put, as is _Z3put5image, whose parameter is a struct; _ZN1a3putIiEEvPT_ is
// a::put, since only after an N does another name follow. Empty: not such a name.
static void plain_name(const char *mangled, char out[256])
{
    size_t end = 0;
    const char *at = mangled + 2 + strspn(mangled + 2, "NLKVr");
    bool nested = mangled[2] == 'N';
    int length, digits;
    for (out[0] = 0; (nested || !end) && sscanf(at, "%3d%n", &length, &digits) == 1 && length > 0;
         at += digits + length) {
        if ((size_t)length > strlen(at + digits) || end + (size_t)length + 3 > 256)
            return;
        if (!strncmp(at + digits, "_GLOBAL__N_", 11)) // a namespace without a name
            continue;
        end += (size_t)snprintf(out + end, 256 - end, "%s%.*s", end ? "::" : "", length, at + digits);
    }
}

// With -rdc=true nvcc prefixes a file's static names with __nv_static_LENGTH__FILE_.
static const char *without_file(const char *name)
{
    char *after;
    if (strncmp(name, "__nv_static_", 12))
        return name;
    size_t length = strtoul(name + 12, &after, 10);
    return strlen(after) > length + 2 ? after + length + 2 : name;
}

static void take_out(char *text, const char *word)
{
    for (char *at; (at = strstr(text, word));)
        memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

const char *kernel_name(const char *name)
{
    const char *mangled = without_file(name);
    char *out = next_buffer(), *full = __cxa_demangle ? __cxa_demangle(mangled, NULL, NULL, NULL) : NULL;
    out[0] = 0;
    if (full)
        snprintf(out, 256, "%s", full);
    else if (strncmp(mangled, "_Z", 2) == 0)
        plain_name(mangled, out);
    if (!out[0])
        snprintf(out, 256, "%s", mangled);
    free(full);
    take_out(out, "(anonymous namespace)::");
    if (!strncmp(out, "void ", 5)) // in a template instance the type is part of the name
        memmove(out, out + 5, strlen(out + 5) + 1);
    size_t end = 0; // drop the parameters: cut at the first parenthesis outside < >
    for (int depth = 0; out[end] && (depth || out[end] != '('); end++)
        depth += out[end] == '<' ? 1 : out[end] == '>' ? -1 : 0;
    if (end)
        out[end] = 0;
    return out;
}

// _ZZ12reduce_blockPiPKiiE5cache: the last name is the variable's, after its length.
const char *variable_name(const char *mangled)
{
    for (const char *at = mangled; *at; at++) {
        char *name;
        if (*at >= '1' && *at <= '9' && strtoul(at, &name, 10) == strlen(name) && *name)
            return name;
    }
    return mangled;
}

// The directory in which the program began, and the shell's name for it ("" if unknown), which may contain links and
// which nvcc writes into its line tables.
static struct {
    char path[1024], name[1024];
} first;

// Read once, before all else: a racy kernel has millions of findings.
static __attribute__((constructor(101))) void note_directory(void)
{
    const char *name = getenv("PWD");
    struct stat here, there;
    bool same = name && !stat(".", &here) && !stat(name, &there) && here.st_dev == there.st_dev &&
                here.st_ino == there.st_ino && strlen(name) < sizeof first.name;
    strcpy(first.name, same ? name : "");
    if (!getcwd(first.path, sizeof first.path))
        first.path[0] = 0;
}

const char *first_directory(void)
{
    return first.path;
}

// NULL for / itself, whose files are named from the root.
static const char *below(const char *file, const char *directory)
{
    size_t length = strlen(directory);
    return length && !strncmp(file, directory, length) && file[length] == '/' ? file + length + 1 : NULL;
}

const char *name_below(const char *file)
{
    const char *by_path = below(file, first.path);
    return by_path ? by_path : below(file, first.name);
}

const char *source_path(const struct ptx_module *m, int number)
{
    const char *file = number > 0 && number < m->file_count ? m->files[number] : "?", *shorter = name_below(file);
    return shorter ? shorter : file;
}

const char *place_name(const struct ptx_module *m, struct ptx_loc loc)
{
    char *out = next_buffer();
    if (loc.file > 0)
        snprintf(out, NAME_SIZE, "%s:%d", source_path(m, loc.file), loc.line);
    else
        snprintf(out, 256, "(no line; compile with -lineinfo)");
    return out;
}

const char *instr_place(const struct ptx_module *m, const struct ptx_instr *in)
{
    if (!in)
        return "(unknown place)";
    if (in->loc.file > 0)
        return place_name(m, in->loc);
    char *out = next_buffer();
    snprintf(out, 256, "PTX line %d", in->line);
    return out;
}

static const char *part(const char *word, const uint32_t dim[3], uint64_t n)
{
    char *out = next_buffer();
    if (dim[1] == 1 && dim[2] == 1)
        snprintf(out, 48, "%s %llu", word, (unsigned long long)n);
    else
        snprintf(out, 48, "%s (%llu,%llu,%llu)", word, (unsigned long long)(n % dim[0]),
                 (unsigned long long)(n / dim[0] % dim[1]), (unsigned long long)(n / dim[0] / dim[1]));
    return out;
}

const char *thread_in(const uint32_t dim[3], uint64_t thread)
{
    return part("thread", dim, thread);
}

const char *block_in(const uint32_t grid[3], uint64_t number)
{
    return part("block", grid, number);
}
