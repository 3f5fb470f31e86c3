// Findings in a trace, each with its two events.
#pragma once

#include "trace/recording.h"

// Adds a finding in block b during event `current`; NO_EVENT: between instructions. False: it is already known, or
// there are too many.
bool finding_record(struct recording *r, const struct block *b, const struct finding *f, const char *words,
                    uint32_t current);
