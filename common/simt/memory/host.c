// What the host may touch, and when: device memory is protected from it. So is memory that a copy or kernel still uses,
// until the host has waited for it.
#define _GNU_SOURCE // the processor's description of a fault
#include "memory/arena.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined __x86_64__ || defined __aarch64__
#include <ucontext.h>
#endif
#include <unistd.h>

#include "base/alloc.h"
#include "memory/host_stack.h"
#include "memory/other_host.h"
#include "report/host_line.h"
#include "report/output.h"
#include "report/report.h"
#include "report/settings.h"
#include "report/topics.h"

#define FLIGHTS 64    // maximum of watched flights
#define BLOCK_HEAD 16 // bytes before a block of malloc, which free reads
#define RUNS 8        // runs of touched pages in an allocation; the last run takes all further pages

struct flight {
    uint64_t first, end; // addresses
    enum flight_kind kind;
    uint64_t operation; // its number (check/streams.h)
    bool landed;        // no longer watched
    struct flight *next;
};

// Sets the host's rights to the pages to `protection`. If that adds rights, it must succeed.
static void set_rights(void *p, uint64_t size, int protection)
{
    if (other_host())
        other_host()->protect((uint64_t)(uintptr_t)p, size, protection);
    else if (protection == (PROT_READ | PROT_WRITE))
        open_pages(p, size);
    else
        mprotect(p, size, protection);
}

// Sets the protection of the devices' part of the arena, shared memory excluded. Another host never sees that part.
static void protect(int protection)
{
    uint64_t at = 0;
    if (other_host())
        return;
    for (uint32_t i = 0; i <= arena.shared_count; i++) {
        uint64_t end = i < arena.shared_count ? arena.shared[i].first : arena.committed;
        if (end > at)
            set_rights(arena.data + at, end - at, protection);
        at = i < arena.shared_count ? arena.shared[i].end : at;
    }
}

// Sets the host's rights to the pages of a flight.
static void protect_flight(const struct flight *f, int protection)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t first = f->first / page * page, end = (f->end + page - 1) / page * page;
    if (!f->landed)
        set_rights((void *)(uintptr_t)first, end - first, protection);
}

enum { READ = 1 << FLIGHT_READ, OTHERS = 1 << FLIGHT_FILLED | 1 << FLIGHT_KERNEL }; // sets of kinds

// Sets the host's rights to the pages of all flights of these kinds that share a page with [from, end). Flights are
// sorted by address, and neighbours get one system call: a program that copies an array in parts has dozens of them.
static void protect_kinds(uint32_t kinds, uint64_t from, uint64_t end, int protection)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    struct flight run = {.landed = true};
    for (const struct flight *f = arena.flights; f && f->first / page < (end - 1) / page + 1; f = f->next) {
        if (f->landed || !(kinds >> f->kind & 1) || (f->end - 1) / page < from / page)
            continue;
        if (run.landed || f->first > run.end) {
            protect_flight(&run, protection);
            run = *f;
        }
        run.end = f->end > run.end ? f->end : run.end;
    }
    protect_flight(&run, protection);
}

// If two flights share a page, the one that is being filled decides.
static void protect_flights_near(uint64_t from, uint64_t end)
{
    protect_kinds(READ, from, end, PROT_READ);
    protect_kinds(OTHERS, from, end, PROT_NONE);
}

static void protect_flights(void)
{
    protect_flights_near(0, UINT64_MAX);
}

// While work runs, all flights are opened at once when it first touches one of them: most work touches none, and each
// of these calls costs more than a small copy.
static void open_flights(void)
{
    protect_kinds(READ | OTHERS, 0, UINT64_MAX, PROT_READ | PROT_WRITE);
    arena.flights_open = true;
}

static void add_flight(struct flight *f)
{
    struct flight **link = &arena.flights;
    while (*link && (*link)->first < f->first)
        link = &(*link)->next;
    f->next = *link;
    *link = f;
    arena.flight_count++;
}

