// ring.h: the former name of matmul_tile_ring.h. A submission of an older hand-out includes it.
#ifndef DEVICE_RING_H
#define DEVICE_RING_H
#include "device/matmul_tile_ring.h"
#endif
