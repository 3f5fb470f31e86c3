// Runs programs, with a time and a memory limit.
#include "workbook.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// In the child: becomes the program. fd is the pipe whose closing tells the parent that the program has ended.
static void become(const struct job *job, int fd)
{
    // A build started from a build (the target `ladder`) must not take its parent's make settings.
    unsetenv("MAKEFLAGS");
    unsetenv("MAKELEVEL");
    unsetenv("MFLAGS");
    if (job->checks)
        setenv("SIMT_CHECK", job->checks, 1);
    if (job->order)
        setenv("SIMT_SCHEDULE", job->order, 1);
    if (dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
        _exit(127);
    if (job->limited && course.memory_kb > 0) {
        struct rlimit limit = {(rlim_t)course.memory_kb * 1024, (rlim_t)course.memory_kb * 1024};

        setrlimit(RLIMIT_DATA, &limit);
    }
    execvp(job->argv[0], job->argv);
    fprintf(stderr, "workbook: cannot run %s: %s\n", job->argv[0], strerror(errno));
    _exit(127);
}

// The last "[ 50%]" in what make wrote, or 0.
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

// Reads the pipe into job->output until it closes. False when the time is up.
static bool follow(struct job *job, int fd)
{
    enum { MOST = 16 << 20 }; // of a flood of output, the first 16 MiB are kept
    double end = seconds() + course.timeout;
    size_t length = 0;
    char buffer[4096];

    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        ssize_t got;

        if (interrupted || (job->limited && course.timeout > 0 && seconds() >= end))
            return false;
        bar_tick();
        if (poll(&wait, 1, 200) <= 0)
            continue;
        got = read(fd, buffer, sizeof buffer);
        if (got == 0 || (got < 0 && errno != EINTR))
            return true;
        if (got < 0 || length > MOST)
            continue;
        job->output = checked(realloc(job->output, length + (size_t)got + 1));
        memcpy(job->output + length, buffer, (size_t)got);
        length += (size_t)got;
        job->output[length] = 0;
        if (job->build)
            bar_share(percent(job->output + (length < 400 ? 0 : length - 400)) / 100);
    }
}

struct outcome process_run(struct job *job)
{
    struct outcome outcome = {127, false};
    int pipe_ends[2], status;
    pid_t child;

    job->output = checked(calloc(1, 1));
    fflush(stdout);
    fflush(stderr);
    if (pipe(pipe_ends) != 0 || (child = fork()) < 0) {
        fprintf(stderr, "workbook: cannot start %s: %s\n", job->argv[0], strerror(errno));
        return outcome;
    }
    if (child == 0) {
        close(pipe_ends[0]);
        become(job, pipe_ends[1]);
    }
    close(pipe_ends[1]);
    if (!follow(job, pipe_ends[0])) {
        kill(child, SIGKILL);
        outcome.timed_out = !interrupted;
    }
    close(pipe_ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

// What the compiler wrote, without what make says of its own work.
static char *compiler_words(const char *text)
{
    char *words = checked(malloc(strlen(text) + 1)), *to = words;

    for (const char *line = text, *end; *line; line = end) {
        bool make = *line == '[' || strncmp(line, "make", 4) == 0 || strncmp(line, "gmake", 5) == 0;

        end = strchr(line, '\n') ? strchr(line, '\n') + 1 : line + strlen(line);
        if (!make)
            to = mempcpy(to, line, (size_t)(end - line));
    }
    *to = 0;
    if (to == words)
        strcpy(words, text);
    return words;
}

struct outcome build_target(const char *target, char **words)
{
    char *jobs = text_format("%d", course.jobs > 0 ? course.jobs : 1);
    char *argv[] = {course.cmake, "--build", course.build, "--target", (char *)target, "--parallel", jobs, NULL};
    struct job job = {.argv = argv, .build = true};
    struct outcome outcome = process_run(&job);

    *words = compiler_words(job.output);
    free(job.output);
    free(jobs);
    return outcome;
}
