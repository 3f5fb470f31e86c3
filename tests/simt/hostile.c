// Damages the fat binary in a built program in many ways and runs each version: none may crash or hang, and one that
// fails must say why in lines of the SIMT machine.
//
//     hostile PROGRAM COPY WAYS [K/N]
//
// PROGRAM is copied to COPY with a change of .nv_fatbin (what nvcc made: container, entry, PTX) or .nvFatBinSegment
// (the wrapper that points to it), and run. Every number of the headers takes every extreme; then, WAYS times, the PTX
// is truncated or a piece of it is changed, repeated or removed. K/N: each Nth of the changes from the Kth on. The
// program must end by itself with exit status 0, or with 1 and a line "simt: ..." first. Exit 0: all did; 1: lists
// those that did not.
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEADERS (16 + 80) // bytes of a container's header and an entry's
#define SECONDS 20        // seconds that a run may take

struct section {
    size_t offset, size;
};

static struct {
    unsigned char *bytes, *pristine;
    size_t size;
    struct section fatbin, wrapper;
    int changes, tried; // changes in all, and changes that were run
    int part, parts;    // the part that is run: K/N
} program = {.part = 1, .parts = 1};

static uint32_t random_state = 1;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)random_state * below >> 32);
}

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "hostile: %s: %s\n", name, what);
    exit(1);
}

static struct section find_section(const char *name)
{
    Elf64_Ehdr head;
    Elf64_Shdr names, s;

    memcpy(&head, program.bytes, sizeof head);
    memcpy(&names, program.bytes + head.e_shoff + head.e_shstrndx * sizeof names, sizeof names);
    for (size_t i = 0; i < head.e_shnum; i++) {
        memcpy(&s, program.bytes + head.e_shoff + i * sizeof s, sizeof s);
        if (!strcmp((const char *)program.bytes + names.sh_offset + s.sh_name, name))
            return (struct section){s.sh_offset, s.sh_size};
    }
    fail("no such section in the program", name);
    exit(1);
}

static void read_program(const char *path)
{
    FILE *f = fopen(path, "rb");

    if (!f || fseek(f, 0, SEEK_END) || ftell(f) < (long)sizeof(Elf64_Ehdr))
        fail("cannot be read", path);
    program.size = (size_t)ftell(f);
    program.bytes = malloc(program.size);
    program.pristine = malloc(program.size);
    rewind(f);
    if (!program.bytes || !program.pristine || fread(program.bytes, 1, program.size, f) != program.size)
        fail("cannot be read", path);
    fclose(f);
    memcpy(program.pristine, program.bytes, program.size);
    program.fatbin = find_section(".nv_fatbin");
    program.wrapper = find_section(".nvFatBinSegment");
    if (program.fatbin.size <= HEADERS || program.wrapper.size < 8)
        fail("holds no fat binary", path);
}

static void write_copy(const char *path)
{
    FILE *f;

    unlink(path);
    f = fopen(path, "wb");
    if (!f || fwrite(program.bytes, 1, program.size, f) != program.size || fclose(f) || chmod(path, 0700))
        fail("cannot be written", path);
}

// Runs the copy; said receives the start of its stdout and stderr. Returns waitpid's status.
static int run_copy(const char *path, char *said, size_t said_size)
{
    int ends[2], status;
    size_t length = 0;
    char rest[4096];
    pid_t child;

    if (pipe(ends) || (child = fork()) < 0)
        fail(strerror(errno), path);
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        alarm(SECONDS);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], rest, sizeof rest)) > 0;) {
        size_t kept = (size_t)n < said_size - 1 - length ? (size_t)n : said_size - 1 - length;

        memcpy(said + length, rest, kept);
        length += kept;
    }
    said[length] = '\0';
    close(ends[0]);
    if (waitpid(child, &status, 0) != child)
        fail(strerror(errno), path);
    return status;
}

