// solvers_sparse.h: the former name of solvers_05.h. A submission of an older hand-out includes it.
#include "solvers_05.h"
