// Leaks: what the program allocated and never freed.
#pragma once

#include "memory/memory.h"

void report_leaks(void); // if the settings ask for it

// Whether the program made the allocation and must free it. Excludes variables and what a graph or another process
// owns.
bool is_of_program(const struct allocation *a);
