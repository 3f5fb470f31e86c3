// Shows what a block of a step's kernel did: runs the step's program at a small size under SIMT_TRACE, and writes one
// page about it.
#include "commands/commands.h"
#include "commands/solution.h"
#include "commands/xray.h"
#include "commands/xray_run.h"
#include "commands/xray_start.h"
#include "xray/page.h"
#include "judge/progress.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PROGRAMS = 2,         // on a page
    TRACE_BYTES = 4100000 // in total, except for the host's calls, so that the page stays below 5 MB
};

struct request {
    const struct step *step, *other; // other: the program it is compared with, or NULL
    bool own, other_own;             // the student's file; otherwise the reference solution
    bool open, force;
    const char *n, *out, *compare;
    const char *traces[PROGRAMS]; // files of SIMT_TRACE instead of steps
    int trace_count;
};

static bool take_file(struct xray_program *program, const char *path)
{
    program->title = text_format("%s", path);
    program->note = text_format("%s", "");
    program->trace = file_read(path);
    if (program->trace && *program->trace == '{' && strstr(program->trace, "\"simt-trace\"")) {
        xray_without_source(program->trace);
        return true;
    }
    fprintf(stderr, "workbook: %s is not a trace; SIMT_TRACE=*,file:%s writes one\n", path, path);
    return false;
}

// ---- the page -----------------------------------------------------------------------------------------------------

static void say_page_made(const char *path, const struct xray_program programs[], int count)
{
    struct stat about;

    printf("%s", shown(path));
    if (stat(path, &about) == 0)
        printf(" (%ld KiB)", (long)(about.st_size + 1023) >> 10);
    printf(" shows\n");
    for (int i = 0; i < count; i++) {
        int findings = xray_findings(programs[i].trace);

        printf("  %s%s%s", programs[i].title, *programs[i].note ? ", " : "", programs[i].note);
        if (findings > 0)
            printf("; %d finding%s", findings, findings == 1 ? "" : "s");
        printf("\n");
    }
}

static bool has_display(void)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

    return (x && *x) || (wayland && *wayland);
}

// Opens it with the desktop's browser, without waiting.
static void show_page(const char *path)
{
    if (!has_display()) {
        printf("There is no display here; open it in a browser.\n");
        return;
    }
    fflush(stdout);
    if (fork() == 0) {
        setsid();
        if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr))
            execlp("xdg-open", "xdg-open", path, (char *)NULL);
        _exit(127);
    }
}

static char *page_path(const struct request *request)
{
    char *folder, *path;

    if (request->out)
        return text_format("%s", request->out);
    folder = text_format("%s/xray", course.build);
    path = request->step ? text_format("%s/%s.%s.html", folder, request->step->chapter, request->step->name)
                         : text_format("%s/trace.html", folder);
    free(folder);
    return path;
}

static bool write_page_to(const char *path, const struct xray_program programs[], int count,
                          const struct xray_start *start)
{
    FILE *file = fopen(path, "w");
    bool good = file != NULL;

    if (file) {
        xray_write(file, programs, count, start);
        good = !ferror(file);
        good = fclose(file) == 0 && good;
    }
    if (!good)
        fprintf(stderr, "workbook: cannot write %s\n", path);
    return good;
}

static bool take_programs(const struct request *request, const char *failure, struct xray_program programs[],
                          int *count)
{
    int bytes = request->other ? TRACE_BYTES / 2 : TRACE_BYTES;
    struct xray_run own = {
        .step = request->step, .own = request->own, .n = request->n, .failure = failure, .bytes = bytes};
    struct xray_run other = {.step = request->other, .own = request->other_own, .failure = "", .bytes = bytes};

    for (int i = 0; i < request->trace_count; i++)
        if (!take_file(&programs[(*count)++], request->traces[i]))
            return false;
    if (request->step && !xray_take(&programs[(*count)++], &own))
        return false;
    other.n = own.used;
    other.shape = own.used_shape;
    return !request->other || xray_take(&programs[(*count)++], &other);
}

