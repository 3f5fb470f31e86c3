// The judge of a chapter, linked with the chapter's driver (driver.cu).
#include "remote/judge.h"

int main(int argc, char **argv)
{
    struct asked asked;

    judge_start(&argc, argv, chapter_driver.names, chapter_driver.failed, &asked);
    chapter_driver.drive(argc, argv, &asked);
}
