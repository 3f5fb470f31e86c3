// Observers' state in launches, host threads, blocks and warps (struct observer_state, exec/machine.h).
//
//     struct observer_state race_state = {.bytes = {[OF_BLOCK] = sizeof(struct block_race)}};
//     const struct observer race_check = {.state = &race_state, ...};
//     struct block_race *r = block_state(b, &race_state);
//
// The machine allocates the bytes zeroed, and frees them; what they point to is the observer's. One block after another
// reuses the same memory, so block_start sees what the previous block left.
#pragma once

#include "exec/machine.h"

// Places the state of the launch's observers, and sets launch->state_bytes. One launch at a time.
void state_place(struct launch *launch);
