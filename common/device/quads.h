// quads.h: the former name of scan_vector_loads.h. A submission of an older hand-out includes it.
#ifndef DEVICE_QUADS_H
#define DEVICE_QUADS_H
#include "device/scan_vector_loads.h"
#endif
