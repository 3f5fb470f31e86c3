// Which host the current call belongs to. With another host, the sandbox may forbid opening files later, so the outputs
// are opened when it is set.
#include "memory/other_host.h"

#include "report/settings.h"

static const struct simt_other_host *other;
static bool serving;

void simt_other_host(const struct simt_other_host *host)
{
    other = host;
    open_outputs(); // our own sandbox is still open
}

void simt_serve(int on)
{
    serving = on;
}

const struct simt_other_host *other_host(void)
{
    return other;
}

bool serves_other_host(void)
{
    return serving;
}
