// The fat binaries in an ELF file: those that nvcc links into the section .nv_fatbin, one after another; and those that
// nvlink has made of a file's (nvcc -rdc=true), in the section __nv_relfatbin.
#include "remote/wire.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char *map_file(const char *path, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *bytes = MAP_FAILED;

    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0)
        bytes = mmap(NULL, *size = (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        close(file);
    return bytes == MAP_FAILED ? NULL : bytes;
}

// The section of that name; its bytes lie within the file.
static const unsigned char *find_section(const unsigned char *file, size_t size, const char *name, size_t *length)
{
    Elf64_Ehdr head;

    if (size < sizeof head)
        return NULL;
    memcpy(&head, file, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shoff > size ||
        head.e_shnum > (size - head.e_shoff) / sizeof(Elf64_Shdr) || head.e_shstrndx >= head.e_shnum)
        return NULL;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + head.e_shoff), *names = &sections[head.e_shstrndx];
    for (int i = 0; i < head.e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        size_t at = names->sh_offset + s->sh_name;

        if (at < size && strnlen((const char *)file + at, size - at) < size - at &&
            !strcmp((const char *)file + at, name) && s->sh_offset <= size && s->sh_size <= size - s->sh_offset) {
            *length = s->sh_size;
            return file + s->sh_offset;
        }
    }
    return NULL;
}

// The section's container number `image`, and its length.
static const void *find_container(const char *path, const char *section, unsigned image, size_t *size)
{
    enum { HEADER = 16 }; // magic 4, version 2, size of the header 2, size of the rest 8
    size_t length = 0, left = 0;
    const unsigned char *file = map_file(path, &length), *at = file ? find_section(file, length, section, &left) : NULL;

    while (at && left >= HEADER) {
        uint16_t header;
        uint64_t body;

        memcpy(&header, at + 6, sizeof header);
        memcpy(&body, at + 8, sizeof body);
        if (header < HEADER || header > left || body > left - header)
            return NULL;
        *size = header + body;
        if (image-- == 0)
            return at;
        size_t step = (*size + 7) / 8 * 8;
        at += step < left ? step : left;
        left -= step < left ? step : left;
    }
    return NULL;
}

const void *read_image(const char *path, unsigned image, size_t *size)
{
    return find_container(path, ".nv_fatbin", image, size);
}

const void *read_part(const char *path, unsigned part, size_t *size)
{
    return find_container(path, "__nv_relfatbin", part, size);
}
