// `workbook grade FOLDER`: grades in one command what a course handed in, as a learning system exports it.
//
// A task is one step of one student. A separate process reads the file, checks the source, builds it in a scratch
// folder, runs the parts and leaves a line in that folder; if the process fails, the others continue. Programs run in
// the same sandbox as every graded program (process.c, sandbox.c).
#include "commands/commands.h"
#include "commands/merge.h"
#include "commands/task.h"
#include "report/marks.h"
#include "intake/assignment.h"
#include "intake/roster.h"
#include "judge/check.h"
#include "judge/judge.h"
#include "judge/progress.h"
#include "judge/reason.h"
#include "process/limits.h"
#include "process/process.h"
#include "course/course.h"
#include "base/clock.h"
#include "base/encoding.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <ctype.h>
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

static struct {
    struct task *at, **order; // order: in which they are judged
    int count, jobs;
    int kept, shared, alike;   // marks from an earlier run, from a task with the same file, with the same program
    int part, parts;           // of the course
    bool resumes, lists, full; // full: the disk is full
    bool insight;              // projects are graded, too
    char *folder, *out, *seed;
    const char *roster, *columns, *assignment;
    struct assignment due;
} all;

// ---- one task, in its worker

static const char *last_line(const char *text)
{
    const char *last = text;

    for (const char *line = text; *line; line = line_end(line))
        last = *line == '\n' ? last : line;
    return last;
}

// The compiler's first error, or its last line if none says "error", without the path of the scratch folder.
static char *first_error(const struct task *task, const char *said)
{
    const char *at = strstr(said, "error"), *folder = task->scratch;

    if (!at && *said)
        at = last_line(said);
    while (at && at > said && at[-1] != '\n')
        at--;
    if (!at)
        return text_format("not built: see the log");
    if (strncmp(at, folder, strlen(folder)) == 0)
        at += strlen(folder) + 1;
    return text_format("not built: %.*s", (int)strcspn(at, "\n"), at);
}

// Returns why it was not built, or NULL. The compiler's messages quote the files that it read. If one of these is
// refused, its quotation is left out, since the student reads the log. After an error the list of files may be missing.
static char *build(struct task *task, char *source, char *program, char **said)
{
    char *list = text_format("%s.d", program);
    struct outcome outcome = build_program("graded", task->step->arch, source, program, said);
    char *refused = check_headers(task->step, list);

    refused = refused ? refused : check_messages(task->step, source, *said);
    free(list);
    if (refused) {
        free(*said);
        *said = NULL;
        free(outcome.why);
        return refused;
    }
    if (outcome.exit == 77) {
        task->mark.state = SKIPPED;
        return outcome.why;
    }
    return outcome.why         ? text_format("not built: the compiler was %s", outcome.why)
           : outcome.exit != 0 ? first_error(task, *said)
                               : NULL;
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
        task->mark.parts++;
    }
    task->mark.state = PASSED;
}

// The level that a project reached, by the last line of that form: "level 2 of 3".
static int level_in(const char *said)
{
    const char *found = NULL;

    for (const char *line = said; *line; line = line_end(line))
        found = strncmp(line, "level ", 6) == 0 && isdigit((unsigned char)line[6]) && line[7] == ' ' ? line : found;
    return found ? found[6] - '0' : 0;
}

// Why a project has not passed: the first finding, or the first line with the sign of a failure.
static char *project_reason(const struct task *task, const char *said)
{
    const struct mark *m = &task->mark;
    char *sign = text_format("\n%s ", verdict_sign(false)), *why;
    const char *at = strstr(said, sign), *line = at ? at + strlen(sign) : last_line(said);

    if (m->state == MISSED)
        why = text_format("it reaches level %d of %d", m->parts, PROJECT_LEVELS);
    else if (m->state == UNSAFE && (why = reason_of(task->step, m->state, said)))
        ;
    else
        why = text_format("%.*s", (int)strcspn(line, "\n"), line);
    free(sign);
    return why;
}