struct flight *memory_in_flight(uint64_t address, uint64_t size, enum flight_kind kind, uint64_t operation)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const struct allocation *a = memory_find(address);
    uint64_t end = address + size;
    struct flight *f = NULL;
    if (a && a->kind == MEMORY_REGISTERED) { // pages that it shares with no other flight
        uint64_t first = (a->base + page - 1) / page * page, last = (a->base + a->size) / page * page;
        address = address < first ? first : address;
        end = end > last ? last : end;
    }
    pthread_mutex_lock(&arena.lock);
    if (arena.watched && settings()->check_memory && arena.flight_count < FLIGHTS && address < end) {
        f = alloc_resize(NULL, 1, sizeof *f);
        *f = (struct flight){address, end, kind, operation, false, NULL};
        add_flight(f);
        protect_flights_near(address, end);
    }
    pthread_mutex_unlock(&arena.lock);
    return f;
}

void memory_landed(struct flight *f)
{
    pthread_mutex_lock(&arena.lock);
    struct flight **link = &arena.flights;
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    arena.flight_count--;
    protect_flight(f, PROT_READ | PROT_WRITE);
    protect_flights_near(f->first, f->end);
    pthread_mutex_unlock(&arena.lock);
    free(f);
}

void land_all(uint64_t first, uint64_t end)
{
    for (struct flight *f = arena.flights; f; f = f->next)
        if (f->first >= first && f->first < end) {
            protect_flight(f, PROT_READ | PROT_WRITE);
            f->landed = true;
        }
}

static void open_all(void)
{
    if (arena.closed)
        protect(PROT_READ | PROT_WRITE);
    arena.closed = false;
}

// The last piece of work has ended.
static void close_all(void)
{
    if (!arena.closed)
        protect(PROT_NONE);
    arena.closed = true;
    if (arena.flights_open)
        protect_flights();
    arena.flights_open = false;
}

void memory_open(void)
{
    if (!settings()->check_memory)
        return;
    use_memory();
    pthread_mutex_lock(&arena.lock);
    arena.at_work++;
    open_all();
    pthread_mutex_unlock(&arena.lock);
}

void memory_close(void)
{
    if (!settings()->check_memory)
        return;
    pthread_mutex_lock(&arena.lock);
    if (--arena.at_work == 0)
        close_all();
    pthread_mutex_unlock(&arena.lock);
}

void memory_keep_out(void)
{
    if (!__atomic_load_n(&arena.closed, __ATOMIC_RELAXED)) {
        memory_open();
        memory_close();
    }
}

bool memory_is_in_flight(const struct flight *f, uint64_t address, uint64_t size)
{
    return f->kind == FLIGHT_KERNEL && !f->landed && f->first <= address && address + size <= f->end;
}

// The faulting instruction; 0: unknown.
static uint64_t pc_of(const void *context)
{
#if defined __x86_64__
    return context ? (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] : 0;
#elif defined __aarch64__
    return context ? ((const ucontext_t *)context)->uc_mcontext.pc : 0;
#else
    (void)context;
    return 0;
#endif
}

static void say(const char *text)
{
    record_finding_of_the_host(text);
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(1);
    topic_explain(text + strlen("simt: error: "));
}

static void tell(const char *text)
{
    finding_of_the_host();
    say(text);
}

// "; the host is at sum.cu:29\n", if the processor reports the instruction and its line is known.
static const char *add_place(char *text, size_t size, const void *context)
{
    char line[HOST_LINE] = "";
    struct host_frames f = {{0}};
    uint64_t pc = pc_of(context);
    size_t length = strlen(text);
    if (pc && !host_line(pc, line)) // the instruction is in a library
        host_frames(&f);
    if (line[0] || host_frames_line(&f, line))
        snprintf(text + length, size - length, "; the host is at %s", line);
    length = strlen(text);
    snprintf(text + length, size - length, "\n");
    return text;
}

static void report_flight(const struct flight *f, uint64_t at, const void *context)
{
    const struct allocation *a = memory_find(at);
    char text[700];
    snprintf(text, sizeof text,
             "simt: error: the host %s byte %llu of %llu bytes of page-locked memory, "
             "before it has waited for the copy that %s them: cudaStreamSynchronize is missing",
             f->kind == FLIGHT_FILLED ? "touches" : "writes", (unsigned long long)(at - a->base),
             (unsigned long long)a->size, f->kind == FLIGHT_FILLED ? "fills" : "reads");
    tell(add_place(text, sizeof text, context));
    if (arena.witness)
        arena.witness(f->operation, text);
}

