// Does the host make progress between simt_reset and simt_read? See host_watch.c.
#pragma once

void host_watch_begin(void); // a run begins, by the thread that calls
void host_watch_end(void);
void host_moved(void); // a call of the runtime's
void host_launches(void);
void host_launched(void); // the launch has ended
