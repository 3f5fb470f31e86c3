// Allocations that processes share: one exports, others import. Their pages become a file of memory that all map.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// How another process finds an allocation: a file that this process has open, and the offset in it.
struct exported {
    int64_t process;
    int32_t file, device;
    uint64_t offset, size;
};

// False: no allocation of the device starts there, or the host has no memory for it.
bool memory_export(uint64_t base, struct exported *out);

// Its address in this process; 0: the other process has ended, or there is no room.
uint64_t memory_import(const struct exported *e, int device);
bool memory_end_import(uint64_t base); // false: no import starts there
void memory_end_export(uint64_t base); // call before freeing it; does nothing if it was not exported
