// json.c: the report of one program. Values are found by key, at any depth.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The value after the first `"key":`, or NULL.
const char *json_find(const char *text, const char *key);

// The number or string after the first such key. False if there is none.
bool json_number(const char *text, const char *key, double *value);
bool json_string(const char *text, const char *key, char *value, size_t size);

// The same as a new string, unescaped, which the caller frees; NULL if there is none.
char *json_text(const char *text, const char *key);

// The next object at or after *at that contains no other object; the caller frees it, and *at moves past
// it. NULL: none.
char *json_object(const char **at);