// Judges a project as its author does: `workbook project 2 --judge FILE`, which confines the program.
static void run_project(struct task *task, char *source, FILE *log)
{
    char number[16], *argv[] = {"/proc/self/exe", "project", number, "--judge", source, NULL};
    struct job job = {.argv = argv, .capture = true, .limited = true, .alone = true, .seconds = PROJECT_SECONDS};
    struct outcome outcome;
    struct mark *m = &task->mark;

    snprintf(number, sizeof number, "%d", atoi(task->step->chapter));
    outcome = process_run(&job);
    fprintf(log, "%s", job.output);
    m->state = outcome.exit == 77 ? SKIPPED : outcome.why ? BROKEN : state_of(outcome, NULL);
    m->parts = m->state == PASSED || m->state == MISSED ? level_in(job.output) : 0;
    m->why = outcome.why || m->state == PASSED ? outcome.why : project_reason(task, job.output);
    free(job.output);
}

// Does the task and leaves its result in the scratch folder.
static void work(struct task *task)
{
    char *why = NULL, *altered = NULL, *said = NULL, *source = task_source(task->file, &why);
    char *folder = text_format("%s/%s", task->scratch, task->step->chapter); // as its messages name it
    char *copy = text_format("%s/%s.cu", folder, task->step->name);
    char *program = text_format("%s/%s", task->scratch, task->step->name);
    char *log_path = text_format("%s/%s.log", task->folder, task->step->name);
    FILE *log = checked(fopen(log_path, "w"));
    double begin = seconds();
    bool full;

    prctl(PR_SET_PDEATHSIG, SIGKILL); // a resumed run uses these folders alone
    setenv("HOME", task->scratch, 1);
    setenv("TMPDIR", task->scratch, 1);
    task->mark.state = WRONG;
    why = source && !task->step->project ? judge_source(task->step, source, NULL, &altered) : why;
    task->mark.altered = altered != NULL;
    if (altered)
        fprintf(log, "altered: %s\n", altered);
    if (source)
        task_keep_source(task, source);
    if (why) {
        task->mark.why = why;
    } else if (task->step->project) {
        task->mark.state = BROKEN;
        if (folder_make(folder) && file_write(copy, source))
            run_project(task, copy, log);
    } else {
        task->mark.state = BROKEN;
        task->mark.why = folder_make(folder) && file_write(copy, source) ? build(task, copy, program, &said)
                                                                         : text_format("not copied");
        if (!task->mark.why)
            run_parts(task, source, program, log);
    }
    fprintf(log, "%s%s\n", said ? said : "", task->mark.why ? task->mark.why : state_word(task->mark.state));
    fclose(log);
    full = folder_is_full(all.out);
    task->mark.seconds = seconds() - begin;
    if (!interrupted && !full) // else its report about the file would be wrong
        task_write_mark(task, source);
    folder_remove(task->scratch);
    _exit(full ? ENOSPC : 0);
}

// ---- all tasks

static void start(struct task *task)
{
    char *mark = task_path(task, "mark");

    if (!folder_make(task->folder) || !folder_make(task->scratch)) {
        fprintf(stderr, "workbook: cannot make %s: %s\n", task->scratch, strerror(errno));
        exit(1);
    }
    remove(mark);
    free(mark);
    (void)judge_hash(task->step); // the worker finds it there
    fflush(stdout);
    task->worker = fork();
    if (task->worker == 0)
        work(task);
}

// Reads the worker's result. Nothing if the worker did not finish.
static void finish(struct task *task)
{
    char *path = task_path(task, "mark"), *text = file_read(path);
    int state = BROKEN, parts_passed = 0, altered = 0;

    task->worker = -1;
    task->ended = true;
    task->mark.why = NULL;
    if (text && sscanf(text, "%d %d %d %lf", &state, &parts_passed, &altered, &task->mark.seconds) == 4 &&
        strchr(text, '\n')) {
        if (strchr(text, '\n')[1])
            task->mark.why = text_format("%s", strchr(text, '\n') + 1);
    } else {
        state = BROKEN;
        task->mark.why = text_format("the grader itself was stopped; see the folder %s", task->folder);
    }
    task->mark.state = (enum state)state;
    task->mark.parts = parts_passed;
    task->mark.altered = altered;
    free(text);
    free(path);
}

