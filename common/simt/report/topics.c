// The classes of findings. A class is recognised by how its sentence begins, and by later words if several classes
// begin alike: the first matching row counts. tests/docs/findings.sh compares the names with the sections of
// docs/findings.md.
#include "report/topics.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct topic {
    const char *name, *begin, *within; // within: NULL: anything may follow
} topics[] = {
    {"race-streams", "Race (", "between streams"},
    {"race-stale", "Race (stale read)", NULL},
    {"race-stale", "Race (RAW)", "as data that this kernel does not change"},
    {"proxy-fence", "Race (RAW)", "by the async proxy"},
    {"proxy-fence", "Race (RAW)", "no fence.proxy.tensormap"},
    {"race-raw", "Race (RAW)", NULL},
    {"race-war", "Race (WAR)", NULL},
    {"race-waw", "Race (WAW)", NULL},
    {"init-shared", "Uninitialized __shared__", NULL},
    {"init-local", "Uninitialized local variable", NULL},
    {"init-local", "Uninitialized __local__", NULL},
    {"init-global", "Uninitialized ", NULL},
    {"memset-bytes", "Read of 4 bytes", "cudaMemset has set each byte"},
    {"init-constant", "Read of a __constant__ variable", NULL},
    {"misaligned", "Misaligned ", NULL},
    {"wgmma-descriptor", "Invalid matrix descriptor", NULL},
    {"tensor-map", "Invalid tensor map", NULL},
    {"tensor-map", "Invalid box", NULL},
    {"cluster-peer", "Invalid __shared__", "of the cluster"},
    {"bounds-shared", "Invalid __shared__", NULL},
    {"bounds-local", "Invalid __local__", NULL},
    {"bounds-local", "Invalid __param__", NULL},
    {"freed", "Invalid __", "that were freed"},
    {"null-pointer", "Invalid __", "a null pointer"},
    {"peer-access", "Invalid __", "has no access to it"},
    {"host-pointer", "Invalid __", "lies in no allocation of the device"},
    {"bounds-global", "Invalid __", NULL},
    {"texture", "Invalid surface", NULL},
    {"texture", "Invalid texture object", NULL},
    {"barrier-missed", "Barrier error detected. Divergent", NULL},
    {"barrier-missed", "", "threads exited before the barrier"},
    {"barrier-missed", "", "threads exited before the cluster's barrier"},
    {"cluster-barrier", "Barrier error detected. ", "at the cluster's barrier"},
    {"active-mask", "The shuffle at ", "__activemask()"},
    {"warp-mask", "Barrier error detected. Invalid arguments", NULL},
    {"warp-mask", "Barrier error detected. The instruction", "takes all 32 lanes"},
    {"shuffle-absent", "Barrier error detected. ", "which does not take part"},
    {"barrier-number", "Barrier error detected. Barrier ", NULL},
    {"wgmma-order", "Warpgroup error detected. ", "wgmma.fence"},
    {"wgmma-order", "Warpgroup error detected. ", "wgmma.wait_group"},
    {"warpgroup", "Warpgroup error detected. ", NULL},
    {"mbarrier", "Barrier error detected. mbarrier", NULL},
    {"bulk-copy", "Barrier error detected. The bulk copy", NULL},
    {"bulk-copy", "Barrier error detected. The copy of a tensor", NULL},
    {"bulk-copy", "Barrier error detected. The asynchronous", NULL},
    {"endless-loop", "The kernel does not end: ", "in which nothing changes"},
    {"endless-loop", "The kernel does not end: ", "that has no way out"},
    {"deadlock", "The kernel does not end", NULL},
    {"warp-mask", "", "which its mask names"},
    {"deadlock", "Lanes wait for one another", NULL},
    {"deadlock", "The warps of the block wait", NULL},
    {"lock-order", "Locks taken in opposite orders", NULL},
    {"trap", "Trap at ", NULL},
    {"assert", "Assertion `", NULL},
    {"stack-overflow", "Stack overflow", NULL},
    {"bad-call", "Invalid call at ", NULL},
    {"nested-launch", "Launch of ", NULL},
    {"nested-launch", "Launch at ", NULL},
    {"nested-launch", "", "its block ended without destroying it"},
    {"graph-condition", "Invalid condition", NULL},
    {"printf-limit", "printf at ", NULL},
    {"bad-free", "Invalid free", NULL},
    {"bad-free", "Double free", NULL},
    {"leak", "Leaked ", NULL},
    {"launch-unseen", "The launch of ", "was refused"},
    {"host-too-early", "the host ", "before it has waited"},
    {"host-touches", "the host touched device memory", NULL},
    {"host-stack", "the host's stack", NULL},
    {"host-stuck", "The host is stuck", NULL},
    {"host-copy", "", "of host memory at"},
};

enum { TOPICS = sizeof topics / sizeof *topics };

const char *topic_of(const char *text)
{
    for (int i = 0; i < TOPICS; i++)
        if (!strncmp(text, topics[i].begin, strlen(topics[i].begin)) &&
            (!topics[i].within || strstr(text, topics[i].within)))
            return topics[i].name;
    return NULL;
}

// One flag for each class, in its first row.
static atomic_flag *explained(const char *name)
{
    static atomic_flag flags[TOPICS];
    int i = 0;
    while (strcmp(topics[i].name, name))
        i++;
    return &flags[i];
}

void topic_explain(const char *text)
{
    const char *name = topic_of(text);
    char line[100];
    if (!name || atomic_flag_test_and_set(explained(name)))
        return;
    int length = snprintf(line, sizeof line, "simt: explain: workbook explain %s\n", name);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return; // stderr is closed, so the text before the line is lost, too
}
