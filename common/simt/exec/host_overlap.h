// Launches that overlap the host. The machine runs a kernel within the call that launches it. A kernel that waits for
// the host would then wait forever. So once it only polls memory that it shares with the host, the call returns, and a
// separate thread runs the rest. The host's next CUDA call waits for its end.
#pragma once

#include <stdbool.h>

// Runs work(data), which frees data. Returns its result; 0 if it overlaps the host.
int overlap_run(int (*work)(void *data), void *data);
bool overlap_is_own_thread(void); // the calling thread runs such work
// The launch needs the host to continue; the calling thread, one of the launch's, sleeps for a moment. False: the host
// waits, too.
bool overlap_host_continues(void);
void overlap_wait(void); // waits until the work ends; returns at once if there is none
