// Reads single values out of the report that a program wrote with --json.
#include "base/json.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_string(const char *p) // p is just after the opening quote
{
    while (*p && *p != '"')
        p += *p == '\\' && p[1] ? 2 : 1;
    return *p ? p + 1 : p;
}

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

const char *json_find(const char *text, const char *key)
{
    size_t length = strlen(key);

    for (const char *p = text; *p;) { // skips strings that are values
        const char *begin, *behind;

        if (*p != '"') {
            p++;
            continue;
        }
        begin = p + 1;
        p = skip_string(begin);
        behind = skip_space(p);
        if (*behind == ':' && (size_t)(p - 1 - begin) == length && strncmp(begin, key, length) == 0)
            return skip_space(behind + 1);
    }
    return NULL;
}

bool json_number(const char *text, const char *key, double *value)
{
    const char *p = json_find(text, key);
    char *end;

    if (!p)
        return false;
    *value = strtod(p, &end);
    return end != p;
}

bool json_string(const char *text, const char *key, char *value, size_t size)
{
    const char *p = json_find(text, key), *end;

    if (!p || *p != '"')
        return false;
    end = skip_string(p + 1);
    snprintf(value, size, "%.*s", (int)(end - p - 2), p + 1);
    return true;
}

// Decodes the escape after a backslash at p into out, as UTF-8. Returns the end of the escape.
static const char *unescape(const char *p, char **out)
{
    static const char from[] = "ntrbf", to[] = "\n\t\r\b\f";
    const char *known = strchr(from, *p);
    unsigned c;

    if (*p != 'u' || sscanf(p + 1, "%4x", &c) != 1) {
        *(*out)++ = *p && known ? to[known - from] : *p;
        return *p ? p + 1 : p;
    }
    if (c >= 0x800) {
        *(*out)++ = (char)(0xe0 | c >> 12);
        *(*out)++ = (char)(0x80 | (c >> 6 & 63));
        *(*out)++ = (char)(0x80 | (c & 63));
    } else if (c >= 0x80) {
        *(*out)++ = (char)(0xc0 | c >> 6);
        *(*out)++ = (char)(0x80 | (c & 63));
    } else {
        *(*out)++ = (char)c;
    }
    for (int i = 0; i < 5 && *p; i++)
        p++;
    return p;
}

char *json_text(const char *text, const char *key)
{
    const char *p = json_find(text, key);
    char *value, *out;

    if (!p || *p != '"')
        return NULL;
    value = out = checked(malloc(strlen(p) + 1));
    for (p++; *p && *p != '"';) {
        if (*p == '\\')
            p = unescape(p + 1, &out);
        else
            *out++ = *p++;
    }
    *out = 0;
    return value;
}

char *json_object(const char **at)
{
    const char *begin = NULL;

    for (const char *p = *at; *p;) {
        if (*p == '"') {
            p = skip_string(p + 1);
            continue;
        }
        if (*p == '{')
            begin = p;
        p++;
        if (p[-1] == '}' && begin) {
            *at = p;
            return text_format("%.*s", (int)(p - begin), begin);
        }
    }
    return NULL;
}
