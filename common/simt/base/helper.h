// Host threads beside the one that launches. They are kept from launch to launch: to start a thread takes as long as a
// short launch.
#pragma once

#include <stdbool.h>

struct task {
    void (*work)(void *data);
    void *data;
    bool at_work; // under the helpers' lock
};

// A thread does the task, which must stay in memory until helper_wait returns. None does if the host has no more
// threads.
void helper_start(struct task *t);
void helper_wait(struct task *t); // for one that was not started, too
