// nvcc's container: finds the PTX text that a program contains.
#pragma once

#include <stddef.h>

#include "ptx/cubin.h"

// The number of PTX texts behind the wrapper (the argument of __cudaRegisterFatBinary): one or, in a program linked by
// nvlink, one for each file compiled with -rdc=true. 0 and a line in error: it is not a wrapper.
int fatbin_parts(const void *wrapper, char *error, size_t error_size);

// The PTX of that part, from 0: the entry for the highest architecture up to 90. On failure returns NULL and writes one
// line into error that says what was found (compressed PTX, machine code only, device code that was not linked) and
// what to do. *cubin (may be NULL) receives the program's uncompressed machine code for the highest such architecture,
// if any. The text is not terminated; its *length bytes belong to the program. The container must lie in a segment of
// the program or a library, as nvcc's do; nothing outside that segment is read.
const char *fatbin_ptx(const void *wrapper, int part, size_t *length, struct cubin *cubin, char *error,
                       size_t error_size);

// The same for one container of at most size bytes in memory, which may be hostile: never reads past it.
const char *fatbin_find(const void *container, size_t size, size_t *length, struct cubin *cubin, char *error,
                        size_t error_size);

// The same for the container of one file of a program linked by nvlink; the machine code is the linked program's.
const char *fatbin_find_part(const void *container, size_t size, size_t *length, char *error, size_t error_size);
