// Attempts that a graded program must not get away with, and what it may do. `sandbox ATTEMPT FILE`: exit 0 if it succeeded, 9
// if the system refused it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
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

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*make)(const char *file);
    } attempts[] = {{"signal-parent", signal_parent}, {"limit-parent", limit_parent}, {"change-mode", change_mode},
                 {"write-file", write_file},       {"connect", connect_out},       {"share-memory", share_memory},
                 {"unheard-of", unheard_of},       {"innocent", innocent},         {"aborts", aborts}};
    for (size_t i = 0; argc == 3 && i < sizeof attempts / sizeof *attempts; i++)
        if (!strcmp(argv[1], attempts[i].name)) {
            int failed = attempts[i].make(argv[2]) != 0;
            printf("%s: %s\n", argv[1], failed ? "refused" : "succeeded");
            return failed ? 9 : 0;
        }
    return 1;
}
