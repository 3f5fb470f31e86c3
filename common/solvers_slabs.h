// solvers_slabs.h: the former name of solvers_10.h. A submission of an older hand-out includes it.
#include "solvers_10.h"
