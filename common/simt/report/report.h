// What the checks and the runtime tell the user. A finding is printed once per pair of source lines and counted every
// time; each is one line on stderr, the first of its class followed by one that names the class (topics.h).
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

enum severity { INFORMATION, WARNING, ERROR }; // warnings and errors fail a grade

enum finding_kind {
    FINDING_MEMORY,
    FINDING_INIT,
    FINDING_SYNC,
    FINDING_RACE,
    FINDING_STREAMS,
};

// One of the two sides of a finding. access: "read", "write", "atomic"; NULL: it is about no access.
#define NO_THREAD UINT32_MAX
struct actor {
    uint64_t block;
    uint32_t thread; // of the block; NO_THREAD: not known
    const char *access;
};

// The two accesses and their places; size 0: the finding is not about memory. missing: what would have kept them apart,
// in a word, or NULL.
struct scene {
    struct actor past, now;
    enum ptx_space space;
    uint64_t address;
    uint32_t size;
    const char *missing;
};

struct finding {
    enum finding_kind kind;
    enum severity severity;
    const struct ptx_module *module;       // whose lines these are
    const struct ptx_instr *at, *other;    // NULL: none
    uint32_t detail;                       // tells findings of one kind at the same lines apart
    const struct ptx_module *other_module; // of `other`; NULL: the same
    const struct scene *scene;             // NULL: not known
};

// The call chains of both ends, up to the kernel: "; tile.h:12 was called at tile.h:30, and that at sum.cu:40"; "" if
// neither was inlined. Printed and recorded after each finding.
enum { CALLS = 4400 };
void finding_calls(const struct finding *f, char out[CALLS]);

// Whether one of its kind at these lines has been reported; then counts f, of which nothing more is to be said.
bool finding_again(const struct finding *f);

// Counts f; if it is the first of its kind at these lines, prints it, followed by where.
__attribute__((format(printf, 3, 0))) void report_finding(const struct finding *f, const char *where,
                                                          const char *format, va_list args);

// A line about a call of the runtime, not about device code; the line that calls follows, if it is known.
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
// A line about a file that a variable of the environment names, not about the program.
__attribute__((format(printf, 2, 3))) void complain_of_file(const char *variable, const char *format, ...);

void finding_of_the_host(void);                    // counts one that was reported already; from a signal handler
void record_finding_of_the_host(const char *line); // for SIMT_REPORT: the line that was, or will be, on stderr
uint64_t findings_count(void);
void findings_reset(void);

// Forgets the findings of a module that is unloaded: the next one may have its address.
void findings_forget(const struct ptx_module *m);

// A finding that no launch belongs to (a leak, a wrong free), likewise.
__attribute__((format(printf, 2, 3))) void report_program(enum severity severity, const char *format, ...);

// The same when the program ends.
__attribute__((format(printf, 1, 2))) void report_at_end(const char *format, ...);

uint64_t complaints_so_far(void); // how many lines of these two kinds this thread has caused
