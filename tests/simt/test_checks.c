// Runs the kernels of a .cu file of checks/ and compares what the checks report with the comments before each kernel:
//
//     // guilty: race error @write @read | race warning @write @read
//     // innocent                           (or "information: race @write": reported, but no finding)
//     // launch: blocks threads shared      (1 32 0 if it is missing)
//     // cluster: blocks of a cluster
//     // data: written | raw | freed | host | null | swizzled (written, and the map's swizzle is 128 bytes)
//     // sum: what out[0] must be
//
// launch and cluster in the file's first comment apply to all kernels without their own. TWINS(guilty, innocent) of
// checks/twins.h is the text of two kernels, with the comments of the guilty one.
//
// @name stands for the kernel's line with that marker in a comment. Every alternative between | must be reported, with
// its severity and all its lines; any other report fails the test.
//
// Usage: test_checks FILE.cu FILE.ptx
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "decode/module.h"
#include "exec/tensor_map.h"
#include "plural.h"
#include "report/topics.h"
#include "simt.h"

#define WORDS 64 // bytes of data and of out

struct expectation {
    char kind[16], severity[16];
    int lines[2], count;
};

struct test {
    char name[64], twin[64];
    enum { INNOCENT, GUILTY, INFORMATION } verdict;
    struct expectation expected[4];
    int count;
    unsigned blocks, threads, shared, cluster;
    char data[16];
    long sum;
    bool has_sum;
};

static const char *file_name;

// ---- reading the comments

// The line of the marker @name in the kernel that starts at `from`; 0 if none.
static int marker_line(const char *text, const char *from, const char *name)
{
    char marker[40];
    size_t n = (size_t)snprintf(marker, sizeof marker, "// @%s", name);
    const char *end = strstr(from, "\n}");
    for (const char *at = strstr(from, marker); at && at < end; at = strstr(at + 1, marker)) {
        if (at[n] != '\n')
            continue;
        int line = 1;
        for (const char *c = text; c < at; c++)
            line += *c == '\n';
        return line;
    }
    printf("%s: no line marked '%s'\n", file_name, marker);
    exit(1);
}

static void read_expectations(struct test *t, const char *text, const char *kernel, char *words)
{
    for (char *part = words, *next; part; part = next) {
        struct expectation *e = &t->expected[t->count++];
        next = strchr(part, '|');
        if (next)
            *next++ = 0;
        char names[2][24], *word = part;
        int used = 0;
        if (t->verdict == GUILTY)
            e->count = sscanf(word, " %15s %15s @%23s @%23s", e->kind, e->severity, names[0], names[1]) - 2;
        else {
            e->count = sscanf(word, " %15s @%23s", e->kind, names[0]) - 1;
            strcpy(e->severity, "information");
        }
        for (; used < e->count; used++)
            e->lines[used] = marker_line(text, kernel, names[used]);
    }
}

// Reads one comment line that belongs to the kernel; false: another comment.
static void read_comment(struct test *t, const char *text, const char *kernel, const char *line)
{
    char words[200] = "";
    if (sscanf(line, "// guilty: %199[^\n]", words) == 1) {
        t->verdict = GUILTY;
        read_expectations(t, text, kernel, words);
    } else if (sscanf(line, "// information: %199[^\n]", words) == 1) {
        t->verdict = INFORMATION;
        read_expectations(t, text, kernel, words);
    } else if (sscanf(line, "// sum: %ld", &t->sum) == 1)
        t->has_sum = true;
    else if (sscanf(line, "// cluster: %u", &t->cluster) == 1)
        return;
    else if (sscanf(line, "// launch: %u %u %u", &t->blocks, &t->threads, &t->shared) < 2)
        sscanf(line, "// data: %15s", t->data);
}

static struct test usual = {.blocks = 1, .threads = 32, .data = "written"};

// Reads the file's defaults from its first comment.
static void read_usual(const char *text)
{
    for (const char *line = text; !strncmp(line, "//", 2); line += strcspn(line, "\n") + 1)
        read_comment(&usual, text, text, line);
}

#define HEAD "extern \"C\" __global__ void "

// The start of the next kernel or pair of twins at or after `at`; NULL: no more.
static const char *next_kernel(const char *at)
{
    const char *kernel = strstr(at, HEAD), *twins = strstr(at, "\nTWINS");
    return twins && (!kernel || twins < kernel) ? twins + 1 : kernel;
}

