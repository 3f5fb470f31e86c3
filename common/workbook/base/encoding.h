// encoding.c: text of strangers as UTF-8.
#pragma once

#include <stddef.h>

// The bytes as text, to be freed: without a byte order mark, UTF-16 as UTF-8. NULL: a zero byte says that they are no
// text. Bytes of other encodings stay as they are.
char *text_decode(const char *bytes, size_t size);

// A name as UTF-8; if it is not UTF-8, each byte is read as Latin-1. To be freed.
char *name_decode(const char *name);
