// Texels as CUDA describes them.
#pragma once

#include "exec/texture.h"
#include "runtime/base/base.h"

// Kind, bits and channels of t. False: the format is invalid.
bool read_texel(const struct cudaChannelFormatDesc *d, struct texture *t);
