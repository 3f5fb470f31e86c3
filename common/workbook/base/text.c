// Strings: building them, walking their lines, measuring them, and escaping them for other formats.
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *checked(void *memory)
{
    if (!memory) {
        fprintf(stderr, "workbook: out of memory\n");
        exit(1);
    }
    return memory;
}

char *text_from(const char *format, va_list arguments)
{
    char *text = NULL;

    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    return checked(text);
}

char *text_format(const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = text_from(format, arguments);
    va_end(arguments);
    return text;
}

// FNV-1a, 64 bits.
uint64_t text_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

const char *line_end(const char *line)
{
    const char *newline = strchr(line, '\n');

    return newline ? newline + 1 : line + strlen(line);
}

// Bytes of the character that text begins with; 1 where it is no UTF-8.
static int sequence_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    int length = c[0] >= 0xf0 && c[0] < 0xf5   ? 4
                 : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
                                               : 1;

    for (int i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 1;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
        (c[0] == 0xf4 && c[1] > 0x8f))
        return 1;
    return length;
}

unsigned utf8_hidden(const char *text, int *bytes)
{
    static const unsigned ranges[][2] = {{0x80, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e},
                                         {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                                         {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};
    const unsigned char *c = (const unsigned char *)text;
    int length = sequence_length(text);
    unsigned code = length == 2   ? (c[0] & 31u) << 6 | (c[1] & 63u)
                    : length == 3 ? (c[0] & 15u) << 12 | (c[1] & 63u) << 6 | (c[2] & 63u)
                                  : 0;

    *bytes = length;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return code;
    return 0;
}

// Bytes of the character that text begins with: 1 where it is ASCII or no UTF-8, a hidden one, or U+FFFE or U+FFFF,
// which XML forbids.
int utf8_length(const char *text)
{
    int length;

    if (utf8_hidden(text, &length) || strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0)
        return 1;
    return length;
}

int text_columns(const char *text)
{
    int columns = 0;

    for (; *text; text++)
        columns += (*text & 0xc0) != 0x80;
    return columns;
}

void write_escaped(FILE *file, const char *text, bool json)
{
    while (*text) {
        unsigned char c = (unsigned char)*text;
        int length = utf8_length(text);

        if (length == 1 && (c > '~' || (c < ' ' && c != '\n')))
            fputc('?', file);
        else if (json && (c == '"' || c == '\\'))
            fprintf(file, "\\%c", c);
        else if (c == '\n')
            fputs(json ? "\\n" : "\n", file);
        else if (!json && strchr("<>&\"'", c))
            fprintf(file, "&#%d;", c);
        else
            fwrite(text, 1, (size_t)length, file);
        text += length;
    }
}
