// The machine's own output files: opened when the settings are read, so that a wrong name shows at once, and written
// when the program ends.
#pragma once

#include <stdio.h>

// Opens a file for writing; %p in its name is the process id, %% a %. NULL, with a line on stderr: it cannot be
// written, and the program continues without it.
FILE *output_open(const char *variable, const char *name);

// Closes the file; reports if not all of it was written.
void output_close(FILE *file, const char *variable);

// Called once when the program ends, in the process that started it.
void output_at_end(void (*write)(void));
void output_begin(void); // starts waiting for the program's end
void output_end(void);   // the program ends here, without exit()

// The same if a signal ends the program (Ctrl-C, abort, ...). The first function installs handlers for signals that the
// program does not handle itself; the second is called from a handler.
void output_watch_signals(void);
void output_end_by_signal(void);
