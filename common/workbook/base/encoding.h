// encoding.c: untrusted text as UTF-8.
#pragma once

#include <stddef.h>

// The bytes as text without a byte order mark, UTF-16 converted to UTF-8; the caller frees it. NULL: a zero byte shows
// that they are not text. Bytes in other encodings stay as they are.
char *text_decode(const char *bytes, size_t size);

// A name as UTF-8; if it is not UTF-8, each byte is read as Latin-1. To be freed.
char *name_decode(const char *name);