enum touch { TOUCH_READ, TOUCH_WRITE, TOUCH_UNKNOWN };

// Handles a touch of memory that kernels use. Releases all of it if the host should have waited, or knew from the
// kernel that it need not; otherwise only this page, until the next work starts. Returns what the host may do there
// now.
static int touch_of_kernels(uint64_t at, enum touch touch, const void *context)
{
    char text[1000] = ""; // half of it for the location
    enum verdict v = arena.judge ? arena.judge(at, touch == TOUCH_WRITE, text, sizeof text / 2) : VERDICT_INNOCENT;
    for (struct flight *f = arena.flights; v != VERDICT_INNOCENT && f; f = f->next)
        if (f->kind == FLIGHT_KERNEL && !f->landed) {
            protect_flight(f, PROT_READ | PROT_WRITE);
            f->landed = true;
        }
    protect_flights(); // copies continue
    if (v == VERDICT_GUILTY)
        tell(add_place(text, sizeof text, context));
    return v == VERDICT_INNOCENT && touch == TOUCH_READ ? PROT_READ : PROT_READ | PROT_WRITE;
}

// ---- one instruction of the host

#define STEPS 8192 // maximum of single-stepped instructions; then copies that share the page are released

static struct {
    bool ready; // the signal that follows an instruction is ours
    uint32_t count;
} steps;

#ifdef __x86_64__
#define TRAP_FLAG 0x100 // the processor stops after the next instruction

static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    pthread_mutex_lock(&arena.lock);
    if (arena.at_work == 0)
        protect_flights();
    pthread_mutex_unlock(&arena.lock);
}

static void watch_steps(void)
{
    const struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction old;
    if (!sigaction(SIGTRAP, NULL, &old) && old.sa_handler == SIG_DFL)
        steps.ready = !sigaction(SIGTRAP, &action, NULL);
}

static bool can_step(const void *context)
{
    return context && steps.ready && steps.count < STEPS;
}

// Lets the host run the stopped instruction, then protects the pages of flights again.
static void step(const void *context)
{
    ((ucontext_t *)(uintptr_t)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    steps.count++;
}
#else
static void watch_steps(void)
{
}

static bool can_step(const void *context)
{
    (void)context;
    return false;
}

static void step(const void *context)
{
    (void)context;
}
#endif

// Releases the copies of a page that contain the byte `hit`, or all of them. True: one is still in flight.
static bool release_copies(uint64_t start, uint64_t page, uint64_t hit, bool all)
{
    bool in_flight = false;
    for (struct flight *f = arena.flights; f; f = f->next) {
        if (f->landed || f->kind == FLIGHT_KERNEL || f->first >= start + page || f->end <= start)
            continue;
        if (!(hit >= f->first && hit < f->end) && !all) {
            in_flight = true;
            continue;
        }
        protect_flight(f, PROT_READ | PROT_WRITE);
        f->landed = true;
    }
    return in_flight;
}

static bool is_watched(uint64_t start, uint64_t page)
{
    bool any = false;
    for (const struct flight *f = arena.flights; f; f = f->next)
        any |= !f->landed && f->first < start + page && f->end > start;
    return any;
}

// The host touched a page of a flight. Reports a touch of the flight itself. Other copies on the page stay in flight if
// the processor can stop after one instruction, otherwise they are released. False: no flight is involved.
static bool land_early(uint64_t at, enum touch touch, const void *context)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = at / page * page;
    struct flight *hit = NULL;
    bool any = false, filled = false, kernel = false;
    int protection = PROT_READ | PROT_WRITE;
    pthread_mutex_lock(&arena.lock);
    if (arena.at_work > 0) { // it is the work's touch, or nothing is watched meanwhile
        any = is_watched(start, page);
        if (any)
            open_flights();
        pthread_mutex_unlock(&arena.lock);
        return any;
    }
    for (struct flight *f = arena.flights; f; f = f->next) {
        bool here = !f->landed && f->first < start + page && f->end > start;
        filled |= here && f->kind == FLIGHT_FILLED;
        kernel |= here && f->kind == FLIGHT_KERNEL;
        any |= here;
    }
    for (struct flight *f = arena.flights; f; f = f->next)
        if (!f->landed && f->kind == (filled ? FLIGHT_FILLED : FLIGHT_READ) && at >= f->first && at < f->end)
            hit = f;
    bool in_flight = release_copies(start, page, hit ? at : 0, !can_step(context));
    if (kernel)
        protection = touch_of_kernels(at, touch, context);
    if (any)
        set_rights((void *)(uintptr_t)start, page, protection);
    arena.flights_open |= any; // until the next work ends
    if (in_flight)
        step(context);
    pthread_mutex_unlock(&arena.lock);
    if (hit)
        report_flight(hit, at, context);
    return any;
}

