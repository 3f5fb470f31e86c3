// The judge of a chapter: its driver, whose function is the submission's. CHAPTER is the chapter's header without .h.
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#include TEXT(CHAPTER.h)
#define CALLS(chapter) TEXT(remote/chapter##_calls.h)
#define CALLS_OF(chapter) CALLS(chapter)
#include CALLS_OF(CHAPTER)
#undef main // renamed where main is the student's
#undef exit

// A CUDA call of the submission failed.
static void failed(int error, const char *call, const char *file, int line)
{
    check_cuda_at((cudaError_t)error, call, file, line);
}

int main(int argc, char **argv)
{
    struct asked asked;
    judge_start(&argc, argv, NAMES, failed, &asked);
    drive(argc, argv, &asked);
    fprintf(stderr, "judge: there is no driver %s in " TEXT(CHAPTER) ".h\n", asked.driver);
    return BROKEN;
}
