// Words for reports; each call's result holds until the sixteenth next one of the same thread.
#pragma once

#include <stdint.h>

#include "ptx/ptx.h"

const char *variable_name(const char *mangled);                         // "cache", also of a function's own variable
const char *kernel_name(const char *mangled);                           // "reduce_block"
const char *place_name(const struct ptx_module *m, struct ptx_loc loc); // "01-reduction/05-sequential.cu:31"
// The source line of an instruction; without one, the line of the PTX text. NULL: an unknown place.
const char *instr_place(const struct ptx_module *m, const struct ptx_instr *in);
const char *first_directory(void);         // in which the program began; "" if unknown
const char *name_below(const char *file); // its name from there; NULL: it lies elsewhere
// A source file of the module, by a name that works in the directory where the program began: relative if the file lies
// below it, else as the compiler wrote it. Valid as long as the module.
const char *source_path(const struct ptx_module *m, int number);
// "thread 35" or "thread (3,1,0)"; "block 2" or "block (2,0,0)".
const char *thread_in(const uint32_t dim[3], uint64_t thread);
const char *block_in(const uint32_t grid[3], uint64_t number);
