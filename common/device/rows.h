// rows.h: the former name of tridiagonal_equations.h. A submission of an older hand-out includes it.
#ifndef DEVICE_ROWS_H
#define DEVICE_ROWS_H
#include "device/tridiagonal_equations.h"
#endif
