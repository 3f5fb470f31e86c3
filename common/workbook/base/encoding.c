// Converts untrusted text to UTF-8: editors on other systems save UTF-16 and byte order marks, spreadsheets save
// Windows-1252, and zip files hold names in code page 850 or Latin-1. Compares names, however Unicode spells them.
#include "base/encoding.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

// Whether it is UTF-8, hidden characters included.
static bool is_coded(const char *text)
{
    for (int length; *text; text += length) {
        utf8_hidden(text, &length);
        if (length == 1 && (unsigned char)*text >= 0x80)
            return false;
    }
    return true;
}

// The characters of the bytes from 0x80 on: all of code page 850, and those of Windows-1252 that Latin-1 lacks.
static const uint16_t code_page_850[] = {
    0xc7,   0xfc,   0xe9,   0xe2,   0xe4,   0xe0,   0xe5,   0xe7,   0xea,   0xeb,   0xe8,  0xef, 0xee,   0xec,   0xc4,
    0xc5,   0xc9,   0xe6,   0xc6,   0xf4,   0xf6,   0xf2,   0xfb,   0xf9,   0xff,   0xd6,  0xdc, 0xf8,   0xa3,   0xd8,
    0xd7,   0x192,  0xe1,   0xed,   0xf3,   0xfa,   0xf1,   0xd1,   0xaa,   0xba,   0xbf,  0xae, 0xac,   0xbd,   0xbc,
    0xa1,   0xab,   0xbb,   0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0xc1,   0xc2,   0xc0,  0xa9, 0x2563, 0x2551, 0x2557,
    0x255d, 0xa2,   0xa5,   0x2510, 0x2514, 0x2534, 0x252c, 0x251c, 0x2500, 0x253c, 0xe3,  0xc3, 0x255a, 0x2554, 0x2569,
    0x2566, 0x2560, 0x2550, 0x256c, 0xa4,   0xf0,   0xd0,   0xca,   0xcb,   0xc8,   0x131, 0xcd, 0xce,   0xcf,   0x2518,
    0x250c, 0x2588, 0x2584, 0xa6,   0xcc,   0x2580, 0xd3,   0xdf,   0xd4,   0xd2,   0xf5,  0xd5, 0xb5,   0xfe,   0xde,
    0xda,   0xdb,   0xd9,   0xfd,   0xdd,   0xaf,   0xb4,   0xad,   0xb1,   0x2017, 0xbe,  0xb6, 0xa7,   0xf7,   0xb8,
    0xb0,   0xa8,   0xb7,   0xb9,   0xb3,   0xb2,   0x25a0, 0xa0,
};
static const uint16_t windows_1252[] = {
    0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
    0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178,
};

// Text of one byte a character; those from 0x80 on, count of them, are in the table, others are as in Latin-1.
static char *decode_bytes(const char *text, const uint16_t *table, size_t count)
{
    char *copy = checked(malloc(3 * strlen(text) + 1)), *out = copy;

    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        out = put_character(out, *c >= 0x80 && *c - 0x80u < count ? table[*c - 0x80] : *c);
    *out = 0;
    return copy;
}

static bool is_code_page_850(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name >= 0x80 && (unsigned char)*name <= 0xa5)
            return !is_coded(name);
    return false;
}

char *name_decode(const char *name)
{
    if (is_utf8(name))
        return text_format("%s", name);
    return decode_bytes(name, code_page_850, is_code_page_850(name) ? sizeof code_page_850 / sizeof *code_page_850 : 0);
}

char *table_decode(const char *bytes, size_t size)
{
    char *text = text_decode(bytes, size), *decoded;

    if (!text || is_coded(text))
        return text;
    decoded = decode_bytes(text, windows_1252, sizeof windows_1252 / sizeof *windows_1252);
    free(text);
    return decoded;
}

// ---- spellings of a name

static const struct letter {
    uint16_t whole, plain, mark;
} letters[] = {
#define L(whole, plain, mark) {0x##whole, 0x##plain, 0x##mark},
#include "base/letters.def"
#undef L
};

static int by_whole(const void *a, const void *b)
{
    return ((const struct letter *)a)->whole - ((const struct letter *)b)->whole;
}

// Of ASCII, Greek, Cyrillic, and Latin letters that are not in the table; others stay as they are.
static uint32_t small_letter(uint32_t c)
{
    bool capital = (c >= 'A' && c <= 'Z') || (c >= 0x391 && c <= 0x3a9) || (c >= 0x410 && c <= 0x42f) || c == 0xc6 ||
                   c == 0xd0 || c == 0xd8 || c == 0xde;

    return capital ? c + 0x20 : c;
}

// Writes c as a small letter, and marks that it contains after it.
static char *put_spelt(char *out, uint32_t c)
{
    enum { HANGUL = 0xac00, SYLLABLES = 11172, LEAD = 0x1100, VOWEL = 0x1161, TAIL = 0x11a7, VOWELS = 21, TAILS = 28 };
    const struct letter key = {.whole = (uint16_t)c};
    const struct letter *l =
        c > 0xffff ? NULL : bsearch(&key, letters, sizeof letters / sizeof *letters, sizeof key, by_whole);

    if (l)
        return put_character(put_spelt(out, l->plain), l->mark);
    if (c >= HANGUL && c < HANGUL + SYLLABLES) {
        out = put_character(out, LEAD + (c - HANGUL) / (VOWELS * TAILS));
        out = put_character(out, VOWEL + (c - HANGUL) / TAILS % VOWELS);
        return (c - HANGUL) % TAILS ? put_character(out, TAIL + (c - HANGUL) % TAILS) : out;
    }
    return put_character(out, small_letter(c));
}

char *name_key(const char *name)
{
    enum { LONGEST = 4 }; // times as many bytes
    char *key = checked(malloc(LONGEST * strlen(name) + 1)), *out = key;

    for (int length; *name; name += length) {
        const unsigned char *c = (const unsigned char *)name;

        utf8_hidden(name, &length);
        if (length == 2)
            out = put_spelt(out, (c[0] & 31u) << 6 | (c[1] & 63u));
        else if (length == 3)
            out = put_spelt(out, (c[0] & 15u) << 12 | (c[1] & 63u) << 6 | (c[2] & 63u));
        else if (length == 1)
            *out++ = *c < 0x80 ? (char)small_letter(*c) : name[0];
        else
            out = mempcpy(out, name, (size_t)length);
    }
    *out = 0;
    return key;
}

static bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return !*text;
}

bool names_agree(const char *a, const char *b)
{
    char *keys[2];
    bool same;

    if (!a || !b || !*a || !*b)
        return false;
    if (is_ascii(a) || is_ascii(b))
        return strcasecmp(a, b) == 0;
    keys[0] = name_key(a);
    keys[1] = name_key(b);
    same = strcmp(keys[0], keys[1]) == 0;
    free(keys[0]);
    free(keys[1]);
    return same;
}
