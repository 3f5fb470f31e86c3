// Runs programs. Graded ones run within limits on time, memory, output and system calls (sandbox.c). An exit status of
// 0 counts only with a verdict: the program sends it through a pipe, with a number that is different every time.
#include "process/process.h"
#include "process/limits.h"
#include "process/work.h"
#include "remote/sandbox.h"
#include "course/course.h"
#include "base/bar.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

void catch_interrupts(void)
{
    const struct sigaction action = {.sa_handler = interrupt};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

struct pipes {
    int output[2], record[2]; // read end, write end
};

static long memory_kb(const struct job *job)
{
    return job->gpu ? course.gpu_memory_kb : course.memory_kb;
}

static void limit(int what, rlim_t most)
{
    struct rlimit limit = {most, most};

    setrlimit(what, &limit);
}

static void set_number(const char *variable, int number)
{
    char *text = text_format("%d", number);

    setenv(variable, text, 0);
    free(text);
}

static bool is_judged(const struct job *job)
{
    return job->step && !job->gpu;
}

// The blocks of a cluster run on several multiprocessors, so a device with clusters has at least a cluster's part of an
// H100. Steps for one card alone (90a) multiply matrices in clusters of four blocks or none: they get four, so that a
// resident block has more than one tile.
static int multiprocessors_of(const struct job *job)
{
    const int cluster_arch = 90, fewest = job->step && strchr(job->step->arch, 'a') ? 4 : 16;

    return job->step && atoi(job->step->arch) >= cluster_arch && job->multiprocessors < fewest ? fewest
                                                                                               : job->multiprocessors;
}

static void set_machine(const struct job *job)
{
    if (course.memory_kb > 0) // else under the sanitizers, which are slow and start processes themselves
        set_number("SIMT_TIMEOUT", job->patience > 0 ? job->patience : ENDLESS);
    set_number("SIMT_THREADS", 1); // makes a verdict repeatable; runs and submissions use the cores instead
    set_number("SIMT_MEMORY", 4);  // on every host
    if (job->multiprocessors > 0)
        set_number("SIMT_MULTIPROCESSORS", multiprocessors_of(job));
}

static void accept_limits(const struct job *job, int verdict, const char *nonce)
{
    char *record = text_format("%d:%s", verdict, nonce);
    int nothing = open("/dev/null", O_RDONLY);

    fcntl(verdict, F_SETFD, 0);
    dup2(nothing, STDIN_FILENO); // the graded program must not read the grader's standard input
    close(nothing);
    setenv("WORKBOOK_RECORD", record, 1);
    free(record);
    limit(RLIMIT_CORE, 0);
    set_machine(job);
    if (course.memory_kb == 0)
        return;
    if (is_judged(job)) // its judge sets up the sandbox
        return;
    limit(RLIMIT_FSIZE, FILE_LIMIT);
    if (!job->gpu && !sandbox_close())
        fprintf(stderr, "workbook: this system cannot filter system calls (seccomp); %s runs without the sandbox\n",
                job->argv[0]);
}

// The program's arguments for its judge, after its own. The seed is passed another way: a submission that knows it
// knows the inputs, and it can read the arguments of every process.
static void hand_over(char **argv, char *const *from)
{
    for (; *from; from++)
        if (strcmp(*from, "--seed") == 0 && from[1])
            setenv("WORKBOOK_SEED", *++from, 1);
        else
            *argv++ = *from;
}

// Becomes the program, or the judge that starts it. Returns only on failure.
static void run(const struct job *job)
{
    int count = 0, given = 5;
    char **argv;

    while (job->argv[count])
        count++;
    if (!is_judged(job)) {
        execvp(job->argv[0], job->argv);
        return;
    }
    argv = checked(calloc((size_t)(count + given), sizeof *argv));
    argv[0] = judge_path(job->step);
    argv[1] = "--submission";
    argv[2] = job->argv[0];
    argv[3] = "--driver";
    argv[4] = job->step->driver;
    unsetenv("WORKBOOK_SEED");
    hand_over(argv + given, job->argv + 1);
    execv(argv[0], argv);
}

// Closes the sandbox around a program that has no judge.
static void confine(const struct job *job)
{
    if (!job->confined || course.memory_kb == 0) // as in accept_limits
        return;
    sandbox_enclose(job->argv[0]);
    sandbox_close();
}

// In the child: becomes the program, in its own session, so that all of its processes can be ended.
static void become_program(const struct job *job, const struct pipes *pipes, const char *nonce)
{
    // A build started from a build (the target `ladder`) must not inherit its parent's make settings.
    unsetenv("MAKEFLAGS");
    unsetenv("MAKELEVEL");
    unsetenv("MFLAGS");
    if (job->directory && chdir(job->directory) != 0)
        _exit(127);
    setenv("SIMT_PROGRESS", "0", 1); // time-dependent output is for users who run a program themselves
    if (job->checks)
        setenv("SIMT_CHECK", job->checks, 1);
    if (job->order)
        setenv("SIMT_SCHEDULE", job->order, 1);
    if (job->profile)
        setenv("SIMT_PROFILE", job->profile, 1);
    if (job->estimate)
        setenv("SIMT_ESTIMATE", job->estimate, 0);
    if (job->trace)
        setenv("SIMT_TRACE", job->trace, 1);
    if (job->trace || job->repeatable) // so that a second run finds the same
        set_machine(job);
    if (job->limited && memory_kb(job) > 0)
        limit(RLIMIT_DATA, (rlim_t)memory_kb(job) * 1024);
    if (job->limited || job->capture) {
        if (dup2(pipes->output[1], STDOUT_FILENO) < 0 || dup2(pipes->output[1], STDERR_FILENO) < 0)
            _exit(127);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (job->graded) {
        setsid();
        accept_limits(job, pipes->record[1], nonce);
    } else if (job->alone) {
        setsid();
        limit(RLIMIT_CORE, 0);
        limit(RLIMIT_FSIZE, OBJECT_LIMIT);
    }
    confine(job);
    run(job);
    fprintf(stderr, "workbook: cannot run %s: %s\n", job->argv[0], strerror(errno));
    _exit(127);
}

static void keep_output(struct job *job, const char *text, size_t length, size_t *kept)
{
    if (!job->capture) {
        fwrite(text, 1, length, stdout);
        fflush(stdout);
    }
    job->output = checked(realloc(job->output, *kept + length + 1));
    memcpy(job->output + *kept, text, length);
    *kept += length;
    job->output[*kept] = 0;
}

void job_print(struct job *job, const char *text)
{
    size_t kept = strlen(job->output);

    keep_output(job, text, strlen(text), &kept);
}

static int seconds_of(const struct job *job)
{
    return job->seconds > 0 ? job->seconds : course.timeout;
}

// Why the process has run for too long, or NULL.
static char *late(const struct process *process, struct patience *patience)
{
    int limit = (int)patience->seconds;

    switch (patience_end(patience, process->id)) {
    case COMPUTED: return text_format("stopped after %d s; is there an endless loop?", limit);
    case IDLE:
        return text_format("stopped after %d s in which it hardly computed; does it sleep, or wait for input?", limit);
    case STARVED:
        return text_format("not graded: after %.0f s this computer had let it compute for less than %d s; "
                           "run it again with fewer jobs, or when the computer is less busy",
                           seconds() - patience->begin, limit);
    default: return NULL;
    }
}

// The last "[ 50%]" in make's output, or 0.
static double percent(const char *text)
{
    double found = 0;

    for (const char *at = strchr(text, '['); at; at = strchr(at + 1, '[')) {
        char *end;
        double value = strtod(at + 1, &end);

        if (*end == '%')
            found = value;
    }
    return found;
}

// Passes on what the program prints until its output ends. Returns what stopped it, or NULL.
static char *follow(struct process *process, struct patience *patience)
{
    struct job *job = process->job;
    int fd = process->output;
    size_t kept = 0, seen = 0;
    char buffer[4096];

    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        char *why = late(process, patience);
        ssize_t got;

        if (why)
            return why;
        if (interrupted)
            return text_format("interrupted");
        bar_tick();
        if (poll(&wait, 1, 200) <= 0)
            continue;
        got = read(fd, buffer, sizeof buffer);
        if (got == 0 || (got < 0 && errno != EINTR))
            return NULL;
        if (got < 0)
            continue;
        keep_output(job, buffer, (size_t)got, &kept);
        seen += (size_t)got;
        if (job->build)
            bar_share(percent(job->output + (kept < 400 ? 0 : kept - 400)) / 100);
        if (job->limited && seen > OUTPUT_LIMIT)
            return text_format("stopped after %d KiB of output; does it print in a loop?", OUTPUT_LIMIT >> 10);
    }
}

static int count_expectations(const struct job *job)
{
    int count = 0;

    for (char *const *argument = job->argv; *argument; argument++)
        count += strcmp(*argument, "--expect") == 0;
    return count;
}

// The harness writes its number, verdict, runs, expectations met and more (record.h) when it ends (harness.h, finish).
// Without that record there is no verdict, whatever the exit status.
static void check_record(const struct process *process, struct outcome *outcome)
{
    char text[256] = "", nonce[32], again[64] = "";
    int verdict, met, asked;
    long long runs;
    ssize_t got = read(process->record, text, sizeof text - 1);
    bool known = got > 0 &&
                 sscanf(text, "%31s %d %lld %d %d %63[^\n]", nonce, &verdict, &runs, &met, &asked, again) >= 5 &&
                 strcmp(nonce, process->nonce) == 0 && verdict == outcome->exit;

    outcome->asked = known && asked;
    if (known && *again && outcome->exit != 0)
        outcome->again = text_format("%s", again);
    if (outcome->exit != 0 && outcome->exit != 77)
        return;
    if (known && (verdict == 77 || (runs > 0 && met == count_expectations(process->job))))
        return;
    outcome->why = text_format(
        "it ended with exit %d, but not by the harness's verdict: does something in it call exit?", outcome->exit);
    outcome->exit = 2;
}

static char *signal_words(const struct job *job, int number)
{
    const char *name = strsignal(number);

    if (number == SIGSYS)
        return text_format(
            "stopped: it tried to start a process, send a signal, open a connection, or change a file or a limit; "
            "an exercise does none of these");
    if (number == SIGSEGV)
        return text_format("ended by signal %d, %s: a null or wild pointer on the host, endless recursion, "
                           "or out of memory: malloc returns NULL beyond %ld MiB",
                           number, name, memory_kb(job) >> 10);
    return text_format("ended by signal %d, %s%s", number, name,
                       number == SIGXFSZ ? ": it wrote a file that is too large" : "");
}

// Kills the rest of a process and, if it has one, of its session.
static void end_session(const struct process *process)
{
    if (process->job->graded || process->job->alone)
        kill(-process->id, SIGKILL);
    close(process->output);
    close(process->record);
}

// Not by us: the kernel ends a process in this way when memory runs out, which says nothing about the graded program.
static void set_killed(struct outcome *outcome, const char *what)
{
    outcome->exit = 77;
    outcome->why = text_format("not graded: the system killed the %s, as it does when memory is short; "
                               "run it again with fewer jobs, or where there is more memory",
                               what);
}

struct outcome process_wait(struct process *process)
{
    struct job *job = process->job;
    struct patience patience = patience_begin(job->limited && seconds_of(job) > 0 ? seconds_of(job) : 1e6);
    struct outcome outcome = {.exit = 127};
    struct timespec pause = {0, 2000000};
    int status = 0;

    if (process->id == 0)
        return outcome;
    outcome.why = follow(process, &patience);
    // A program may close its output and keep running.
    while (!outcome.why && waitpid(process->id, &status, WNOHANG) == 0) {
        outcome.why = late(process, &patience);
        nanosleep(&pause, NULL);
    }
    if (outcome.why) {
        kill(process->id, SIGKILL);
        waitpid(process->id, &status, 0);
    }
    outcome.timed_out = outcome.why && patience.end != STARVED;
    outcome.exit = patience.end == STARVED ? 77 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (!outcome.why && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        set_killed(&outcome, "program");
    else if (!outcome.why && WIFSIGNALED(status))
        outcome.why = signal_words(job, WTERMSIG(status));
    if (job->graded && !outcome.why)
        check_record(process, &outcome);
    end_session(process);
    return outcome;
}

void process_stop(struct process *process)
{
    if (process->id == 0)
        return;
    kill(process->id, SIGKILL);
    waitpid(process->id, NULL, 0);
    end_session(process);
}

// Keeps the ends of a pipe out of other programs that start meanwhile.
static bool open_pipes(struct pipes *pipes, struct process *process)
{
    unsigned long long nonce = 0;

    // A graded program prints into a socket: it could reopen a pipe through /proc and read its kernels' output.
    bool opened = process->job->graded ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pipes->output) == 0
                                       : pipe2(pipes->output, O_CLOEXEC) == 0;
    if (!opened || pipe2(pipes->record, O_CLOEXEC) != 0 || getrandom(&nonce, sizeof nonce, 0) != sizeof nonce)
        return false;
    snprintf(process->nonce, sizeof process->nonce, "%016llx", nonce);
    process->output = pipes->output[0];
    process->record = pipes->record[0];
    return true;
}

void process_start(struct job *job, struct process *process)
{
    struct pipes pipes;

    *process = (struct process){.job = job};
    job->limited |= job->graded;
    job->output = checked(calloc(1, 1));
    fflush(stdout);
    fflush(stderr);
    if (!open_pipes(&pipes, process) || (process->id = fork()) < 0) {
        fprintf(stderr, "workbook: cannot start %s: %s\n", job->argv[0], strerror(errno));
        process->id = 0;
        return;
    }
    if (process->id == 0)
        become_program(job, &pipes, process->nonce);
    close(pipes.output[1]);
    close(pipes.record[1]);
}

struct outcome process_run(struct job *job)
{
    struct process process;

    process_start(job, &process);
    return process_wait(&process);
}

int outcome_status(struct outcome outcome)
{
    return outcome.timed_out || outcome.exit > 127 ? 1 : outcome.exit;
}

// With too few files to build, make omits the percentage, [ 50%], from its lines.
static bool is_makes(const char *line)
{
    static const char *const begins[] = {"[",
                                         "make",
                                         "gmake",
                                         "Scanning dependencies",
                                         "Consolidate compiler",
                                         "Built target ",
                                         "Linking CXX executable ",
                                         "Remark: The warnings can be suppressed"};
    const char *end = line_end(line);

    if (strncmp(line, "nvcc ", 5) == 0 && end - line > 4 && memcmp(end - 4, ".cu\n", 4) == 0) // not `nvcc fatal : ...`
        return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(line, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

// Removes a paragraph, which ends with an empty line, if words before it contain the same: nvcc reads a file twice.
static char *drop_repeated(char *words, char *paragraph)
{
    if (strstr(words, paragraph) < paragraph)
        *paragraph = 0;
    return paragraph + strlen(paragraph);
}

// The compiler's output, without repetitions and make's own messages; file names are relative to this directory.
static char *compiler_words(const char *text)
{
    char *words = checked(calloc(strlen(text) + 1, 1)), *to = words, *paragraph = words, *short_words;

    for (const char *line = text, *end; *line; line = end) {
        end = line_end(line);
        if (!is_makes(line))
            to = mempcpy(to, line, (size_t)(end - line));
        *to = 0;
        if (*line == '\n')
            to = paragraph = drop_repeated(words, paragraph);
    }
    short_words = printable_text(words);
    free(words);
    return short_words;
}

// Waits until no other build runs in this folder, and blocks others until the file is closed, since two builds would
// write the same files. -1 if the file cannot be opened: make then reports what is wrong with the folder.
static int lock_build(void)
{
    char *path = text_format("%s/build.lock", course.build);
    int lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0666);

    free(path);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR && !interrupted)
        ;
    return lock;
}

struct outcome build_target(const char *target, char **words)
{
    int lock = lock_build();
    char *jobs = text_format("%ld", course.jobs > 0 ? course.jobs : 1);
    char *argv[] = {course.cmake, "--build", course.build, "--target", (char *)target, "--parallel", jobs, NULL};
    struct job job = {.argv = argv, .capture = true, .build = true};
    struct outcome outcome = process_run(&job);

    if (lock >= 0)
        close(lock);
    *words = compiler_words(job.output);
    if (outcome.exit != 0 && !**words) { // make's own failure
        free(*words);
        *words = text_format("%s", job.output);
    }
    free(job.output);
    free(jobs);
    return outcome;
}

struct outcome build_program(char *kind, char *arch, char *source, char *program, char **words)
{
    char *script = text_format("%s/program.sh", course.build);
    char *argv[] = {"sh", script, kind, arch, source, program, NULL};
    struct job job = {.argv = argv, .capture = true, .limited = true, .alone = true, .seconds = BUILD_SECONDS};
    struct outcome outcome = process_run(&job);

    *words = job.output;
    free(script);
    if (!outcome.why && outcome.exit != 0 && strstr(job.output, "died due to signal 9"))
        set_killed(&outcome, "compiler");
    return outcome;
}

bool nvcc_takes(const char *folder)
{
    for (int length; *folder; folder += length) {
        length = utf8_length(folder);
        if (length == 1 && (*folder < ' ' || *folder > '~' || strchr("\"$`\\,:", *folder)))
            return false;
    }
    return true;
}

const char *process_unguarded(void)
{
    return sandbox_missing();
}
