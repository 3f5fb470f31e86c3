// Where a step's main passes its functions on. A step is compiled once, and these two functions make its
// programs differ. In a submission they send to the judge (serve.c), in a standalone program to the driver in
// this process (local.c).
#pragma once

#include "harness/todo.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Serves calls until the process ends, and never returns. run[i] runs function i and may change its arguments. driver
// and numbers: main's request.
__attribute__((noreturn)) int serve(struct invocation own, const char *driver, const int64_t numbers[4],
                                    void (*const run[])(void *arguments));

// A CUDA call failed: notifies the driver, which ends the run.
void report_error(int error, const char *call, const char *file, int line);

#ifdef __cplusplus
}
#endif
