// sort_keys.h: the input of chapter 04-sort: keys in one of three orders, with or without values.
#pragma once

enum order { UNSIGNED, SIGNED, FLOATS };

struct columns {
    unsigned *keys, *values; // values NULL: keys alone
};

#define HALF 0x80000000u // the sign of an int or a float
