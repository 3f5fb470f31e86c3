// Describes an instruction in the words of a trace.
#pragma once

#include "decode/code.h"

const char *instruction_kind(const struct origin *o); // "load", "barrier": see docs/trace.md
const char *memory_space(const struct origin *o);     // "shared"; NULL: no memory access
enum ptx_type element_type(const struct origin *o);   // type of the moved elements; PTX_NONE: no memory access

// How many elements a lane moves at once: those of a vector, or of a matrix row.
uint32_t elements_of(const struct origin *o);

// Type of the register that it writes; PTX_NONE: it writes none, or several that are not a load's vector.
enum ptx_type written_type(const struct origin *o);

bool waits_for_lanes(const struct origin *o); // waits for lanes of its warp: shuffles, votes, __syncwarp, tensor cores

const char *space_word(enum ptx_space space);
