// Files and the end of the program. A program may end by return, in a child or by a signal. The process that opened the
// outputs writes them once, and not in a signal handler.
#include "report/output.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report/report.h"

#define MOST 4 // functions to call at the end

static struct {
    pthread_mutex_t lock;
    void (*write[MOST])(void);
    int count;
    pid_t process; // 0: there is nothing to write, or nothing more
} end = {.lock = PTHREAD_MUTEX_INITIALIZER};

// %p becomes the process id, %% a single %.
static void expand(const char *name, char *out, size_t size)
{
    size_t at = 0;
    for (; *name && at + 24 < size; name++)
        if (name[0] == '%' && name[1] == 'p') {
            at += (size_t)snprintf(out + at, size - at, "%d", (int)getpid());
            name++;
        } else {
            out[at++] = *name;
            name += name[0] == '%' && name[1] == '%';
        }
    out[at] = 0;
}

// A file that the caller has opened, /dev/fd/9: a sandbox may forbid to open it again. NULL: it is not one.
static FILE *open_descriptor(const char *path)
{
    const char folder[] = "/dev/fd/";
    bool is = strncmp(path, folder, sizeof folder - 1) == 0;
    int file = is ? dup(atoi(path + sizeof folder - 1)) : -1;
    return file < 0 ? NULL : fdopen(file, "w");
}

FILE *output_open(const char *variable, const char *name)
{
    char path[4096];
    expand(name, path, sizeof path);
    FILE *file = open_descriptor(path);
    file = file ? file : fopen(path, "we");
    if (!file)
        complain_of_file(variable, "cannot write %s: %s; the program continues without it", path, strerror(errno));
    return file;
}

void output_close(FILE *file, const char *variable)
{
    bool failed = ferror(file);
    if (fclose(file) || failed)
        complain_of_file(variable, "a file could not be written in full; is the disk full?");
}

void output_at_end(void (*write)(void))
{
    pthread_mutex_lock(&end.lock);
    bool known = false;
    for (int i = 0; i < end.count; i++)
        known |= end.write[i] == write;
    if (!known && end.count < MOST)
        end.write[end.count++] = write;
    pthread_mutex_unlock(&end.lock);
}

void output_end(void)
{
    pthread_mutex_lock(&end.lock);
    bool ours = end.process == getpid(); // a child has our files, but they are not its own
    end.process = 0;
    pthread_mutex_unlock(&end.lock);
    for (int i = 0; ours && i < end.count; i++)
        end.write[i]();
}

void output_begin(void)
{
    end.process = getpid();
    atexit(output_end);
}

// ---- signals

// A handler may have stopped its thread anywhere, in malloc too, so another thread writes.
static struct {
    sem_t wanted;
    atomic_bool watched, written;
} signals;

static void *wait_for_signal(void *unused)
{
    while (sem_wait(&signals.wanted))
        ;
    output_end();
    signals.written = true;
    return unused;
}

// Waits for a limited time: the stopped thread may hold the lock that this one needs.
void output_end_by_signal(void)
{
    const struct timespec pause = {0, 10000000};
    if (!signals.watched || end.process != getpid())
        return;
    sem_post(&signals.wanted);
    for (int i = 0; i < 300 && !signals.written; i++)
        nanosleep(&pause, NULL);
}

static void on_signal(int number)
{
    signal(number, SIG_DFL);
    output_end_by_signal();
    raise(number);
}

void output_watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGABRT};
    sigset_t every, before;
    pthread_t thread;
    if (end.process != getpid() || sem_init(&signals.wanted, 0, 0))
        return;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before); // that thread takes no signals
    signals.watched = !pthread_create(&thread, NULL, wait_for_signal, NULL) && !pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (size_t i = 0; signals.watched && i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_handler = on_signal}, old;
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    }
}
