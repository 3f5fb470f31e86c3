// nvcc's fat binary. Seen with nvcc 12 and 13, all numbers little-endian:
//
//   wrapper    u32 magic, u32 version (1; 2: linked by nvlink), container *, parts *
//   parts      of version 2: the containers of the files that were compiled with -rdc=true, then NULL
//   container  u32 magic, u16 version (1), u16 header size (16), u64 size of all entries
//   entry      0 u16 kind (1 PTX, 2 ELF)  4 u32 header size   8 u64 payload size, padded   16 u32 compressed size
//              28 u32 architecture        40 u64 flags        64 u32 offset, 68 u32 length of the options of ptxas
//
// fatbin_find walks the entries once, remembers the best PTX and what else it found, and then returns the PTX or
// explains the failure.
#define _GNU_SOURCE // dl_iterate_phdr
#include "ptx/fatbin.h"

#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243B1u
#define CONTAINER_MAGIC 0xBA55ED50u
#define CONTAINER_HEADER 16
#define ENTRY_HEADER 64 // least size
#define KIND_PTX 1
#define KIND_ELF 2
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define DEVICE_ARCH 90 // the architecture of the emulated devices
#define COMPILE "compile with nvcc -arch=compute_75 -code=compute_75 -no-compress"

struct entry {
    unsigned kind, arch;
    uint32_t compressed;
    uint64_t flags;
    bool separate; // made by -rdc=true
    const unsigned char *payload;
    uint64_t size;
};

// The contents of a container; an arch is the last one found, 0: none.
struct found {
    bool linked;          // part of a linked program: search for separately compiled code
    struct entry best;    // PTX; kind 0: none
    struct entry machine; // uncompressed machine code; kind 0: none
    unsigned compressed, elf, separate;
};

static const char *fail(char *error, size_t error_size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static const char *fail(char *error, size_t error_size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (error_size > 0)
        vsnprintf(error, error_size, format, args);
    va_end(args);
    return NULL;
}

// The number of size bytes at p.
static uint64_t read_number(const unsigned char *p, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = size; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

// Whether the options in an entry's header contain "--compile-only", as -rdc=true writes it.
static bool is_separate(const unsigned char *header, uint64_t header_size)
{
    static const char option[] = "--compile-only";
    size_t length = sizeof option - 1;

    if (header_size < 72)
        return false;
    uint64_t offset = read_number(header + 64, 4), options = read_number(header + 68, 4);

    if (offset < 72 || offset > header_size || options > header_size - offset)
        return false;
    for (uint64_t i = 0; i + length <= options; i++)
        if (memcmp(header + offset + i, option, length) == 0)
            return true;
    return false;
}

// Reads the entry at p, which has at most left bytes. Returns its size; 0: it does not fit.
static uint64_t read_entry(const unsigned char *p, uint64_t left, struct entry *entry)
{
    if (left < ENTRY_HEADER)
        return 0;
    uint64_t header_size = read_number(p + 4, 4);

    entry->size = read_number(p + 8, 8);
    if (header_size < ENTRY_HEADER || header_size > left || entry->size > left - header_size)
        return 0;
    entry->kind = (unsigned)read_number(p, 2);
    entry->compressed = (uint32_t)read_number(p + 16, 4);
    entry->arch = (unsigned)read_number(p + 28, 4);
    entry->flags = read_number(p + 40, 8);
    entry->separate = is_separate(p, header_size);
    entry->payload = p + header_size;
    return header_size + entry->size;
}

// Prefers the newest architecture that the devices support; otherwise the oldest, which requires the least.
static bool is_better_match(unsigned arch, unsigned than)
{
    return arch <= DEVICE_ARCH ? than > DEVICE_ARCH || arch > than : arch < than;
}

static bool is_compressed(const struct entry *entry)
{
    return entry->compressed != 0 || (entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
}

static void note_machine_code(struct found *found, const struct entry *entry)
{
    bool first = found->machine.kind == 0;

    found->elf = entry->arch;
    if (!is_compressed(entry) && (first || is_better_match(entry->arch, found->machine.arch)))
        found->machine = *entry;
}

static void note_entry(struct found *found, const struct entry *entry)
{
    if (entry->kind == KIND_ELF)
        note_machine_code(found, entry);
    if (entry->kind != KIND_PTX)
        return;
    if (entry->separate && !found->linked)
        found->separate = entry->arch;
    else if (is_compressed(entry))
        found->compressed = entry->arch;
    else if (found->best.kind == 0 || is_better_match(entry->arch, found->best.arch))
        found->best = *entry;
}

static const char *explain(const struct found *found, char *error, size_t error_size)
{
    if (found->separate)
        return fail(error, error_size, "the program holds device code that was not linked: link it with simtcc");
    if (found->compressed)
        return fail(error, error_size, "the program's PTX is compressed; compile with nvcc -no-compress");
    if (found->elf)
        return fail(error, error_size, "the program holds machine code for sm_%u only, no PTX; " COMPILE, found->elf);
    return fail(error, error_size, "the program holds no device code in PTX; " COMPILE);
}

// Walks the entries of the container. On failure returns false and writes a line to error.
static bool read_container(const void *container, size_t size, struct found *found, char *error, size_t error_size)
{
    const unsigned char *p = container;

    if (size < CONTAINER_HEADER || read_number(p, 4) != CONTAINER_MAGIC)
        return fail(error, error_size, "not a fat binary of nvcc: its container has the wrong magic number");
    uint64_t version = read_number(p + 4, 2), header = read_number(p + 6, 2), left = read_number(p + 8, 8);

    if (version != 1 || header < CONTAINER_HEADER)
        return fail(error, error_size, "fat binary container of version %u, expected 1; use nvcc 12 or 13",
                    (unsigned)version);
    if (header > size || left > size - header)
        return fail(error, error_size, "the fat binary is damaged: it ends before its last entry");
    for (p += header; left > 0;) {
        struct entry entry;
        uint64_t used = read_entry(p, left, &entry);

        if (used == 0)
            return fail(error, error_size, "the fat binary is damaged: an entry does not fit its container");
        note_entry(found, &entry);
        p += used;
        left -= used;
    }
    while (found->best.size > 0 && found->best.payload[found->best.size - 1] == 0) // padding
        found->best.size--;
    return true;
}

static const char *take_ptx(const struct found *found, size_t *length, char *error, size_t error_size)
{
    if (found->best.size == 0)
        return explain(found, error, error_size);
    *length = (size_t)found->best.size;
    return (const char *)found->best.payload;
}

static void take_cubin(const struct found *found, struct cubin *cubin)
{
    if (cubin)
        *cubin = (struct cubin){found->machine.payload, (size_t)found->machine.size};
}

const char *fatbin_find(const void *container, size_t size, size_t *length, struct cubin *cubin, char *error,
                        size_t error_size)
{
    struct found found = {0};

    if (!read_container(container, size, &found, error, error_size))
        return NULL;
    take_cubin(&found, cubin);
    return take_ptx(&found, length, error, error_size);
}

const char *fatbin_find_part(const void *container, size_t size, size_t *length, char *error, size_t error_size)
{
    struct found found = {.linked = true};

    return read_container(container, size, &found, error, error_size) ? take_ptx(&found, length, error, error_size)
                                                                      : NULL;
}

// An address, and how many bytes follow it in the same segment of the program or a library.
struct extent {
    uintptr_t start;
    size_t bytes;
};

static int find_segment(struct dl_phdr_info *object, size_t info_size, void *data)
{
    struct extent *e = data;

    (void)info_size;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t into = e->start - (uintptr_t)(object->dlpi_addr + segment->p_vaddr);

        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) != 0 && into < segment->p_memsz) {
            e->bytes = segment->p_memsz - into;
            return 1;
        }
    }
    return 0;
}

