// Runs a step's program so that a page can show it: at a small size, or as it failed if the small run does not
// show the failure.
#include "commands/xray_run.h"
#include "process/measure.h"
#include "judge/judge.h"
#include "process/process.h"
#include "course/course.h"
#include "course/source.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LARGEST_N = 4096,         // a page shows a wrong answer up to this size, else the step's usual size
    LARGEST_FAILED = 2097152, // for a run that is repeated for its finding
    PATIENCE = 2,             // seconds of CPU time in which a block must end
    SECONDS = 20              // of a run
};

static const char NOT_HERE[] = "; the checks found something that is not on this page: ";
static const char USUAL[] = "*:0-7:0-1"; // the first launches of each kernel, the first blocks of each launch

// How the program is run.
struct variant {
    char *n;             // to be freed
    char *shape;         // further options of the case, " --height 77"; to be freed
    const char *order;   // SIMT_SCHEDULE, or NULL
    int multiprocessors; // 0: the usual ones
};

// Removes the folder and the slash after it from all paths in text.
static void cut_folder(char *text, const char *folder)
{
    char *prefix = text_format("%s/", folder), *to = text;
    size_t length = strlen(prefix);

    for (const char *from = text; *from;) {
        if (strncmp(from, prefix, length) == 0)
            from += length;
        else
            *to++ = *from++;
    }
    *to = 0;
    free(prefix);
}

char *xray_without_source(char *text)
{
    cut_folder(text, course.source);
    return text;
}

// A path escaped for SIMT_TRACE, which replaces %p with the process number; the caller frees it.
static char *percent_doubled(const char *path)
{
    char *out = checked(malloc(2 * strlen(path) + 1)), *to = out;

    do {
        if (*path == '%')
            *to++ = '%';
        *to++ = *path;
    } while (*path++);
    return out;
}

// Runs the program under SIMT_TRACE; selection names the launches and blocks. Returns the trace, or NULL; *said is what
// the program printed. The caller frees both.
static char *run_traced(const struct xray_run *run, const struct variant *variant, const char *selection, char **said)
{
    char *path = text_format("%s/xray/%d.json", course.build, (int)getpid()), *text;
    char *escaped = percent_doubled(path);
    char *setting = text_format("%s,file:%s,events:1000000,bytes:%d", selection, escaped, run->bytes);
    char *program = run->program ? text_format("%s", run->program) : graded_path(run->step, run->own);
    char *argv[14] = {program, "--check", "--n", variant->n};
    char *shape = text_format("%s", variant->shape);
    struct job job = {.argv = argv,
                      .step = run->step,
                      .checks = first_trial(PART_SAFETY)->checks,
                      .order = variant->order,
                      .multiprocessors = variant->multiprocessors,
                      .trace = setting,
                      .directory = run->root,
                      .patience = PATIENCE,
                      .seconds = SECONDS,
                      .limited = true,
                      .capture = true};
    int count = 4;
    struct outcome outcome;

    for (char *rest = shape, *word; (word = strsep(&rest, " ")) && count < 11;)
        if (*word)
            argv[count++] = word;
    if (run->seed) {
        argv[count++] = "--seed";
        argv[count++] = (char *)run->seed;
    }
    outcome = process_run(&job);
    text = file_read(path);
    remove(path);
    *said = outcome.why ? text_format("%s%s\n", job.output, outcome.why) : text_format("%s", job.output);
    free(outcome.again);
    free(outcome.why);
    free(job.output);
    free(shape);
    free(program);
    free(setting);
    free(escaped);
    free(path);
    return text;
}

// ---- findings -----------------------------------------------------------------------------------------------------

int xray_findings(const char *trace)
{
    const char *at = strstr(trace, "\"findings\"");
    int count = 0;

    for (at = at ? strstr(at, "\"severity\"") : NULL; at; at = strstr(at + 1, "\"severity\""))
        count++;
    return count;
}

// The last occurrence of what in text before end, or NULL.
static const char *last_before(const char *text, const char *end, const char *what)
{
    const char *found = NULL;

    for (const char *at = strstr(text, what); at && at < end; at = strstr(at + 1, what))
        found = at;
    return found;
}

// The first finding of a trace that fails a grade: its position in the text.
struct found {
    const char *begin, *end; // begin NULL: none
};

