// A chapter's driver as an object, for its judge and for each program that runs on its own. CHAPTER is the chapter's header
// without .h.
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define WORKBOOK_DRIVER // the header has what crosses to the driver, and this has the driver
#include TEXT(CHAPTER.h)
#undef main // renamed where main is the student's
#undef exit

// A CUDA call of the student's failed.
static void failed(int error, const char *call, const char *file, int line)
{
    check_cuda_at((cudaError_t)error, call, file, line);
}

static __attribute__((noreturn)) void drive_asked(int argc, char **argv, const struct asked *asked)
{
    drive(argc, argv, asked);
    fprintf(stderr, "judge: there is no driver %s in " TEXT(CHAPTER) ".h\n", asked->driver);
    exit(BROKEN);
}

const struct driver chapter_driver = {NAMES, failed, drive_asked};
