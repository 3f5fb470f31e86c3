// `workbook grade FOLDER`: a folder of submissions, one sub-folder per student, graded in one command.
//
// A task is one step of one student. A process of its own reads the file, looks at the source, builds it in a scratch
// folder, runs the parts and leaves a line in that folder; whatever becomes of it, the others go on. The sandbox of the
// programs is that of every graded program (process.c, sandbox.c).
#include "commands/commands.h"
#include "report/marks.h"
#include "judge/check.h"
#include "judge/judge.h"
#include "judge/progress.h"
#include "judge/reason.h"
#include "process/limits.h"
#include "process/process.h"
#include "course/course.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SAID = 8 }; // files of a student that are named as not graded

struct task {
    const char *student;
    const struct step *step;
    char *file, *folder; // the submission; the folder of its log
    char *scratch; // where it is built and run: no letter of it is the student's, since nvcc hands paths to a shell
    pid_t worker;
    struct mark mark;
};

static struct {
    struct task *at;
    int count, jobs, kept; // kept: marks of a run before
    bool resumes;
    char *folder, *out, *seed;
} all;

// ---- one task, in its worker

// The submission, or NULL with *why: a plain file of moderate size, no link to elsewhere.
static char *read_submission(const char *path, char **why)
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
        text = checked(calloc((size_t)about.st_size + 1, 1));
        if (read(fd, text, (size_t)about.st_size) != about.st_size || strlen(text) != (size_t)about.st_size) {
            *why = text_format("refused: it cannot be read as text");
            free(text);
            text = NULL;
        }
    }
    if (fd >= 0)
        close(fd);
    return text;
}

// The compiler's first error, without the path of the scratch folder.
static char *first_error(const struct task *task, const char *said)
{
    const char *at = strstr(said, "error"), *folder = task->scratch;

    at = at ? at : strstr(said, "out of memory");
    while (at && at > said && at[-1] != '\n')
        at--;
    if (!at)
        return text_format("not built: see the log");
    if (strncmp(at, folder, strlen(folder)) == 0)
        at += strlen(folder) + 1;
    return text_format("not built: %.*s", (int)strcspn(at, "\n"), at);
}

// Returns why it was not built, or NULL.
static char *build(const struct task *task, char *source, char *program, char **said)
{
    char *list = text_format("%s.d", program);
    struct outcome outcome = build_submission(task->step, source, program, said);
    char *why = outcome.why         ? text_format("not built: the compiler was %s", outcome.why)
                : outcome.exit != 0 ? first_error(task, *said)
                                    : check_headers(task->step, list);

    free(list);
    return why;
}

static void run_parts(struct task *task, const char *source, const char *program, FILE *log)
{
    struct submission submission = {
        .job = {.step = task->step, .capture = true, .directory = task->scratch}, .program = program, .seed = all.seed};

    for (int part = 0; part < PARTS; part++) {
        struct outcome outcome = judge_part(&submission, part);

        fprintf(log, "== %s\n%s", parts[part].name, submission.job.output);
        if (outcome.why)
            fprintf(log, "%s\n", outcome.why);
        if (outcome.exit != 0) {
            task->mark.state = state_of(outcome, source);
            task->mark.why = outcome.why ? outcome.why : reason_of(task->step, task->mark.state, submission.job.output);
            return;
        }
        task->mark.points++;
    }
    task->mark.state = PASSED;
}

static char *mark_path(const struct task *task)
{
    return text_format("%s/%s.mark", task->folder, task->step->name);
}

// What a mark was given for: the submission, and what it is graded with: the headers and tables, the judge, which has
// the machine in it, and the library that the submission is linked with.
static unsigned long long key_of(const struct step *step, const char *source)
{
    char *manifest = text_format("%s/common/handout.manifest", course.source), *judge = judge_path(step);
    const char *files[] = {manifest, judge, course.library};
    uint64_t key = text_hash(source ? source : "");

    for (int i = 0; i < 3; i++)
        key = key * 31 + bytes_hash(files[i]);
    free(judge);
    free(manifest);
    return key;
}

// Whole or not at all, whenever the grader is killed.
static void write_mark(const struct task *task, const char *source, double took)
{
    const struct mark *m = &task->mark;
    char *path = mark_path(task), *draft = text_format("%s.new", path);
    char *text = text_format("%d %d %d %.1f %llu\n%s", m->state, m->points, m->altered, took,
                             key_of(task->step, source), m->why ? m->why : "");

    if (file_write(draft, text))
        (void)!rename(draft, path);
    free(text);
    free(draft);
    free(path);
}

