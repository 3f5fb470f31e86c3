// Tests of the fat binary reader: valid and damaged containers, built here byte by byte. The layout was compared with
// nvcc's output once by hand (see fatbin.c); the machine's own tests run real programs. Exit 0: all hold; 1: one line
// per check that failed.
#include "../../common/simt/ptx/fatbin.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PTX 1
#define ELF 2
#define ZSTD 0x8000
#define LZ4 0x2000

static int failures;

// A container that grows by add_entry.
struct container {
    unsigned char bytes[4096];
    size_t size;
};

#define CHECK(condition) check(condition, #condition, __LINE__)

static void check(bool holds, const char *what, int line)
{
    if (!holds) {
        printf("%s:%d: %s\n", __FILE__, line, what);
        failures++;
    }
}

static void put(unsigned char *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void start(struct container *c)
{
    memset(c, 0, sizeof *c);
    put(c->bytes, 0xBA55ED50, 4);
    put(c->bytes + 4, 1, 2);
    put(c->bytes + 6, 16, 2);
    c->size = 16;
}

// Appends an entry with text as payload, padded to 8 bytes, and with options as -rdc=true writes them.
static void add_entry(struct container *c, int kind, unsigned arch, uint64_t flags, const char *text,
                      const char *options)
{
    unsigned char *entry = c->bytes + c->size;
    size_t header = 72 + (strlen(options) + 7) / 8 * 8, payload = strlen(text) / 8 * 8 + 8;

    put(entry, (uint64_t)kind, 2);
    put(entry + 2, 0x101, 2);
    put(entry + 4, header, 4);
    put(entry + 8, payload, 8);
    put(entry + 16, flags & (ZSTD | LZ4) ? strlen(text) : 0, 4);
    put(entry + 28, arch, 4);
    put(entry + 40, flags, 8);
    put(entry + 64, 72, 4);
    put(entry + 68, strlen(options), 4);
    memcpy(entry + 72, options, strlen(options));
    memcpy(entry + header, text, strlen(text));
    c->size += header + payload;
    put(c->bytes + 8, c->size - 16, 8);
}

// Searches a copy that ends where the container ends, so that the sanitizer detects a read past it.
static void find(const struct container *c, const char *text, const char *expected, int line)
{
    unsigned char *copy = malloc(c->size + 1);
    char error[256] = "";
    size_t length = 0;

    if (!copy)
        exit(1);
    memcpy(copy + 1, c->bytes, c->size);
    const char *found = fatbin_find(copy + 1, c->size, &length, NULL, error, sizeof error);
    bool right = text ? found && length == strlen(text) && memcmp(found, text, length) == 0
                      : !found && strstr(error, expected) && !strchr(error, '\n');

    if (!right) {
        printf("%s:%d: found '%.*s', error '%s', expected '%s'\n", __FILE__, line, found ? (int)length : 0,
               found ? found : "", error, text ? text : expected);
        failures++;
    }
    free(copy);
}

#define FINDS(c, text) find(c, text, "", __LINE__)
#define REFUSES(c, expected) find(c, NULL, expected, __LINE__)

static void test_choice(void)
{
    struct container c;

    start(&c);
    REFUSES(&c, "no device code in PTX");
    add_entry(&c, PTX, 75, 0x11, ".version 9.0", "");
    FINDS(&c, ".version 9.0");
    add_entry(&c, ELF, 90, 0x11, "ELF", "");
    FINDS(&c, ".version 9.0");
    add_entry(&c, PTX, 90, 0x11, ".version 9.0 // 90", "-v");
    FINDS(&c, ".version 9.0 // 90");
    add_entry(&c, PTX, 80, 0x11, ".version 9.0 // 80", "");
    add_entry(&c, PTX, 100, 0x11, ".version 9.0 // 100", "");
    add_entry(&c, PTX, 86, 0x11 | ZSTD, "compressed", "");
    add_entry(&c, PTX, 86, 0x11, "separate", "--compile-only  ");
    add_entry(&c, 64, 86, 0x11, "something new", "");
    FINDS(&c, ".version 9.0 // 90");
    start(&c);
    add_entry(&c, PTX, 120, 0x11, ".version 9.0 // 120", "");
    FINDS(&c, ".version 9.0 // 120");
    add_entry(&c, PTX, 100, 0x11, ".version 9.0 // 100", "");
    FINDS(&c, ".version 9.0 // 100");
    add_entry(&c, PTX, 75, 0x11, ".version 9.0 // 75", "");
    FINDS(&c, ".version 9.0 // 75");
}

static void test_explanations(void)
{
    struct container c;

    start(&c);
    add_entry(&c, ELF, 90, 0x11, "ELF", "");
    REFUSES(&c, "machine code for sm_90 only");
    add_entry(&c, PTX, 75, 0x11 | LZ4, "compressed", "");
    REFUSES(&c, "compressed; compile with nvcc -no-compress");
    start(&c);
    add_entry(&c, PTX, 75, 0x11 | ZSTD, "compressed", "");
    REFUSES(&c, "compressed; compile with nvcc -no-compress");
    add_entry(&c, PTX, 75, 0x11, ".version 9.0", "--compile-only  ");
    REFUSES(&c, "was not linked");
    start(&c);
    add_entry(&c, PTX, 75, 0x11, "", ""); // nothing but padding
    REFUSES(&c, "no device code in PTX");
}

// Changes size bytes at offset of a valid container; expected NULL: it remains valid.
static void damage(size_t offset, uint64_t value, unsigned size, const char *expected, int line)
{
    struct container c;

    start(&c);
    add_entry(&c, PTX, 75, 0x11, ".version 9.0", "");
    put(c.bytes + offset, value, size);
    find(&c, expected ? NULL : ".version 9.0", expected, line);
}

static void test_damage(void)
{
    struct container c;

    damage(0, 0x12345678, 4, "wrong magic", __LINE__);
    damage(4, 2, 2, "version 2, expected 1", __LINE__);
    damage(6, 8, 2, "expected 1", __LINE__);
    damage(6, 60000, 2, "ends before", __LINE__);
    damage(8, UINT64_MAX, 8, "ends before", __LINE__);
    damage(8, UINT64_MAX - 15, 8, "ends before", __LINE__);
    damage(8, 40, 8, "an entry does not fit", __LINE__);
    damage(16 + 4, 0, 4, "an entry does not fit", __LINE__);
    damage(16 + 4, UINT32_MAX, 4, "an entry does not fit", __LINE__);
    damage(16 + 8, UINT64_MAX, 8, "an entry does not fit", __LINE__);
    damage(16 + 8, UINT64_MAX - 71, 8, "an entry does not fit", __LINE__);
    damage(16 + 8, UINT64_MAX - 63, 8, "an entry does not fit", __LINE__); // with the header: 8, if the sum wraps
    damage(16 + 16, 5, 4, "compressed", __LINE__);
    damage(16 + 64, UINT32_MAX, 4, NULL, __LINE__); // options outside the header are not options
    damage(16 + 68, UINT32_MAX, 4, NULL, __LINE__);
    start(&c);
    add_entry(&c, PTX, 75, 0x11, ".version 9.0", "");
    for (size_t size = c.size; c.size = --size, size > 0;)
        REFUSES(&c, "fat binary");
}

static void test_wrapper(void)
{
    struct {
        uint32_t magic, version;
        const void *data, *more;
    } wrapper = {0x466243B1, 1, NULL, NULL};
    static struct container c; // in a segment of the program, like nvcc's
    char error[256] = "";
    size_t length = 0;

    start(&c);
    add_entry(&c, PTX, 75, 0x11, ".version 9.0", "");
    wrapper.data = c.bytes;
    CHECK(fatbin_ptx(&wrapper, 0, &length, NULL, error, sizeof error) && length == 12);
    CHECK(fatbin_ptx(&wrapper, 0, &length, NULL, error, 0) != NULL);
    CHECK(fatbin_parts(&wrapper, error, sizeof error) == 1);
    wrapper.version = 7;
    CHECK(!fatbin_ptx(&wrapper, 0, &length, NULL, error, sizeof error) && strstr(error, "version 7"));
    CHECK(!fatbin_parts(&wrapper, error, sizeof error) && strstr(error, "version 7"));
    wrapper.version = 1;
    wrapper.data = NULL;
    CHECK(!fatbin_ptx(&wrapper, 0, &length, NULL, error, sizeof error) && strstr(error, "not a fat binary"));
    wrapper.data = (void *)16; // in no segment
    CHECK(!fatbin_ptx(&wrapper, 0, &length, NULL, error, sizeof error) && strstr(error, "not a fat binary"));
    wrapper.data = c.bytes;
    put(c.bytes + 8, UINT64_C(1) << 40, 8); // a container longer than its segment, and its entry
    CHECK(!fatbin_ptx(&wrapper, 0, &length, NULL, error, sizeof error) && strstr(error, "ends before its last entry"));
    put(c.bytes + 16 + 8, (UINT64_C(1) << 40) - 80, 8);
    CHECK(!fatbin_ptx(&wrapper, 0, &length, NULL, error, sizeof error) && strstr(error, "ends before its last entry"));
    wrapper.magic = 0;
    CHECK(!fatbin_ptx(&wrapper, 0, &length, NULL, error, sizeof error) && strstr(error, "wrong magic"));
    CHECK(!fatbin_ptx(NULL, 0, &length, NULL, error, sizeof error) && strstr(error, "no fat binary"));
    wrapper.magic = 0x466243B1;
    put(c.bytes, 0, 4);
    CHECK(!fatbin_ptx(&wrapper, 0, &length, NULL, error, 0));
    CHECK(!fatbin_ptx(&wrapper, 0, &length, NULL, error, sizeof error) && strstr(error, "wrong magic"));
}

// Linked by nvlink: one container for the machine code of the whole program, and one for each file.
static void test_linked(void)
{
    static struct container all, parts[2];
    const void *const list[] = {parts[0].bytes, parts[1].bytes, NULL};
    struct {
        uint32_t magic, version;
        const void *data, *parts;
    } wrapper = {0x466243B1, 2, all.bytes, list};
    char error[256] = "";
    size_t length = 0;

    start(&all);
    for (int i = 0; i < 2; i++) {
        start(&parts[i]);
        add_entry(&parts[i], PTX, 75, 0x11, i ? ".version 9.0 b" : ".version 9.0", "--compile-only ");
    }
    CHECK(fatbin_parts(&wrapper, error, sizeof error) == 2);
    CHECK(fatbin_ptx(&wrapper, 0, &length, NULL, error, sizeof error) && length == 12);
    CHECK(fatbin_ptx(&wrapper, 1, &length, NULL, error, sizeof error) && length == 14);
    wrapper.parts = &list[2];
    CHECK(!fatbin_parts(&wrapper, error, sizeof error) && strstr(error, "no device code"));
    wrapper.version = 1; // one of them alone
    wrapper.data = parts[0].bytes;
    CHECK(!fatbin_ptx(&wrapper, 0, &length, NULL, error, sizeof error) && strstr(error, "was not linked"));
}

// Machine code as nvcc writes it, reduced: one kernel, "k", with 42 registers and 24 bytes of stack. Names, symbols and
// records are sections 1 to 3.
struct object {
    Elf64_Ehdr head;
    Elf64_Shdr sections[4];
    Elf64_Sym symbols[2];
    char names[16];
    unsigned char info[32];
};

static void build_object(struct object *o)
{
    static const char names[] = "\0k\0.nv.info";
    const unsigned char info[] = {3, 0x1b, 0xff, 0,    4, 0x12, 8, 0, 1, 0, 0,  0, 24, 0,
                                  0, 0,    4,    0x2f, 8, 0,    1, 0, 0, 0, 42, 0, 0,  0};

    memset(o, 0, sizeof *o);
    memcpy(o->head.e_ident, ELFMAG, SELFMAG);
    o->head.e_shoff = offsetof(struct object, sections);
    o->head.e_shentsize = sizeof *o->sections;
    o->head.e_shnum = 4;
    o->head.e_shstrndx = 1;
    o->sections[1].sh_type = SHT_STRTAB;
    o->sections[1].sh_offset = offsetof(struct object, names);
    o->sections[1].sh_size = sizeof o->names;
    o->sections[2].sh_type = SHT_SYMTAB;
    o->sections[2].sh_offset = offsetof(struct object, symbols);
    o->sections[2].sh_size = sizeof o->symbols;
    o->sections[2].sh_link = 1;
    o->sections[3].sh_name = 3;
    o->sections[3].sh_offset = offsetof(struct object, info);
    o->sections[3].sh_size = sizeof o->info;
    o->symbols[1].st_name = 1;
    o->symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    memcpy(o->names, names, sizeof names);
    memcpy(o->info, info, sizeof info);
}

static uint32_t value_of(const void *object, size_t size, const char *kernel,
                         uint32_t (*read)(struct cubin, const char *))
{
    unsigned char *copy = malloc(size + 1); // ends with the object, so that the sanitizer detects a read past it
    struct cubin cubin = {copy, size};

    if (!copy)
        exit(1);
    memcpy(copy, object, size);
    uint32_t value = read(cubin, kernel);
    free(copy);
    return value;
}

static uint32_t registers_of(const void *object, size_t size, const char *kernel)
{
    return value_of(object, size, kernel, cubin_registers);
}

static void test_registers(void)
{
    struct object o, damaged;

    build_object(&o);
    CHECK(registers_of(&o, sizeof o, "k") == 42);
    CHECK(registers_of(&o, sizeof o, "other") == 0 && registers_of(&o, sizeof o, "") == 0);
    CHECK(value_of(&o, sizeof o, "k", cubin_stack) == 24 && value_of(&o, sizeof o, "other", cubin_stack) == 0);
    for (size_t size = 0; size < sizeof o; size++)
        CHECK(registers_of(&o, size, "k") == 0);
    for (size_t at = 0; at < sizeof o; at++) {
        damaged = o;
        ((unsigned char *)&damaged)[at] ^= 0xff;
        registers_of(&damaged, sizeof damaged, "k");
    }
    damaged = o;
    damaged.info[20] = 0; // of another symbol
    CHECK(registers_of(&damaged, sizeof damaged, "k") == 0);
}

int main(void)
{
    test_registers();
    test_choice();
    test_explanations();
    test_damage();
    test_wrapper();
    test_linked();
    printf("test_fatbin: %s\n", failures ? "FAILED" : "passed");
    return failures ? 1 : 0;
}