// The next kernel at or after *at, and its comments; false: no more.
static bool next_test(const char *text, const char **at, struct test *t)
{
    const char *kernel = next_kernel(*at), *line = kernel;
    if (!kernel)
        return false;
    *t = usual;
    if (sscanf(kernel, HEAD "%63[a-zA-Z0-9_]", t->name) != 1)
        sscanf(kernel + strcspn(kernel, "("), "(%63[a-zA-Z0-9_], %63[a-zA-Z0-9_]", t->name, t->twin);
    while (line > text) { // comment lines right before it
        const char *previous = line - 1;
        while (previous > text && previous[-1] != '\n')
            previous--;
        if (strncmp(previous, "//", 2))
            break;
        line = previous;
        read_comment(t, text, kernel, line);
    }
    *at = kernel + 1;
    return true;
}

// ---- comparing

static const char *kind_text(const char *kind)
{
    return !strcmp(kind, "race")       ? "Race ("
           : !strcmp(kind, "init")     ? "Uninitialized"
           : !strcmp(kind, "constant") ? "Read of a __constant__ variable"
           : !strcmp(kind, "mask")     ? "uses __activemask() as its mask"
                                       : "";
}

// Whether one report line is what e expects.
static bool says(const char *report, const struct expectation *e)
{
    char start[40], place[40];
    snprintf(start, sizeof start, "simt: %s: ", e->severity);
    if (strncmp(report, start, strlen(start)) || !strstr(report, kind_text(e->kind)))
        return false;
    if (!strcmp(e->kind, "memory") && !strstr(report, "Invalid ") && !strstr(report, "Misaligned __"))
        return false;
    if (!strcmp(e->kind, "sync") && !strstr(report, "Barrier error") && !strstr(report, "wait") &&
        !strstr(report, "Warpgroup error"))
        return false;
    for (int i = 0; i < e->count; i++) {
        snprintf(place, sizeof place, ":%d ", e->lines[i]);
        const char *found = strstr(report, place);
        if (!found) {
            place[strlen(place) - 1] = ';'; // at the end of a sentence
            found = strstr(report, place);
        }
        if (!found) {
            place[strlen(place) - 1] = ',';
            found = strstr(report, place);
        }
        if (!found) {
            place[strlen(place) - 1] = ':';
            found = strstr(report, place);
        }
        if (!found)
            return false;
    }
    return true;
}

