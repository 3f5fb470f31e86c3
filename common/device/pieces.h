// pieces.h: the former name of gather_neighbour_pieces.h. A submission of an older hand-out includes it.
#include "device/gather_neighbour_pieces.h"
