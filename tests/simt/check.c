// Utilities of every test of the SIMT machine: counted checks, files as text, captured stderr.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

bool in_part(const char *part, int i)
{
    int k, n;
    if (sscanf(part, "%d/%d", &k, &n) != 2 || k < 1 || k > n) {
        printf("the part is '%s'; expected K/N, such as 1/3\n", part);
        exit(1);
    }
    return i % n == k - 1;
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

// ---- reports

static FILE *ear;
static int own_stderr = -1;

void machine_listen(void)
{
    fflush(stderr);
    if (own_stderr < 0)
        own_stderr = dup(2);
    if (!ear)
        ear = tmpfile();
    if (!ear || ftruncate(fileno(ear), 0) || lseek(fileno(ear), 0, SEEK_SET) || dup2(fileno(ear), 2) < 0) {
        printf("cannot listen to stderr\n");
        exit(1);
    }
}

const char *machine_heard(void)
{
    static char text[1 << 16];
    fflush(stderr);
    dup2(own_stderr, 2);
    ssize_t n = pread(fileno(ear), text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    return text;
}
