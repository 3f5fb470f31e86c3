// From a kernel to a loaded function: the text, the host's compiler as a child process, its library (native.h).
//
// Without a compiler, or where it fails, the machine goes on interpreting. One kernel is compiled at a time. Files lie
// in a folder of their own, which is gone when the library is loaded or the program ends.
#define _GNU_SOURCE // for environ
#include "native/native.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "native/text.h"

#define HOT (UINT64_C(20) << 20) // instructions of warps: some tenths of a second

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
    pid_t compiler;
    char folder[PATH_MAX];
} job = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- files

static void in_folder(char *out, size_t size, const char *name)
{
    snprintf(out, size, "%s/%s", job.folder, name);
}

static void remove_folder(void)
{
    char path[PATH_MAX + 300];
    DIR *d = opendir(job.folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        in_folder(path, sizeof path, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(job.folder);
}

static bool write_text(const char *path, const struct code *c)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fputs(native_prelude, out);
    bool done = text_function(out, c);
    return fclose(out) == 0 && done;
}

// ---- the compiler

// What arithmetic as PTX states it takes is in CMakeLists.txt, too.
static bool start_compiler(const char *source, const char *library)
{
    char *arguments[] = {"cc", "-x", "c", "-std=gnu11", "-O1", "-ftree-vectorize", "-fvect-cost-model=unlimited",
                         "-march=native", "-w", "-fPIC", "-shared",
                         "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing", "-pipe",
                         "-o", (char *)library, (char *)source, "-lm", NULL};
    posix_spawn_file_actions_t files;
    if (posix_spawn_file_actions_init(&files))
        return false;
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    bool started = !posix_spawnp(&job.compiler, arguments[0], &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    return started;
}

// The program ends while the compiler runs.
static void end_compiler(void)
{
    if (!job.of)
        return;
    kill(job.compiler, SIGKILL);
    waitpid(job.compiler, NULL, 0);
    remove_folder();
}

static void end_at_exit(void)
{
    atexit(end_compiler);
}

// Under the lock.
static bool begin(struct native *n, const struct code *c)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *temporary = getenv("TMPDIR");
    char source[PATH_MAX + 300], library[PATH_MAX + 300];
    pthread_once(&once, end_at_exit);
    snprintf(job.folder, sizeof job.folder, "%s/simt-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(job.folder))
        return false;
    in_folder(source, sizeof source, "kernel.c");
    in_folder(library, sizeof library, "kernel.so");
    if (!write_text(source, c) || !start_compiler(source, library)) {
        remove_folder();
        return false;
    }
    job.of = n;
    return true;
}

// The compiler has ended: loads what it made. Under the lock.
static void finish(int status)
{
    char library[PATH_MAX + 300];
    struct native *n = job.of;
    in_folder(library, sizeof library, "kernel.so");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        n->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (n->library)
        atomic_store(&n->run, (native_function *)(uintptr_t)dlsym(n->library, "simt_native"));
    remove_folder();
    atomic_store(&n->state, DONE);
    job.of = NULL;
}

static void look(bool wait)
{
    int status = -1;
    pid_t ended = job.of ? waitpid(job.compiler, &status, wait ? 0 : WNOHANG) : 0;
    if (ended == -1) // the program itself has waited for it: what it gave is not known
        finish(1);
    else if (ended)
        finish(status);
}

// ---- kernels

static void close_native(struct native *n)
{
    pthread_mutex_lock(&job.lock);
    if (job.of == n) {
        end_compiler();
        job.of = NULL;
    }
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
    if (!c->native) {
        c->native = alloc_zeroed(1, sizeof *c->native);
        c->close_native = close_native;
    }
    if (wait && atomic_load(&c->native->state) != DONE)
        ask(c, true);
    return &c->native->run;
}

void native_warm(struct code *c, uint64_t n)
{
    struct native *native = c->native;
    if (atomic_load(&native->state) != DONE && atomic_fetch_add(&native->heat, n) + n > HOT)
        ask(c, false);
}
