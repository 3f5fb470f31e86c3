// Findings about running code: a check's words with the kernel, the block and the source lines added.
#pragma once

#include "exec/machine.h"
#include "report/report.h"

// Reports something about instruction id of the module that b runs, and about instruction `other`. A value of other
// beyond the module's instructions, such as NONE, means none; different values distinguish findings at one line.
__attribute__((format(printf, 6, 7))) void report(struct block *b, enum finding_kind kind, enum severity severity,
                                                  uint32_t id, uint32_t other, const char *format, ...);

// The same, with the threads and addresses involved (report/report.h).
__attribute__((format(printf, 7, 8))) void report_scene(struct block *b, const struct scene *scene,
                                                        enum finding_kind kind, enum severity severity, uint32_t id,
                                                        uint32_t other, const char *format, ...);

// Whether the same has been reported before and no observer wants it: then it is counted, and needs no words.
bool report_again(const struct block *b, enum finding_kind kind, enum severity severity, uint32_t id, uint32_t other);

// Reports something about the launch as a whole.
__attribute__((format(printf, 6, 7))) void report_launch(const struct launch *launch, enum finding_kind kind,
                                                         enum severity severity, uint32_t id, uint32_t other,
                                                         const char *format, ...);

// A finding about one lane of w, and about its access.
struct scene scene_of_lane(const struct warp *w, uint32_t lane);
struct scene scene_of_access(const struct warp *w, const struct access *a, uint32_t lane);

static inline const char *access_word(enum access_kind kind)
{
    return kind == LOAD ? "read" : kind == STORE ? "write" : "atomic";
}

// Ends the launch with a CUDA error (report/errors.h): every block stops at the end of its basic block.
void fail_launch(struct launch *launch, int error);

static inline const char *thread_name(const struct block *b, uint32_t thread)
{
    return thread_in(b->launch->dim, thread);
}

static inline const char *block_name(const struct launch *launch, uint64_t number)
{
    return block_in(launch->grid, number);
}
