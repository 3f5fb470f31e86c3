// sums.h: the former name of matmul_register_tile.h. A submission of an older hand-out includes it.
#ifndef DEVICE_SUMS_H
#define DEVICE_SUMS_H
#include "device/matmul_register_tile.h"
#endif
