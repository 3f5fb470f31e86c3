// From a kernel to a loaded function: the text, the host's compiler in a process of its own, its library (native.h).
//
// Without a compiler, or where it fails, the machine goes on interpreting. One kernel is compiled at a time, in a
// folder of its own. A shell that outlives the program, whatever ends it, removes the folder once the library is
// loaded: it is no child of the program, which may wait for all its children, and both ends learn from a socket how it
// goes.
#define _GNU_SOURCE // for environ
#include "native/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "native/text.h"
#include "report/settings.h"

// Instructions of warps before a kernel is compiled, about as long as the compiler takes: some tenths of a second, and
// for each of its own instructions 10 ms.
#define HOT (UINT64_C(20) << 20)
#define HOT_BY_INSTRUCTION (UINT64_C(1) << 20)
#define MOST_SECONDS 120 // to wait for the compiler

extern const char native_prelude[]; // made of face.h, decode/bits.h, exec/lane.h and prelude.h

enum state { COLD, ASKED, DONE };

struct native {
    native_slot run;
    atomic_uint_fast64_t heat;
    _Atomic(enum state) state;
    void *library;
};

// The one that is being compiled.
static struct {
    pthread_mutex_t lock;
    struct native *of; // NULL: none is
    pid_t owner;       // the process that asked for it, not one that it has forked since
    time_t since;
    int answer; // the socket
    char folder[PATH_MAX];
} job = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- the compiler

// What arithmetic as PTX states it takes is in CMakeLists.txt, too. cc's own temporary files go to the folder. Clang,
// whose code for such loops is slower than the interpreter, refuses the cost model and is left alone.
static const char script[] =
    "c() { TMPDIR=$1 cc -x c -std=gnu11 -O1 -ftree-vectorize -fvect-cost-model=unlimited -march=native -w -fPIC "
    "-shared -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing -pipe -o kernel.so "
    "kernel.c -lm </dev/null >/dev/null; }\n"
    "exec 3<&0\n"
    "{ trap '' HUP INT PIPE TERM\n"
    "cd \"$1\" && ulimit -t 60 && c \"$1\" && echo y || echo n\n"
    "cat >/dev/null\n"
    "cd / && rm -rf \"$1\"; } <&3 3<&- &";

static void in_folder(char *out, size_t size, const char *name)
{
    snprintf(out, size, "%s/%s", job.folder, name);
}

static bool write_text(const struct code *c)
{
    char path[PATH_MAX + 20];
    in_folder(path, sizeof path, "kernel.c");
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fputs(native_prelude, out);
    bool done = text_function(out, c);
    if (fclose(out) == 0 && done)
        return true;
    unlink(path);
    return false;
}

// Starts the shell, which then goes on by itself. Standard input and output are the other end of the socket.
static bool start_shell(int end)
{
    char *arguments[] = {"sh", "-c", (char *)script, "simt", job.folder, NULL};
    posix_spawn_file_actions_t files;
    pid_t shell;
    if (posix_spawn_file_actions_init(&files))
        return false;
    bool started = !posix_spawn_file_actions_adddup2(&files, end, 0) &&
                   !posix_spawn_file_actions_adddup2(&files, end, 1) &&
                   !posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0) &&
                   !posix_spawnp(&shell, arguments[0], &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    while (started && waitpid(shell, NULL, 0) < 0 && errno == EINTR)
        ;
    return started;
}

static bool start_compiler(void)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return false;
    bool started = start_shell(ends[1]);
    close(ends[1]);
    job.answer = ends[0];
    if (!started)
        close(ends[0]);
    return started;
}

// Under the lock, as all that follows.
static bool begin(struct native *n, const struct code *c)
{
    const char *temporary = setting("TMPDIR");
    int length =
        snprintf(job.folder, sizeof job.folder, "%s/simt-XXXXXX", temporary && *temporary == '/' ? temporary : "/tmp");
    if (length >= (int)sizeof job.folder || !mkdtemp(job.folder))
        return false;
    if (!write_text(c) || !start_compiler()) {
        char path[PATH_MAX + 20];
        in_folder(path, sizeof path, "kernel.c");
        unlink(path);
        rmdir(job.folder);
        return false;
    }
    job.of = n;
    job.owner = getpid();
    job.since = time(NULL);
    return true;
}

// The compiler has ended, or is given up.
static void finish(bool made)
{
    char library[PATH_MAX + 20];
    struct native *n = job.of;
    in_folder(library, sizeof library, "kernel.so");
    if (made)
        n->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (n->library)
        atomic_store(&n->run, (native_function *)(uintptr_t)dlsym(n->library, "simt_native"));
    close(job.answer);
    atomic_store(&n->state, DONE);
    job.of = NULL;
}

// Whether the compiler has ended; wait: waits for it.
static void look(bool wait)
{
    char answer = 'n';
    if (!job.of)
        return;
    if (job.owner != getpid()) { // it is the business of the process that forked this one
        finish(false);
        return;
    }
    struct pollfd socket = {.fd = job.answer, .events = POLLIN};
    int ready;
    while ((ready = poll(&socket, 1, wait ? MOST_SECONDS * 1000 : 0)) < 0 && errno == EINTR)
        ;
    if (ready > 0 && read(job.answer, &answer, 1) != 1)
        answer = 'n';
    if (ready || wait || time(NULL) - job.since > MOST_SECONDS)
        finish(answer == 'y');
}

// ---- kernels

static void close_native(struct native *n)
{
    pthread_mutex_lock(&job.lock);
    if (job.of == n)
        finish(false);
    pthread_mutex_unlock(&job.lock);
    if (n->library)
        dlclose(n->library);
    free(n);
}

static void ask(struct code *c, bool wait)
{
    struct native *n = c->native;
    pthread_mutex_lock(&job.lock);
    look(wait);
    if (!job.of && atomic_load(&n->state) == COLD)
        atomic_store(&n->state, begin(n, c) ? ASKED : DONE);
    look(wait);
    pthread_mutex_unlock(&job.lock);
}

native_slot *native_open(struct code *c, bool wait)
{
    pthread_mutex_lock(&job.lock);
    if (!c->native) {
        c->native = alloc_zeroed(1, sizeof *c->native);
        c->close_native = close_native;
    }
    pthread_mutex_unlock(&job.lock);
    if (wait && atomic_load(&c->native->state) != DONE)
        ask(c, true);
    return &c->native->run;
}

void native_warm(struct code *c, uint64_t n)
{
    struct native *native = c->native;
    uint64_t hot = HOT + c->insn_count * HOT_BY_INSTRUCTION;
    if (atomic_load(&native->state) != DONE && atomic_fetch_add(&native->heat, n) + n > hot)
        ask(c, false);
}
