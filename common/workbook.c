// workbook: the runner. Lists the steps, builds and grades one, says what comes next, gives hints, resets a file,
// prints a chapter's ladder. What it remembers is in the build tree alone.
#include "workbook/workbook.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
    const char *name, *arguments, *summary, *more;
    int (*run)(int argc, char **argv); // without the command's name
};

static int usage_error(const char *command, const char *problem, const char *argument)
{
    fprintf(stderr, "workbook: %s%s%s%s; see `%s %s--help`\n", problem, argument ? " '" : "", argument ? argument : "",
            argument ? "'" : "", program_name, command);
    return 1;
}

// The path as the user would type it from where he stands.
static const char *shown(const char *path)
{
    static char here[4096];
    size_t length;

    if (!getcwd(here, sizeof here))
        return path;
    length = strlen(here);
    return strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void say_next(void)
{
    const struct step *next = progress_next();

    if (!next)
        printf("All %d steps are passed.\n", course.count);
    else
        printf("Next: %s/%s; `%s next` shows what to do.\n", next->chapter, next->name, program_name);
}

// ---- list

static void list_step(const struct step *step, const struct step *next)
{
    enum state state = progress_of(step)->state;
    const char *mark = step == next ? (terminal_utf8() ? "→" : ">") : " ";

    printf(" %s %-18s %s%s%s%s\n", mark, step->name, state_colour(state), state_word(state), colour("off"),
           progress_stale(step) ? ", changed since" : "");
}

static int list(int argc, char **argv)
{
    const char *only = argc > 0 ? course_find_chapter(argv[0]) : NULL, *chapter = "";
    const struct step *next = progress_next();
    int passed = 0, count = 0;

    if (argc > 1)
        return usage_error("list ", "too many arguments:", argv[1]);
    if (argc > 0 && !only)
        return 1;
    for (int i = 0; i < course.count; i++) {
        const struct step *step = &course.steps[i];

        if (only && strcmp(only, step->chapter) != 0)
            continue;
        if (strcmp(chapter, step->chapter) != 0)
            printf("%s%s%s\n", colour("bold"), chapter = step->chapter, colour("off"));
        list_step(step, next);
        passed += progress_of(step)->state == PASSED && !progress_stale(step);
        count++;
    }
    printf("\n%d of %d passed. ", passed, count);
    say_next();
    return 0;
}

// ---- run

static void say_part(const struct part *part, struct outcome outcome, const char *source)
{
    bool passed = outcome.exit == 0;
    const char *mark = terminal_utf8() ? (passed ? "✓" : "✗") : (passed ? "ok:" : "no:");

    printf("%s%s %s%s: ", colour(passed ? "green" : "red"), mark, part->name, colour("off"));
    if (outcome.why)
        printf("%s\n", outcome.why);
    else
        printf("%s\n", passed ? part->meaning : state_word(state_of(outcome, source)));
}

// Builds and grades. Returns the exit status of the first part that failed, or 0.
static int grade(const struct step *step, const char *source)
{
    bool own = grades_own();
    char *target = target_name(step, own), *program = program_path(step, own);
    struct progress *progress = progress_of(step);
    struct outcome outcome = {.exit = 1};
    char *altered, *why = judge_source(step, source, &altered);

    progress->hash = text_hash(source);
    if (!build_target(target)) {
        printf("%snot built%s: the compiler's words are above\n", colour("red"), colour("off"));
    } else if (judge_say(why, altered)) {
        outcome.exit = 2;
    } else {
        outcome.exit = 0;
        for (int part = 0; part < PARTS && outcome.exit == 0; part++) {
            struct job job = {.capture = false};

            outcome = judge_part(step, part, program, NULL, &job);
            say_part(&parts[part], outcome, source);
            free(job.output);
        }
    }
    progress->state = state_of(outcome, source);
    free(why);
    free(altered);
    free(program);
    free(target);
    return outcome_status(outcome);
}

static int run(int argc, char **argv)
{
    const struct step *step;
    char *path, *source;
    int status = 1;

    if (argc != 1)
        return usage_error("run ", argc ? "one step at a time, not" : "which step?", argc ? argv[1] : NULL);
    step = course_find(argv[0], progress_chapter());
    if (!step)
        return 1;
    path = source_path(step, grades_own());
    source = file_read(path);
    if (!source) {
        fprintf(stderr, "workbook: cannot read %s; `%s reset %s` makes it anew\n", path, program_name, step->name);
    } else {
        printf("%s%s/%s%s  %s\n", colour("bold"), step->chapter, step->name, colour("off"), shown(path));
        status = grade(step, source);
        progress_save(step);
        printf("\n");
        if (status == 0)
            say_next();
        else
            printf("Stuck? `%s hint %s`\n", program_name, step->name);
    }
    free(source);
    free(path);
    return status;
}

// ---- next

static void say_page(const struct step *step)
{
    char *page = text_format("%s/docs/%s.md", course.source, step->chapter), *text = file_read(page);

    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        int length = (int)strcspn(line, "\n");
        char *heading = *line == '#' ? text_format("%.*s", length, line + strspn(line, "# ")) : NULL;

        if (heading && strstr(heading, step->name)) {
            printf("Read:  %s, section \"%.*s\"\n", shown(page), (int)strcspn(heading, "\n"), heading);
            line = "";
        }
        free(heading);
    }
    free(text);
    free(page);
}

