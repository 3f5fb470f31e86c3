// task.c: what `workbook grade` has to judge: one step of one student.
#pragma once

#include "report/marks.h"
#include "course/course.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct task {
    const struct step *step;
    struct task *twin;   // an earlier task with the same file, whose mark this one shares
    struct task *like;   // an earlier task whose file is the same program, written down in another way
    uint64_t content;    // a hash of the file
    uint64_t program;    // a hash of the program in it; 0: it is like no other
    char *file, *folder; // the submission; the folder of its log
    char *scratch; // where this process alone builds and runs it: a killed one's compiler may still run. Its letters
                   // are never the student's: nvcc hands paths to a shell
    pid_t worker;
    bool ended; // it has its mark
    struct mark mark;
};

// The submission, to be freed, or NULL with *why. It must be a plain file of moderate size and not a link.
char *task_source(const char *path, char **why);

char *task_path(const struct task *task, const char *ending); // "mark", "log", "cu": a file of the task, to be freed
unsigned long long task_key(const struct step *step, const char *source); // of a mark: the file, and what grades it

// Writes the mark all or nothing, even if the grader is killed; and what was graded, as text for the pages.
void task_write_mark(const struct task *task, const char *source);
void task_keep_source(const struct task *task, const char *source);

// Finds twins, and what is like another one. Returns how many tasks have a twin.
int tasks_compare(struct task *tasks, int count);

// Gives the task its twin's mark and log.
void task_take_twin(struct task *task);

// Gives the task the mark of what it is like, if that passed: the same program is right, too. False: it must be judged,
// since its messages name its own lines.
bool task_take_like(struct task *task);
