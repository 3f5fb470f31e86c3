// Plurals in messages with numbers: those of the machine and of the grader.
#pragma once

#include <string.h>

// The length of the noun at the start of text, if it is one that messages count, and in *singular the length of its
// singular. 0: it is not such a noun, as in "block 1 was".
static inline size_t plural_at(const char *text, size_t *singular)
{
    static const char *const nouns[] = {
        "bytes",  "words",  "threads",   "blocks", "lanes",    "warps",    "rows",       "calls",  "slices",
        "texels", "layers", "registers", "events", "elements", "systems",  "sweeps",     "pixels", "points",
        "cells",  "values", "atoms",     "bins",   "tiles",    "launches", "allocations"};
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (strlen(nouns[i]) == length && !strncmp(text, nouns[i], length)) {
            *singular = length - (strstr(nouns[i], "ches") ? 2 : 1);
            return length;
        }
    return 0;
}

// Whether the number that ends with this 1 is 1, or a product of ones ("1 x 1 pixels"); not 21 or 5 x 1.
static inline int is_one(const char *text, const char *at)
{
    while (at - text >= 4 && !strncmp(at - 4, "1 x ", 4))
        at -= 4;
    return (at == text || !strchr("0123456789.,", at[-1])) && !(at - text >= 3 && !strncmp(at - 3, " x ", 3));
}

// Changes "1 bytes" in text to "1 byte", in place, for every noun that messages count.
static inline void correct_plurals(char *text)
{
    for (char *at = strstr(text, "1 "); at; at = strstr(at + 1, "1 ")) {
        size_t singular = 0, length = plural_at(at + 2, &singular);
        if (length && is_one(text, at))
            memmove(at + 2 + singular, at + 2 + length, strlen(at + 2 + length) + 1);
    }
}
