// Launches that overlap the host. The machine runs a kernel within the call that launches it. A kernel that waits for
// the host's word would then wait forever: once it only polls memory that it shares with the host, the call returns,
// and a thread of its own runs the rest. The host's next call of CUDA waits for its end.
#pragma once

#include <stdbool.h>

// Runs work(data), which frees data itself. Its result; 0 if it overlaps the host.
int overlap_run(int (*work)(void *data), void *data);
bool overlap_is_own_thread(void); // the calling thread runs such work
// It gets no further without the host. The calling thread, one of the launch's, naps. False: the host waits, too.
bool overlap_host_continues(void);
void overlap_wait(void); // for the work's end; returns at once if there is none
