// solvers_dense.h: the former name of solvers_01_04.h. A submission of an older hand-out includes it.
#include "solvers_01_04.h"
