// json.c: the report of one program. Values are found by key, at any depth.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The text after the first `"key":`, where its value begins, or NULL.
const char *json_find(const char *text, const char *key);

// The number, or string, after the first key of this name. False when there is none.
bool json_number(const char *text, const char *key, double *value);
bool json_string(const char *text, const char *key, char *value, size_t size);

// The same as a string of its own, unescaped, to be freed; NULL when there is none.
char *json_text(const char *text, const char *key);

// The next object at or after *at that holds no other object, to be freed, and *at after it; NULL: none.
char *json_object(const char **at);
