// The host may be another process: a program that is graded runs apart from the machine (common/remote). Then its own
// memory is out of reach, and what it shares with the devices is a file that both processes map at one address.
#pragma once

#include <stdbool.h>
#include <sys/mman.h>

#include "remote.h"

// NULL: the host is this process.
const struct simt_other_host *other_host(void);

// Is the call at work one of the other host's? Pointers to the host's memory are then addresses in that process.
bool serves_other_host(void);
