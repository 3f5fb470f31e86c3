// work.c: how much a running program has computed.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// Seconds of computing of a process, its children and all of its session: of the thread with the most, and of all
// threads, those that have ended, too. Both are negative where the system does not tell. ready: one of their threads
// computes, or waits for a core or for the disk.
struct work {
    double busiest, all;
    bool ready;
};

struct work work_of(pid_t process);

// How a limit of time ends.
enum patience_end {
    KEEP_WAITING,
    COMPUTED, // the busiest thread has computed for that long
    IDLE,     // for half as long none has computed, or was ready to
    STARVED   // ten times as long has passed: this computer has too much else to do
};

// A limit of `seconds` of computing. A computer that others use, too, gives a program less of its time, and that must
// not change a verdict: so computing counts, and not the time that passes.
struct patience {
    double seconds, begin, next; // next: when to check again
    double idle_since, idle_work;
    enum patience_end end;
};

struct patience patience_begin(double seconds);

// Checks the process, which has done this much work at time now.
enum patience_end patience_check(struct patience *p, struct work work, double now);

// Whether the process has run for too long; cheap until the next check is due.
enum patience_end patience_end(struct patience *p, pid_t process);
