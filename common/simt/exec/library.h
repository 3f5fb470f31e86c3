// What functions of the device's library have in common: their arguments, and results that they store.
#pragma once

#include "exec/machine.h"

// The k-th .param variable of a library call in the lane's frame; results come first.
uint8_t *argument(struct warp *w, const struct insn *in, uint32_t k, uint32_t lane);
uint64_t argument_64(struct warp *w, const struct insn *in, uint32_t k, uint32_t lane);

// Where a generic address leads in the host's memory; NULL: nowhere.
uint8_t *reachable(struct warp *w, uint64_t address, uint32_t lane);

// Stores a value where a pointer among the arguments leads. False: it leads nowhere.
bool put_result(struct warp *w, uint64_t address, uint32_t lane, const void *value, uint32_t size);

// How many bytes all kernels together may print; at first any number.
void print_limit(uint64_t bytes);
