// Machine code (cubin.h): an ELF object. Its section .nv.info holds records, as nvcc 12 and 13 write them:
//
//   u8 format, u8 attribute, u16 value                  formats 1 to 3
//   u8 format, u8 attribute, u16 size, size bytes       format 4; of the attributes below: u32 symbol, u32 value
#include "ptx/cubin.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#define FORMAT_SIZED 4
#define ATTRIBUTE_REGISTERS 0x2f
#define ATTRIBUTE_STACK 0x12 // bytes of the kernel's frame and of those that it calls

// A part of the object that lies in it as a whole; size 0: none.
static struct cubin part(struct cubin c, uint64_t offset, uint64_t size)
{
    bool fits = offset <= c.size && size <= c.size - offset;
    return fits ? (struct cubin){c.data + offset, size} : (struct cubin){NULL, 0};
}

static bool read_section(struct cubin c, const Elf64_Ehdr *head, uint64_t i, Elf64_Shdr *out)
{
    struct cubin p = part(c, head->e_shoff + i * sizeof *out, sizeof *out);
    if (i >= head->e_shnum || !p.size)
        return false;
    memcpy(out, p.data, sizeof *out);
    return true;
}

// Whether the string at `at` of the section of strings is name.
static bool is_named(struct cubin c, const Elf64_Shdr *strings, uint64_t at, const char *name)
{
    size_t length = strlen(name) + 1;
    struct cubin p = part(c, strings->sh_offset, strings->sh_size);
    p = at < p.size ? part(p, at, length) : (struct cubin){NULL, 0};
    return p.size == length && !memcmp(p.data, name, length);
}

// The section of that type, or of that name if there is one.
static bool find_section(struct cubin c, const Elf64_Ehdr *head, uint32_t type, const char *name, Elf64_Shdr *out)
{
    Elf64_Shdr names;
    if (!read_section(c, head, head->e_shstrndx, &names))
        return false;
    for (uint64_t i = 0; read_section(c, head, i, out); i++)
        if (name ? is_named(c, &names, out->sh_name, name) : out->sh_type == type)
            return true;
    return false;
}

// The number of the function among the object's symbols; -1: it is none.
static int64_t find_symbol(struct cubin c, const Elf64_Ehdr *head, const char *function)
{
    Elf64_Shdr symbols, names;
    if (!find_section(c, head, SHT_SYMTAB, NULL, &symbols) || !read_section(c, head, symbols.sh_link, &names))
        return -1;
    struct cubin p = part(c, symbols.sh_offset, symbols.sh_size);
    for (uint64_t i = 0; (i + 1) * sizeof(Elf64_Sym) <= p.size; i++) {
        Elf64_Sym s;
        memcpy(&s, p.data + i * sizeof s, sizeof s);
        if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && is_named(c, &names, s.st_name, function))
            return (int64_t)i;
    }
    return -1;
}

// The value of that attribute; 0: there is none.
static uint32_t find_value(struct cubin c, const char *kernel, uint8_t attribute)
{
    Elf64_Ehdr head;
    Elf64_Shdr info;
    if (c.size < sizeof head)
        return 0;
    memcpy(&head, c.data, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_shentsize != sizeof info)
        return 0;
    int64_t symbol = find_symbol(c, &head, kernel);
    if (symbol < 0 || !find_section(c, &head, 0, ".nv.info", &info))
        return 0;
    struct cubin p = part(c, info.sh_offset, info.sh_size);
    for (uint64_t at = 0; at + 4 <= p.size;) {
        uint16_t size;
        uint32_t value[2];
        memcpy(&size, p.data + at + 2, sizeof size);
        uint64_t length = p.data[at] == FORMAT_SIZED ? size : 0;
        if (p.data[at + 1] == attribute && length == sizeof value && at + 4 + length <= p.size) {
            memcpy(value, p.data + at + 4, sizeof value);
            if (value[0] == (uint64_t)symbol)
                return value[1];
        }
        at += 4 + length;
    }
    return 0;
}

uint32_t cubin_registers(struct cubin c, const char *kernel)
{
    return find_value(c, kernel, ATTRIBUTE_REGISTERS);
}

uint32_t cubin_stack(struct cubin c, const char *kernel)
{
    return find_value(c, kernel, ATTRIBUTE_STACK);
}
