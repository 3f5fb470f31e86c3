// Whether a fault of the host is a stack overflow, which the system reports like any invalid address.
#pragma once

#include <stdint.h>

// Remembers where the calling thread's stack ends; only this thread's overflow is recognised.
void stack_remember(void);

// The stack's size in bytes if the fault at address, with its signal context, is a stack overflow; else 0.
uint64_t stack_is_full(uint64_t address, const void *context);

// The part of the host's program that contains the address, for reports: its stack, its heap, or a loaded segment.
// NULL: unknown.
const char *host_part(uint64_t address);
