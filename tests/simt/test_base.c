// The machine's base: helper threads, which are kept, run tasks concurrently, also in a child process; kept memory is
// zeroed whenever it is handed out. Flags of written bytes are kept for the init check only, since their pages must be
// created and cleared.
#include "base/helper.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "machine.h"
#include "memory/memory.h"

#define TASKS 8

static atomic_int met, done;

// Returns once all tasks are running at the same time.
static void meet(void *data)
{
    *(pthread_t *)data = pthread_self();
    atomic_fetch_add(&met, 1);
    while (atomic_load(&met) < TASKS)
        usleep(100);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (sigismember(&blocked, SIGTERM) && !sigismember(&blocked, SIGSEGV))
        atomic_fetch_add(&done, 1);
}

static void run_all(pthread_t *threads)
{
    struct task tasks[TASKS] = {};
    atomic_store(&met, 0);
    atomic_store(&done, 0);
    for (int i = 0; i < TASKS; i++) {
        tasks[i] = (struct task){meet, &threads[i], false};
        helper_start(&tasks[i]);
    }
    for (int i = 0; i < TASKS; i++)
        helper_wait(&tasks[i]);
    check(atomic_load(&done) == TASKS, "helpers", "%d of %d tasks were done, without the program's signals",
          atomic_load(&done), TASKS);
}

static int count_of(pthread_t t, const pthread_t *threads)
{
    int found = 0;
    for (int i = 0; i < TASKS; i++)
        found += pthread_equal(t, threads[i]) != 0;
    return found;
}

static void test_helpers(void)
{
    pthread_t first[TASKS], again[TASKS];
    struct task never = {};
    int status = 1;
    helper_wait(&never);
    run_all(first);
    run_all(again);
    for (int i = 0; i < TASKS; i++) {
        check(count_of(first[i], first) == 1 && !pthread_equal(first[i], pthread_self()), "helpers",
              "task %d has no thread of its own", i);
        check(count_of(again[i], first) == 1, "helpers", "task %d was given a new thread", i);
    }
    pid_t child = fork();
    if (child == 0) {
        alarm(60); // waits for threads that do not exist
        run_all(again);
        _exit(failures != 0);
    }
    check(waitpid(child, &status, 0) == child && status == 0, "helpers", "in a child: status %d", status);
}

static bool is_zero(const uint8_t *p, size_t size)
{
    return *p == 0 && !memcmp(p, p + 1, size - 1);
}

// All at once, so that overlaps show; twice, so that the second round gets used memory.
static void test_kept(void)
{
    static const size_t sizes[] = {1, 4096, 32 << 10, (32 << 10) + 1, 300 << 10, 1 << 20, (1 << 20) + 1, 5 << 20};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    uint8_t *p[SIZES];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SIZES; i++) {
            p[i] = alloc_cached(sizes[i]);
            check(is_zero(p[i], sizes[i]), "memory", "%zu bytes are not zero, round %d", sizes[i], round);
            memset(p[i], i + 1, sizes[i]);
        }
        for (int i = 0; i < SIZES; i++) {
            check(p[i][0] == i + 1 && !memcmp(p[i], p[i] + 1, sizes[i] - 1), "memory", "%zu bytes overlap", sizes[i]);
            free_cached(p[i], sizes[i]);
        }
    }
    free_cached(NULL, 5 << 20);
}

// With this SIMT_CHECK: whether the flags of marked and of copied bytes are set.
static int flags_with(const char *checks)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        setenv("SIMT_CHECK", checks, 1);
        uint64_t base = memory_alloc(64, MEMORY_DEVICE, 0)->base;
        memory_mark_written(base, 32);
        memory_copy_written(base + 32, base, 32);
        _exit(memory_written(base)[0] + memory_written(base)[63]);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_flags(void)
{
    int with = flags_with("init"), without = flags_with("none");
    check(with == 2 && without == 0, "flags of written bytes", "%d with the check init, %d without", with, without);
}

// Fills the allocation and its state. False: they were not zero; only pages of long allocations must be.
static bool was_zero(const struct allocation *a)
{
    uint8_t *p = (uint8_t *)(uintptr_t)a->base,
            *state[] = {memory_written(a->base), memory_write_records(a->base), memory_read_records(a->base)};
    bool zero = is_zero(p + 4096, a->size - 4096);
    memset(p, 1, a->size);
    for (int i = 0; i < 3; i++) {
        zero &= is_zero(state[i], a->size);
        memset(state[i], 1, a->size);
    }
    return zero;
}

// Allocations at one place, of varying sizes, must look new to the program and to the checks.
static void test_reused(void)
{
    static const size_t sizes[] = {9000, 3000000, 5000, 20000, 700000, 3000000, 6000, 2500000};
    for (unsigned i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const struct allocation *freed;
        if (i % 8 != 3) // occasionally an allocation without a place
            memory_place(1);
        const struct allocation *a = memory_alloc(sizes[i % 8], MEMORY_DEVICE, 0);
        memory_place(0);
        check(was_zero(a), "memory", "reused space has a state: %zu bytes, allocation %u", sizes[i % 8], i);
        memory_free(a->base, &freed);
    }
}

int main(void)
{
    test_flags(); // before this process reads its settings
    test_helpers();
    test_kept();
    test_reused();
    printf("%d failures\n", failures);
    return failures != 0;
}
