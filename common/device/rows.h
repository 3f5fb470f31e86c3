// rows.h: the former name of tridiagonal_equations.h. A submission of an older hand-out includes it.
#include "device/tridiagonal_equations.h"
