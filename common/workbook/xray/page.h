// The page of an x-ray. Its sources are page.html, page.css and the scripts beside it; the build joins them into one
// text, and write.c inserts traces.
#pragma once

#include <stdio.h>

extern const char xray_page[]; // with the placeholder <!-- traces -->

struct xray_program {
    char *title; // "01-reduction/05-sequential, yours"
    char *trace; // as SIMT_TRACE wrote it
    char *note;  // "n = 512", for a reader
};

// Where the page opens unless a finding decides it: a heat and a line of a file, if known.
struct xray_start {
    const char *what; // shown at the top
    char *missed;     // the bound that was not met, or NULL
    char *failed;     // how else the last run failed, or NULL
    const char *heat; // a key of HEATS in source.js, or NULL
    char *file;       // or NULL
    int line;
};

void xray_write(FILE *file, const struct xray_program programs[], int count, const struct xray_start *start);
