// The wire, the memory that is shared with the devices, and faults in it.
#include "remote/client.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __x86_64__
#include <ucontext.h>
#endif
#include <unistd.h>

#include <cuda_runtime_api.h>

static struct {
    pthread_once_t once;
    pthread_mutex_t lock; // of one request
    int socket, window;
    uint64_t first, size; // addresses of device memory
    bool clean;           // the last reply reported no error
} wire = {.once = PTHREAD_ONCE_INIT, .socket = -1};

static __attribute__((noreturn)) void give_up(const char *why)
{
    fprintf(stderr, "%s\n", why);
    _exit(1);
}

// ---- requests of the judge

static bool copying; // to memory of the host

// A copy is larger than the host's memory: a GPU's driver would end the program, too.
static __attribute__((noreturn)) void refuse_copy(const char *does, uint64_t address)
{
    fflush(stdout);
    fprintf(stderr,
            "simt: a copy %s host memory at or after 0x%llx that the program does not have: its size must be in bytes, "
            "the number of elements times the size of one\n",
            does, (unsigned long long)address);
    _exit(1);
}

static void map_shared(const struct host_range *s)
{
    if (mmap((void *)(uintptr_t)s->address, s->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, wire.window,
             (off_t)s->extra) == MAP_FAILED)
        give_up("out of memory: managed or page-locked memory cannot be mapped");
}

static void call_host(const struct host_call *c)
{
    if (c->callback)
        ((cudaStreamCallback_t)(uintptr_t)c->function)((cudaStream_t)(uintptr_t)c->stream, cudaSuccess,
                                                       (void *)(uintptr_t)c->data);
    else
        ((cudaHostFn_t)(uintptr_t)c->function)((void *)(uintptr_t)c->data);
}

// Handles a request of the judge. False: the message is for another receiver.
static bool obey(struct message *m)
{
    const struct host_range *s = (const struct host_range *)m->bytes;

    switch (m->kind) {
    case MAP: map_shared(s); return true;
    case PROTECT: mprotect((void *)(uintptr_t)s->address, s->size, (int)s->extra); return true;
    case READ:
        if (message_send(wire.socket, ANSWER, (const void *)(uintptr_t)s->address, s->size, NULL, 0) == 0)
            return true;
        if (errno == EFAULT)
            refuse_copy("reads", s->address);
        give_up("the grader has gone");
    case WRITE:
        copying = true;
        memcpy((void *)(uintptr_t)s->address, s + 1, s->size);
        copying = false;
        break;
    case CALL_HOST: call_host((const struct host_call *)m->bytes); break;
    default: return false;
    }
    send_to_judge(ANSWER, NULL, 0);
    return true;
}

static void wait_for(enum message_kind kind, struct message *m)
{
    do
        if (message_receive(wire.socket, m) != 0)
            _exit(1); // it has reported the reason
    while (obey(m));
    if (m->kind != kind)
        give_up("the grader says what it should not");
}

// ---- faults

// The host touched a page that it must not touch now, or ever.
static void on_fault(int number, siginfo_t *info, void *context)
{
    static struct message m; // one fault at a time
    struct fault fault = {(uint64_t)(uintptr_t)info->si_addr, 1};

#ifdef __x86_64__
    fault.write = (((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
#endif
    if (fault.address - wire.first < wire.size) {
        if (message_send(wire.socket, FAULT, &fault, sizeof fault, NULL, 0) != 0)
            _exit(1);
        wait_for(REPLY, &m);
        if (((const struct reply *)m.bytes)->value)
            return;
    }
    if (copying)
        refuse_copy("writes", fault.address);
    signal(number, SIG_DFL);
}

static void watch_faults(void)
{
    static char stack[64 << 10]; // a fault may be a stack overflow
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &action, NULL);
}

// ---- the wire

static void connect_to_judge(void)
{
    const char *text = getenv("WORKBOOK_JUDGE");
    unsigned long long first = 0, size = 0;

    if (!text || sscanf(text, "%d:%d:%llx:%llx", &wire.socket, &wire.window, &first, &size) != 4)
        give_up("This program is one half of a graded one: `workbook run` starts it. The same source compiled by\n"
                "nvcc -I common runs on its own.");
    wire.first = first;
    wire.size = size;
    if (mmap((void *)(uintptr_t)first, size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != (void *)(uintptr_t)first)
        give_up("the addresses of device memory are taken in this process; run it again");
    watch_faults();
    unsetenv("WORKBOOK_JUDGE");
}

int64_t request(enum message_kind kind, const void *head, size_t head_size, const void *more, size_t size,
                struct message *m)
{
    pthread_once(&wire.once, connect_to_judge);
    pthread_mutex_lock(&wire.lock);
    if (message_send(wire.socket, kind, head, head_size, more, size) != 0)
        give_up("the grader has gone");
    wait_for(REPLY, m);
    wire.clean = ((const struct reply *)m->bytes)->kept == 0;
    pthread_mutex_unlock(&wire.lock);
    return ((const struct reply *)m->bytes)->value;
}

void send_to_judge(enum message_kind kind, const void *head, size_t head_size)
{
    pthread_once(&wire.once, connect_to_judge);
    if (message_send(wire.socket, kind, head, head_size, NULL, 0) != 0)
        _exit(1);
}

bool may_have_error(void)
{
    pthread_mutex_lock(&wire.lock);
    bool clean = wire.clean;
    pthread_mutex_unlock(&wire.lock);
    return !clean;
}

void wait_for_run(struct message *m)
{
    wire.clean = false; // the judge calls, too
    wait_for(RUN, m);
}

int refuse_call(const char *name, const char *instead)
{
    fflush(stdout);
    fprintf(stderr, "simt: %s is not supported by the SIMT machine: %s\n", name, instead);
    return cudaErrorNotSupported;
}
