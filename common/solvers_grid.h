// solvers_grid.h: the former name of solvers_06_08.h. A submission of an older hand-out includes it.
#include "solvers_06_08.h"
