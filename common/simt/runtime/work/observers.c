// Which observers a launch has (observers.h).
#include "runtime/work/observers.h"

#include "check/check.h"
#include "count/count.h"
#include "report/settings.h"

struct observers observers_in_use(void)
{
    const struct settings *s = settings();
    struct observers o = {.count = 0};
    if (s->count)
        o.list[o.count++] = &count_accesses;
    if (s->check_init)
        o.list[o.count++] = &init_check;
    if (s->check_race)
        o.list[o.count++] = &race_check;
    o.list[o.count++] = &count_runs;
    return o;
}
