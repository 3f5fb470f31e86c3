// The host may be another process: a graded program runs apart from the machine (common/remote). Then its own memory is
// out of reach, and memory shared with the devices is a file that both processes map at one address.
#pragma once

#include <stdbool.h>
#include <sys/mman.h>

#include "remote.h"

// NULL: the host is this process.
const struct simt_other_host *other_host(void);

// Whether the current call is the other host's. If so, pointers to host memory are addresses in that process.
bool serves_other_host(void);