static struct found first_found(const char *trace)
{
    const char *error = strstr(trace, "\"severity\":\"error\""), *warning = strstr(trace, "\"severity\":\"warning\"");
    const char *begin = error ? error : warning, *end = begin ? strstr(begin, "]}") : NULL;

    return end ? (struct found){begin, end} : (struct found){0};
}

// How many of its accesses are among the events; all: how many it has.
static int traced_sides(struct found found, int *all)
{
    const char *key = "\"event\":", *event = found.begin ? strstr(found.begin, key) : NULL;
    int traced = 0;

    for (*all = 0; event && event < found.end; event = strstr(event + 1, key)) {
        traced += event[strlen(key)] != '-';
        ++*all;
    }
    return traced;
}

// The blocks of a finding in SIMT_TRACE's syntax, "0+15"; the caller frees it.
static char *blocks_of(struct found found)
{
    char *blocks = text_format("%s", ""), *longer;
    const char *key = "\"block\":";
    int count = 0;

    for (const char *at = strstr(found.begin, key); at && at < found.end && count < 4; at = strstr(at + 1, key)) {
        longer = text_format("%s%s%ld", blocks, *blocks ? "+" : "", atol(at + strlen(key)));
        free(blocks);
        blocks = longer;
        count++;
    }
    return blocks;
}

// The launch and the blocks of a finding in SIMT_TRACE's syntax; the caller frees it, or it is NULL.
static char *selection_of(const char *trace, struct found found)
{
    const char *launch = last_before(trace, found.begin, "{\"kernel\":\"");
    char *blocks = blocks_of(found), *selection = NULL;
    double number;

    if (launch && *blocks && json_number(launch, "launch", &number)) {
        launch += strlen("{\"kernel\":\"");
        selection = text_format("%.*s:%ld:%s", (int)strcspn(launch, "\"(<:"), launch, (long)number, blocks);
    }
    free(blocks);
    return selection;
}

// ---- a wrong answer

static const char WRONG[] = "{\"call\":\"wrong\"";

// Whether the trace contains this block of this launch.
static bool has_block(const char *trace, long launch, long block)
{
    char *head = text_format("\"number\":%ld,\"device\"", launch),
         *own = text_format("{\"number\":%ld,\"index\"", block);
    const char *at = strstr(trace, head), *blocks = at ? strstr(at, "\"blocks\":[") : NULL;
    const char *found = blocks ? strstr(blocks, own) : NULL, *end = blocks ? strstr(blocks, "\"events\":[") : NULL;
    bool has = found && end && found < end;

    free(head);
    free(own);
    return has;
}

// The block that stored the first wrong word, in SIMT_TRACE's syntax, unless the trace already has it; NULL then. The
// caller frees it.
static char *selection_of_wrong(const char *trace)
{
    const char *wrong = strstr(trace, WRONG), *name = wrong ? strstr(wrong, "\"name\":\"") : NULL;
    double number, block;

    if (!name || !json_number(wrong, "number", &number) || !json_number(wrong, "block", &block) || number == 0 ||
        has_block(trace, (long)number, (long)block))
        return NULL;
    name += strlen("\"name\":\"");
    return text_format("%.*s:*:%ld", (int)strcspn(name, "\"(<:"), name, (long)block);
}

// ---- which blocks

// A trace of this run of the program: of the first blocks, or of those with findings, or of the block that stored
// the wrong word.
static char *choose_trace(const struct xray_run *run, const struct variant *variant, char **said)
{
    char *usual = run_traced(run, variant, USUAL, said), *more = NULL, *selection, *other;
    struct found found = usual ? first_found(usual) : (struct found){0};
    int sides, traced = traced_sides(found, &sides);
    bool wrong = usual && !found.begin && strstr(usual, WRONG);

    if (!wrong && traced == sides)
        return usual;
    if (!(selection = wrong ? selection_of_wrong(usual) : selection_of(usual, found)))
        return usual;
    other = run_traced(run, variant, selection, &more);
    free(more);
    free(selection);
    if (!other || (wrong ? !strstr(other, WRONG) : traced_sides(first_found(other), &sides) <= traced)) {
        free(other);
        return usual;
    }
    free(usual);
    return other;
}

