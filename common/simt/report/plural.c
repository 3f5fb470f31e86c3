// Plurals in messages (plural.h). harness/verdict.h does the same for the words of the grader.
#include "report/plural.h"

#include <string.h>

// That a message counts: a word that ends so after the number 1 is one of them, or no noun ("block 1 was").
static const char *const NOUNS[] = {"bytes",  "words",     "threads", "blocks",   "lanes",
                                    "warps",  "rows",      "calls",   "slices",   "texels",
                                    "layers", "registers", "events",  "elements", "allocations"};

// The length of the plural at the start of text, 0: there is none.
static size_t plural_at(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    for (size_t i = 0; i < sizeof NOUNS / sizeof *NOUNS; i++)
        if (strlen(NOUNS[i]) == length && !strncmp(text, NOUNS[i], length))
            return length;
    return 0;
}

void correct_plurals(char *text)
{
    for (char *at = strstr(text, "1 "); at; at = strstr(at + 1, "1 ")) {
        size_t length = plural_at(at + 2);
        if (length && (at == text || !strchr("0123456789.,", at[-1]))) // 21 bytes
            memmove(at + 1 + length, at + 2 + length, strlen(at + 2 + length) + 1);
    }
}
