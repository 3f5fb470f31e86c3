// The environment variables of the machine: an invalid value ends the program with exit 1 and one line that says what
// is accepted; a valid one takes effect. Each case has its own process, because settings are read once. The program's
// simt_defaults apply where the environment has no value.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"
#include "report/settings.h"
#include "simt.h"

// The first line with a name counts; a name must not match the end of a longer one; a line may be empty.
const char simt_defaults[] = "XSIMT_THREADS=9\nSIMT_THREADS=3\nSIMT_THREADS=4\n\nSIMT_CHECK=race\n"
                             "SIMT_SCHEDULE=random:7";

static const struct {
    const char *name, *value, *accepted; // NULL: accepted
} cases[] = {
    {"SIMT_CHECK", "races", "memory,race,init,sync,leaks,acquire,origin"},
    {"SIMT_CHECK", "", "memory,race,init,sync,leaks,acquire,origin"},
    {"SIMT_CHECK", "race,", "memory,race,init,sync,leaks,acquire,origin"},
    {"SIMT_CHECK", "Race", "memory,race,init,sync,leaks,acquire,origin"},
    {"SIMT_CHECK", "none,race", "memory,race,init,sync,leaks,acquire,origin"},
    {"SIMT_CHECK", "none", NULL},
    {"SIMT_CHECK", "all", NULL},
    {"SIMT_CHECK", "race", NULL},
    {"SIMT_CHECK", "memory,race,init,sync", NULL},
    {"SIMT_CHECK", "all,leaks", NULL},
    {"SIMT_CHECK", "all,acquire", NULL},
    {"SIMT_CHECK", "none,leaks", "memory,race,init,sync,leaks,acquire,origin"},
    {"SIMT_SCHEDULE", "random", "random:SEED"},
    {"SIMT_SCHEDULE", "random:", "random:SEED"},
    {"SIMT_SCHEDULE", "random:x", "random:SEED"},
    {"SIMT_SCHEDULE", "random:-1", "random:SEED"},
    {"SIMT_SCHEDULE", "backwards", "random:SEED"},
    {"SIMT_SCHEDULE", "order", NULL},
    {"SIMT_SCHEDULE", "reverse", NULL},
    {"SIMT_SCHEDULE", "random:17", NULL},
    {"SIMT_SCHEDULE", "stall", "stall:BLOCK"},
    {"SIMT_SCHEDULE", "stall:x", "stall:BLOCK"},
    {"SIMT_SCHEDULE", "stall:17", NULL},
    {"SIMT_SAMPLE", "", "first,last,powers,random:K,spread:K,tickets:K,valid,at:ADDRESS"},
    {"SIMT_SAMPLE", "first,", "first,last,powers,random:K,spread:K,tickets:K,valid,at:ADDRESS"},
    {"SIMT_SAMPLE", "middle", "first,last,powers,random:K,spread:K,tickets:K,valid,at:ADDRESS"},
    {"SIMT_SAMPLE", "random:1001", "first,last,powers,random:K,spread:K,tickets:K,valid,at:ADDRESS"},
    {"SIMT_SAMPLE", "spread:-1", "first,last,powers,random:K,spread:K,tickets:K,valid,at:ADDRESS"},
    {"SIMT_SAMPLE", "first,last,powers,random:4,spread:32", NULL},
    {"SIMT_SAMPLE", "tickets:", "first,last,powers,random:K,spread:K,tickets:K,valid,at:ADDRESS"},
    {"SIMT_SAMPLE", "at:0", "first,last,powers,random:K,spread:K,tickets:K,valid,at:ADDRESS"},
    {"SIMT_SAMPLE", "first,last,random:4,tickets:65536,at:4096", NULL},
    {"SIMT_SAMPLE", "all", NULL},
    {"SIMT_THREADS", "0", "1 to 256"},
    {"SIMT_THREADS", "257", "1 to 256"},
    {"SIMT_THREADS", "two", "1 to 256"},
    {"SIMT_THREADS", "2x", "1 to 256"},
    {"SIMT_THREADS", "2", NULL},
    {"SIMT_DEVICES", "17", "1 to 16"},
    {"SIMT_DEVICES", "0", "1 to 16"},
    {"SIMT_DEVICES", "4", NULL},
    {"SIMT_MEMORY", "0", "GiB, 1 to 1024"},
    {"SIMT_MEMORY", "16G", "GiB, 1 to 1024"},
    {"SIMT_MEMORY", "16", NULL},
    {"SIMT_MULTIPROCESSORS", "1025", "1 to 1024"},
    {"SIMT_MULTIPROCESSORS", "132", NULL},
    {"SIMT_TIMEOUT", "0", "seconds"},
    {"SIMT_TIMEOUT", "forever", "seconds"},
    {"SIMT_TIMEOUT", "5", NULL},
    {"SIMT_PROGRESS", "-1", "0 to 86400"},
    {"SIMT_PROGRESS", "soon", "0 to 86400"},
    {"SIMT_PROGRESS", "5", NULL},
    {"SIMT_EXIT", "0", "1 to 255"},
    {"SIMT_EXIT", "256", "1 to 255"},
    {"SIMT_EXIT", "yes", "1 to 255"},
    {"SIMT_EXIT", "17", NULL},
    {"SIMT_COUNT", "2", "0 or 1"},
    {"SIMT_COUNT", "yes", "0 or 1"},
    {"SIMT_COUNT", "0", NULL},
    {"SIMT_PROFILE", "", "a list of text, json:FILE, callgrind:FILE, and launches, range"},
    {"SIMT_PROFILE", "json", "json:FILE"},
    {"SIMT_PROFILE", "json:", "json:FILE"},
    {"SIMT_PROFILE", "text,", "json:FILE"},
    {"SIMT_PROFILE", "Text", "json:FILE"},
    {"SIMT_PROFILE", "launches", "with one of text"},
    {"SIMT_PROFILE", "json:/dev/null,json:/dev/zero", "json:FILE"},
    {"SIMT_PROFILE", "range,text", NULL},
    {"SIMT_PROFILE", "json:/dev/null,callgrind:/dev/null,launches", NULL},
    {"SIMT_REPORT", "", "sarif:FILE"},
    {"SIMT_REPORT", "json:x", "sarif:FILE"},
    {"SIMT_REPORT", "sarif:", "sarif:FILE"},
    {"SIMT_REPORT", "sarif:/dev/null", NULL},
};

