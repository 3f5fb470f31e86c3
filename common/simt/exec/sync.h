// What lanes do together (sync.c).
#ifndef SIMT_SYNC_H
#define SIMT_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/forms.h"

// The lane that lane l reads in a shuffle with operands b and c; *inside: whether it lies within
// the segment.
uint32_t source_lane(enum shuffle mode, uint32_t l, uint32_t b, uint32_t c, bool *inside);

#endif
