// The face of a graded program: main hands the student's functions over, and calls of the driver, which is in another
// process, arrive here. A chapter's header includes this in place of its driver where WORKBOOK_SERVED is defined.
#ifndef REMOTE_SERVE_H
#define REMOTE_SERVE_H

#include "device/launch.h"
#include "harness/todo.h"
#include <ctype.h> // these as the driver's own headers do: what compiles with the driver compiles here
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

extern "C" {
// Serves calls until the judge ends the process: run[i] is called for function i, with its arguments, which it may
// change. driver and numbers: what main asked for. Does not return.
__attribute__((noreturn)) int serve(const char *driver, const int64_t numbers[4], const char *file, int todo_open,
                                    void (*const run[])(void *arguments));

// A CUDA call failed: tells the judge, which ends the run.
void tell_of_error(int error, const char *call, const char *file, int line);
}

static inline void check_cuda_at(cudaError_t error, const char *call, const char *file, int line)
{
    if (error != cudaSuccess)
        tell_of_error(error, call, file, line);
}
#endif
