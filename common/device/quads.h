// quads.h: the former name of scan_vector_loads.h. A submission of an older hand-out includes it.
#include "device/scan_vector_loads.h"