// With --resume: whether an earlier run left the mark of this very file.
static bool is_graded(struct task *task)
{
    int state = SKIPPED; // it was not graded, and is tried again
    unsigned long long key = 0;
    char *path = task_path(task, "mark"), *text = all.resumes ? file_read(path) : NULL, *why = NULL;
    char *source = text ? task_source(task->file, &why) : NULL;
    bool same = source && sscanf(text, "%d %*d %*d %*f %llu", &state, &key) == 2 && state != SKIPPED &&
                key == task_key(task->step, source);

    if (same)
        finish(task);
    free(source);
    free(why);
    free(text);
    free(path);
    return same;
}

// One line that is overwritten on a terminal; NULL wipes it. The bar does not fit here, since each worker
// would draw its own.
static void status_line(const char *text)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", text ? text : "");
}

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

// Kills the running workers; --resume starts their tasks again.
static void end_workers(void)
{
    for (int i = 0; i < all.count; i++)
        if (all.at[i].worker > 0)
            kill(all.at[i].worker, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}

// Ends the run as Ctrl-C does: on a full disk, a mark may reflect the disk.
static void stop_for_room(void)
{
    all.full = true;
    interrupted = 1;
}

// Those that are like others come last, since the mark of the others may be theirs.
static void order_tasks(void)
{
    int count = 0;

    all.shared = tasks_compare(all.at, all.count);
    all.order = checked(calloc((size_t)all.count + 1, sizeof *all.order));
    for (int like = 0; like < 2; like++)
        for (int i = 0; i < all.count; i++)
            if ((all.at[i].like != NULL) == like)
                all.order[count++] = &all.at[i];
}

static bool is_ready(const struct task *task)
{
    return !task->like || task->like->ended;
}

// Starts the task, unless an earlier run has its mark or an equal task is judged. Returns 1 if it now runs.
static int begin_next(struct task *task, int *done)
{
    bool kept = is_graded(task), alike = !kept && task->like && task_take_like(task);

    all.kept += kept;
    all.alike += alike;
    if (kept)
        task->twin = NULL;
    if (kept || alike || task->twin) {
        *done += 1;
        return 0;
    }
    start(task);
    return 1;
}

// Waits briefly for a task to end. Returns how many did.
static int collect(void)
{
    const struct timespec pause = {0, 100000000};
    int status = 0;
    pid_t ended = waitpid(-1, &status, WNOHANG);

    if (ended == 0)
        nanosleep(&pause, NULL);
    if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == ENOSPC)
        stop_for_room();
    for (int i = 0; i < all.count && ended > 0; i++)
        if (all.at[i].worker == ended) {
            finish(&all.at[i]);
            return 1;
        }
    return 0;
}

// Also what a run before left, if it was killed.
static void remove_scratch(void)
{
    char *scratch = text_format("%s/scratch", all.out);

    folder_remove(scratch);
    free(scratch);
}

// The marks that took no judgement.
static void say_reused(void)
{
    if (all.resumes)
        printf("%d of %d marks are from the previous run\n", all.kept, all.count);
    if (all.shared)
        printf("%d of %d files were judged with another one of the same text\n", all.shared, all.count);
    if (all.alike)
        printf("%d of %d files were judged with another one that differs only in comments and blanks\n", all.alike,
               all.count);
}

