// Every conversion of the format is handed to the host's printf with the one argument it takes.
#include "exec/print.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "memory/memory.h"

#define LONGEST 64 // bytes of one conversion

static uint64_t take(const uint8_t *values, uint32_t *at, uint32_t size)
{
    uint64_t v = 0;
    *at = (*at + size - 1) / size * size;
    memcpy(&v, values + *at, size);
    *at += size;
    return v;
}

// Copies the conversion, with the value that a * stands for in its place.
static void copy_conversion(char *spec, size_t room, const char *conversion, size_t n, const uint8_t *values,
                            uint32_t *at)
{
    const char *star = memchr(conversion, '*', n);
    if (star)
        snprintf(spec, room, "%.*s%d%.*s", (int)(star - conversion), conversion, (int)take(values, at, 4),
                 (int)(conversion + n - star - 1), star + 1);
    else
        snprintf(spec, room, "%.*s", (int)n, conversion);
}

static void print_one(const char *conversion, size_t n, const uint8_t *values, uint32_t *at)
{
    char spec[LONGEST + 16], kind = conversion[n - 1];
    int wide = strstr(conversion, "ll") == conversion + n - 3 || conversion[n - 2] == 'l' || conversion[n - 2] == 'z' ||
               conversion[n - 2] == 'j' || conversion[n - 2] == 't';
    copy_conversion(spec, sizeof spec, conversion, n, values, at);
    if (strchr("eEfFgGaA", kind)) {
        uint64_t bits = take(values, at, 8);
        double v;
        memcpy(&v, &bits, 8);
        printf(spec, v);
    } else if (kind == 's') {
        uint64_t address = take(values, at, 8);
        printf(spec, memory_holds(address, 1) ? (const char *)(uintptr_t)address : "(null)");
    } else if (kind == 'p')
        printf(spec, (void *)(uintptr_t)take(values, at, 8));
    else if (wide)
        printf(spec, (long long)take(values, at, 8));
    else
        printf(spec, (int)take(values, at, 4));
}

// Length of the conversion that starts at the % sign; 0 if it is none.
static size_t conversion_length(const char *f)
{
    size_t n = 1 + strspn(f + 1, "-+ #0");
    n += f[n] == '*' ? 1 : strspn(f + n, "0123456789");
    n += f[n] == '.' ? 1 + strspn(f + n + 1, "0123456789") : 0;
    n += strspn(f + n, "hlLjzt");
    return n < LONGEST && f[n] && strchr("diouxXcspeEfFgGaA", f[n]) ? n + 1 : 0;
}

int32_t device_print(const char *format, const uint8_t *values)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int32_t count = 0;
    uint32_t at = 0;
    pthread_mutex_lock(&lock);
    for (const char *f = format; *f;) {
        size_t n = *f == '%' ? conversion_length(f) : 0;
        if (f[0] == '%' && f[1] == '%')
            f++;
        if (n && values) {
            print_one(f, n, values, &at);
            count++;
            f += n;
        } else
            putchar(*f++);
    }
    pthread_mutex_unlock(&lock);
    return count;
}
