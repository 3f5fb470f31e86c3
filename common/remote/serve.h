// The head of a step that is compiled without its driver: main passes the student's functions on, and calls from the
// driver arrive here. A chapter's calls.h includes this if WORKBOOK_SERVED is defined.
#pragma once

#include "device/launch.h"
#include "remote/invocation.h"
#include <ctype.h> // as the driver's own headers do: what compiles with the driver compiles here
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void check_cuda_at(cudaError_t error, const char *call, const char *file, int line)
{
    if (error != cudaSuccess)
        report_error(error, call, file, line);
}
