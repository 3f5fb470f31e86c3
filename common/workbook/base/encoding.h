// encoding.c: untrusted text as UTF-8.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The bytes as text without a byte order mark, UTF-16 converted to UTF-8; the caller frees it. NULL: a zero byte shows
// that they are not text. Bytes in other encodings stay as they are.
char *text_decode(const char *bytes, size_t size);

// A table as UTF-8: bytes that are neither that nor UTF-16 are Windows-1252, as spreadsheets save. NULL: not text.
char *table_decode(const char *bytes, size_t size);

// A name as UTF-8, to be freed. Bytes that are not UTF-8 are code page 850, as Windows packs zip files, if one of them
// is a letter there and a control character or a sign in Latin-1; else Latin-1.
char *name_decode(const char *name);

// The text with small letters, and letters with marks as macOS spells them, the mark after the letter: two spellings of
// a name become one. To be freed.
char *name_key(const char *name);

// Whether two texts, of which neither is NULL or empty, differ only in such spellings.
bool names_agree(const char *a, const char *b);