// False: the user ended it.
static bool run_all(void)
{
    int next = 0, running = 0, done = 0;
    double begin = seconds();

    order_tasks();
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    while (done < all.count && !interrupted) {
        char *line = text_format("%d of %d graded, %.0f s", done, all.count, seconds() - begin);
        int ended;

        status_line(line);
        free(line);
        if (folder_is_full(all.out))
            stop_for_room();
        while (running < all.jobs && next < all.count && !interrupted && is_ready(all.order[next]))
            running += begin_next(all.order[next++], &done);
        ended = collect();
        running -= ended;
        done += ended;
    }
    status_line(NULL);
    if (interrupted) {
        end_workers();
        fprintf(stderr,
                "workbook: stopped after %d of %d%s; nothing that was graded is lost. To go on, "
                "add --resume to the same command\n",
                done, all.count, all.full ? ": the disk of --out is full" : "");
        return false;
    }
    for (int i = 0; i < all.count; i++)
        if (all.at[i].twin)
            task_take_twin(&all.at[i]);
    remove_scratch();
    say_reused();
    return true;
}

// ---- submissions

static void add_task(const struct intake *in, const struct item *item)
{
    const char *folder = in->students[item->student].folder;

    all.at = checked(realloc(all.at, (size_t)(all.count + 1) * sizeof *all.at));
    all.at[all.count] = (struct task){.step = item->step,
                                      .file = text_format("%s", item->path),
                                      .folder = text_format("%s/logs/%s/%s", all.out, folder, item->step->chapter),
                                      .scratch = text_format("%s/scratch/%d-%d", all.out, (int)getpid(), all.count),
                                      .mark = {.student = item->student, .step = item->step}};
    all.count++;
}

// Reports the steps that are not due, which are not graded.
static void leave_undue(struct intake *in)
{
    for (int i = 0; i < in->item_count && all.due.count > 0; i++) {
        struct item *item = &in->items[i];

        if (item->step && !assignment_due(&all.due, item->step)) {
            item->step = NULL;
            free(item->why);
            item->why = text_format("is not due; it is not graded");
        }
    }
}

static void note_students(struct intake *in)
{
    bool *has = checked(calloc((size_t)in->student_count + 1, sizeof *has));

    for (int i = 0; i < in->item_count; i++)
        if (in->items[i].step)
            has[in->items[i].student] = true;
    for (int s = 0; s < in->student_count; s++) {
        struct student *student = &in->students[s];
        char *note;

        student->share = assignment_share(&all.due, student->handed_in, student->late, &note);
        if (note && has[s])
            student_note(student, note);
        if (!has[s] && !(student->note && strstr(student->note, "nothing handed in")))
            student_note(student, "nothing that is graded was handed in");
        free(note);
    }
    free(has);
}

// Where archives are unpacked while the command runs.
static char *unpacked_folder(void)
{
    return text_format("%s/unpacked", all.out);
}

// Finds what to grade. False after a message.
static bool find_tasks(struct intake *in)
{
    char *work = unpacked_folder();
    bool good = intake_read(in, all.folder, work, all.out) && (!all.roster || roster_read(in, all.roster, all.columns));

    free(work);
    if (!good)
        return false;
    intake_keep_part(in, all.part, all.parts);
    free(intake_sort(in));
    leave_undue(in);
    note_students(in);
    if (!all.lists)
        intake_say(in);
    for (int i = 0; i < in->item_count; i++)
        if (in->items[i].step)
            add_task(in, &in->items[i]);
    if (all.count > 0 || all.parts > 1 || all.roster || all.lists)
        return true;
    fprintf(stderr,
            "workbook: %s: no sub-folder in it has a file such as 01-reduction/05-sequential.cu, "
            "and no file names its student and step\n",
            all.folder);
    return false;
}

// As many as there are cores, but no more than fit in the machine's memory if each uses its full limit.
static int default_jobs(void)
{
    long kb = sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE);
    long most = course.memory_kb > 0 ? kb / course.memory_kb : course.jobs,
         jobs = course.jobs < most ? course.jobs : most;

    return jobs > 1 ? (int)jobs : 1;
}

