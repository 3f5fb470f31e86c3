// Strings in JSON. File names may contain any bytes, but JSON readers refuse a file that is not UTF-8.
#include "report/json.h"

#include <stdint.h>

// Length of the UTF-8 character that begins here; 0: it is invalid.
static int character(const uint8_t *s)
{
    int more = s[0] < 0x80                   ? 0
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 1
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 2
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 3
                                             : -1;
    for (int i = 1; i <= more; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) // an overlong form, or half of a surrogate pair
        return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return more + 1;
}

void json_string(FILE *to, const char *text)
{
    fputc('"', to);
    for (const uint8_t *s = (const uint8_t *)text; *s;) {
        int length = character(s);
        if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(to, "\\u%04x", *s);
        else if (!length)
            fputs("\xef\xbf\xbd", to);
        else
            fwrite(s, 1, (size_t)length, to);
        s += length ? length : 1;
    }
    fputc('"', to);
}