static int next(int argc, char **argv)
{
    const struct step *step = progress_next();
    char *path, *text, *words;

    if (argc > 0)
        return usage_error("next ", "takes no argument, was given", argv[0]);
    if (!step) {
        say_next();
        return 0;
    }
    path = source_path(step, grades_own());
    text = file_read(path);
    printf("%s%s/%s%s, %s%s\n\n", colour("bold"), step->chapter, step->name, colour("off"),
           state_word(progress_of(step)->state), progress_stale(step) ? ", changed since" : "");
    say_page(step);
    printf("Edit:  %s:%d\n", shown(path), text ? open_todo(text) : 0);
    printf("Grade: %s run %s\n", program_name, step->name);
    printf("Stuck: %s hint %s\n", program_name, step->name);
    words = text ? todo_words(text) : NULL;
    if (words)
        printf("\n%s", words);
    free(words);
    free(text);
    free(path);
    return 0;
}

// ---- hint

// Hint number of step, from NN-topic/hints.txt: a line `## 05-sequential`, then hints parted by empty lines.
// Returns NULL behind the last; to be freed.
static char *hint_text(const struct step *step, int number)
{
    char *path = text_format("%s/%s/hints.txt", course.source, step->chapter), *text = file_read(path);
    char *heading = text_format("\n## %s\n", step->name), *hint = NULL;
    char *at = text ? strstr(text, heading) : NULL;

    at = at ? at + strlen(heading) : NULL;
    for (int i = 0; at && *at && strncmp(at, "## ", 3) != 0; i++) {
        char *end;

        at += strspn(at, "\n");
        end = strstr(at, "\n\n");
        end = end ? end : at + strlen(at);
        if (i == number && *at && strncmp(at, "## ", 3) != 0)
            hint = text_format("%.*s", (int)(end - at), at);
        at = end + strspn(end, "\n");
    }
    free(heading);
    free(text);
    free(path);
    return hint;
}

static int hint(int argc, char **argv)
{
    const struct step *step = argc == 1 ? course_find(argv[0], progress_chapter()) : argc ? NULL : progress_next();
    struct progress *progress;
    char *path, *source, *words, *text;

    if (argc > 1)
        return usage_error("hint ", "one step at a time, not", argv[1]);
    if (!step)
        return argc == 1;
    progress = progress_of(step);
    path = source_path(step, grades_own());
    source = file_read(path);
    words = source ? todo_words(source) : text_format("%s", "");
    printf("%s%s/%s%s\n%s", colour("bold"), step->chapter, step->name, colour("off"), words);
    for (int i = 0; (text = hint_text(step, i)) && i <= progress->hints; i++) {
        printf("\nHint %d: %s\n", i + 1, text);
        free(text);
    }
    if (text)
        printf("\nThere are more; ask again.\n");
    else
        say_page(step);
    progress->hints += text != NULL || progress->hints == 0;
    progress_save(NULL);
    free(text);
    free(words);
    free(source);
    free(path);
    return 0;
}

// ---- reset

// Copies text to path.bak, path.bak.1, ...: the first that is not there. Returns its name, or NULL.
static char *keep(const char *path, const char *text)
{
    char *copy = text_format("%s.bak", path);

    for (int i = 1; access(copy, F_OK) == 0; i++) {
        free(copy);
        copy = text_format("%s.bak.%d", path, i);
    }
    if (file_write(copy, text))
        return copy;
    fprintf(stderr, "workbook: cannot write %s; nothing was reset\n", copy);
    free(copy);
    return NULL;
}

