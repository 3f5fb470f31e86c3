// sandbox.c: restrictions of a graded program.
#pragma once

#include <stdbool.h>

// Bytes of a file that it may write if its system calls are not filtered: on a GPU, and on systems without seccomp.
enum { FILE_LIMIT = 16 << 20 };

// From now on, this process may not start others, send signals, open connections or change files. False: the system
// does not support it.
bool sandbox_close(void);

// From now on, this process and the program that it becomes may read only that program and the system's libraries, and
// inspect no other process. False: the system does not support it.
bool sandbox_enclose(const char *program);

// A sentence that names the layer of the sandbox that this system lacks, and what a submission can do without it; NULL:
// none is missing.
const char *sandbox_missing(void);
