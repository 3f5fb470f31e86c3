// A main for the fuzz targets that runs the files given as arguments once, for compilers without libFuzzer: a corpus
// as a test. Built in with -DFUZZ_REPLAY.
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef FUZZ_REPLAY
#include <stdio.h>
#include <stdlib.h>

// Runs one file; its copy is as long as the file, so that the sanitizer sees a read past it.
static int fuzz_replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    uint8_t *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    int failed = !data || fseek(file, 0, SEEK_SET) != 0 || fread(data, 1, (size_t)size, file) != (size_t)size;

    if (failed)
        fprintf(stderr, "%s: cannot be read\n", path);
    else
        LLVMFuzzerTestOneInput(data, (size_t)size);
    if (file)
        fclose(file);
    free(data);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;

    for (int i = 1; i < argc; i++)
        failed |= fuzz_replay(argv[i]);
    return failed;
}
#endif
