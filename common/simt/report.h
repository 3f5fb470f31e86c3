// What the checks and the runtime tell the user. A finding is printed once per pair of source lines and counted every
// time; each is one line on stderr.
#ifndef SIMT_REPORT_H
#define SIMT_REPORT_H

#include "machine.h"

enum severity { INFORMATION, WARNING, ERROR }; // warnings and errors fail a grade

enum finding_kind {
    FINDING_MEMORY,
    FINDING_INIT,
    FINDING_SYNC,
    FINDING_RACE,
    FINDING_STREAMS,
};

// Reports something about instruction id (and other, or NONE) of the module that w or b runs.
__attribute__((format(printf, 6, 7))) void report(struct block *b, enum finding_kind kind, enum severity severity,
                                                  uint32_t id, uint32_t other, const char *format, ...);

// Reports something about two operations: instruction id of a module each, or NULL and NONE for a copy or fill.
__attribute__((format(printf, 6, 7))) void report_between(const struct module *past, uint32_t past_id,
                                                          const struct module *now, uint32_t id,
                                                          enum severity severity, const char *format, ...);

// Ends the launch with a CUDA error: every block stops at the end of its basic block.
void fail_launch(struct launch *launch, int error);

// A line about a call of the runtime, not about device code.
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

// "thread 35" or "thread (3,1,0)"; "block 2" or "block (2,0,0)"; holds until the fourth next call.
const char *thread_name(const struct block *b, uint32_t thread);
const char *block_name(const struct launch *launch, uint64_t number);

void finding_of_the_host(void); // counts one that was told already; from a signal handler
uint64_t findings_count(void);
void findings_reset(void);

// Forgets what was said about a module that goes away: the next one may have its address.
void findings_forget(const struct module *m);

// A finding that no launch belongs to (a leak, a wrong free).
__attribute__((format(printf, 1, 2))) void report_program(const char *format, ...);

#endif
