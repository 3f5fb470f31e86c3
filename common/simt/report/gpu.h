// The numbers of a GPU for the estimate: from a file that is built in, h200.def, or one of the user's.
#pragma once

#include <stddef.h>

struct gpu {
    char name[64];
#define RATE(name, value, source) double name;
#include "report/h200.def"
#undef RATE
};

// name: that of a GPU, or of a file with lines NAME VALUE and comments after #; what a file leaves out is as on an
// H200. On failure returns false, and a line in error.
#define GPU_ACCEPTED "h200, or a file with lines NAME VALUE (docs/estimate.md)"
_Bool gpu_read(const char *name, struct gpu *out, char *error, size_t error_size);