// Whether a page of the trace shows a finding: it concerns the host's calls, or its launch has events, since a page
// shows only such launches.
static bool has_finding(const char *trace)
{
    struct found found = trace ? first_found(trace) : (struct found){0};
    const char *begins = "\"events\":[", *events = found.begin ? last_before(trace, found.begin, begins) : NULL;

    if (events)
        events += strlen(begins);
    if (found.begin && last_before(trace, found.begin, "\"calls\":["))
        return true;
    return events && events[strspn(events, " \n")] != ']';
}

// ---- the run that failed ------------------------------------------------------------------------------------------

// The options after --n in the line "alone", if one follows the input; the caller frees them.
static char *shape_of(const char *input)
{
    const char *begins = "\n  alone   --n ", *line = strstr(input, begins);

    if (!line)
        return text_format("%s", "");
    line += strlen(begins);
    line += strcspn(line, " \n");
    return text_format("%.*s", (int)strcspn(line, "\n"), line);
}

// The options of the run that failed, as far as its output tells; n is NULL if it does not.
static struct variant read_failed(const char *failure)
{
    const char *input = last_before(failure, failure + strlen(failure), "\n  input   ");
    const char *at = input ? strstr(input, ", n = ") : NULL;
    long n = at ? atol(at + strlen(", n = ")) : -1; // a side of 0, as of an empty matrix product, may have others
    bool safety = strstr(failure, ": unsafe: ") != NULL;

    if (n < 0 || n > LARGEST_FAILED || strstr(failure, "NOT MET"))
        return (struct variant){0};
    return (struct variant){.n = text_format("%ld", n),
                            .shape = shape_of(input),
                            .order = input && strstr(input, "SIMT_SCHEDULE=random:1") ? "random:1" : NULL,
                            .multiprocessors = safety ? SMALL_DEVICE : LARGE_DEVICE};
}

// Whether an answer was wrong, or how else the program failed.
static bool is_wrong(const char *failure)
{
    return strstr(failure, ".cu: wrong") != NULL;
}

// The small run: the size and shape that were requested, or those of the wrong answer, or the step's usual ones.
static struct variant small_variant(const struct xray_run *run, const struct variant *failed)
{
    bool wrong = failed->n && is_wrong(run->failure) && atol(failed->n) <= LARGEST_N;

    return (struct variant){.n = text_format("%s", run->n  ? run->n
                                                   : wrong ? failed->n
                                                           : run->step->xray),
                            .shape = text_format("%s", run->shape         ? run->shape
                                                       : !run->n && wrong ? failed->shape
                                                                          : ""),
                            .order = failed->order};
}

static bool finds_something(const char *failure)
{
    return strstr(failure, "simt: error: ") || strstr(failure, "simt: warning: ");
}

// ---- the program of a page ----------------------------------------------------------------------------------------

// The line of the open TODO in the step's program; 0 if there is none.
static int open_todo_of(const struct xray_run *run)
{
    char *path = source_path(run->step, run->own), *text = file_read(path);
    int line = text ? open_todo(text) : 0;

    free(text);
    free(path);
    return line;
}

// The page's text about the run: its options, and findings that the page does not show. An open TODO explains those.
static char *note_of(const struct xray_run *run, const struct variant *variant, const char *trace, const char *said)
{
    bool open = !run->program && open_todo_of(run) > 0;
    const char *error = !open && trace && xray_findings(trace) == 0 ? strstr(said, "simt: error: ") : NULL;
    char *device = variant->multiprocessors
                       ? text_format(", on a device of %d multiprocessor%s", variant->multiprocessors,
                                     variant->multiprocessors == 1 ? "" : "s")
                       : text_format("%s", "");
    char *note;

    error = error ? error + strlen("simt: error: ") : NULL;
    note = text_format("n = %s%s%s%s%s%s%.*s", variant->n, variant->shape, device,
                       variant->order ? ", SIMT_SCHEDULE=" : "", variant->order ? variant->order : "",
                       open    ? "; its TODO is still open"
                       : error ? NOT_HERE
                               : "",
                       error ? (int)strcspn(error, "\n") : 0, error ? error : "");
    free(device);
    return note;
}

