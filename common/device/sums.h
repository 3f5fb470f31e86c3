// sums.h: the former name of matmul_register_tile.h. A submission of an older hand-out includes it.
#include "device/matmul_register_tile.h"
