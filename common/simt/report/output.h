// The machine's own output beside the program's: files that are opened when the settings are read, so that a wrong name
// shows at once, and written when the program ends.
#pragma once

#include <stdio.h>

// Opens a file for writing; %p in its name is the number of the process, %% a %. NULL, and a line on stderr: it cannot
// be written; the program continues without it.
FILE *output_open(const char *variable, const char *name);

// Closes it, or says that not all of it was written.
void output_close(FILE *file, const char *variable);

// Called once when the program ends, in the process that started it.
void output_at_end(void (*write)(void));
void output_begin(void); // from now on its end is waited for
void output_end(void);   // it ends here, without exit()

// The same where a signal ends it: Ctrl-C, abort, ... From now on for those that the program does not handle itself;
// and now, from a handler.
void output_watch_signals(void);
void output_end_by_signal(void);
