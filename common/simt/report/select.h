// The value of SIMT_TRACE: which kernels, launches and blocks, which forms, and the limits.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_RANGES = 16 };

// Numbers from 0: "0-3+7"; count 0: all.
struct ranges {
    struct range {
        uint64_t first, last;
    } list[MAX_RANGES];
    uint32_t count;
};

struct selection {
    char *kernel; // prefix of its name
    struct ranges launches, blocks;
    bool text;                                   // to stderr
    char *text_path, *file_path, *perfetto_path; // NULL: none
    uint64_t events, bytes;                      // maximum
};

// Whether word is "FORM:FILE": then *path, unset so far, becomes a copy of FILE.
bool names_file(const char *word, size_t length, const char *form, char **path);

// Parses value into s; false: it is invalid.
#define SELECTION_ACCEPTED \
    "KERNEL[:LAUNCHES[:BLOCKS]] (KERNEL: how its name begins, or *; the others: *, or numbers from 0 as in 0-3+7), " \
    "then a list of text, text:FILE, file:FILE, perfetto:FILE, events:N, bytes:N"
bool read_selection(const char *value, struct selection *s);

bool in_ranges(const struct ranges *r, uint64_t n);
