// Passes every conversion of the format to the host's printf with its one argument.
#include "exec/handlers.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "exec/bounds.h"
#include "exec/finding.h"
#include "exec/library.h"
#include "exec/warp.h"
#include "report/errors.h"

#define LONGEST 64        // bytes of one conversion
#define MAX_ARGUMENTS 32 // a device prints further conversions as plain text
#define RECORD 16         // bytes that a device stores for each call, plus 8 for each argument

static uint64_t take(const uint8_t *values, uint32_t *at, uint32_t size)
{
    uint64_t v = 0;
    *at = (*at + size - 1) / size * size;
    memcpy(&v, values + *at, size);
    *at += size;
    return v;
}

// Copies the conversion, with each * replaced by its value.
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

static uint64_t limit = UINT64_MAX, printed; // bytes, by all kernels

void print_limit(uint64_t bytes)
{
    limit = bytes;
}

// Whether `more` bytes may still be printed. Reports the first time that they may not.
static bool may_print(int more)
{
    printed += more > 0 ? (uint64_t)more : 0;
    if (printed >= limit)
        printf("\nsimt: information: printing is limited: output of kernels beyond %" PRIu64
               " bytes is dropped, and the program continues\n",
               limit);
    return printed < limit;
}

#define PRINT(spec, value) \
    do { \
        __typeof__(value) once_ = (value); /* "value" takes an argument */ \
        if (printed < limit && may_print(snprintf(NULL, 0, spec, once_))) \
            printf(spec, once_); \
    } while (0)

// Reports a string that the kernel cannot read; the launch ends.
static void refuse_string(struct warp *w, const struct insn *in, uint32_t lane, uint64_t address)
{
    struct block *b = w->block;
    char why[240];
    describe_global(b->launch, address, 1, why, sizeof why);
    report(b, FINDING_MEMORY, ERROR, in->id, NONE,
           "Invalid __global__ read of size 1 at %s by %s, for printf's %%s: %s",
           origin_place(b->launch->module, in->id), thread_name(b, w->index * LANES + lane), why);
    fail_launch(b->launch, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void print_one(struct warp *w, const struct insn *in, uint32_t lane, const char *conversion, size_t n,
                      const uint8_t *values, uint32_t *at)
{
    char spec[LONGEST + 16], kind = conversion[n - 1];
    int wide = strstr(conversion, "ll") == conversion + n - 3 || conversion[n - 2] == 'l' || conversion[n - 2] == 'z' ||
               conversion[n - 2] == 'j' || conversion[n - 2] == 't';
    copy_conversion(spec, sizeof spec, conversion, n, values, at);
    if (strchr("eEfFgGaA", kind)) {
        uint64_t bits = take(values, at, 8);
        double v;
        memcpy(&v, &bits, 8);
        PRINT(spec, v);
    } else if (kind == 's') {
        uint64_t address = take(values, at, 8);
        const uint8_t *text = reachable(w, address, lane);
        if (address && !text)
            refuse_string(w, in, lane, address);
        PRINT(spec, text ? (const char *)text : "(null)");
    } else if (kind == 'p')
        PRINT(spec, (void *)(uintptr_t)take(values, at, 8));
    else if (wide)
        PRINT(spec, (long long)take(values, at, 8));
    else
        PRINT(spec, (int)take(values, at, 4));
}

// Length of the conversion that starts at this % sign; 0: there is none.
static size_t conversion_length(const char *f)
{
    size_t n = 1 + strspn(f + 1, "-+ #0");
    n += f[n] == '*' ? 1 : strspn(f + n, "0123456789");
    n += f[n] == '.' ? 1 + strspn(f + n + 1, "0123456789") : 0;
    n += strspn(f + n, "hlLjzt");
    return n < LONGEST && f[n] && strchr("diouxXcspeEfFgGaA", f[n]) ? n + 1 : 0;
}

// Prints like CUDA's printf, for a lane: values holds the arguments one after another, each aligned to its size, floats
// as doubles. Returns the number of arguments; -1: the format is invalid. Output ends with the program's stdout buffer.
// *more: there are more arguments than a device accepts.
static int32_t device_print(struct warp *w, const struct insn *in, uint32_t lane, const char *format,
                            const uint8_t *values, bool *more)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int32_t count = 0;
    uint32_t at = 0;
    pthread_mutex_lock(&lock);
    for (const char *f = format; *f;) {
        size_t n = *f == '%' ? conversion_length(f) : 0;
        if (f[0] == '%' && f[1] == '%')
            f++;
        bool takes = n && values && count < MAX_ARGUMENTS;
        *more |= n && values && !takes;
        if (takes) {
            print_one(w, in, lane, f, n, values, &at);
            count++;
            f += n;
        } else {
            if (printed < limit && may_print(1))
                putchar(*f);
            f++;
        }
    }
    pthread_mutex_unlock(&lock);
    return count;
}

// Output beyond the device's limit. Only the first line that crosses the limit is reported.
static void report_limits(struct warp *w, const struct insn *in, uint64_t kept, bool more)
{
    struct launch *launch = w->block->launch;
    uint64_t before = atomic_fetch_add(&launch->printed, kept), most = launch->limits.print;
    const char *place = origin_place(launch->module, in->id);
    if (more)
        report(w->block, FINDING_MEMORY, WARNING, in->id, NONE,
               "printf at %s has more than %d arguments: a device does not print the others", place, MAX_ARGUMENTS);
    if (most && before <= most && before + kept > most)
        report(w->block, FINDING_MEMORY, INFORMATION, in->id, NONE,
               "printf at %s fills the buffer of %llu bytes before the host reads it: "
               "on a device earlier lines are lost; "
               "cudaDeviceSetLimit(cudaLimitPrintfFifoSize) makes it larger",
               place, (unsigned long long)most);
}

void op_print(struct warp *w, const struct insn *in)
{
    uint64_t kept = 0;
    bool more = false;
    if (!path_guard(w, in))
        return;
    FOR_LANES(l, w->mask)
    {
        const uint8_t *format = reachable(w, argument_64(w, in, 1, l), l);
        const uint8_t *values = reachable(w, argument_64(w, in, 2, l), l);
        int32_t written = format ? device_print(w, in, l, (const char *)format, values, &more) : -1;
        memcpy(argument(w, in, 0, l), &written, 4);
        kept += RECORD + 8 * (uint64_t)(written > 0 ? written : 0);
    }
    report_limits(w, in, kept, more);
    path_enter(w, in->c);
}
