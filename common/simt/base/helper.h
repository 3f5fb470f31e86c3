// Host threads in addition to the launching one. They are kept between launches, since starting a thread takes as long
// as a short launch.
#pragma once

#include <stdbool.h>

struct task {
    void (*work)(void *data);
    void *data;
    bool at_work; // under the helpers' lock
};

// A thread runs the task, which must stay in memory until helper_wait returns. None does if the host has no more
// threads.
void helper_start(struct task *t);
void helper_wait(struct task *t); // also for a task that was not started
