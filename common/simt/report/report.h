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

// One of the two sides of a finding. access: "read", "write", "atomic"; NULL: it is not an access.
#define NO_THREAD UINT32_MAX
struct actor {
    uint64_t block;
    uint32_t thread; // of the block; NO_THREAD: unknown
    const char *access;
};

// The two accesses and their places; size 0: the finding is not about memory. missing: in a word, what would have
// ordered them; or NULL.
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
    const struct ptx_module *module;       // module of these lines
    const struct ptx_instr *at, *other;    // NULL: none
    uint32_t detail;                       // distinguishes findings of one kind at the same lines
    const struct ptx_module *other_module; // of `other`; NULL: the same
    const struct scene *scene;             // NULL: unknown
};

// The call chains of both ends, up to the kernel: "; tile.h:12 was called at tile.h:30, and that at sum.cu:40"; "" if
// neither was inlined. Printed and recorded after each finding.
enum { CALLS = 4400 };
void finding_calls(const struct finding *f, char out[CALLS]);

// Whether a finding of f's kind at these lines has been reported; then only counts f.
bool finding_again(const struct finding *f);

// Counts f; if it is the first of its kind at these lines, prints it, followed by where.
__attribute__((format(printf, 3, 0))) void report_finding(const struct finding *f, const char *where,
                                                          const char *format, va_list args);

// A line about a runtime call, not about device code; names the calling line if it is known.
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
// A line about a file that an environment variable names, not about the program.
__attribute__((format(printf, 2, 3))) void complain_of_file(const char *variable, const char *format, ...);

void finding_of_the_host(void);                    // counts a finding that was already reported; for signal handlers
void record_finding_of_the_host(const char *line); // for SIMT_REPORT: the line that is on stderr, or will be
uint64_t findings_count(void);
void findings_reset(void);

// Forgets the findings of an unloaded module: the next module may have its address.
void findings_forget(const struct ptx_module *m);

// A finding that belongs to no launch (a leak, a wrong free), likewise.
__attribute__((format(printf, 2, 3))) void report_program(enum severity severity, const char *format, ...);

// The same when the program ends.
__attribute__((format(printf, 1, 2))) void report_at_end(const char *format, ...);

uint64_t complaints_so_far(void); // how many lines of these two kinds this thread has caused
