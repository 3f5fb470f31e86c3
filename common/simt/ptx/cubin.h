// Machine code that comes with the PTX: ptxas's facts about each kernel.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Machine code, size bytes at data; NULL: there is none.
struct cubin {
    const unsigned char *data;
    size_t size;
};

// Registers of a thread of the kernel, as ptxas allocated them; 0: unknown. The bytes may be hostile.
uint32_t cubin_registers(struct cubin cubin, const char *kernel);

// Bytes of local memory of a thread of the kernel, as ptxas laid them out; 0: none, or unknown.
uint32_t cubin_stack(struct cubin cubin, const char *kernel);
