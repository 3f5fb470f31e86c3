// stop.h: the former name of solvers_stopping.h. A submission of an older hand-out includes it.
#ifndef DEVICE_STOP_H
#define DEVICE_STOP_H
#include "device/solvers_stopping.h"
#endif
