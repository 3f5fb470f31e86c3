// Which elements a copy of a tensor moves, and where they lie in shared memory.
//
// In shared memory the box is a tile; there are gaps only if its rows are shorter than the swizzle's span. A load fills
// elements out of bounds with zero, and a store skips them. But as on an H100, a store or sum does write those after
// the end of a row up to the next multiple of 16 bytes.
#pragma once

#include "exec/bulk.h"
#include "exec/tensor_map.h"

// The tile of the box at these coordinates, of a valid map. The caller frees it.
struct bulk_tile *tensor_box(const struct tensor_map *m, const int32_t *at, bool stores);

// The tile of the pixels that im2col takes, from this one on: along the second dimension to the upper corner, then from
// the lower one on, a step further along the third, and so on; each is moved by the offsets. A row is a pixel's
// channels.
struct bulk_tile *tensor_pixels(const struct tensor_map *m, const int32_t *at, const uint16_t *offset);
