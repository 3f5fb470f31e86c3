// plural.h: plurals in the words of a verdict. The SIMT machine does the same for its own (simt/report/plural.c).
#ifndef HARNESS_PLURAL_H
#define HARNESS_PLURAL_H

#include <string.h>

// Makes "1 rows" "1 row", in place: messages are put together from numbers.
static inline void correct_plurals(char *text)
{
    static const char *const nouns[] = {"rows",  "systems", "sweeps", "pixels", "points",  "cells", "values",
                                        "bytes", "atoms",   "bins",   "blocks", "threads", "tiles", "launches"};
    for (char *at = strstr(text, "1 "); at; at = strstr(at + 1, "1 ")) {
        size_t length = strspn(at + 2, "abcdefghijklmnopqrstuvwxyz");
        int counted = at == text || !strchr("0123456789.,", at[-1]); // not 21 rows
        for (size_t i = 0; i < sizeof nouns / sizeof *nouns && counted; i++)
            if (length == strlen(nouns[i]) && !strncmp(at + 2, nouns[i], length)) {
                size_t end = length - (strstr(nouns[i], "ches") ? 2 : 1);
                memmove(at + 2 + end, at + 2 + length, strlen(at + 2 + length) + 1);
                break;
            }
    }
}
#endif
