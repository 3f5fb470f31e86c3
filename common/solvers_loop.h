// solvers_loop.h: the former name of solvers_09.h. A submission of an older hand-out includes it.
#include "solvers_09.h"
