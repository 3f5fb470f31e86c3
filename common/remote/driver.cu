// A chapter's driver as an object, for its judge and for each program that runs on its own. CHAPTER is the chapter's
// header without .h; main.h explains how it declares its drivers.
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#include "remote/arguments.h"
#include TEXT(CHAPTER.h)
#undef main // renamed where main is the student's
#undef exit

#ifndef CHAPTER_CONSTANTS
#define CHAPTER_CONSTANTS(X)
#endif
#define NAME(constant) {#constant, constant},
static const struct name NAMES[] = {CHAPTER_CONSTANTS(NAME){NULL, 0}};

// A CUDA call of the student's failed.
static void failed(int error, const char *call, const char *file, int line)
{
    check_cuda_at((cudaError_t)error, call, file, line);
}

static __attribute__((noreturn)) void run_driver(int argc, char **argv, const struct asked *asked)
{
    struct invocation own = {argc, argv, asked->file, asked->todo_open};

#define DRIVE(name) \
    if (!strcmp(asked->driver, #name)) \
        remote::drive(drive_##name, own, asked->numbers);
    CHAPTER_DRIVERS(DRIVE)
    fprintf(stderr, "judge: there is no driver %s in " TEXT(CHAPTER) ".h\n", asked->driver);
    exit(BROKEN);
}

const struct driver chapter_driver = {NAMES, failed, run_driver};
