// xray_run.c: the run whose trace a page shows.
#pragma once

#include "course/course.h"
#include "xray/page.h"

struct xray_run {
    const struct step *step;
    bool own;            // the student's file; otherwise the reference solution
    const char *n;       // the requested size, or NULL
    const char *shape;   // further requested options, " --height 77", or NULL
    const char *failure; // the output of the step's last run if it failed, else ""
    int bytes;           // of the trace
    const char *program; // a built submission, whose files are named relative to `root`; NULL:
    const char *root;    // the step's own program, which is built first
    const char *seed;    // NULL: the usual one
    char used[24];       // the size of the run that the page shows
    char used_shape[80]; // and its further options
};

// Builds and runs the step's program under SIMT_TRACE and fills in program, whose parts the caller frees. If the last
// run failed, the page shows that failure where possible. False after a message.
bool xray_take(struct xray_program *program, struct xray_run *run);

int xray_findings(const char *trace); // how many the trace has

// Traces name files as the compiler was given them; this makes the tree's files relative to its top. Returns text.
char *xray_without_source(char *text);
