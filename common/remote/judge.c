// Starts the submission and calls its functions.
#include "harness/todo.h"
#include "remote/judge.h"
#include "remote/sandbox.h"
#include "remote/wire.h"
#include "simt/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct submission submission = {.socket = -1};

static __attribute__((noreturn)) void stop(const char *why)
{
    fflush(stdout);
    fprintf(stderr, "judge: %s\n", why);
    exit(1);
}

// ---- the wire

enum { PRINT_LIMIT = 256 << 10 }; // bytes that kernels print: the runner stops a program that prints four times as much

// Ends as the submission has ended, without a verdict: the runner explains it.
static __attribute__((noreturn)) void end_with_submission(void)
{
    const struct timespec pause = {0, 10000000};
    int status = 0, ended = 0;

    fflush(stdout);
    for (int tries = 0; tries < 200 && !ended; tries++) {
        ended = waitpid(submission.process, &status, WNOHANG) == submission.process;
        if (!ended)
            nanosleep(&pause, NULL);
    }
    if (!ended)
        refuse_message("it closed the connection and still runs");
    simt_ends();
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

void receive(struct message *m)
{
    int failed = message_receive(submission.socket, m);

    if (failed < 0)
        end_with_submission();
    if (failed > 0)
        refuse_message("a message is not as long as it says");
}

void send_to_submission(enum message_kind kind, const void *head, size_t head_size, const void *more, size_t size)
{
    if (message_send(submission.socket, kind, head, head_size, more, size) != 0)
        end_with_submission();
}

void refuse_message(const char *why)
{
    fflush(stdout);
    fprintf(stderr, "refused: the submission sent messages of its own to the grader: %s\n", why);
    _exit(2);
}

// ---- memory of the submission

static const char NO_ANSWER[] = "it did not answer";

void await_answer(struct message *m, const char *else_why)
{
    for (receive(m); m->kind == FAULT; receive(m))
        serve_request(m);
    if (m->kind != ANSWER)
        refuse_message(else_why);
}

static void read_remote(void *to, uint64_t from, uint64_t size)
{
    struct message m;
    struct host_range s = {from, size, 0};

    send_to_submission(READ, &s, sizeof s, NULL, 0);
    await_answer(&m, NO_ANSWER);
    if (m.size != size)
        refuse_message("an answer is not as long as the request");
    memcpy(to, m.bytes, size);
}

void write_remote(uint64_t to, const void *from, uint64_t size)
{
    struct message m;
    struct host_range s = {to, size, 0};

    send_to_submission(WRITE, &s, sizeof s, from, size);
    await_answer(&m, NO_ANSWER);
}

static void map_remote(uint64_t address, uint64_t size, uint64_t offset)
{
    struct host_range s = {address, size, offset};

    send_to_submission(MAP, &s, sizeof s, NULL, 0);
}

static void protect_remote(uint64_t address, uint64_t size, int protection)
{
    struct host_range s = {address, size, (uint64_t)protection};

    send_to_submission(PROTECT, &s, sizeof s, NULL, 0);
}

// ---- start

// The environment variables that the submission inherits: those that its libraries may need, and none that reveals how
// it is run and judged (SIMT_CHECK, SIMT_SCHEDULE, ...).
static void clear_environment(const char *line)
{
    static const char *const kept[] = {"LD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ", "ASAN_OPTIONS", "UBSAN_OPTIONS"};
    enum { KEPT = sizeof kept / sizeof *kept };
    const char *values[KEPT];

    for (int i = 0; i < KEPT; i++)
        values[i] = getenv(kept[i]);
    clearenv(); // the strings stay where they are
    for (int i = 0; i < KEPT; i++)
        if (values[i])
            setenv(kept[i], values[i], 1);
    setenv("WORKBOOK_JUDGE", line, 1);
}

// In the child: becomes the submission, which holds its end of the wire and the shared memory, and no
// other file of ours.
static __attribute__((noreturn)) void become_submission(int socket, int window)
{
    char text[96], *argv[] = {(char *)submission.path, NULL};
    uint64_t first, size;

    simt_device_range(&first, &size);
    for (int file = 3; file < 256; file++) // it inherits none of our files
        if (file != socket && file != window)
            close(file);
    for (int right = 0; prctl(PR_CAPBSET_READ, right, 0, 0, 0) >= 0; right++)
        prctl(PR_CAPBSET_DROP, right, 0, 0, 0); // root's, too, or it may read our memory in /proc
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){FILE_LIMIT, FILE_LIMIT});
    snprintf(text, sizeof text, "%d:%d:%llx:%llx", socket, window, (unsigned long long)first, (unsigned long long)size);
    clear_environment(text);
    fcntl(socket, F_SETFD, 0);
    fcntl(window, F_SETFD, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sandbox_enclose(submission.path);
    sandbox_close();
    execv(submission.path, argv);
    fprintf(stderr, "judge: cannot run %s: %s\n", submission.path, strerror(errno));
    _exit(127);
}