// Does the task and leaves what came of it in the scratch folder.
static void work(struct task *task)
{
    char *why = NULL, *altered = NULL, *said = NULL, *source = read_submission(task->file, &why);
    char *folder = text_format("%s/%s", task->scratch, task->step->chapter); // as its messages name it
    char *copy = text_format("%s/%s.cu", folder, task->step->name);
    char *program = text_format("%s/%s", task->scratch, task->step->name);
    char *log_path = text_format("%s/%s.log", task->folder, task->step->name);
    FILE *log = checked(fopen(log_path, "w"));
    double begin = seconds();

    prctl(PR_SET_PDEATHSIG, SIGKILL); // a run that resumes has these folders for itself
    setenv("HOME", task->scratch, 1);
    setenv("TMPDIR", task->scratch, 1);
    task->mark.state = WRONG;
    why = source ? judge_source(task->step, source, NULL, &altered) : why;
    task->mark.altered = altered != NULL;
    if (altered)
        fprintf(log, "altered: %s\n", altered);
    if (why) {
        task->mark.why = why;
    } else {
        task->mark.state = BROKEN;
        task->mark.why = folder_make(folder) && file_write(copy, source) ? build(task, copy, program, &said)
                                                                         : text_format("not copied");
        if (!task->mark.why)
            run_parts(task, source, program, log);
    }
    fprintf(log, "%s%s\n", said ? said : "", task->mark.why ? task->mark.why : state_word(task->mark.state));
    fclose(log);
    write_mark(task, source, seconds() - begin);
    folder_remove(task->scratch);
    _exit(0);
}

// ---- all tasks

static void start(struct task *task)
{
    char *mark = mark_path(task);

    if (!folder_make(task->folder) || !folder_make(task->scratch)) {
        fprintf(stderr, "workbook: cannot make %s: %s\n", task->scratch, strerror(errno));
        exit(1);
    }
    remove(mark);
    free(mark);
    fflush(stdout);
    task->worker = fork();
    if (task->worker == 0)
        work(task);
}

// What the worker left. Nothing: it did not come to its end.
static void finish(struct task *task)
{
    char *path = mark_path(task), *text = file_read(path);
    int state = BROKEN, points = 0, altered = 0;

    task->worker = -1;
    task->mark.why = NULL;
    if (text && sscanf(text, "%d %d %d %lf", &state, &points, &altered, &task->mark.seconds) == 4 &&
        strchr(text, '\n')) {
        if (strchr(text, '\n')[1])
            task->mark.why = text_format("%s", strchr(text, '\n') + 1);
    } else {
        state = BROKEN;
        task->mark.why = text_format("the grader itself was stopped; see the folder %s", task->folder);
    }
    task->mark.state = (enum state)state;
    task->mark.points = points;
    task->mark.altered = altered;
    free(text);
    free(path);
}

// With --resume: has a run before left the mark of this very file?
static bool is_graded(struct task *task)
{
    unsigned long long key = 0;
    char *path = mark_path(task), *text = all.resumes ? file_read(path) : NULL, *why = NULL;
    char *source = text ? read_submission(task->file, &why) : NULL;
    bool same = source && sscanf(text, "%*d %*d %*d %*f %llu", &key) == 1 && key == key_of(task->step, source);

    if (same)
        finish(task);
    free(source);
    free(why);
    free(text);
    free(path);
    return same;
}

// One line that is overwritten, on a terminal; NULL wipes it. The bar is not for this: each worker would draw it.
static void status_line(const char *text)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", text ? text : "");
}

static void run_all(void)
{
    int next = 0, running = 0, done = 0;
    double begin = seconds();
    const struct timespec pause = {0, 100000000};

    while (done < all.count) {
        char *line = text_format("%d of %d graded, %.0f s", done, all.count, seconds() - begin);
        pid_t ended;

        status_line(line);
        free(line);
        while (running < all.jobs && next < all.count) {
            struct task *task = &all.at[next++];
            bool kept = is_graded(task);
            if (!kept)
                start(task);
            all.kept += kept;
            *(kept ? &done : &running) += 1;
        }
        ended = waitpid(-1, NULL, WNOHANG);
        if (ended == 0)
            nanosleep(&pause, NULL);
        for (int i = 0; i < next && ended > 0; i++)
            if (all.at[i].worker == ended) {
                finish(&all.at[i]);
                running--;
                done++;
            }
    }
    status_line(NULL);
    if (all.resumes)
        printf("%d of %d marks are from the previous run\n", all.kept, all.count);
}

// ---- what was handed in

