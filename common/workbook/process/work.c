// The CPU time of a running program, from /proc, and whether it exceeds a limit.
#include "process/work.h"
#include "base/clock.h"
#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STARVING 10   // multiple of the limit, in elapsed time
#define IDLING 0.002  // share of a core: even a crowded computer gives a busy program more
#define LOOKS 20      // checks per limit
#define SHORTEST 0.05 // seconds between two checks

// The fields of /proc/.../stat after the program's name, which may contain any character.
struct stat_line {
    char state; // R: running or ready to run; D: waiting for the disk
    int parent, session;
    double computed; // seconds
};

static bool read_stat(const char *path, struct stat_line *out)
{
    char text[1024];
    unsigned long user, system;
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;

    if (file)
        fclose(file);
    text[length] = 0;
    const char *rest = strrchr(text, ')');
    if (!rest || sscanf(rest + 1, " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &out->state, &out->parent,
                        &out->session, &user, &system) != 5)
        return false;
    out->computed = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

// Adds the threads of one process.
static void add_threads(struct work *work, const char *process)
{
    char *folder = text_format("/proc/%s/task", process);
    DIR *threads = opendir(folder);

    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        char *path = text_format("%s/%s/stat", folder, entry->d_name);
        struct stat_line line;

        if (isdigit((unsigned char)*entry->d_name) && read_stat(path, &line)) {
            work->ready |= line.state == 'R' || line.state == 'D';
            work->busiest = line.computed > work->busiest ? line.computed : work->busiest;
        }
        free(path);
    }
    if (threads)
        closedir(threads);
    free(folder);
}

struct work work_of(pid_t process)
{
    DIR *all = opendir("/proc");
    struct work work = {-1, -1, false};
    struct stat_line line;

    for (struct dirent *entry; all && (entry = readdir(all));) {
        char *path = text_format("/proc/%s/stat", entry->d_name);

        if (isdigit((unsigned char)*entry->d_name) && read_stat(path, &line) &&
            (atoi(entry->d_name) == process || line.parent == process || line.session == process)) {
            work.all = line.computed + (work.all < 0 ? 0 : work.all);
            add_threads(&work, entry->d_name);
        }
        free(path);
    }
    if (all)
        closedir(all);
    return work;
}

struct patience patience_begin(double limit)
{
    double now = seconds();

    return (struct patience){.seconds = limit, .begin = now, .next = now + limit / 2, .idle_since = now};
}

enum patience_end patience_check(struct patience *p, struct work work, double now)
{
    double passed = now - p->begin, left = p->seconds - (work.busiest < 0 ? passed : work.busiest);

    if (work.ready ||
        fabs(work.all - p->idle_work) > IDLING * (now - p->idle_since)) { // less: some of its processes have ended
        p->idle_since = now;
        p->idle_work = work.all;
    }
    if (left <= 0)
        return COMPUTED;
    if (work.all >= 0 && passed >= p->seconds && now - p->idle_since >= p->seconds / 2)
        return IDLE;
    if (passed > STARVING * p->seconds)
        return STARVED;
    left = left < p->seconds / LOOKS ? left : p->seconds / LOOKS;
    p->next = now + (left > SHORTEST ? left : SHORTEST);
    return KEEP_WAITING;
}

enum patience_end patience_end(struct patience *p, pid_t process)
{
    double now = seconds();

    if (p->end == KEEP_WAITING && now >= p->next)
        p->end = patience_check(p, work_of(process), now);
    return p->end;
}
