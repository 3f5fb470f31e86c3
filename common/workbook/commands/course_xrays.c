// X-rays of students' submissions, and the counters of the reference. Submissions run as in `workbook grade`: built in
// a scratch folder, confined by their judge.
#include "commands/course_xrays.h"
#include "commands/xray_run.h"
#include "commands/xray_start.h"
#include "judge/judge.h"
#include "process/process.h"
#include "course/course.h"
#include "base/files.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRACE = 400000 }; // bytes of a trace, since a course has many pages

// A program built from a text.
struct built {
    char *root, *program;
};

static void forget(struct built *built)
{
    folder_remove(built->root);
    free(built->root);
    free(built->program);
}

// False if it does not build.
static bool build_text(struct built *built, const struct step *step, const char *text)
{
    char *folder, *source, *words = NULL;
    bool good;

    built->root = text_format("%s/xray/course-%d", course.build, (int)getpid());
    built->program = text_format("%s/%s", built->root, step->name);
    folder = text_format("%s/%s", built->root, step->chapter);
    source = text_format("%s/%s.cu", folder, step->name);
    good = folder_make(folder) && file_write(source, text) &&
           build_program("graded", step->arch, source, built->program, &words).exit == 0;
    free(words);
    free(source);
    free(folder);
    return good;
}

// ---- x-rays

static bool write_xray(const struct class *class, const struct mark *m, const char *text, const char *failure,
                       const char *path)
{
    struct built built;
    struct xray_program program = {0};
    struct xray_start start = {.what = "what one block did, instruction by instruction"};
    FILE *to = NULL;
    bool good = build_text(&built, m->step, text);
    struct xray_run run = {.step = m->step,
                           .own = true,
                           .failure = failure,
                           .bytes = TRACE,
                           .program = built.program,
                           .root = built.root,
                           .seed = class->seed};

    xray_start_find(failure, m->step->n, &start);
    good = good && xray_take(&program, &run) && (to = fopen(path, "w"));
    if (to) {
        xray_write(to, &program, 1, &start);
        good = file_finish(to, path);
    }
    xray_start_free(&start);
    free(program.title);
    free(program.trace);
    free(program.note);
    forget(&built);
    return good;
}

// The x-ray of a mark, a file in folder, created on the first call; NULL: there is none.
static char *xray_of(const struct class *class, const struct mark *m, const char *folder)
{
    char *source = mark_source(m), *path = text_format("%s/%s", class->out, source ? source : ""), *failure, *name,
         *page;
    char *text = source ? file_read(path) : NULL;

    free(path);
    free(source);
    if (!text)
        return NULL;
    failure = mark_failure(class, m);
    name = text_format("xrays/%016llx.html", (unsigned long long)(text_hash(text) * 31 + text_hash(failure)));
    page = text_format("%s/%s", folder, name);
    if (!file_is(page) && !write_xray(class, m, text, failure, page)) {
        free(name);
        name = NULL;
    }
    free(page);
    free(failure);
    free(text);
    return name;
}

// Whether there is a run to show: refused submissions and those that did not build have none.
static bool has_run(const struct mark *m)
{
    return (m->state == WRONG || m->state == UNSAFE || m->state == MISSED || m->state == BROKEN) && m->log &&
           strcmp(mark_word(m), "refused") != 0 && !(m->why && strncmp(m->why, "not built", 9) == 0);
}

// ---- the reference

static char *reference_of(const struct step *step)
{
    char *path = source_path(step, false), *text = file_read(path), *said = NULL;
    struct built built;

    if (text && build_text(&built, step, text)) {
        struct submission submission = {.job = {.step = step, .capture = true, .directory = built.root},
                                        .program = built.program};
        struct outcome outcome = judge_part(&submission, PART_LESSON);

        said = submission.job.output;
        free(outcome.why);
    }
    if (text)
        forget(&built);
    free(text);
    free(path);
    return said;
}

struct extras course_extras(const struct class *class, const char *folder)
{
    struct extras extras = {.xrays = checked(calloc((size_t) class->count + 1, sizeof(char *))),
                            .references = checked(calloc((size_t)course.count + 1, sizeof(char *)))};
    char *room = text_format("%s/xrays", folder);
    int last = -1;

    for (int i = 0; i < class->count; i++) {
        const struct mark *m = &class->marks[i];
        long step = m->step - course.steps;

        if (m->step->project) // it is one process with the machine
            continue;
        if (m->state == PASSED && !extras.references[step])
            extras.references[step] = reference_of(m->step);
        if (m->student != last && has_run(m) && folder_make(room)) {
            extras.xrays[i] = xray_of(class, m, folder);
            last = m->student;
        }
    }
    free(room);
    return extras;
}

void extras_free(struct extras *extras, const struct class *class)
{
    for (int i = 0; i < class->count; i++)
        free(extras->xrays[i]);
    for (int i = 0; i < course.count; i++)
        free(extras->references[i]);
    free(extras->xrays);
    free(extras->references);
}
