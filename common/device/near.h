// near.h: the former name of gather_neighbours.h. A submission of an older hand-out includes it.
#include "device/gather_neighbours.h"
