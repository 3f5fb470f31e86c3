// Converts untrusted text to UTF-8: editors on other systems save UTF-16 and byte order marks, and zip files hold
// Latin-1 names.
#include "base/encoding.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char *put_character(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *out++ = (char)(0xe0 | c >> 12);
        } else {
            *out++ = (char)(0xf0 | c >> 18);
            *out++ = (char)(0x80 | (c >> 12 & 63));
        }
        *out++ = (char)(0x80 | (c >> 6 & 63));
    }
    *out++ = (char)(0x80 | (c & 63));
    return out;
}

// Converts size bytes of UTF-16; high: which byte of a pair is the high one.
static char *decode_utf16(const unsigned char *bytes, size_t size, int high)
{
    char *text = checked(malloc(size / 2 * 3 + 1)), *out = text;

    for (size_t i = 0; i + 1 < size; i += 2) {
        uint32_t c = (uint32_t)bytes[i + (size_t)high] << 8 | bytes[i + (size_t)!high];

        if (c >= 0xd800 && c < 0xdc00 && i + 3 < size) { // the first half of a surrogate pair
            uint32_t low = (uint32_t)bytes[i + 2 + (size_t)high] << 8 | bytes[i + 2 + (size_t)!high];

            c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
            i += 2;
        }
        if (c == 0) {
            free(text);
            return NULL;
        }
        out = put_character(out, c);
    }
    *out = 0;
    return text;
}

char *text_decode(const char *bytes, size_t size)
{
    const unsigned char *b = (const unsigned char *)bytes;

    if (size >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return decode_utf16(b + 2, size - 2, b[0] == 0xff);
    if (memchr(bytes, 0, size))
        return NULL;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        bytes += 3, size -= 3;
    return text_format("%.*s", (int)size, bytes);
}

static bool is_utf8(const char *text)
{
    for (; *text; text += utf8_length(text))
        if (utf8_length(text) == 1 && (unsigned char)*text >= 0x80)
            return false;
    return true;
}

char *name_decode(const char *name)
{
    char *text, *out;

    if (is_utf8(name))
        return text_format("%s", name);
    text = out = checked(malloc(2 * strlen(name) + 1));
    for (; *name; name++)
        out = put_character(out, (unsigned char)*name);
    *out = 0;
    return text;
}
