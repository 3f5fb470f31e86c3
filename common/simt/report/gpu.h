// The numbers of a GPU for the estimate: from the built-in file h200.def, or from a user's file.
#pragma once

#include <stddef.h>

struct gpu {
    char name[64];
#define RATE(name, value, source) double name;
#include "report/h200.def"
#undef RATE
};

// name: a GPU, or a file with lines NAME VALUE and comments after #; numbers that the file omits are an H200's. On
// failure returns false, and a line in error.
#define GPU_ACCEPTED "h200, or a file with lines NAME VALUE (docs/estimate.md)"
_Bool gpu_read(const char *name, struct gpu *out, char *error, size_t error_size);