static int make_page(const struct request *request)
{
    char *failure = request->step && request->own ? failure_read(request->step) : text_format("%s", "");
    char *path = page_path(request), *folder = text_format("%s/xray", course.build);
    struct xray_program programs[PROGRAMS + 1] = {0};
    struct xray_start start = {.what = "what one block did, instruction by instruction"};
    int count = 0;
    bool good;

    folder_make(folder);
    xray_start_find(failure, request->step ? request->step->n : "", &start);
    good = take_programs(request, failure, programs, &count) && write_page_to(path, programs, count, &start);
    if (good)
        say_page_made(path, programs, count);
    if (good && request->open)
        show_page(path);
    for (int i = 0; i < count; i++) {
        free(programs[i].title);
        free(programs[i].trace);
        free(programs[i].note);
    }
    xray_start_free(&start);
    free(folder);
    free(path);
    free(failure);
    return !good;
}

int xray_step(const struct step *step)
{
    struct request request = {.step = step, .own = grades_own(), .open = true};

    return make_page(&request);
}

// ---- the command --------------------------------------------------------------------------------------------------

static const struct step *step_before(const struct step *step)
{
    const struct step *before = step - 1;

    if (step > course.steps && strcmp(before->chapter, step->chapter) == 0)
        return before;
    fprintf(stderr, "workbook: %s/%s is the first step of its chapter; there is none before it\n", step->chapter,
            step->name);
    return NULL;
}

// Parses the argument of --compare. False after a message.
static bool find_other(struct request *request)
{
    const struct step *step = request->step;

    request->other_own = request->own;
    if (!request->compare)
        return true;
    if (strcmp(request->compare, "before") == 0)
        return (request->other = step_before(step)) != NULL;
    if (strcmp(request->compare, "reference") == 0) {
        request->other = step;
        request->other_own = false;
        return true;
    }
    return (request->other = course_find(request->compare, step->chapter)) != NULL;
}

// Whether the file to be shown exists and may be seen.
static bool may_show(const struct step *step, bool own, bool force)
{
    char *path = source_path(step, own);
    bool there = file_is(path);

    if (!there)
        fprintf(stderr, "workbook: there is no %s%s\n", shown(path), own ? "" : ": a hand-out comes without solutions");
    free(path);
    return there && (own || !grades_own() || may_see_solution(step, force));
}

static bool is_number(const char *text)
{
    return strspn(text, "0123456789") == strlen(text) && atol(text) > 0 && strlen(text) < 10;
}

// Reads the step or one option that takes a value. Returns the number of words read; 0 after a message.
static int read_word(struct request *request, int left, char **argv)
{
    static const char *const options[] = {"--compare", "-o", "--n", "--trace"};
    const char **values[] = {&request->compare, &request->out, &request->n, &request->traces[0]};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(argv[0], options[i]) != 0)
            continue;
        if (left < 2)
            return usage_error("xray ", "a value is missing after", argv[0]), 0;
        if (i == 3 && request->trace_count == PROGRAMS)
            return usage_error("xray ", "two traces at most, not also", argv[1]), 0;
        if (i == 3)
            request->traces[request->trace_count++] = argv[1];
        else
            *values[i] = argv[1];
        return 2;
    }
    if (argv[0][0] == '-')
        return usage_error("xray ", "unknown option", argv[0]), 0;
    if (request->step)
        return usage_error("xray ", "one step at a time, not", argv[0]), 0;
    request->step = course_find(argv[0], progress_chapter());
    return request->step ? 1 : 0;
}

static bool read_request(struct request *request, int argc, char **argv)
{
    for (int i = 0, taken; i < argc; i += taken) {
        taken = 1;
        if (strcmp(argv[i], "--solution") == 0)
            request->own = false;
        else if (strcmp(argv[i], "--force") == 0)
            request->force = true;
        else if (strcmp(argv[i], "--no-open") == 0)
            request->open = false;
        else if ((taken = read_word(request, argc - i, argv + i)) == 0)
            return false;
    }
    if (request->n && !is_number(request->n))
        return !usage_error("xray ", "--n takes a whole number above 0, not", request->n);
    if (!request->step == !request->trace_count)
        return !usage_error("xray ", request->step ? "a step or --trace, not both" : "which step?", NULL);
    if (!request->step && request->compare)
        return !usage_error("xray ", "--compare takes a step; a second --trace is shown beside the first", NULL);
    return true;
}

int command_xray(int argc, char **argv)
{
    struct request request = {.own = grades_own(), .open = true};

    if (!read_request(&request, argc, argv))
        return 1;
    if (request.step && (!find_other(&request) || !may_show(request.step, request.own, request.force)))
        return 1;
    if (request.other && !may_show(request.other, request.other_own, request.force))
        return 1;
    return make_page(&request);
}
