// nvcc's container: finds the PTX text that a program carries.
#ifndef SIMT_FATBIN_H
#define SIMT_FATBIN_H

#include <stddef.h>

#include "ptx/cubin.h"

// PTX of the container that the wrapper (what __cudaRegisterFatBinary is given) points to: the entry for the highest
// architecture up to 90. On failure returns NULL and writes one line into error that says what was found (compressed
// PTX, machine code only, device code for separate linking) and which nvcc flag to change.
// *cubin (may be NULL) receives the machine code for the highest such architecture, if there is some uncompressed.
// The text is not terminated; *length bytes of it belong to the program. The container must lie in a segment of the
// program or of a library of it, as nvcc's do; nothing outside of that segment is read.
const char *fatbin_ptx(const void *wrapper, size_t *length, struct cubin *cubin, char *error, size_t error_size);

// The same for a container of at most size bytes in memory, which may be hostile: never reads past it.
const char *fatbin_find(const void *container, size_t size, size_t *length, struct cubin *cubin, char *error,
                        size_t error_size);

#endif
