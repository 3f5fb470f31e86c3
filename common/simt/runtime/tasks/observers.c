// The one table of observers, in the order in which they receive an event, each with the setting that turns it on.
#include "runtime/tasks/observers.h"

#include "check/check.h"
#include "check/origin.h"
#include "count/count.h"
#include "count/reach.h"
#include "estimate/clock.h"
#include "estimate/estimate.h"
#include "memory/memory.h"
#include "report/settings.h"
#include "trace/trace.h"

struct observers observers_in_use(const char *kernel)
{
    const struct settings *s = settings();
    bool traced = trace_wants(kernel);
    bool partial = s->sample.on && !s->sample.all; // values, and addresses computed from them, are unknown
    bool estimated = !traced && estimate_wants();
    bool counted = s->count && (s->count_accesses || traced || partial || memory_shares() || estimated);
    const struct {
        bool on;
        const struct observer *observer;
    } all[] = {{traced, &trace_observer}, // before the checks, whose reports refer to it
               {!traced && trace_listens(), &trace_listener},
               {counted, &count_accesses},
               {partial, &reach_observer},
               {estimated, &clock_observer},
               {s->check_init, &init_check},
               {s->check_race && !s->only_copies, &race_check},
               {s->check_race && !s->only_copies && !partial, &constant_check},
               {s->check_sync && !s->only_copies, &lock_check},
               {s->check_origin && !traced && !partial, &origin_observer},
               {true, &count_runs}};
    _Static_assert(sizeof all / sizeof *all <= MAX_OBSERVERS, "one more observer: raise MAX_OBSERVERS, exec/machine.h");
    struct observers o = {.count = 0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].on)
            o.list[o.count++] = all[i].observer;
    return o;
}
