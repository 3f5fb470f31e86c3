// work.c: the CPU time of a running program.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// Seconds of CPU time of a process, its children and all of its session: of the busiest thread, and of all threads,
// including those that have ended. Both are negative if the system does not report them. ready: one of their threads
// computes, or waits for a core or for the disk.
struct work {
    double busiest, all;
    bool ready;
};

struct work work_of(pid_t process);

// How a time limit ends.
enum patience_end {
    KEEP_WAITING,
    COMPUTED, // the busiest thread has used that much CPU time
    IDLE,     // for half that time no thread has computed, or was ready to
    STARVED   // ten times as long has passed: this computer is overloaded
};

// A limit of `seconds` of CPU time. On a shared computer a program gets less time, and that must not change a verdict:
// so CPU time counts, not elapsed time.
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
