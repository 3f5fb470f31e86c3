// Strings in JSON.
#ifndef SIMT_JSON_H
#define SIMT_JSON_H

#include <stdio.h>

// A string in its quotes. Bytes that are not UTF-8, as names of files may have, become U+FFFD.
void json_string(FILE *to, const char *text);

#endif
