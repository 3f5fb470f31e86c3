// Strings in JSON.
#pragma once

#include <stdio.h>

// A string in its quotes. Bytes that are not UTF-8, as names of files may have, become U+FFFD.
void json_string(FILE *to, const char *text);
