// Attempts that must fail for a graded program, and what it may do. `sandbox ATTEMPT FILE`: exit 0 if it succeeded, 9
// if the system refused it.
#include "remote/sandbox.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int signal_parent(const char *file)
{
    (void)file;
    return (int)syscall(SYS_tgkill, getppid(), getppid(), SIGKILL);
}

static int limit_parent(const char *file)
{
    struct rlimit none = {0, 0};
    (void)file;
    return (int)syscall(SYS_prlimit64, getppid(), RLIMIT_FSIZE, &none, NULL);
}

static int change_mode(const char *file) // fchmodat2, younger than most C libraries
{
    return (int)syscall(452, AT_FDCWD, file, 0777, 0);
}

static int write_file(const char *file)
{
    return open(file, O_WRONLY) < 0;
}

static int connect_out(const char *file)
{
    (void)file;
    return socket(AF_INET, SOCK_STREAM, 0) < 0;
}

static int share_memory(const char *file)
{
    (void)file;
    return shmget(IPC_PRIVATE, 4096, 0600) < 0;
}

static int signal_by_a_file(const char *file) // SIGIO, or another signal, when something arrives
{
    (void)file;
    return fcntl(STDOUT_FILENO, F_SETOWN, getppid());
}

static bool readable(const char *file)
{
    char byte;
    int opened = open(file, O_RDONLY);
    return opened >= 0 && read(opened, &byte, 1) == 1;
}

static bool parent_readable(const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), what);
    return readable(path);
}

// Enclosed by itself, as a submission is by its judge. file: one that it may not read.
static int look_around(const char *file)
{
    bool before = readable(file) && parent_readable("cmdline");
    if (!sandbox_enclose("/proc/self/exe"))
        return puts("this system has no Landlock"); // no layer to test
    bool own = readable("/proc/self/exe") && readable("/proc/self/maps") && readable("/etc/ld.so.cache");
    bool others = readable(file) || parent_readable("cmdline") || parent_readable("environ") || parent_readable("maps");
    return before && own && !others; // it may read its own, and those are refused
}

static int unheard_of(const char *file) // a call that no kernel has
{
    (void)file;
    return (int)syscall(1000);
}

static void *answer(void *in)
{
    *(int *)in = 42;
    return in;
}

static int innocent(const char *file)
{
    int value = 0;
    char text[64];
    struct rlimit limit;
    pthread_t thread;
    FILE *self = fopen(file, "r");
    int bad = !self || !fgets(text, sizeof text, self) || getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
              pthread_create(&thread, NULL, answer, &value) != 0 || pthread_join(thread, NULL) != 0 || value != 42;
    return bad;
}

static int aborts(const char *file)
{
    (void)file;
    abort();
}

// clang-format off
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*make)(const char *file);
    } attempts[] = {{"signal-parent", signal_parent}, {"limit-parent", limit_parent}, {"change-mode", change_mode},
                 {"write-file", write_file},       {"connect", connect_out},       {"share-memory", share_memory},
                 {"unheard-of", unheard_of},       {"innocent", innocent},         {"aborts", aborts},
                 {"signal-by-a-file", signal_by_a_file}, {"look-around", look_around}};
    for (size_t i = 0; argc == 3 && i < sizeof attempts / sizeof *attempts; i++)
        if (!strcmp(argv[1], attempts[i].name)) {
            int failed = attempts[i].make(argv[2]) != 0;
            printf("%s: %s\n", argv[1], failed ? "refused" : "succeeded");
            return failed ? 9 : 0;
        }
    return 1;
}
// clang-format on
