// `workbook export --autograder DIR --assignment FILE`: an autograder for Gradescope. It contains a hand-out without
// solutions; setup.sh builds it in Gradescope's image, and run_autograder grades each submission there.
#include "commands/autograder.h"
#include "commands/commands.h"
#include "intake/assignment.h"
#include "process/process.h"
#include "course/course.h"
#include "base/files.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Copies a file, given by its absolute path or by its name in this folder, into the folder.
static bool put_file(const char *from, const char *folder, const char *name, mode_t mode)
{
    char *path =
        *from == '/' ? text_format("%s", from) : text_format("%s/common/workbook/export/%s", course.source, from);
    char *text = file_read(path), *to = text_format("%s/%s", folder, name);
    bool good = text && file_write(to, text) && chmod(to, mode) == 0;

    if (!good)
        fprintf(stderr, "workbook: cannot copy %s to %s: %s\n", path, to, strerror(errno));
    free(to);
    free(text);
    free(path);
    return good;
}

static bool pack_folder(const char *folder)
{
    char *zip = text_format("%s.zip", folder);
    char *argv[] = {course.cmake,     "-E",      "tar",      "cf", zip, "--format=zip", "setup.sh",
                    "run_autograder", "due.txt", "warpbook", NULL};
    struct job job = {.argv = argv, .directory = folder, .capture = true};
    bool good = process_run(&job).exit == 0;

    if (good)
        printf("wrote %s: upload it as the autograder of an assignment\n", shown(zip));
    else
        fprintf(stderr, "workbook: cannot write %s\n%s", zip, job.output);
    free(job.output);
    free(zip);
    return good;
}

int export_autograder(const char *folder, const char *due)
{
    struct assignment assignment = {0};
    char *room, *path = due ? realpath(due, NULL) : NULL, *handout[1];
    bool good;

    if (!due)
        return fprintf(stderr, "workbook: export: --autograder needs --assignment FILE: what is due, and its points\n"),
               1;
    good = assignment_read(&assignment, due);
    assignment_free(&assignment);
    if (good && mkdir(folder, 0777) != 0) {
        fprintf(stderr, "workbook: cannot make %s: %s\n", folder, strerror(errno));
        good = false;
    }
    room = good ? realpath(folder, NULL) : NULL;
    handout[0] = text_format("%s/warpbook", room ? room : "");
    good = room && path && put_file("setup.sh", room, "setup.sh", 0755) &&
           put_file("run_autograder.sh", room, "run_autograder", 0755) && put_file(path, room, "due.txt", 0644) &&
           command_handout(1, handout) == 0 && pack_folder(room);
    free(handout[0]);
    free(room);
    free(path);
    return !good;
}
