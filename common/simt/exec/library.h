// What functions of the device's library share: access to arguments and to results.
#pragma once

#include "exec/machine.h"

// The k-th .param variable of a library call in the lane's frame; results come first.
uint8_t *argument(struct warp *w, const struct insn *in, uint32_t k, uint32_t lane);
uint64_t argument_64(struct warp *w, const struct insn *in, uint32_t k, uint32_t lane);

// The host address of a generic address; NULL: it is invalid.
uint8_t *reachable(struct warp *w, uint64_t address, uint32_t lane);

// Stores a value through a pointer argument. False: the address is invalid.
bool put_result(struct warp *w, uint64_t address, uint32_t lane, const void *value, uint32_t size);

// Sets how many bytes all kernels together may print; initially unlimited.
void print_limit(uint64_t bytes);
