// Conditions of graphs: words that kernels set and conditional nodes read.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Returns a handle; 0: there are too many. assigns: every launch of its graph resets the value to `first`.
uint64_t condition_open(uint32_t first, bool assigns);
bool condition_exists(uint64_t handle);
uint32_t condition_value(uint64_t handle);
void condition_start(uint64_t handle); // called when its graph is launched
