// Where a step's main hands its functions over. A step is compiled once; these two functions tell its programs apart.
// In a submission they speak to the judge (serve.c), in a program on its own to the driver in this process (local.c).
#pragma once

#include "harness/todo.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Serves calls until the process ends: run[i] is called for function i, with its arguments, which it may change. driver
// and numbers: what main asked for. Does not return.
__attribute__((noreturn)) int serve(struct invocation own, const char *driver, const int64_t numbers[4],
                                    void (*const run[])(void *arguments));

// A CUDA call failed: tells the driver, which ends the run.
void report_error(int error, const char *call, const char *file, int line);

#ifdef __cplusplus
}
#endif
