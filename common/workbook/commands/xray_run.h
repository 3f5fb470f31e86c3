// xray_run.c: the run whose trace a page shows.
#pragma once

#include "course/course.h"
#include "xray/page.h"

struct xray_run {
    const struct step *step;
    bool own;            // the student's file; otherwise the reference solution
    const char *n;       // the size that was asked for, or NULL
    const char *shape;   // more options that were asked for, " --height 77", or NULL
    const char *failure; // what the step's last run printed if it failed, else ""
    int bytes;           // of the trace
    const char *program; // a submission that was built, whose files are named from below the folder `root`; NULL:
    const char *root;    // the step's own, which is built first
    const char *seed;    // NULL: the usual one
    char used[24];       // the size of the run that the page shows,
    char used_shape[80]; // and its other options
};

// Builds and runs the step's program under SIMT_TRACE and fills in program, whose parts are to be freed. Where the last
// run failed, the page shows that failure if it can. False after a message.
bool xray_take(struct xray_program *program, struct xray_run *run);

int xray_findings(const char *trace); // how many it has

// Traces speak of files as the compiler was given them; the tree's are shown as from its top. Returns text.
char *xray_without_source(char *text);
