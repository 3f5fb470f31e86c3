// What every test of the SIMT machine needs: checks that are counted, and files as text.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

int failures;

bool check(bool holds, const char *where, const char *format, ...)
{
    va_list args;
    if (holds)
        return true;
    if (failures++ < 50) {
        va_start(args, format);
        printf("%s: ", where);
        vprintf(format, args);
        printf("\n");
        va_end(args);
    }
    return false;
}

char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t n = 0, room = 1 << 16;
    char *text = malloc(room);
    if (!f) {
        printf("cannot read %s\n", path);
        exit(1);
    }
    for (size_t got; (got = fread(text + n, 1, room - n - 1, f)) > 0;) {
        n += got;
        if (room - n < 2)
            text = realloc(text, room *= 2);
    }
    text[n] = 0;
    fclose(f);
    return text;
}
