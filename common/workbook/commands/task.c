// Submissions that need not be judged, since an equal one is, and the files that a judgement leaves.
#include "commands/task.h"
#include "judge/judge.h"
#include "process/limits.h"
#include "course/alike.h"
#include "base/encoding.h"
#include "base/files.h"
#include "base/text.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *task_source(const char *path, char **why)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    char *text = NULL;

    if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        *why = text_format("refused: it is not a plain file, or cannot be read");
    } else if (about.st_size > SOURCE_LIMIT) {
        *why =
            text_format("refused: it has %lld bytes; at most %d are accepted", (long long)about.st_size, SOURCE_LIMIT);
    } else {
        char *bytes = checked(malloc((size_t)about.st_size + 1));

        if (read(fd, bytes, (size_t)about.st_size) == about.st_size)
            text = text_decode(bytes, (size_t)about.st_size);
        if (!text)
            *why = text_format("refused: it cannot be read as text");
        free(bytes);
    }
    if (fd >= 0)
        close(fd);
    return text;
}

char *task_path(const struct task *task, const char *ending)
{
    return text_format("%s/%s.%s", task->folder, task->step->name, ending);
}

unsigned long long task_key(const struct step *step, const char *source)
{
    return text_hash(source ? source : "") * 31 + judge_hash(step);
}

void task_write_mark(const struct task *task, const char *source)
{
    const struct mark *m = &task->mark;
    char *path = task_path(task, "mark"), *draft = text_format("%s.new", path);
    char *text = text_format("%d %d %d %.1f %llu\n%s", m->state, m->parts, m->altered, m->seconds,
                             task_key(task->step, source), m->why ? m->why : "");

    if (file_write(draft, text))
        (void)!rename(draft, path);
    free(text);
    free(draft);
    free(path);
}

void task_keep_source(const struct task *task, const char *source)
{
    char *path = task_path(task, "cu");

    (void)!file_write(path, source);
    free(path);
}

// ---- equal files and programs

static char *source_of(const struct task *task)
{
    char *why = NULL, *text = task_source(task->file, &why);

    free(why);
    return text;
}

static char *program_of(const struct task *task)
{
    char *source = source_of(task), *text = source ? program_text(source) : NULL;

    free(source);
    return text;
}

static void read_hashes(struct task *task)
{
    char *source = source_of(task), *program = source ? program_text(source) : NULL;

    task->content = source ? text_hash(source) : 0;
    task->program = program ? text_hash(program) : 0;
    free(program);
    free(source);
}

static bool is_equal(const struct task *a, const struct task *b, char *(*text_of)(const struct task *task))
{
    char *one = text_of(a), *two = text_of(b);
    bool same = one && two && strcmp(one, two) == 0;

    free(one);
    free(two);
    return same;
}

static int difference(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

// By the program, then by the file, then as they were handed in.
static int by_hashes(const void *a, const void *b)
{
    const struct task *x = *(struct task *const *)a, *y = *(struct task *const *)b;
    int order = x->step != y->step ? (x->step < y->step ? -1 : 1) : difference(x->program, y->program);

    order = order ? order : difference(x->content, y->content);
    return order ? order : (x > y) - (x < y);
}

// Of two neighbours in that order.
static bool is_twin(const struct task *first, const struct task *task)
{
    return first && task->content && first->step == task->step && first->content == task->content &&
           is_equal(first, task, source_of);
}

static bool is_like(const struct task *first, const struct task *task)
{
    return first && task->program && first->step == task->step && first->program == task->program &&
           is_equal(first, task, program_of);
}

int tasks_compare(struct task *tasks, int count)
{
    struct task **order = checked(calloc((size_t)count + 1, sizeof(struct task *))), *twin = NULL, *like = NULL;
    int shared = 0;

    for (int i = 0; i < count; i++) {
        read_hashes(&tasks[i]);
        order[i] = &tasks[i];
    }
    qsort(order, (size_t)count, sizeof *order, by_hashes);
    for (int i = 0; i < count; i++) {
        struct task *task = order[i];

        if (is_twin(twin, task)) {
            task->twin = twin;
            shared++;
            continue;
        }
        twin = task;
        if (is_like(like, task))
            task->like = like;
        else
            like = task;
    }
    free(order);
    return shared;
}

// ---- a mark that another task has

static void take_mark(struct task *task, const struct task *from, bool altered, const char *log)
{
    char *path = task_path(task, "log"), *source = source_of(task);
    int student = task->mark.student;

    task->mark = from->mark;
    task->mark.student = student;
    task->mark.seconds = 0;
    task->mark.altered = altered;
    task->mark.why = from->mark.why ? text_format("%s", from->mark.why) : NULL;
    task->ended = true;
    if (folder_make(task->folder)) { // each student has a log, since their page links it
        if (log)
            (void)!file_write(path, log);
        if (source)
            task_keep_source(task, source);
        task_write_mark(task, source);
    }
    free(source);
    free(path);
}

static char *log_of(const struct task *task)
{
    char *path = task_path(task, "log"), *log = file_read(path);

    free(path);
    return log;
}

void task_take_twin(struct task *task)
{
    char *log = log_of(task->twin);

    take_mark(task, task->twin, task->twin->mark.altered, log);
    free(log);
}

// Whether a log names a line of the step's file: 05-sequential.cu:31, or (31) as nvcc does.
static bool names_lines(const struct step *step, const char *log)
{
    char *name = text_format("%s.cu", step->name);
    bool found = false;

    for (const char *at = log; !found && (at = strstr(at, name));) {
        at += strlen(name);
        found = (*at == ':' || *at == '(') && isdigit((unsigned char)at[1]);
    }
    free(name);
    return found;
}

bool task_take_like(struct task *task)
{
    const struct task *from = task->like;
    char *log = from->mark.state == PASSED ? log_of(from) : NULL, *runs = log ? strstr(log, "== ") : NULL;
    char *source = runs && !names_lines(task->step, runs) ? source_of(task) : NULL, *altered = NULL;
    char *why = source ? judge_source(task->step, source, NULL, &altered) : NULL;
    bool taken = source && !why;

    if (taken) {
        char *own =
            text_format("%s%s%s%s", altered ? "altered: " : "", altered ? altered : "", altered ? "\n" : "", runs);

        take_mark(task, from, altered != NULL, own);
        free(own);
    }
    free(altered);
    free(source);
    free(why);
    free(log);
    return taken;
}
