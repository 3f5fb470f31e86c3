// pieces.h: the former name of gather_neighbour_pieces.h. A submission of an older hand-out includes it.
#ifndef DEVICE_PIECES_H
#define DEVICE_PIECES_H
#include "device/gather_neighbour_pieces.h"
#endif
