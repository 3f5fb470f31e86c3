// Runs a launch that may need the host on its own thread. At most one overlaps the host, since the host's next call
// waits for it.
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
    bool left;             // the host has continued, and has not waited for the end yet
    atomic_bool unwatched; // such work may be running, and the host does not wait for it
} overlap = {
    .starts = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local bool own_thread;

bool overlap_is_own_thread(void)
{
    return own_thread;
}

static void *run(void *unused)
{
    own_thread = true;
    int result = overlap.work(overlap.data);
    pthread_mutex_lock(&overlap.lock);
    overlap.result = result;
    overlap.over = true;
    pthread_cond_broadcast(&overlap.changed);
    pthread_mutex_unlock(&overlap.lock);
    return unused;
}

// Waits until the work has ended or needs the host. The lock is held.
static int start(int (*work)(void *data), void *data)
{
    overlap.work = work;
    overlap.data = data;
    overlap.over = overlap.left = false;
    if (pthread_create(&overlap.thread, NULL, run, NULL))
        return work(data);
    while (!overlap.over && !overlap.left)
        pthread_cond_wait(&overlap.changed, &overlap.lock);
    if (overlap.left)
        return 0;
    pthread_join(overlap.thread, NULL);
    return overlap.result;
}

int overlap_run(int (*work)(void *data), void *data)
{
    pthread_mutex_lock(&overlap.starts);
    overlap_wait();
    pthread_mutex_lock(&overlap.lock);
    int result = start(work, data);
    pthread_mutex_unlock(&overlap.lock);
    pthread_mutex_unlock(&overlap.starts);
    return result;
}

bool overlap_host_continues(void)
{
    static bool at_exit;
    pthread_mutex_lock(&overlap.lock);
    if (!overlap.left) {
        if (!at_exit)
            at_exit = !atexit(overlap_wait);
        overlap.left = true;
        atomic_store(&overlap.unwatched, true);
        pthread_cond_broadcast(&overlap.changed);
    }
    pthread_mutex_unlock(&overlap.lock);
    if (atomic_load(&overlap.unwatched))
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    return atomic_load(&overlap.unwatched);
}

void overlap_wait(void)
{
    if (own_thread || !atomic_load(&overlap.unwatched))
        return;
    pthread_mutex_lock(&overlap.lock);
    atomic_store(&overlap.unwatched, false);
    while (overlap.left && !overlap.over)
        pthread_cond_wait(&overlap.changed, &overlap.lock);
    if (overlap.left)
        pthread_join(overlap.thread, NULL);
    overlap.left = false;
    pthread_mutex_unlock(&overlap.lock);
}
