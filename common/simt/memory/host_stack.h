// Whether a fault of the host is a stack overflow, which the system reports like any invalid address.
#pragma once

#include <stdint.h>

// Remembers where the calling thread's stack ends; only this thread's overflow is recognised.
void stack_remember(void);

// The stack's size in bytes if the fault at address, with its signal context, is a stack overflow; else 0.
uint64_t stack_is_full(uint64_t address, const void *context);

// The bytes of the block of malloc or new that begins at address, if they are fewer than n. 0: there are enough, or the
// address begins no block that glibc knows. The address must be readable.
uint64_t host_block_short(uint64_t address, uint64_t n);

// The part of the host's program that contains the address, for reports: its stack, its heap, or a loaded segment.
// NULL: unknown.
const char *host_part(uint64_t address);
