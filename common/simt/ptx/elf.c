// Every offset in an object is checked before it is followed: the object may be damaged or hostile.
#include "ptx/elf.h"

#include <string.h>

struct elf_bytes elf_part(struct elf_bytes b, uint64_t offset, uint64_t size)
{
    bool fits = offset <= b.size && size <= b.size - offset;
    return fits ? (struct elf_bytes){b.data + offset, size} : (struct elf_bytes){NULL, 0};
}

bool elf_head(struct elf_bytes file, Elf64_Ehdr *out)
{
    if (file.size < sizeof *out)
        return false;
    memcpy(out, file.data, sizeof *out);
    bool is_64 = out->e_shentsize == sizeof(Elf64_Shdr); // 32-bit objects have other sizes
    return is_64 && !memcmp(out->e_ident, ELFMAG, SELFMAG);
}

bool elf_section(struct elf_bytes file, const Elf64_Ehdr *head, uint64_t i, Elf64_Shdr *out)
{
    struct elf_bytes p = elf_part(file, head->e_shoff + i * sizeof *out, sizeof *out);
    if (i >= head->e_shnum || !p.size)
        return false;
    memcpy(out, p.data, sizeof *out);
    return true;
}

bool elf_is_named(struct elf_bytes file, const Elf64_Shdr *strings, uint64_t at, const char *name)
{
    size_t length = strlen(name) + 1;
    struct elf_bytes p = elf_part(file, strings->sh_offset, strings->sh_size);
    p = at < p.size ? elf_part(p, at, length) : (struct elf_bytes){NULL, 0};
    return p.size == length && !memcmp(p.data, name, length);
}

bool elf_find(struct elf_bytes file, const Elf64_Ehdr *head, uint32_t type, const char *name, Elf64_Shdr *out)
{
    Elf64_Shdr names;
    if (!elf_section(file, head, head->e_shstrndx, &names))
        return false;
    for (uint64_t i = 0; elf_section(file, head, i, out); i++)
        if (name ? elf_is_named(file, &names, out->sh_name, name) : out->sh_type == type)
            return true;
    return false;
}
