// chunks.h: the former name of tridiagonal_warp_chunk.h. A submission of an older hand-out includes it.
#ifndef DEVICE_CHUNKS_H
#define DEVICE_CHUNKS_H
#include "device/tridiagonal_warp_chunk.h"
#endif
