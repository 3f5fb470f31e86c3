// Which observers a launch has: the counters and the checks that the settings ask for.
#pragma once

#include "exec/machine.h"

struct observers observers_in_use(const char *kernel); // whose launch begins, as in PTX
