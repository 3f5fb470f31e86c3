// An endless loop of the host is reported, but only during a run: see host_watch.c. Each case has its own process and a
// short timeout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "memory/host_watch.h"
#include "report/settings.h"

#define PATIENCE 0.25 // seconds, unless SIMT_TIMEOUT is set; also the machine's checking interval
#define LONG 0.75     // longer than patience

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Computes for so many CPU seconds of its thread.
static void compute(double time, void (*again)(void))
{
    double end = seconds(CLOCK_THREAD_CPUTIME_ID) + time;
    while (seconds(CLOCK_THREAD_CPUTIME_ID) < end)
        if (again)
            again();
}

static void silent_loop(void)
{
    host_watch_begin();
    compute(20 * LONG, NULL);
}

static void launch(void)
{
    host_moved();
    host_launches();
    host_launched();
}

static void launching_loop(void)
{
    host_watch_begin();
    compute(10 * LONG, launch);
}

static void silent_second_run(void)
{
    host_watch_begin();
    host_watch_end();
    silent_loop();
}

static void many_calls(void)
{
    host_watch_begin();
    compute(LONG, host_moved);
}

static void many_launches_at_once(void)
{
    host_watch_begin();
    for (int i = 0; i < 200000; i++)
        launch();
}

static void long_launch(void)
{
    host_watch_begin();
    host_launches();
    compute(LONG, NULL);
    host_launched();
}

static void between_runs(void)
{
    host_watch_begin();
    host_watch_end();
    compute(LONG, NULL);
}

static void sleeping(void)
{
    host_watch_begin();
    usleep((useconds_t)(1e6 * LONG));
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *said;    // NULL: it ends by itself
    const char *timeout; // SIMT_TIMEOUT, in seconds; NULL: PATIENCE
} cases[] = {
    {"a loop without a call", silent_loop, "no CUDA call in 1 s", "1"},
    {"a loop that launches", launching_loop, "over 10000 launches in one run in", NULL},
    {"a loop in the second run", silent_second_run, "no CUDA call in 0 s", NULL},
    {"many calls", many_calls, NULL, NULL},
    {"many launches in a short time", many_launches_at_once, NULL, "60"},
    {"a long launch", long_launch, NULL, NULL},
    {"work between two runs", between_runs, NULL, NULL},
    {"a host that waits", sleeping, NULL, NULL},
};

// Each child process reads the settings itself, once.
static void set_patience(const char *timeout)
{
    setenv("SIMT_TIMEOUT", timeout ? timeout : "1", 1);
    if (!timeout)
        ((struct settings *)settings())->timeout = PATIENCE;
}

// Runs the case in a child process, whose stderr goes to text. Returns its exit status.
static int run(void (*what)(void), const char *timeout, char *text, size_t size)
{
    int ends[2], status = 0;
    size_t length = 0;
    ssize_t got;
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        set_patience(timeout);
        what();
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        int exit = run(cases[i].run, cases[i].timeout, text, sizeof text);
        int good = cases[i].said ? exit == 1 && strstr(text, cases[i].said) : exit == 0 && !*text;
        printf("%-4s %s: exit %d %s\n", good ? "ok" : "BAD", cases[i].name, exit, text);
        failures += !good;
    }
    return failures > 0;
}
