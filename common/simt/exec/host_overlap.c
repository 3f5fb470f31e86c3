// Runs a launch that may need the host on a thread of its own. The host leaves at most one behind: its next call waits.
#include "exec/host_overlap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define NAP 20000 // nanoseconds

static struct {
    pthread_mutex_t starts, lock;
    pthread_cond_t changed;
    pthread_t thread;
    int (*work)(void *data);
    void *data;
    int result;
    bool over;             // the work has ended
    bool left;             // the host has gone on, and has not waited for the end yet
    atomic_bool unwatched; // there may be such work, and the host does not wait for it
} beside = {
    .starts = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local bool own_thread;

bool overlap_is_own_thread(void)
{
    return own_thread;
}

static void *run(void *unused)
{
    own_thread = true;
    int result = beside.work(beside.data);
    pthread_mutex_lock(&beside.lock);
    beside.result = result;
    beside.over = true;
    pthread_cond_broadcast(&beside.changed);
    pthread_mutex_unlock(&beside.lock);
    return unused;
}

// Waits until the work has ended, or needs the host. Under the lock.
static int start(int (*work)(void *data), void *data)
{
    beside.work = work;
    beside.data = data;
    beside.over = beside.left = false;
    if (pthread_create(&beside.thread, NULL, run, NULL))
        return work(data);
    while (!beside.over && !beside.left)
        pthread_cond_wait(&beside.changed, &beside.lock);
    if (beside.left)
        return 0;
    pthread_join(beside.thread, NULL);
    return beside.result;
}

int overlap_run(int (*work)(void *data), void *data)
{
    pthread_mutex_lock(&beside.starts);
    overlap_wait();
    pthread_mutex_lock(&beside.lock);
    int result = start(work, data);
    pthread_mutex_unlock(&beside.lock);
    pthread_mutex_unlock(&beside.starts);
    return result;
}

bool overlap_host_continues(void)
{
    static bool at_exit;
    pthread_mutex_lock(&beside.lock);
    if (!beside.left) {
        if (!at_exit)
            at_exit = !atexit(overlap_wait);
        beside.left = true;
        atomic_store(&beside.unwatched, true);
        pthread_cond_broadcast(&beside.changed);
    }
    pthread_mutex_unlock(&beside.lock);
    if (atomic_load(&beside.unwatched))
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    return atomic_load(&beside.unwatched);
}

void overlap_wait(void)
{
    if (own_thread || !atomic_load(&beside.unwatched))
        return;
    pthread_mutex_lock(&beside.lock);
    atomic_store(&beside.unwatched, false);
    while (beside.left && !beside.over)
        pthread_cond_wait(&beside.changed, &beside.lock);
    if (beside.left)
        pthread_join(beside.thread, NULL);
    beside.left = false;
    pthread_mutex_unlock(&beside.lock);
}