// The contents of settings() as text; only what the cases above change.
static void read_settings(const char *name, const char *value)
{
    const struct settings *s = settings();
    bool alone = !strcmp(value, "race"), none = !strcmp(value, "none");
    bool right = true;
    if (!strcmp(name, "SIMT_CHECK"))
        right = s->check_race == !none && s->check_memory == (!none && !alone) && s->check_init == (!none && !alone) &&
                s->check_sync == (!none && !alone) && s->check_leaks == (strstr(value, "leaks") != NULL);
    else if (!strcmp(name, "SIMT_SCHEDULE"))
        right = s->schedule == (value[0] == 'o'   ? SCHEDULE_ORDER
                                : value[1] == 'e' ? SCHEDULE_REVERSE
                                : value[0] == 's' ? SCHEDULE_STALL
                                                  : SCHEDULE_RANDOM) &&
                s->seed == (strchr(value, ':') ? 17u : 0u);
    else if (!strcmp(name, "SIMT_SAMPLE"))
        right = s->sample.on && s->sample.all == (value[0] == 'a') && s->sample.first == (value[0] == 'f') &&
                s->sample.last == (value[0] == 'f') && s->sample.random == (value[0] == 'f' ? 4u : 0u);
    else if (!strcmp(name, "SIMT_PROFILE"))
        right = s->profile && s->profile_text == (value[0] == 'r') && s->profile_range == (value[0] == 'r') &&
                s->profile_launches == (value[0] == 'j') && !s->profile_json == (value[0] == 'r') &&
                !s->profile_callgrind == (value[0] == 'r');
    else if (!strcmp(name, "SIMT_REPORT"))
        right = s->report_sarif && !s->profile;
    else if (!strcmp(name, "SIMT_THREADS"))
        right = s->threads == 2;
    else if (!strcmp(name, "SIMT_DEVICES"))
        right = s->devices == 4;
    else if (!strcmp(name, "SIMT_MEMORY"))
        right = s->memory == 16;
    else if (!strcmp(name, "SIMT_MULTIPROCESSORS"))
        right = s->multiprocessors == 132;
    else if (!strcmp(name, "SIMT_TIMEOUT"))
        right = s->timeout == 5 && s->patience == 5;
    else if (!strcmp(name, "SIMT_PROGRESS"))
        right = s->progress == 5;
    else if (!strcmp(name, "SIMT_EXIT"))
        right = s->exit == 17;
    else
        right = !s->count;
    _exit(right ? 0 : 3);
}

// As the leak check does at the end of a program.
static void ask_again(void)
{
    settings();
}

static void run(const char *name, const char *value, const char *accepted)
{
    char where[80];
    int status = 0;
    snprintf(where, sizeof where, "%s=%s", name, value);
    machine_listen();
    fflush(stdout); // or the child prints it again
    pid_t child = fork();
    if (child == 0) {
        alarm(10); // a program that waits for its own settings never ends
        atexit(ask_again);
        setenv(name, value, 1);
        read_settings(name, value);
    }
    waitpid(child, &status, 0);
    const char *heard = machine_heard();
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    check(code == (accepted ? 1 : 0), where, "exit %d, wanted %d", code, accepted ? 1 : 0);
    if (accepted)
        check(strstr(heard, where) && strstr(heard, accepted) && strchr(heard, '\n') == heard + strlen(heard) - 1,
              where, "the message is '%s'", heard);
    else
        check(!*heard, where, "it says '%s'", heard);
}

static void read_defaults(void)
{
    const struct settings *s = settings();
    check(s->threads == 3, "simt_defaults", "%u threads, wanted 3", s->threads);
    check(s->check_race && !s->check_memory, "simt_defaults", "the checks are not race alone");
    check(s->schedule == SCHEDULE_RANDOM && s->seed == 7, "simt_defaults", "the order is not random:7");
    check(s->devices == 1, "simt_defaults", "%u devices, wanted 1", s->devices);
}

int main(void)
{
    const size_t n = sizeof cases / sizeof *cases;
    unsetenv("SIMT_THREADS"); // clean.sh sets both
    unsetenv("SIMT_TIMEOUT");
    for (size_t i = 0; i < n; i++)
        run(cases[i].name, cases[i].value, cases[i].accepted);
    read_defaults();
    printf("%zu values, %d failures\n", n, failures);
    return failures != 0;
}
