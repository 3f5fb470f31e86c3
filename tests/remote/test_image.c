// Tests of image.c: the fat binaries in an ELF file, built here byte by byte, valid and damaged. Exit 0: all pass; 1:
// one line per failed check.
#include "../../common/remote/wire.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE = 0x200, PARTS = 0x240, SECTIONS = 0x300, SIZE = SECTIONS + 4 * sizeof(Elf64_Shdr) };

static const char names[] = "\0.nv_fatbin\0__nv_relfatbin"; // at 1 and 12
static int failures;

static void check(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        failures++;
    }
}

// A container: magic, version, size of the header, size of the rest.
static void put_container(unsigned char *at, uint16_t header, uint64_t body)
{
    memcpy(at + 6, &header, sizeof header);
    memcpy(at + 8, &body, sizeof body);
}

// One container in .nv_fatbin; two in __nv_relfatbin, of 21 and 16 bytes.
static void build(unsigned char *file)
{
    Elf64_Ehdr head = {
        .e_ident = ELFMAG, .e_shoff = SECTIONS, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 4, .e_shstrndx = 1};
    Elf64_Shdr sections[4] = {{.sh_name = 0},
                              {.sh_offset = 0x100, .sh_size = sizeof names},
                              {.sh_name = 1, .sh_offset = CODE, .sh_size = 48},
                              {.sh_name = 12, .sh_offset = PARTS, .sh_size = 40}};

    memset(file, 0, SIZE);
    memcpy(file, &head, sizeof head);
    memcpy(file + 0x100, names, sizeof names);
    put_container(file + CODE, 16, 32);
    put_container(file + PARTS, 16, 5);
    put_container(file + PARTS + 24, 16, 0);
    memcpy(file + SECTIONS, sections, sizeof sections);
}

static void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    remove(path); // maps of the last one are unchanged
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) {
        printf("cannot write %s\n", path);
        exit(1);
    }
}

// Data found in the file lies within it: its last byte can be read.
static void read_all(const char *path)
{
    for (unsigned k = 0; k < 4; k++) {
        size_t size = 0;
        const unsigned char *code = read_image(path, k, &size), *part = code ? NULL : read_part(path, k, &size);
        const unsigned char *found = code ? code : part;
        check(!found || (size >= 16 && size <= SIZE), "a container has its header and is no larger than the file");
        volatile unsigned char last = found ? found[size - 1] : 0;
        (void)last;
    }
}

int main(int argc, char **argv)
{
    static unsigned char file[SIZE];
    const char *path = argc > 1 ? argv[1] : "image";
    size_t size;

    build(file);
    write_file(path, file, SIZE);
    check(read_image(path, 0, &size) && size == 48, "the container of .nv_fatbin has 48 bytes");
    check(!read_image(path, 1, &size), "there is one container in .nv_fatbin");
    check(read_part(path, 0, &size) && size == 21, "the first part has 21 bytes");
    check(read_part(path, 1, &size) && size == 16, "the second part, 24 bytes on, has 16");
    check(!read_part(path, 2, &size), "there are two parts");
    for (size_t cut = 0; cut < SIZE; cut += 7) {
        write_file(path, file, cut);
        check(!read_image(path, 0, &size) && !read_part(path, 0, &size), "a file that is cut off has no sections");
    }
    for (size_t at = 0; at < SIZE; at++)
        for (unsigned value = 0; value < 3; value++) {
            build(file);
            file[at] = (unsigned char)(value * 0x7f + (value == 2));
            write_file(path, file, SIZE);
            read_all(path);
        }
    remove(path);
    return failures != 0;
}