// Runs the changed program, reports what is wrong with the run, and reverts the change.
static int try_change(const char *path, const char *what, size_t at)
{
    char said[2048];
    int status, wrong;

    if (program.changes++ % program.parts != program.part - 1) {
        memcpy(program.bytes, program.pristine, program.size);
        return 0;
    }
    program.tried++;
    write_copy(path);
    status = run_copy(path, said, sizeof said);
    wrong = !WIFEXITED(status) || WEXITSTATUS(status) > 1 || (WEXITSTATUS(status) == 1 && strncmp(said, "simt: ", 6));
    if (wrong)
        printf("%s at byte %zu: %s %d, and it said: %.300s\n", what, at, WIFEXITED(status) ? "exit" : "signal",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), said);
    memcpy(program.bytes, program.pristine, program.size);
    return wrong;
}

// Sets every 2, 4 and 8 bytes of the headers and of the wrapper's numbers to every extreme; returns the number of
// failures.
static int try_headers(const char *path)
{
    static const uint64_t values[] = {0, 1, 63, 1 << 12, INT32_MAX, UINT32_MAX, UINT64_MAX};
    unsigned char *fatbin = program.bytes + program.fatbin.offset, *wrapper = program.bytes + program.wrapper.offset;
    int wrong = 0;

    for (size_t at = 0; at < HEADERS; at += 4)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            memcpy(fatbin + at, &values[i], at % 8 == 0 && i > 5 ? 8 : 4);
            wrong += try_change(path, "number in a header", at);
        }
    for (size_t at = 0; at < 8; at += 4) {
        memset(wrapper + at, 0x7f, 4);
        wrong += try_change(path, "number in the wrapper", at);
    }
    memset(fatbin, 0, program.fatbin.size);
    wrong += try_change(path, "nothing but zeros", 0);
    // As long as possible, so that everything after it belongs to it.
    memset(fatbin + 8, 0, 8);
    memcpy(fatbin + 8, &(uint32_t){program.fatbin.size + 4096}, 4);
    memcpy(fatbin + 16 + 8, &(uint32_t){program.fatbin.size + 4096 - 80}, 4);
    return wrong + try_change(path, "container over its section's end", 8);
}

// A random change of the PTX.
static int try_text(const char *path)
{
    static const char pieces[][8] = {"{",  "}",   ";",  "[",    "99999", "%r1", "-", ".",
                                     "0x", "bra", "\n", "\xff", "/*",    "\"",  "@", "u64"};
    size_t at = HEADERS + next_random((uint32_t)(program.fatbin.size - HEADERS)), left = program.fatbin.size - at;
    unsigned char *p = program.bytes + program.fatbin.offset + at;
    size_t length = 1 + next_random(left < 40 ? (uint32_t)left : 40);

    switch (next_random(5)) {
    case 0: memset(p, 0, left); return try_change(path, "cut off", at);
    case 1: *p ^= (unsigned char)(1u << next_random(8)); return try_change(path, "bit", at);
    case 2: memmove(p, p + length, left - length); return try_change(path, "removed", at);
    case 3: memmove(p + length, p, left - length); return try_change(path, "repeated", at);
    default: {
        const char *piece = pieces[next_random(sizeof pieces / sizeof *pieces)];
        memcpy(p, piece, strlen(piece) < left ? strlen(piece) : left);
        return try_change(path, "written over", at);
    }
    }
}

int main(int argc, char **argv)
{
    int ways = argc > 3 ? atoi(argv[3]) : 0, wrong;

    if (ways < 1 || (argc > 4 && sscanf(argv[4], "%d/%d", &program.part, &program.parts) != 2)) {
        fprintf(stderr, "usage: hostile PROGRAM COPY WAYS [K/N]\n");
        return 1;
    }
    setenv("SIMT_TIMEOUT", "2", 1);
    read_program(argv[1]);
    wrong = try_headers(argv[2]);
    for (int i = 0; i < ways; i++)
        wrong += try_text(argv[2]);
    unlink(argv[2]);
    printf("hostile: %d of %d changes went wrong, of %d that there are\n", wrong, program.tried, program.changes);
    return wrong != 0 || program.tried == 0;
}
