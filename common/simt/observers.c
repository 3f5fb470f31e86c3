// Which observers a launch has.
#include "observers.h"

#include "settings.h"

uint32_t observers_for(const struct observer **out)
{
    const struct settings *s = settings();
    uint32_t n = 0;
    if (s->count)
        out[n++] = &counting;
    if (s->check_init)
        out[n++] = &init_check;
    if (s->check_race)
        out[n++] = &race_check;
    return n;
}
