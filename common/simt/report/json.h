// Strings in JSON.
#pragma once

#include <stdio.h>

// Writes a string in quotes. Bytes that are not UTF-8, as in some file names, become U+FFFD.
void json_string(FILE *to, const char *text);
