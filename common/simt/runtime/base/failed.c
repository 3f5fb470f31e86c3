// Failed calls, for programs that ignore what a call returns: prints a line for each call whose error cudaGetLastError
// returns, and reports launches whose refusal was never checked.
#include <pthread.h>
#include <stdio.h>

#include "memory/other_host.h"
#include "report/host_line.h"
#include "report/names.h"
#include "report/report.h"
#include "runtime/base/base.h"

#define SHOWN 32  // failing calls that are printed, by place and error
#define UNSEEN 32 // refused launches that are kept

struct failure {
    cudaError_t error;
    char name[64], line[HOST_LINE]; // "" where unknown
};

static struct {
    pthread_mutex_t lock;
    struct failure shown[SHOWN];
    uint32_t shown_count;
    struct unseen {
        pthread_t thread;
        char kernel[128], line[HOST_LINE];
        cudaError_t error;
    } unseen[UNSEEN];
    uint32_t unseen_count;
} failures = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct failure last;
static _Thread_local bool stale;           // a launch has succeeded since
static _Thread_local uint64_t complaints;  // lines that this thread had caused at the last failure

static struct failure failure_of(cudaError_t e)
{
    struct failure f = {.error = e};
    char name[HOST_LINE];
    host_call_name(name);
    snprintf(f.name, sizeof f.name, "%.63s", strncmp(name, "__cuda", 6) ? name : "a launch");
    host_caller(f.line);
    return f;
}

// Whether it is the first of its kind; remembers it.
static bool is_new(const struct failure *f)
{
    pthread_mutex_lock(&failures.lock);
    bool known = failures.shown_count == SHOWN;
    for (uint32_t i = 0; i < failures.shown_count; i++) {
        const struct failure *s = &failures.shown[i];
        known |= s->error == f->error && !strcmp(s->name, f->name) && !strcmp(s->line, f->line);
    }
    if (!known)
        failures.shown[failures.shown_count++] = *f;
    pthread_mutex_unlock(&failures.lock);
    return !known;
}

void call_failed(cudaError_t e)
{
    bool explained = complaints_so_far() != complaints;
    if (other_host() || e == cudaErrorDevicesUnavailable) // the failure was requested (fail_call)
        return;
    last = failure_of(e);
    stale = false;
    if (!explained && is_new(&last))
        complain("%s fails: %s (%s)", last.name[0] ? last.name : "a call", cudaGetErrorString(e), cudaGetErrorName(e));
    complaints = complaints_so_far();
}

void launch_succeeded(void)
{
    stale = true;
}

void error_queried(cudaError_t e)
{
    uint32_t kept = 0;
    if (e && stale && e == last.error)
        complain("this error (%s) is not from the launches before: %s failed%s%s", cudaGetErrorName(e),
                 last.name[0] ? last.name : "a call before them", last.line[0] ? " at " : "", last.line);
    stale = false;
    pthread_mutex_lock(&failures.lock);
    for (uint32_t i = 0; i < failures.unseen_count; i++)
        if (!pthread_equal(failures.unseen[i].thread, pthread_self()))
            failures.unseen[kept++] = failures.unseen[i];
    failures.unseen_count = kept;
    pthread_mutex_unlock(&failures.lock);
}

void launch_refused(const char *kernel, cudaError_t e)
{
    struct unseen u = {.thread = pthread_self(), .error = e};
    if (other_host() || error_lasts(e) || e == cudaErrorDevicesUnavailable)
        return;
    snprintf(u.kernel, sizeof u.kernel, "%s", kernel_name(kernel));
    host_caller(u.line);
    pthread_mutex_lock(&failures.lock);
    if (failures.unseen_count < UNSEEN)
        failures.unseen[failures.unseen_count++] = u;
    pthread_mutex_unlock(&failures.lock);
}

void report_unseen_launches(void)
{
    for (uint32_t i = 0; i < failures.unseen_count; i++) {
        const struct unseen *u = &failures.unseen[i];
        report_at_end("The launch of %s%s%s was refused (%s), and the program never checked: "
                      "call cudaGetLastError after each launch",
                      u->kernel, u->line[0] ? " at " : "", u->line, cudaGetErrorString(u->error));
    }
    failures.unseen_count = 0;
}
