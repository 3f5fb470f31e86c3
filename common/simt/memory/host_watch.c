// Ends a program whose host is in an endless loop, just as an endless launch is ended. A run, from simt_reset to
// simt_read, is endless if its host
//
//     computes for SIMT_TIMEOUT seconds, of its thread's own time, without a call of the runtime; or
//     has launched MANY kernels, and the thread that runs them has computed for SIMT_TIMEOUT.
//
// A slow computer and a long launch are not endless.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "memory/host_watch.h"
#include "memory/other_host.h"
#include "report/output.h"
#include "report/report.h"
#include "report/settings.h"
#include "report/topics.h"

#define MANY 10000 // launches; a right program needs one for every level, digit or sweep: 536 at most in the workbook
#define CHECK_INTERVAL 250000000 // nanoseconds between checks

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    pthread_t watcher;
    clockid_t host, machine; // the clocks of the host's thread, and of the one that runs its kernels
    bool at_work;
    atomic_uint_fast64_t moves, launches; // calls and launches of this run
    atomic_int launching;                 // launches at work
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

void host_moved(void)
{
    atomic_fetch_add_explicit(&watch.moves, 1, memory_order_relaxed);
}

void host_launches(void)
{
    atomic_fetch_add(&watch.launches, 1);
    atomic_fetch_add(&watch.launching, 1);
}

void host_launched(void)
{
    atomic_fetch_sub(&watch.launching, 1);
}

static void give_up(const char *what, double spent)
{
    complain("error: The host is stuck: %s in %.0f s (SIMT_TIMEOUT). "
             "Is there an endless loop or recursion in the function that launches?",
             what, spent);
    topic_explain("The host is stuck");
    output_end();
    _exit(1);
}

static void *watch_thread(void *unused)
{
    double patience = settings()->timeout;
    double begin = clock_seconds(watch.machine), idle_since = clock_seconds(watch.host);
    uint64_t moves = 0;
    pthread_mutex_lock(&watch.lock);
    while (watch.at_work) {
        struct timespec wake;
        clock_gettime(CLOCK_REALTIME, &wake);
        wake.tv_sec += (wake.tv_nsec + CHECK_INTERVAL) / 1000000000;
        wake.tv_nsec = (wake.tv_nsec + CHECK_INTERVAL) % 1000000000;
        pthread_cond_timedwait(&watch.ended, &watch.lock, &wake);
        uint64_t now = atomic_load(&watch.moves);
        if (now != moves || atomic_load(&watch.launching) > 0)
            idle_since = clock_seconds(watch.host);
        moves = now;
        if (watch.at_work && clock_seconds(watch.host) - idle_since > patience)
            give_up("no CUDA call", patience);
        double computed = clock_seconds(watch.machine) - begin;
        if (watch.at_work && atomic_load(&watch.launches) > MANY && computed > patience)
            give_up("over 10000 launches in one run", computed);
    }
    pthread_mutex_unlock(&watch.lock);
    return unused;
}

void host_watch_begin(void)
{
    host_watch_end();
    atomic_store(&watch.moves, 0);
    atomic_store(&watch.launches, 0);
    watch.at_work = pthread_getcpuclockid(pthread_self(), &watch.machine) == 0 &&
                    (other_host() ? clock_getcpuclockid(other_host()->process, &watch.host)
                                  : pthread_getcpuclockid(pthread_self(), &watch.host)) == 0;
    if (watch.at_work && pthread_create(&watch.watcher, NULL, watch_thread, NULL) != 0)
        watch.at_work = false;
}

void host_watch_end(void)
{
    bool at_work;
    pthread_mutex_lock(&watch.lock);
    at_work = watch.at_work;
    watch.at_work = false;
    pthread_cond_signal(&watch.ended);
    pthread_mutex_unlock(&watch.lock);
    if (at_work)
        pthread_join(watch.watcher, NULL);
}
