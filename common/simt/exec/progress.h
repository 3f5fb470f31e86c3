// Prints the progress of a long launch in one line. It affects no verdict.
#pragma once

#include "exec/machine.h"

// Prints how long the launch has run and how many of its blocks have ended, once for each kernel.
void progress_print(const struct launch *launch, double seconds, uint64_t ended);
