// shape.h: the former name of matmul_shape.h. A submission of an older hand-out includes it.
#include "device/matmul_shape.h"
