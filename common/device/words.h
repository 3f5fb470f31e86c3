// words.h: the former name of sort_digits.h. A submission of an older hand-out includes it.
#ifndef DEVICE_WORDS_H
#define DEVICE_WORDS_H
#include "device/sort_digits.h"
#endif
