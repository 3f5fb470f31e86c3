// A pool of host threads, idle between launches. A child process has none of its parent's threads and starts its own.
#include "base/helper.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/alloc.h"

struct helper {
    pthread_cond_t called;
    struct task *task;   // its current task, or NULL
    struct helper *next; // next idle helper
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t done;
    struct helper *idle;
} helpers = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static void *serve(void *data)
{
    struct helper *h = data;
    pthread_mutex_lock(&helpers.lock);
    for (;;) {
        while (!h->task)
            pthread_cond_wait(&h->called, &helpers.lock);
        pthread_mutex_unlock(&helpers.lock);
        h->task->work(h->task->data);
        pthread_mutex_lock(&helpers.lock);
        h->task->at_work = false;
        h->task = NULL;
        h->next = helpers.idle;
        helpers.idle = h;
        pthread_cond_broadcast(&helpers.done);
    }
    return NULL;
}

// The program's own threads must receive its signals; a fault goes to the thread that caused it.
static bool start_thread(struct task *first)
{
    sigset_t others, before;
    pthread_t thread;
    struct helper *h = alloc_zeroed(1, sizeof *h);
    h->task = first;
    pthread_cond_init(&h->called, NULL);
    sigfillset(&others);
    sigdelset(&others, SIGSEGV);
    sigdelset(&others, SIGBUS);
    sigdelset(&others, SIGFPE);
    sigdelset(&others, SIGILL);
    pthread_sigmask(SIG_BLOCK, &others, &before);
    bool started = !pthread_create(&thread, NULL, serve, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    else
        free(h);
    return started;
}

// A child process has none of its parent's threads.
static void forget_all(void)
{
    helpers.idle = NULL;
    pthread_mutex_init(&helpers.lock, NULL);
    pthread_cond_init(&helpers.done, NULL);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_all);
}

void helper_start(struct task *t)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&helpers.lock);
    t->at_work = true;
    struct helper *h = helpers.idle;
    if (h) {
        helpers.idle = h->next;
        h->task = t;
        pthread_cond_signal(&h->called);
    } else
        t->at_work = start_thread(t);
    pthread_mutex_unlock(&helpers.lock);
}

void helper_wait(struct task *t)
{
    pthread_mutex_lock(&helpers.lock);
    while (t->at_work)
        pthread_cond_wait(&helpers.done, &helpers.lock);
    pthread_mutex_unlock(&helpers.lock);
}
