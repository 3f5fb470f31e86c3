// words.h: the former name of sort_digits.h. A submission of an older hand-out includes it.
#include "device/sort_digits.h"
