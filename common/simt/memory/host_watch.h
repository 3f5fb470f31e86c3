// Checks that the host makes progress between simt_reset and simt_read. See host_watch.c.
#pragma once

void host_watch_begin(void); // a run begins on the calling thread
void host_watch_end(void);
void host_moved(void); // a runtime call
void host_launches(void);
void host_launched(void); // the launch has ended