// reports: this process is going to open a file, --json. The machine has already opened its own.
static void start(bool reports)
{
    static struct simt_other_host host = {0, 0, read_remote, write_remote, map_remote, protect_remote};
    uint64_t first, size;
    int ends[2];

    prctl(PR_SET_DUMPABLE, 0); // else the submission may open our memory as a file
    submission.window = memfd_create("shared", MFD_CLOEXEC);
    if (submission.window < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        stop("no memory file or no sockets are available");
    host.window = submission.window;
    simt_other_host(&host);
    simt_print_limit(PRINT_LIMIT);
    simt_device_range(&first, &size); // reserved before the fork
    if (ftruncate(submission.window, (off_t)size) != 0)
        stop("the memory file cannot be as large as device memory");
    fflush(stdout);
    fflush(stderr);
    submission.process = fork();
    if (submission.process == 0)
        become_submission(ends[1], submission.window);
    close(ends[1]);
    submission.socket = ends[0];
    host.process = submission.process;
    if (submission.process < 0)
        stop("the submission cannot be started");
    if (!reports && !sandbox_close())
        fprintf(stderr,
                "judge: this system cannot filter system calls (seccomp); the submission runs without the sandbox\n");
}

// The word after the option, both removed from the arguments; NULL: not given.
static char *take_option(int *argc, char **argv, const char *option)
{
    for (int i = 1; i + 1 < *argc; i++)
        if (strcmp(argv[i], option) == 0) {
            char *value = argv[i + 1];
            memmove(argv + i, argv + i + 2, (size_t)(*argc - i - 1) * sizeof *argv);
            *argc -= 2;
            return value;
        }
    return NULL;
}

// The seed comes in the environment, which the submission can neither read nor inherit. It reuses the argv slots of the
// removed options.
static void take_seed(int *argc, char **argv)
{
    const char *seed = getenv("WORKBOOK_SEED");

    if (!seed)
        return;
    argv[(*argc)++] = "--seed";
    argv[(*argc)++] = strdup(seed);
    argv[*argc] = NULL;
    unsetenv("WORKBOOK_SEED");
}

static bool has_option(int argc, char **argv, const char *option)
{
    while (--argc > 0 && strcmp(argv[argc], option) != 0)
        ;
    return argc > 0;
}

static int64_t number_of(const char *word, const struct name *names)
{
    while (names->text && strcmp(names->text, word) != 0)
        names++;
    return names->text ? names->number : strtoll(word, NULL, 10);
}

static __attribute__((noreturn)) void refuse_main(const struct hello *hello, const char *driver)
{
    fprintf(stderr, "refused: %s: main calls %s_main with", source_name(hello->file), hello->driver);
    for (int i = 0; i < NUMBERS; i++)
        fprintf(stderr, " %lld", (long long)hello->numbers[i]);
    fprintf(stderr,
            ", which is not what the step is graded by: %s (* is your choice)\n"
            "  Restore main and the constants that it passes, as they were handed out.\n",
            driver);
    exit(2);
}

// The course table determines the driver, whatever the submission's main requests; a difference is reported.
static void settle(const char *driver, const struct name *names, const struct hello *hello, struct asked *asked)
{
    char *rest = strdup(driver), *word = strsep(&rest, " ");

    asked->driver = word;
    if (strcmp(hello->driver, asked->driver) != 0)
        refuse_main(hello, driver);
    for (int i = 0; i < NUMBERS; i++) {
        word = rest ? strsep(&rest, " ") : "0";
        asked->numbers[i] = strcmp(word, "*") == 0 ? hello->numbers[i] : number_of(word, names);
        if (asked->numbers[i] != hello->numbers[i])
            refuse_main(hello, driver);
    }
}

void judge_start(int *argc, char **argv, const struct name *names, judge_failed *failed, struct asked *asked)
{
    static struct message m;
    static struct hello hello;
    char *driver = take_option(argc, argv, "--driver");

    *asked = (struct asked){0};
    submission.path = take_option(argc, argv, "--submission");
    submission.failed = failed;
    if (!submission.path || !driver)
        stop("--submission FILE and --driver \"NAME NUMBER...\" are missing; `workbook` passes them");
    take_seed(argc, argv);
    start(has_option(*argc, argv, "--json"));
    simt_serve(1);
    for (receive(&m); m.kind != HELLO; receive(&m))
        if (!serve_request(&m))
            refuse_message("it returned before it was called");
    simt_serve(0);
    if (m.size != sizeof hello)
        refuse_message("its greeting has the wrong length");
    memcpy(&hello, m.bytes, sizeof hello);
    hello.driver[sizeof hello.driver - 1] = hello.file[sizeof hello.file - 1] = 0;
    asked->file = hello.file;
    asked->todo_open = hello.todo_open != 0;
    settle(driver, names, &hello, asked);
}

void remote_call(int which, void *arguments, size_t size)
{
    static struct message m;
    struct run run = {(uint64_t)which};

    fflush(stdout);
    send_to_submission(RUN, &run, sizeof run, arguments, size);
    simt_serve(1);
    for (receive(&m); m.kind != RETURNED; receive(&m))
        if (!serve_request(&m))
            refuse_message("it sends a message out of turn");
    simt_serve(0);
    if (m.size != size)
        refuse_message("a function returned more or less than its arguments");
    memcpy(arguments, m.bytes, size);
}
