// chunks.h: the former name of tridiagonal_warp_chunk.h. A submission of an older hand-out includes it.
#include "device/tridiagonal_warp_chunk.h"
