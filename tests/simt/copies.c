// What a program copies from its device, for compiled.sh: linked with -Wl,--wrap=cudaMemcpy and so on, it writes a hash
// of each copy to the file that COPIES names, and at the end the counters that the machine keeps in any case.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "simt.h"

#define TO_HOST 2 // cudaMemcpyDeviceToHost

int __real_cudaMemcpy(void *to, const void *from, size_t size, int kind);
int __real_cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream);
int __real_cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t pitch, size_t width, size_t height,
                        int kind);
int cudaStreamSynchronize(void *stream);

static FILE *out;

static void finish(void)
{
    struct simt_counters c;
    simt_read(&c);
    const uint64_t *v = (const uint64_t *)&c;
    static const char *const names[] = {
#define SIMT_FIELD(name, meaning) #name,
        SIMT_COUNTERS(SIMT_FIELD)
#undef SIMT_FIELD
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(out, "%s %llu\n", names[i], (unsigned long long)v[i]);
    fclose(out);
}

static void note(const void *bytes, size_t pitch, size_t size, size_t rows, int kind)
{
    uint64_t h = UINT64_C(14695981039346656037);
    if (!out) {
        out = fopen(getenv("COPIES"), "w");
        atexit(finish);
    }
    if (kind != TO_HOST)
        return;
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < size; i++)
            h = (h ^ ((const unsigned char *)bytes)[row * pitch + i]) * UINT64_C(1099511628211);
    fprintf(out, "%zu bytes %016llx\n", size * rows, (unsigned long long)h);
}

int __wrap_cudaMemcpy(void *to, const void *from, size_t size, int kind)
{
    int error = __real_cudaMemcpy(to, from, size, kind);
    note(to, size, size, 1, kind);
    return error;
}

int __wrap_cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream)
{
    int error = __real_cudaMemcpyAsync(to, from, size, kind, stream);
    cudaStreamSynchronize(stream);
    note(to, size, size, 1, kind);
    return error;
}

int __wrap_cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t pitch, size_t width, size_t height,
                        int kind)
{
    int error = __real_cudaMemcpy2D(to, to_pitch, from, pitch, width, height, kind);
    note(to, to_pitch, width, height, kind);
    return error;
}