// A container states its own length: a damaged one must not be trusted beyond its segment.
static bool read_segment(const void *container, struct found *found, char *error, size_t error_size)
{
    struct extent extent = {.start = (uintptr_t)container};

    dl_iterate_phdr(find_segment, &extent);
    return read_container(container, extent.bytes, found, error, error_size);
}

struct wrapper {
    uint32_t magic, version;
    const void *container;
    const void *const *parts;
};

static bool read_wrapper(const void *from, struct wrapper *wrapper, char *error, size_t error_size)
{
    if (!from)
        return fail(error, error_size, "the program registers no fat binary");
    memcpy(wrapper, from, offsetof(struct wrapper, parts));
    if (wrapper->magic != WRAPPER_MAGIC)
        return fail(error, error_size, "not a fat binary of nvcc: its wrapper has the wrong magic number");
    if (wrapper->version != 1 && wrapper->version != 2)
        return fail(error, error_size, "fat binary of version %u, expected 1 or 2; use nvcc 12 or 13",
                    wrapper->version);
    if (wrapper->version == 2)
        memcpy(wrapper, from, sizeof *wrapper);
    return true;
}

int fatbin_parts(const void *wrapper, char *error, size_t error_size)
{
    struct wrapper head = {0};
    int count = 0;

    if (!read_wrapper(wrapper, &head, error, error_size))
        return 0;
    while (head.parts && head.parts[count])
        count++;
    if (head.version == 2 && !count)
        fail(error, error_size, "the program holds no device code in PTX; " COMPILE);
    return head.version == 1 ? 1 : count;
}

const char *fatbin_ptx(const void *wrapper, int part, size_t *length, struct cubin *cubin, char *error,
                       size_t error_size)
{
    struct wrapper head = {0};
    struct found found = {0}, linked = {0};
    char ignored[1];

    if (!read_wrapper(wrapper, &head, error, error_size))
        return NULL;
    found.linked = head.version == 2;
    if (!read_segment(found.linked ? head.parts[part] : head.container, &found, error, error_size))
        return NULL;
    if (found.linked && !read_segment(head.container, &linked, ignored, sizeof ignored))
        linked = (struct found){0};
    take_cubin(found.linked ? &linked : &found, cubin);
    return take_ptx(&found, length, error, error_size);
}
