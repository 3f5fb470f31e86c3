// Which files a submission may open, and whose processes it may inspect: the system's libraries, its own program and
// its own entry in /proc, and only its own process. So it can read neither how it is run and judged (the arguments and
// the environment of the grader's processes) nor other submissions. Landlock (Linux 5.13) needs no rights for this;
// without it, nothing is restricted.
#include "remote/sandbox.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// From linux/landlock.h, which older systems lack.
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, QUERY_VERSION = 1, RULE_PATH = 1 };
enum { EXECUTE = 1, READ_FILE = 4, READ_FOLDER = 8, SCOPE_SOCKETS = 1, SCOPE_SIGNALS = 2 };

struct ruleset {
    uint64_t files, net, scoped;
};

struct __attribute__((packed)) path_rule {
    uint64_t allowed;
    int32_t parent;
};

static const char *const open_to_all[] = {"/usr",
                                          "/lib",
                                          "/lib64",
                                          "/etc/ld.so.cache",
                                          "/etc/ld.so.preload",
                                          "/etc/localtime",
                                          "/sys/devices/system/cpu",
                                          "/dev/null",
                                          "/dev/zero",
                                          "/dev/urandom",
                                          "/proc/self"};

static void allow(int rules, const char *path)
{
    struct stat status;
    int file = open(path, O_PATH | O_CLOEXEC);
    struct path_rule rule = {EXECUTE | READ_FILE, file};

    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode))
        rule.allowed |= READ_FOLDER;
    syscall(ADD_RULE, rules, RULE_PATH, &rule, 0);
    close(file);
}

// The folders of this process's libraries: the submission is linked with the same ones.
static void allow_own_libraries(int rules)
{
    char line[4096 + 128];
    FILE *maps = fopen("/proc/self/maps", "re");

    while (maps && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/'), *end = path ? strrchr(path, '/') : NULL;
        if (end > path && strstr(end, ".so")) {
            *end = 0;
            allow(rules, path);
        }
    }
    if (maps)
        fclose(maps);
}

bool sandbox_enclose(const char *program)
{
    struct ruleset set = {EXECUTE | READ_FILE | READ_FOLDER, 0, SCOPE_SOCKETS | SCOPE_SIGNALS};
    long version = syscall(CREATE_RULESET, NULL, 0, QUERY_VERSION);
    size_t size = version >= 6 ? sizeof set : version >= 4 ? 2 * sizeof set.files : sizeof set.files;
    long rules = version > 0 ? syscall(CREATE_RULESET, &set, size, 0) : -1;

    if (rules < 0)
        return false;
    for (size_t i = 0; i < sizeof open_to_all / sizeof *open_to_all; i++)
        allow((int)rules, open_to_all[i]);
    allow_own_libraries((int)rules);
    allow((int)rules, program);
    bool closed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(RESTRICT_SELF, rules, 0) == 0;
    close((int)rules);
    return closed;
}
