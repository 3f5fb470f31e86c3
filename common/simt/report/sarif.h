// Findings as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0), for code hosts and editors. The file is
// complete after every finding, however the program ends.
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "ptx/ptx.h"

struct sarif_result {
    const char *rule;  // the check that found it: "race"
    const char *level; // "error", "warning" or "note"
    const char *text;
    const char *where; // the rest of the text: block and kernel
    struct sarif_end {
        const struct ptx_module *module;
        const struct ptx_instr *instr; // NULL: none
    } at, other;
    uint32_t detail;                    // distinguishes findings of one rule at the same lines
};

// Begins the file without results; later findings go there.
void sarif_begin(FILE *file);

// Adds a result, unless the file has one of this rule at the same lines.
void sarif_add(const struct sarif_result *r);
