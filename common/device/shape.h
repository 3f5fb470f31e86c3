// shape.h: the former name of matmul_shape.h. A submission of an older hand-out includes it.
#ifndef DEVICE_SHAPE_H
#define DEVICE_SHAPE_H
#include "device/matmul_shape.h"
#endif
