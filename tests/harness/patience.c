// The end of a program at its time limit (common/workbook/process/work.h): one that sleeps is stopped, never one that
// waits for a core.
#include "process/work.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT = 10 };

static int failures;

static void hold(const char *what, int got, int wanted)
{
    if (got != wanted) {
        printf("FAILED: %s: got %d, wanted %d\n", what, got, wanted);
        failures++;
    }
}

// The end of a program that computes `share` of a core and is checked every second; ready: the interval in seconds at
// which it is found ready to run, 0: never.
static enum patience_end end_of(double share, int ready)
{
    struct patience p = {.seconds = LIMIT};
    enum patience_end end = KEEP_WAITING;

    for (int now = 1; end == KEEP_WAITING && now < 1000; now++)
        end = patience_check(&p, (struct work){share * now, share * now, ready && now % ready == 0}, now);
    return end;
}

// Whether a child that spins or sleeps is found ready to run.
static bool is_ready(bool spins)
{
    pid_t child = fork();
    bool ready = !spins;

    if (child == 0)
        for (;;)
            if (!spins)
                pause();
    for (int i = 0; i < 20 && ready != spins; i++) {
        usleep(10000);
        ready = work_of(child).ready;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return ready;
}

static void *compute(void *nothing)
{
    for (clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;)
        ;
    return nothing;
}

// Whether a thread's CPU time counts after its end.
static bool counts_ended_threads(void)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, compute, NULL) == 0 && pthread_join(thread, NULL) == 0 &&
           work_of(getpid()).all > 0.05;
}

int main(void)
{
    hold("an endless loop", end_of(1, 1), COMPUTED);
    hold("a sleeper", end_of(0, 0), IDLE);
    hold("a sleeper that wakes up at times", end_of(0.001, 50), IDLE);
    hold("no core for it", end_of(0, 1), STARVED);
    hold("hardly a core for its threads", end_of(0.001, 3), STARVED);
    hold("a core now and then", end_of(0.01, 0), STARVED);
    hold("a child that spins is ready", is_ready(true), true);
    hold("a child that sleeps is not", is_ready(false), false);
    hold("a thread that has ended counts", counts_ended_threads(), true);
    return failures > 0;
}
