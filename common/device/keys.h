// keys.h: the former name of sort_keys.h. A submission of an older hand-out includes it.
#ifndef DEVICE_KEYS_H
#define DEVICE_KEYS_H
#include "device/sort_keys.h"
#endif