// "2/5": part 2 of 5.
static bool read_part(const char *text)
{
    char end;

    return sscanf(text, "%d/%d%c", &all.part, &all.parts, &end) == 2 && all.part >= 1 && all.part <= all.parts &&
           all.parts <= 10000;
}

// Parses an option with a value. False: it is not one of these, or its value is invalid.
static bool read_option(const char *name, char *value)
{
    if (strcmp(name, "--out") == 0)
        all.out = value;
    else if (strcmp(name, "--seed") == 0)
        all.seed = value;
    else if (strcmp(name, "--roster") == 0)
        all.roster = value;
    else if (strcmp(name, "--roster-columns") == 0)
        all.columns = value;
    else if (strcmp(name, "--assignment") == 0)
        all.assignment = value;
    else if (strcmp(name, "--shard") == 0)
        return read_part(value);
    else if (strcmp(name, "--jobs") == 0)
        return (all.jobs = atoi(value)) > 0;
    else if (strcmp(name, "--time") == 0)
        return (course.timeout = atoi(value)) > 0;
    else
        return false;
    return true;
}

static bool read_arguments(int argc, char **argv)
{
    all.jobs = default_jobs();
    all.part = all.parts = 1;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--strict") == 0)
            course.strict = 1;
        else if (strcmp(argv[i], "--resume") == 0)
            all.resumes = true;
        else if (strcmp(argv[i], "--list") == 0)
            all.lists = true;
        else if (strcmp(argv[i], "--insight") == 0)
            all.insight = true;
        else if (argv[i][0] != '-' && !all.folder)
            all.folder = argv[i];
        else if (argv[i][0] == '-' && i + 1 < argc && read_option(argv[i], argv[i + 1]))
            i++;
        else
            return fprintf(stderr, "workbook: grade: '%s' is unknown, or has no value\n", argv[i]), false;
    }
    if (!all.folder || strspn(all.seed ? all.seed : "1", "0123456789") != strlen(all.seed ? all.seed : "1"))
        return fprintf(stderr, "workbook: grade needs a folder of submissions, and a seed is a whole number\n"), false;
    return true;
}

// Where the grades go: an absolute path, or NULL after a message.
static char *open_out(const char *wanted)
{
    char *folder = wanted ? text_format("%s", wanted) : text_format("%s/grades", course.build), *real = NULL;

    if (!folder_make(folder) || !(real = realpath(folder, NULL))) {
        fprintf(stderr, "workbook: cannot make %s: %s\n", folder, strerror(errno));
    } else if (!nvcc_takes(real)) {
        char *plain = text_plain(real);

        fprintf(stderr,
                "workbook: nvcc cannot work in the folder %s: "
                "its name has one of \" $ ` \\ , : in it, or a byte that is not text; name another one with --out\n",
                plain);
        free(plain);
        free(real);
        real = NULL;
    }
    free(folder);
    return real;
}

static void add_row(struct class *class, struct mark row)
{
    row.why = row.why ? text_format("%s", row.why) : NULL;
    row.log = row.log ? text_format("%s", row.log) : NULL;
    class->marks[class->count++] = row;
}

// A level of a project is passed if the project reaches it.
static struct mark level_mark(const struct mark *mark, int level)
{
    struct mark row = *mark;

    row.step = mark->step + level;
    row.of = assignment_points(&all.due, mark->step, level) - assignment_points(&all.due, mark->step, level - 1);
    row.parts = row.points = 0;
    if (level <= mark->parts) {
        row.state = PASSED;
        row.parts = PARTS;
        row.points = row.of;
        row.why = NULL;
    }
    return row;
}

// Adds a row; for a project one for each of its levels.
static void add_mark(struct class *class, const struct mark *mark)
{
    struct mark row = *mark;

    for (int level = 1; mark->step->project && level <= PROJECT_LEVELS; level++)
        add_row(class, level_mark(mark, level));
    if (mark->step->project)
        return;
    row.points = assignment_points(&all.due, mark->step, mark->parts);
    row.of = assignment_points(&all.due, mark->step, PARTS);
    add_row(class, row);
}

