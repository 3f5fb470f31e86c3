// keys.h: the former name of sort_keys.h. A submission of an older hand-out includes it.
#include "device/sort_keys.h"
