// Which observers a launch has: the counters and the checks that the settings ask for.
#ifndef SIMT_OBSERVERS_H
#define SIMT_OBSERVERS_H

#include "exec/machine.h"

struct observers observers_in_use(const char *kernel); // whose launch begins, as in PTX

#endif