static int reset_file(const char *path, const char *starter)
{
    char *text = file_read(path), *copy = NULL;
    int status = 1;

    if (text && strcmp(text, starter) == 0) {
        printf("%s is as it was handed out\n", shown(path));
        status = 0;
    } else if (!text || (copy = keep(path, text))) {
        status = !file_write(path, starter);
        if (status)
            fprintf(stderr, "workbook: cannot write %s\n", path);
        else
            printf("%s is as it was handed out%s%s\n", shown(path), copy ? "; yours is kept in " : "",
                   copy ? shown(copy) : "");
    }
    free(copy);
    free(text);
    return status;
}

static int reset(int argc, char **argv)
{
    const struct step *step;
    char *starter, *path;
    int status;

    if (argc != 1)
        return usage_error("reset ", argc ? "one step at a time, not" : "which step?", argc ? argv[1] : NULL);
    step = course_find(argv[0], NULL); // no guess from the last chapter where a file is overwritten
    starter = step ? handed_out(step) : NULL;
    if (!starter)
        return 1;
    path = source_path(step, true);
    status = reset_file(path, starter);
    free(path);
    free(starter);
    return status;
}

// ---- for CTest and for authors: part, exec, check, manifest

// `part STEP PART`: a test of CTest. The look at the source belongs to the result.
static int run_one_part(int argc, char **argv)
{
    const struct step *step = argc == 2 ? course_find(argv[0], NULL) : NULL;
    char *program, *path, *source, *altered = NULL, *why = NULL;
    struct outcome outcome = {.exit = 1};
    struct job job = {.capture = false};
    int part = 0, status;

    while (step && part < PARTS && strcmp(parts[part].name, argv[1]) != 0)
        part++;
    if (!step || part == PARTS)
        return usage_error("part ", "expected a step and result, safety or lesson", argc > 1 ? argv[1] : NULL);
    program = program_path(step, grades_own());
    path = source_path(step, grades_own());
    source = file_read(path);
    why = part == 0 && source ? judge_source(step, source, &altered) : NULL;
    status = judge_say(why, altered);
    if (status == 0) {
        outcome = judge_part(step, part, program, NULL, &job);
        status = outcome_status(outcome);
        if (outcome.why)
            fprintf(stderr, "%s/%s: %s\n", step->chapter, step->name, outcome.why);
    }
    free(why);
    free(altered);
    free(source);
    free(path);
    free(program);
    return status;
}

// `exec [--time S] PROGRAM ARGUMENTS`: runs a program as the parts do.
static int exec(int argc, char **argv)
{
    struct job job = {.argv = argv, .graded = true};
    struct outcome outcome;

    if (argc > 2 && strcmp(argv[0], "--time") == 0) {
        job.seconds = atoi(argv[1]);
        job.argv += 2;
    }
    if (argc < 1 || (job.argv != argv && job.seconds < 1))
        return usage_error("exec ", "expected [--time SECONDS] and a program", NULL);
    outcome = process_run(&job);
    if (outcome.why)
        fprintf(stderr, "%s\n", outcome.why);
    return outcome_status(outcome);
}

// `check STEP [FILE]`: the look at a source alone.
static int check(int argc, char **argv)
{
    const struct step *step = argc > 0 && argc < 3 ? course_find(argv[0], NULL) : NULL;
    char *path, *source, *altered = NULL, *why;
    int status = 1;

    if (argc < 1 || argc > 2)
        return usage_error("check ", "expected a step and perhaps a file", NULL);
    if (!step)
        return 1;
    path = argc > 1 ? text_format("%s", argv[1]) : source_path(step, grades_own());
    source = file_read(path);
    if (!source) {
        fprintf(stderr, "workbook: cannot read %s\n", path);
    } else {
        why = judge_source(step, source, &altered);
        status = judge_say(why, altered);
        free(why);
    }
    free(altered);
    free(source);
    free(path);
    return status;
}

static int manifest(int argc, char **argv)
{
    return argc > 0 ? usage_error("manifest ", "takes no argument, was given", argv[0]) : manifest_print();
}

// ---- starter

static int starter(int argc, char **argv)
{
    char *text, *out;

    if (argc != 1)
        return usage_error("starter ", "expected one file", NULL);
    text = file_read(argv[0]);
    out = text ? starter_text(text) : NULL;
    if (!out)
        fprintf(stderr, "workbook: %s %s\n", argv[0],
                text ? "has no `// TODO:` that an `// END TODO` closes" : "cannot be read");
    else
        fputs(out, stdout);
    free(out);
    free(text);
    return out == NULL;
}

// ---- ladder

