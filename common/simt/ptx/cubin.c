// Machine code: an ELF object. Its section .nv.info holds records, as nvcc 12 and 13 write them:
//
//   u8 format, u8 attribute, u16 value                  formats 1 to 3
//   u8 format, u8 attribute, u16 size, size bytes       format 4; of the attributes below: u32 symbol, u32 value
#include "ptx/cubin.h"

#include <string.h>

#include "ptx/elf.h"

#define FORMAT_SIZED 4
#define ATTRIBUTE_REGISTERS 0x2f
#define ATTRIBUTE_STACK 0x12 // bytes of the kernel's frame and of the frames that it calls

// The number of the function among the object's symbols; -1: not found.
static int64_t find_symbol(struct elf_bytes c, const Elf64_Ehdr *head, const char *function)
{
    Elf64_Shdr symbols, names;
    if (!elf_find(c, head, SHT_SYMTAB, NULL, &symbols) || !elf_section(c, head, symbols.sh_link, &names))
        return -1;
    struct elf_bytes p = elf_part(c, symbols.sh_offset, symbols.sh_size);
    for (uint64_t i = 0; (i + 1) * sizeof(Elf64_Sym) <= p.size; i++) {
        Elf64_Sym s;
        memcpy(&s, p.data + i * sizeof s, sizeof s);
        if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && elf_is_named(c, &names, s.st_name, function))
            return (int64_t)i;
    }
    return -1;
}

// The value of that attribute; 0: absent.
static uint32_t find_value(struct cubin cubin, const char *kernel, uint8_t attribute)
{
    struct elf_bytes c = {cubin.data, cubin.size};
    Elf64_Ehdr head;
    Elf64_Shdr info;
    if (!elf_head(c, &head))
        return 0;
    int64_t symbol = find_symbol(c, &head, kernel);
    if (symbol < 0 || !elf_find(c, &head, 0, ".nv.info", &info))
        return 0;
    struct elf_bytes p = elf_part(c, info.sh_offset, info.sh_size);
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