// The step that a file is for: NN-topic/SS-step.cu, NN-topic.SS-step.cu or, where one chapter has it, SS-step.cu.
static const struct step *step_of(const char *chapter, const char *file)
{
    const struct step *found = NULL;

    for (int i = 0; i < course.count; i++) {
        const struct step *step = &course.steps[i];
        char *name = text_format("%s.cu", step->name), *full = text_format("%s.%s.cu", step->chapter, step->name);
        bool here = chapter ? strcmp(chapter, step->chapter) == 0 && strcmp(file, name) == 0
                            : strcmp(file, full) == 0 || strcmp(file, name) == 0;

        if (here)
            found = step;
        free(full);
        free(name);
    }
    return found;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int said; // about this student

// Names come from strangers: on the terminal nothing of them but letters, digits and signs, and not thousands.
static void say(const char *path, const char *what)
{
    char *name = text_plain(path);

    if (said < MOST_SAID)
        fprintf(stderr, "%s: %s\n", name, what);
    else if (said == MOST_SAID)
        fprintf(stderr, "%s and more of this student's files: not graded either\n", name);
    said++;
    free(name);
}

// A folder, and not a link to one: that could lead to another student's.
static bool is_folder(const char *path)
{
    struct stat about;
    bool there = lstat(path, &about) == 0;

    if (there && S_ISLNK(about.st_mode) && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        say(path, "is a link; links are not graded");
    else
        return there && S_ISDIR(about.st_mode);
    return false;
}

static bool handed_in(const char *student, const struct step *step)
{
    for (int i = 0; i < all.count; i++)
        if (all.at[i].student == student && all.at[i].step == step)
            return true;
    return false;
}

static bool is_chapter(const char *name)
{
    for (int i = 0; i < course.count; i++)
        if (strcmp(course.steps[i].chapter, name) == 0)
            return true;
    return false;
}

static void add_task(const char *student, const struct step *step, char *path)
{
    all.at = checked(realloc(all.at, (size_t)(all.count + 1) * sizeof *all.at));
    all.at[all.count] = (struct task){.student = student,
                                      .step = step,
                                      .file = path,
                                      .folder = text_format("%s/logs/%s/%s", all.out, student, step->chapter),
                                      .scratch = text_format("%s/scratch/%d", all.out, all.count)};
    all.count++;
}

// Adds the tasks of a student's folder and of those in it, depth below the student's. A whole tree, as it was handed
// out, has its build directory and the wrong submissions of tests/ too: of it only the chapters' folders are looked
// into.
static void add_tasks(const char *student, const char *folder, const char *chapter, int depth)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, visible, alphasort);
    char *harness = text_format("%s/common/harness.h", folder);
    bool tree = file_is(harness);

    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *path = text_format("%s/%s", folder, name);
        const struct step *step = step_of(chapter, name);

        if (step && handed_in(student, step)) {
            say(path, "is a second file for the same step; the first one counts");
        } else if (step) {
            add_task(student, step, path);
            path = NULL;
        } else if ((!tree || is_chapter(name)) && is_folder(path)) {
            if (depth < DEPTH_LIMIT)
                add_tasks(student, path, is_chapter(name) ? name : NULL, depth + 1);
            else
                say(path, "is nested too deeply; its files are not graded");
        } else if (strlen(name) > 3 && strcmp(name + strlen(name) - 3, ".cu") == 0) {
            say(path, "no step has this name; it is not graded");
        }
        free(path);
        free(entries[i]);
    }
    free(harness);
    free(entries);
}

// Students' names, to stay.
static char **find_students(int *count)
{
    struct dirent **entries = NULL;
    int found = scandir(all.folder, &entries, visible, alphasort);
    char **names = checked(calloc((size_t)(found > 0 ? found : 0) + 1, sizeof *names));

    *count = 0;
    for (int i = 0; i < found; i++) {
        char *path = text_format("%s/%s", all.folder, entries[i]->d_name), *real = realpath(path, NULL);

        said = 0;
        if (is_folder(path) && real && strcmp(real, all.out) != 0) { // the grades may be kept beside the class
            names[(*count)++] = text_format("%s", entries[i]->d_name);
            add_tasks(names[*count - 1], path, NULL, 0);
        }
        free(real);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return names;
}

// As many as there are cores, but no more than the machine's memory holds if each takes all it may.
static int default_jobs(void)
{
    long kb = sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE);
    long most = course.memory_kb > 0 ? kb / course.memory_kb : course.jobs,
         jobs = course.jobs < most ? course.jobs : most;

    return jobs > 1 ? (int)jobs : 1;
}

