// Whether a fault of the host is a full stack, which the system reports as any wrong address.
#pragma once

#include <stdint.h>

// Remembers where the calling thread's stack ends: the one thread whose full stack is recognised.
void stack_remember(void);

// The stack's size in bytes if the fault at address, with the context of its signal, is a full stack; else 0.
uint64_t stack_is_full(uint64_t address, const void *context);

// The part of the host's program that the address is in, for reports: its stack, its heap, or a loaded segment. NULL:
// unknown.
const char *host_part(uint64_t address);