// A step that is due but was not handed in counts 0.
static void add_missing(struct class *class)
{
    size_t steps = (size_t)course.count;
    bool *has = checked(calloc((size_t) class->in.student_count * steps + 1, sizeof *has)); // a row a student

    for (int i = 0; i < all.count; i++)
        has[(size_t)all.at[i].mark.student * steps + (size_t)(all.at[i].step - course.steps)] = true;
    for (int s = 0; s < class->in.student_count; s++)
        for (int i = 0; i < all.due.count; i++) {
            const struct step *step = all.due.due[i].step;

            if (!has[(size_t)s * steps + (size_t)(step - course.steps)])
                add_mark(class, &(struct mark){.student = s, .step = step, .state = NEW});
        }
    free(has);
}

// Hands the result of every task to marks.c.
static void collect_marks(struct class *class)
{
    size_t most = (size_t)all.count + (size_t) class->in.student_count * (size_t)all.due.count;

    class->marks = checked(calloc(PROJECT_LEVELS * most + 1, sizeof *class->marks));
    for (int i = 0; i < all.count; i++) {
        struct mark *mark = &all.at[i].mark;

        mark->step = all.at[i].step;
        mark->log = text_format("%s/%s.log", all.at[i].folder + strlen(all.out) + 1, mark->step->name);
        add_mark(class, mark);
        free(mark->log);
    }
    add_missing(class);
    class_sort(class);
}

static void forget(struct class *class)
{
    for (int i = 0; i < all.count; i++) {
        free(all.at[i].mark.why);
        free(all.at[i].file);
        free(all.at[i].folder);
        free(all.at[i].scratch);
    }
    free(all.order);
    free(all.at);
    free(all.out);
    assignment_free(&all.due);
    class_free(class);
}

// Finds, grades and writes. Returns the exit status.
static int grade_all(struct class *class)
{
    double begin = seconds();
    char *words = NULL;
    int status = 1;

    *class = (struct class){
        .seed = text_format("%s", all.seed), .out = text_format("%s", all.out), .part = all.part, .parts = all.parts};
    if (all.assignment && !assignment_read(&all.due, all.assignment))
        return 1;
    if (!find_tasks(&class->in))
        return 1;
    if (all.lists)
        return intake_list(&class->in), 0;
    if (all.count > 0 && process_unguarded())
        fprintf(stderr, "workbook: this system has %s; `workbook doctor` says how to get it\n", process_unguarded());
    if (all.count > 0 && build_target("judges", &words).exit != 0) {
        fputs(words, stderr);
    } else if (run_all()) {
        class->seconds = seconds() - begin;
        collect_marks(class);
        status = marks_write(class, all.out);
    } else {
        status = 130;
    }
    free(words);
    return status;
}

// A submission can read its user's files; this keeps our memory, which holds the seed, out of its reach.
static void harden_process(void)
{
    if (course.memory_kb > 0) // else under a sanitizer, which must read it
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

    if (argc > 0 && strcmp(argv[0], "--merge") == 0)
        return merge_records(argc - 1, argv + 1);
    if (!read_arguments(argc, argv))
        return 1;
    if (access(all.folder, R_OK) != 0) {
        fprintf(stderr, "workbook: cannot read %s: %s\n", all.folder, strerror(errno));
        return 1;
    }
    all.out = open_out(all.out);
    if (all.insight)
        course_add_projects();
    harden_process();
    // Unless --seed is given, the input differs from the student's own runs and cannot be predicted.
    all.seed = all.seed ? text_format("%s", all.seed) : text_format("%u", random_seed());
    course.gpu = "";
    if (all.out) {
        char *unpacked = unpacked_folder();

        status = grade_all(&class);
        folder_remove(unpacked);
        free(unpacked);
    }
    forget(&class);
    free(all.seed);
    return status;
}
