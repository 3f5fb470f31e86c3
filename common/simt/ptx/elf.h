// Sections of an ELF object, whose bytes may be hostile: machine code next to the PTX, and the program's own files.
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An object, or a part of one.
struct elf_bytes {
    const unsigned char *data;
    size_t size;
};

// A part that lies entirely within b; size 0: it does not, or it is empty.
struct elf_bytes elf_part(struct elf_bytes b, uint64_t offset, uint64_t size);

// The header of a 64-bit object; false: it is not one.
bool elf_head(struct elf_bytes file, Elf64_Ehdr *out);

// Section i. False: there are fewer sections.
bool elf_section(struct elf_bytes file, const Elf64_Ehdr *head, uint64_t i, Elf64_Shdr *out);

// The first section of that type or, if name is given, of that name.
bool elf_find(struct elf_bytes file, const Elf64_Ehdr *head, uint32_t type, const char *name, Elf64_Shdr *out);

// Whether the string at offset `at` in the string section equals name.
bool elf_is_named(struct elf_bytes file, const Elf64_Shdr *strings, uint64_t at, const char *name);