static void compare_reports(const struct test *t, const char *heard)
{
    bool seen[4] = {false};
    char line[600];
    for (const char *at = heard; *at; at += strcspn(at, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        bool expected = !strncmp(line, "simt: explain: ", 15) || strstr(line, " has run for "); // on a busy computer
        check(expected || topic_of(line + strcspn(line + 6, ":") + 8), file_name, "%s: no topic for: %s", t->name,
              line);
        for (int i = 0; i < t->count; i++)
            if (says(line, &t->expected[i]))
                expected = seen[i] = true;
        check(expected, file_name, "%s: not expected: %s", t->name, line);
        if (!strchr(at, '\n'))
            break;
    }
    for (int i = 0; i < t->count; i++)
        check(seen[i], file_name, "%s: not reported: %s %s at lines %d %d; heard: %s", t->name, t->expected[i].kind,
              t->expected[i].severity, t->expected[i].lines[0], t->expected[i].lines[1], heard);
}

static int *make_data(const char *how)
{
    static int host[WORDS];
    if (!strcmp(how, "null"))
        return NULL;
    if (!strcmp(how, "host"))
        return host;
    int *data = machine_raw(WORDS * sizeof *data);
    if (!strcmp(how, "raw"))
        return data;
    machine_free(data);
    if (!strcmp(how, "freed"))
        return data;
    data = machine_buffer(WORDS * sizeof *data, 0);
    for (int i = 0; i < WORDS; i++)
        data[i] = i;
    return data;
}

// A tensor of 8 x 8 ints with boxes of 4 x 4; kernels may take its map after n.
static struct tensor_map map_of(const int *data, bool swizzled)
{
    return (struct tensor_map){.mark = TENSOR_MAP_MARK,
                               .address = (uint64_t)(uintptr_t)data,
                               .stride = {4, 32},
                               .last = {7, 7},
                               .box = {4, 4},
                               .step = {1, 1},
                               .type = TENSOR_S32,
                               .swizzle = swizzled ? 3 : 0,
                               .rank = 2};
}

static void run(struct module *m, const struct test *t)
{
    uint8_t map[TENSOR_MAP_BYTES] = {0};
    int *data = make_data(t->data), *out = machine_buffer(512 * sizeof *out, 0), n = WORDS;
    struct machine_shape shape = machine_line(t->blocks, t->threads);
    const struct tensor_map tensor = map_of(data, !strcmp(t->data, "swizzled"));
    memcpy(map, &tensor, sizeof tensor);
    shape.shared = t->shared;
    shape.cluster = t->cluster;
    simt_reset();
    machine_listen();
    int error = machine_run(m, t->name, shape, &data, &out, &n, map);
    const char *heard = machine_heard();
    uint64_t findings = simt_findings();
    compare_reports(t, heard);
    check((findings > 0) == (t->verdict == GUILTY), file_name, "%s: %llu findings", t->name,
          (unsigned long long)findings);
    check(t->verdict == GUILTY || error == 0, file_name, "%s: launch error %d", t->name, error);
    if (t->has_sum && !*t->twin)
        check(out[0] == t->sum, file_name, "%s: out[0] is %d, wanted %ld", t->name, out[0], t->sum);
}

// Information is reported once per program.
static void run_again(struct module *m, const struct test *t)
{
    struct test again = *t;
    again.count = 0;
    if (t->verdict == INFORMATION)
        run(m, &again);
}

// Reports name kernels as in their source, even in a program without libstdc++ such as this one (unless a sanitizer
// links it).
static void check_names(void)
{
    static const char *const names[][3] = {{"_Z3putPii", "put", "put"},
                                           {"_ZN1a3putIiEEvPT_", "a::put", "a::put<int>"},
                                           {"_ZL6kernelv", "kernel", "kernel"},
                                           {"_Z7convert5imageS_", "convert", "convert"},
                                           {"_ZL4drawP5image6matrix", "draw", "draw"},
                                           {"_ZN12_GLOBAL__N_13putEPi", "put", "put"},
                                           {"__nv_static_9__1_4_f_cu__Z4kernPi", "kern", "kern"},
                                           {"__nv_static_8__1_4", "__nv_static_8__1_4", "__nv_static_8__1_4"},
                                           {"k", "k", "k"},
                                           {"_Z", "_Z", "_Z"},
                                           {"_Z9shorter", "_Z9shorter", "_Z9shorter"},
                                           {"_Z0x", "_Z0x", "_Z0x"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = kernel_name(names[i][0]);
        check(!strcmp(name, names[i][1]) || !strcmp(name, names[i][2]), names[i][0], "is called %s", name);
    }
}

// A message that counts one thing has no plural; other numbers that end in 1, and words that are not nouns, stay
// unchanged.
static void check_plurals(void)
{
    static const char *const texts[][2] = {
        {"it is 1 bytes past the end of x of 1 bytes", "it is 1 byte past the end of x of 1 byte"},
        {"21 bytes, 0.1 bytes, 1,001 bytes, 11 rows", "21 bytes, 0.1 bytes, 1,001 bytes, 11 rows"},
        {"1 of 1 threads exited", "1 of 1 thread exited"},
        {"block 1 was, 1 pass, 1 ", "block 1 was, 1 pass, 1 "},
        {"1 rows", "1 row"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[100];
        snprintf(text, sizeof text, "%s", texts[i][0]);
        correct_plurals(text);
        check(!strcmp(text, texts[i][1]), texts[i][0], "became %s", text);
    }
}

static void run_twin(struct module *m, const struct test *guilty)
{
    struct test t = *guilty;
    t.verdict = INNOCENT;
    t.count = 0;
    strcpy(t.name, guilty->twin);
    *t.twin = 0;
    run(m, &t);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    char *text = read_text(argv[1]), *ptx = read_text(argv[2]);
    struct module *m = machine_load(ptx);
    struct test t;
    int count = 0;
    check_names();
    check_plurals();
    file_name = strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1];
    read_usual(text);
    for (const char *at = text; next_test(text, &at, &t); count++) {
        run(m, &t);
        run_again(m, &t);
        if (*t.twin) {
            run_twin(m, &t);
            count++;
        }
    }
    printf("%s: %d kernels, %d failures\n", file_name, count, failures);
    free(text);
    free(ptx);
    return failures || !count;
}
