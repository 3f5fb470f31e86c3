// Which observers a launch has: the counters and the checks that the settings ask for.
#ifndef SIMT_OBSERVERS_H
#define SIMT_OBSERVERS_H

#include "machine.h"

extern const struct observer counting, init_check, race_check;

// Fills out (MAX_OBSERVERS places) and returns how many.
uint32_t observers_for(const struct observer **out);

#endif