// The kind of the faulting access, if the processor reports it.
static enum touch touch_of(const void *context)
{
#ifdef __x86_64__
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2 ? TOUCH_WRITE : TOUCH_READ;
#else
    (void)context;
    return TOUCH_UNKNOWN;
#endif
}

// Host memory that a copy in this thread is touching.
static _Thread_local struct {
    const char *call; // NULL: none
    uint64_t first, size;
    bool reads;
} copied;

void memory_copies(const char *call, const void *p, uint64_t size, bool reads)
{
    copied.call = call;
    copied.first = (uint64_t)(uintptr_t)p;
    copied.size = size;
    copied.reads = reads;
}

static bool is_unmapped(uint64_t at)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    unsigned char resident;
    return mincore((void *)(uintptr_t)(at / page * page), 1, &resident) && errno == ENOMEM;
}

// The host faulted at `at`. Reports why, if it must not continue.
static bool may_continue(uint64_t at, enum touch touch, const void *context)
{
    const struct allocation *a = memory_find(at), *near = a ? NULL : memory_nearest(at + BLOCK_HEAD);
    char text[700];
    bool gone = a && a->kind == MEMORY_REGISTERED && is_unmapped(at);
    if (a && !gone && land_early(at, touch, context))
        return true;
    if (gone) {
        snprintf(text, sizeof text,
                 "simt: error: byte %llu of %llu bytes of host memory at %p, which cudaHostRegister has registered, "
                 "is not there: it was freed or unmapped before cudaHostUnregister\n",
                 (unsigned long long)(at - a->base), (unsigned long long)a->size, (void *)(uintptr_t)a->base);
        say(text);
    } else if (a && a->kind != MEMORY_REGISTERED) {
        snprintf(text, sizeof text,
                 "simt: error: the host touched device memory: byte %llu of %s allocation of %llu bytes; %s",
                 (unsigned long long)(at - a->base), a->live ? "an" : "a freed", (unsigned long long)a->size,
                 a->live ? "copy with cudaMemcpy" : "do not use it after cudaFree");
        say(add_place(text, sizeof text, context));
    } else if (!a && near && near->base - at <= BLOCK_HEAD) {
        snprintf(text, sizeof text,
                 "simt: error: the host touched device memory: %llu bytes before an allocation of %llu bytes; "
                 "free and delete take memory of malloc and new, and cudaFree that of cudaMalloc",
                 (unsigned long long)(near->base - at), (unsigned long long)near->size);
        say(add_place(text, sizeof text, context));
    } else if (!a && copied.call && at - copied.first < copied.size) {
        snprintf(text, sizeof text,
                 "simt: error: %s %s %llu bytes of host memory at %p, but byte %llu is not there: it was freed, "
                 "or never allocated",
                 copied.call, copied.reads ? "reads" : "writes", (unsigned long long)copied.size,
                 (void *)(uintptr_t)copied.first, (unsigned long long)(at - copied.first));
        say(add_place(text, sizeof text, context));
    }
    return false;
}

