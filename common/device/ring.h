// ring.h: the former name of matmul_tile_ring.h. A submission of an older hand-out includes it.
#include "device/matmul_tile_ring.h"
