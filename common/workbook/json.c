// Reads single values out of the report that a program wrote with --json.
#include "workbook.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_string(const char *p) // p stands behind the opening quote
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

    for (const char *p = text; *p;) { // strings that are values are passed over whole
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