// Runs the program once, and fills in what the page needs if there is a trace.
static bool trace_variant(struct xray_program *program, const struct xray_run *run, const struct variant *variant,
                          char **said)
{
    char *trace = choose_trace(run, variant, said);

    if (!trace || !strstr(trace, "\"events\"")) {
        free(trace);
        return false;
    }
    program->trace = trace;
    program->note = note_of(run, variant, trace, *said);
    cut_folder(trace, run->root ? run->root : course.source);
    cut_folder(program->note, run->root ? run->root : course.source);
    if (run->root) // students get this page, and it must not reveal the judge's path
        cut_folder(trace, course.build);
    return true;
}

static void set_used(struct xray_run *run, const struct variant *variant)
{
    snprintf(run->used, sizeof run->used, "%s", variant->n);
    snprintf(run->used_shape, sizeof run->used_shape, "%s", variant->shape);
}

// Whether a page shows the findings (as an arrow, a mark or text) or what the program reported.
static bool shows_finding(const struct xray_program *program)
{
    return has_finding(program->trace) || strstr(program->note, NOT_HERE) || strstr(program->trace, WRONG);
}

// The run as it failed, in place of one that shows no finding.
static void take_failed(struct xray_program *program, struct xray_run *run, const struct variant *failed)
{
    struct xray_program other = {0};
    char *said = NULL;

    if (trace_variant(&other, run, failed, &said) &&
        (has_finding(other.trace) || (shows_finding(&other) && !shows_finding(program)))) {
        free(program->trace);
        free(program->note);
        program->trace = other.trace;
        program->note = other.note;
        set_used(run, failed);
    } else {
        free(other.trace);
        free(other.note);
    }
    free(said);
}

// Why there is nothing to show. An open TODO explains any other output.
static void say_nothing_shown(const struct xray_run *run, const char *said)
{
    const struct step *step = run->step;
    char *path = source_path(step, run->own);
    int line = open_todo_of(run);

    if (line > 0)
        fprintf(stderr, "workbook: %s/%s launches no kernel that could be shown: its TODO is still open, %s:%d\n",
                step->chapter, step->name, shown(path), line);
    else
        fprintf(stderr, "%sworkbook: %s/%s launched no kernel that could be shown\n", said, step->chapter, step->name);
    free(path);
}

// The small run. The step's usual run replaces it if it shows a wrong answer and is too slow for a page, or if the
// program rejects the options because they belong to another step.
static void take_small(struct xray_program *program, struct xray_run *run, const struct variant *failed)
{
    const struct xray_run plain = {.step = run->step, .n = run->n, .failure = ""};
    struct variant small = small_variant(run, failed), usual = small_variant(&plain, &(struct variant){0});
    char *said = NULL;
    bool taken = trace_variant(program, run, &small, &said);
    bool other = !taken && (strcmp(small.n, usual.n) != 0 || strcmp(small.shape, usual.shape) != 0);

    if (other) {
        free(said);
        taken = trace_variant(program, run, &usual, &said);
    }
    set_used(run, other ? &usual : &small);
    if (!taken && !run->program) // the page about a student's submission omits this
        say_nothing_shown(run, said);
    free(said);
    free(small.n);
    free(small.shape);
    free(usual.n);
    free(usual.shape);
}

bool xray_take(struct xray_program *program, struct xray_run *run)
{
    const struct step *step = run->step;
    struct variant failed = read_failed(run->failure);

    program->title =
        text_format("%s/%s, %s", step->chapter, step->name, run->own ? "your program" : "the reference solution");
    if (run->program || build_step(step, run->own)) {
        take_small(program, run, &failed);
        if (!run->n && failed.n && program->trace &&
            (finds_something(run->failure) ? !has_finding(program->trace)
                                           : is_wrong(run->failure) && !shows_finding(program)))
            take_failed(program, run, &failed);
        if (!run->n && failed.n && program->trace && is_wrong(run->failure) && !shows_finding(program)) {
            // The other part's device, since the caller does not say which part has failed.
            failed.multiprocessors = failed.multiprocessors == SMALL_DEVICE ? LARGE_DEVICE : SMALL_DEVICE;
            take_failed(program, run, &failed);
        }
    }
    free(failed.n);
    free(failed.shape);
    return program->trace != NULL;
}
