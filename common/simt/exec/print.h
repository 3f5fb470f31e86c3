// printf of device code.
#ifndef SIMT_PRINT_H
#define SIMT_PRINT_H

#include <stdint.h>

// Prints like CUDA's printf: values holds the arguments one after another, each aligned to its size, floats as doubles.
// Returns the number of arguments, -1 on a format that cannot be read. Output ends with the program's stdout buffer.
int32_t device_print(const char *format, const uint8_t *values);

#endif
