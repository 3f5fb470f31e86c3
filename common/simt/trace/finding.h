// Findings in a trace, each with the two events that it speaks of.
#pragma once

#include "trace/recording.h"

// Adds a finding in block b while event `current` ran; NO_EVENT: between instructions. False: it is
// known, or one too many.
bool finding_record(struct recording *r, const struct block *b, const struct finding *f, const char *words,
                    uint32_t current);