static int show_ladder(int argc, char **argv)
{
    struct ladder_options options = {0};
    const struct step *next_step = progress_next();
    const char *chapter = next_step ? next_step->chapter : course.steps[0].chapter;
    char *solutions = text_format("%s/solutions", course.source);

    options.own = access(solutions, F_OK) != 0;
    free(solutions);
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--mine") == 0)
            options.own = true;
        else if (strcmp(argv[i], "--built") == 0)
            options.built = true;
        else if (strcmp(argv[i], "--markdown") == 0)
            options.markdown = true;
        else if (strcmp(argv[i], "--n") == 0 && i + 1 < argc)
            options.n = argv[++i];
        else if (argv[i][0] == '-')
            return usage_error("ladder ", "unknown option", argv[i]);
        else if (!(chapter = course_find_chapter(argv[i])))
            return 1;
    }
    return ladder(chapter, &options);
}

// ---- commands

static const struct command commands[] = {
    {"list", "[CHAPTER]", "the steps and how far you are",
     "The state is that of the last `run`; `changed since` means that the file was edited after it.\n", list},
    {"next", "", "the next step: what to read, what to edit, what to do", "", next},
    {"run", "STEP", "build a step and grade result, safety and lesson",
     "Stops at the first that fails and returns its exit status: 1 broken or not built, 2 wrong or not done,\n"
     "3 unsafe, 4 lesson missed.\n",
     run},
    {"hint", "[STEP]", "what the TODO asks for, then one more hint each time", "", hint},
    {"reset", "STEP", "the file as it was handed out; yours is kept as FILE.bak", "", reset},
    {"ladder", "[CHAPTER]", "a chapter's steps side by side: what each costs",
     "  --mine       your programs, not the reference solutions\n"
     "  --n N        at this size\n"
     "  --markdown   as a table for docs/, with exact numbers\n"
     "  --built      do not build first\n",
     show_ladder},
    {"grade", "FOLDER", "grade a folder of submissions, a sub-folder for each student",
     "  --out DIR    grades.csv, .json, .xml and the logs (build/grades)\n"
     "  --jobs N     so many at a time (all cores)\n"
     "  --seed S     the random inputs (a new one every time, printed)\n"
     "  --strict     refuse what differs outside the TODO\n",
     grade_folder},
    {"part", "STEP PART", "run result, safety or lesson alone (for CTest)", "", run_one_part},
    {"exec", "PROGRAM", "run a program within the limits (for authors)",
     "  --time S     before PROGRAM: stop it after S seconds\n", exec},
    {"check", "STEP", "has a file, or FILE, kept what was handed out", "", check},
    {"manifest", "", "hashes for common/handout.manifest (for authors)", "", manifest},
    {"starter", "FILE", "print the starter of a solution (for authors)", "", starter},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int help(const struct command *only)
{
    if (only) {
        printf("usage: %s %s %s\n\n%s.\n%s%s", program_name, only->name, only->arguments, only->summary,
               *only->more ? "\n" : "", only->more);
    } else {
        printf("usage: %s COMMAND [ARGUMENT]\n\n", program_name);
        for (int i = 0; i < COMMANDS; i++)
            printf("  %-7s %-10s %s\n", commands[i].name, commands[i].arguments, commands[i].summary);
        printf("\nSTEP is a step's name or place: 05-sequential, 1/5, 01-reduction/05. Without a command: list.\n"
               "`%s COMMAND --help` says more.\n",
               program_name);
    }
    return 0;
}

static const struct command *find_command(const char *name)
{
    const char *names[COMMANDS], *near;

    for (int i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (strcmp(name, names[i]) == 0)
            return &commands[i];
    }
    near = nearest(name, names, COMMANDS);
    fprintf(stderr, "workbook: no command is called '%s'%s%s%s `%s --help` shows them all\n", name,
            near ? "; did you mean '" : ";", near ? near : "", near ? "'?" : "", program_name);
    return NULL;
}

static bool is_help(const char *text)
{
    return strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0 || strcmp(text, "help") == 0;
}

int main(int argc, char **argv)
{
    const struct command *command = &commands[0];

    terminal_open();
    if (argc > 0)
        program_name = argv[0];
    if (argc > 1 && is_help(argv[1]))
        return help(NULL);
    if (argc > 1 && !(command = find_command(argv[1])))
        return 1;
    if (argc > 2 && is_help(argv[2]))
        return help(command);
    course_load(WORKBOOK_COURSE);
    progress_load();
    return command->run(argc > 2 ? argc - 2 : 0, argv + 2);
}