// size: bytes of a stack that has overflowed; 0: it has not.
static void report_stack_overflow(uint64_t size)
{
    char text[160];
    if (!size)
        return;
    snprintf(text, sizeof text,
             "simt: error: the host's stack of %llu KiB is full: endless recursion, "
             "or a local array that is too large?\n",
             (unsigned long long)(size >> 10));
    say(text);
}

int simt_host_fault(uint64_t address, int write)
{
    return may_continue(address, write ? TOUCH_WRITE : TOUCH_READ, NULL);
}

// A fault in the arena is the host's: kernels' accesses are checked before they are made. A fault that must not
// continue becomes an ordinary one, as on a machine with a GPU.
static void on_fault(int number, siginfo_t *info, void *context)
{
    uint64_t at = (uint64_t)(uintptr_t)info->si_addr;
    if (may_continue(at, touch_of(context), context))
        return;
    report_stack_overflow(stack_is_full(at, context));
    output_end_by_signal();
    signal(number, SIG_DFL);
}

static void watch_faults(void)
{
    static char stack[64 << 10]; // a fault may be a full stack
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    settings();
    if (!other_host()) // which may end this process at any time
        output_watch_signals();
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK}, old;
    if (sigaction(SIGSEGV, NULL, &old) || old.sa_handler != SIG_DFL) // the program has its own: it stays
        return;
    stack_remember();
    sigaltstack(&other, NULL);
    arena.watched = !sigaction(SIGSEGV, &action, NULL);
    watch_steps();
}

void use_memory(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_faults);
    use_arena();
}

// ---- kernels' touches of memory shared with the host

static name_host_variable *variable_of;

void memory_names(name_host_variable *name)
{
    variable_of = name;
}

const char *memory_host_variable(uint64_t address)
{
    return variable_of ? variable_of(address) : NULL;
}

const char *memory_host_part(uint64_t address)
{
    return other_host() ? NULL : host_part(address);
}

void memory_judge(judge_touch *judge)
{
    arena.judge = judge;
}

void memory_witness(witness_touch *witness)
{
    arena.witness = witness;
}

void memory_touch(uint64_t address, uint32_t stamp)
{
    if (!__atomic_load_n(&arena.shares, __ATOMIC_RELAXED))
        return;
    uint64_t offset = shadow_offset(address);
    if (offset >= arena.size)
        return;
    uint32_t *page = &arena.touched[offset / PAGE];
    if (__atomic_load_n(page, __ATOMIC_RELAXED) != stamp)
        __atomic_store_n(page, stamp, __ATOMIC_RELAXED);
}

static uint32_t touched_runs(const struct allocation *a, uint32_t stamp, struct stretch *out, uint32_t most)
{
    uint32_t runs = 0, limit = most < RUNS ? most : RUNS;
    const uint32_t *pages = &arena.touched[shadow_offset(a->base) / PAGE];
    uint64_t start = a->base / PAGE * PAGE, end = a->base + a->size, from = 0;
    for (uint64_t at = start; at < end + PAGE; at += PAGE) {
        bool hit = at < end && __atomic_load_n(&pages[(at - start) / PAGE], __ATOMIC_RELAXED) == stamp;
        if (hit && !from && runs < limit)
            from = at < a->base ? a->base : at;
        if (hit || !from || (runs == limit - 1 && at < end))
            continue;
        out[runs++] = (struct stretch){from, at < end ? at : end};
        from = 0;
    }
    return runs;
}

uint32_t memory_touched(uint32_t stamp, struct stretch *out, uint32_t most)
{
    uint32_t n = 0;
    if (!__atomic_load_n(&arena.shares, __ATOMIC_RELAXED) || !arena.watched || !settings()->check_memory)
        return 0;
    pthread_mutex_lock(&arena.lock);
    for (uint32_t i = 1; i < arena.record_count; i++) {
        const struct allocation *a = &arena.records[i];
        if (a->live && (a->kind == MEMORY_MANAGED || a->kind == MEMORY_HOST))
            n += touched_runs(a, stamp, out + n, most - n);
    }
    for (const struct mapping *m = arena.mappings; m; m = m->next)
        if (m->memory.live)
            n += touched_runs(&m->memory, stamp, out + n, most - n);
    pthread_mutex_unlock(&arena.lock);
    return n;
}