static bool read_arguments(int argc, char **argv)
{
    all.jobs = default_jobs();
    for (int i = 0; i < argc; i++) {
        bool more = i + 1 < argc;

        if (strcmp(argv[i], "--out") == 0 && more)
            all.out = argv[++i];
        else if (strcmp(argv[i], "--seed") == 0 && more)
            all.seed = argv[++i];
        else if (strcmp(argv[i], "--jobs") == 0 && more && atoi(argv[i + 1]) > 0)
            all.jobs = atoi(argv[++i]);
        else if (strcmp(argv[i], "--time") == 0 && more && atoi(argv[i + 1]) > 0)
            course.timeout = atoi(argv[++i]);
        else if (strcmp(argv[i], "--strict") == 0)
            course.strict = 1;
        else if (strcmp(argv[i], "--resume") == 0)
            all.resumes = true;
        else if (argv[i][0] != '-' && !all.folder)
            all.folder = argv[i];
        else
            return fprintf(stderr, "workbook: grade: '%s' is unknown, or has no value\n", argv[i]), false;
    }
    if (!all.folder || strspn(all.seed ? all.seed : "1", "0123456789") != strlen(all.seed ? all.seed : "1"))
        return fprintf(stderr, "workbook: grade needs a folder of submissions, and a seed is a whole number\n"), false;
    return true;
}

// Whether nvcc can work in a folder. It hands paths to a shell, in double quotes, and cuts lists at commas; the list of
// headers that it writes ends a name at a colon. Bytes that are no text it replaces.
static bool suits_nvcc(const char *folder)
{
    for (int length; *folder; folder += length) {
        length = utf8_length(folder);
        if (length == 1 && (*folder < ' ' || *folder > '~' || strchr("\"$`\\,:", *folder)))
            return false;
    }
    return true;
}

// Where the grades go: the folder as it is called from the root, or NULL after a message.
static char *open_out(const char *wanted)
{
    char *folder = wanted ? text_format("%s", wanted) : text_format("%s/grades", course.build), *real = NULL;

    if (!folder_make(folder) || !(real = realpath(folder, NULL))) {
        fprintf(stderr, "workbook: cannot make %s: %s\n", folder, strerror(errno));
    } else if (!suits_nvcc(real)) {
        char *plain = text_plain(real);

        fprintf(
            stderr,
            "workbook: nvcc cannot work in the folder %s: its name has one of \" $ ` \\ , : in it, or a byte that is "
            "not text; name another one with --out\n",
            plain);
        free(plain);
        free(real);
        real = NULL;
    }
    free(folder);
    return real;
}

// What came of every task, as marks.c shows and writes it.
static void collect_marks(struct class *class)
{
    class->marks = checked(calloc((size_t)all.count, sizeof *class->marks));
    class->count = all.count;
    class->seed = all.seed;
    for (int i = 0; i < all.count; i++) {
        class->marks[i] = all.at[i].mark;
        class->marks[i].student = all.at[i].student;
        class->marks[i].step = all.at[i].step;
        class->marks[i].log = text_format("%s/%s.log", all.at[i].folder, all.at[i].step->name);
    }
}

static void forget(struct class *class)
{
    for (int i = 0; i < class->count; i++) {
        free(class->marks[i].log);
        free(class->marks[i].why);
    }
    for (int i = 0; i < class->student_count; i++)
        free(class->students[i]);
    for (int i = 0; i < all.count; i++) {
        free(all.at[i].file);
        free(all.at[i].folder);
        free(all.at[i].scratch);
    }
    free(class->marks);
    free(class->students);
    free(all.at);
    free(all.seed);
    free(all.out);
}

// Everything between the arguments and the end: finds, grades, writes. Returns the exit status.
static int grade_all(struct class *class)
{
    double begin = seconds();
    char *words = NULL;
    int status = 1;

    class->students = find_students(&class->student_count);
    if (all.count == 0) {
        fprintf(stderr, "workbook: %s: no sub-folder in it has a file such as 01-reduction/05-sequential.cu\n",
                all.folder);
    } else if (build_target("judges", &words).exit != 0) {
        fputs(words, stderr);
    } else {
        run_all();
        class->seconds = seconds() - begin;
        collect_marks(class);
        status = marks_write(class, all.out);
    }
    free(words);
    return status;
}

// A submission can read what belongs to its user; our memory, with the seed in it, is not among that.
static void keep_to_oneself(void)
{
    if (course.memory_kb > 0) // else under a sanitizer, which looks into it
        prctl(PR_SET_DUMPABLE, 0);
}

static unsigned random_seed(void)
{
    unsigned seed;

    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = (unsigned)time(NULL) * 2654435769u ^ (unsigned)getpid();
    return 100000 + seed % 900000000;
}

int command_grade(int argc, char **argv)
{
    struct class class = {0};
    int status = 1;

    if (!read_arguments(argc, argv))
        return 1;
    if (access(all.folder, R_OK | X_OK) != 0) {
        fprintf(stderr, "workbook: cannot read %s: %s\n", all.folder, strerror(errno));
        return 1;
    }
    all.out = open_out(all.out);
    keep_to_oneself();
    // Unless --seed is given, another input than the student's own runs had, and one that cannot be predicted.
    all.seed = all.seed ? text_format("%s", all.seed) : text_format("%u", random_seed());
    course.gpu = "";
    if (all.out)
        status = grade_all(&class);
    forget(&class);
    return status;
}
