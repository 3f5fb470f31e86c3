// Prints the progress of a long launch in one line. It affects no verdict.
#pragma once

#include "exec/machine.h"

// Prints that the launch has run for so many seconds and that so many of its blocks have ended; once for each kernel.
void progress_print(const struct launch *launch, double seconds, uint64_t ended);
