// stop.h: the former name of solvers_stopping.h. A submission of an older hand-out includes it.
#include "device/solvers_stopping.h"
