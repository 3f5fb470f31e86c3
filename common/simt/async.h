// Copies from global to shared memory that go on beside the program (cp.async), and mbarriers.
#ifndef SIMT_ASYNC_H
#define SIMT_ASYNC_H

#include "machine.h"

enum mbarrier_op { MBARRIER_INIT, MBARRIER_INVAL, MBARRIER_ARRIVE, MBARRIER_DROP, MBARRIER_TEST }; // sub
enum mbarrier_form { MBARRIER_PLAIN = 1, MBARRIER_PARITY, MBARRIER_NO_COMPLETE };                  // count
#define COPY_IGNORES 1 // sub of op_copy_async: the source size is a predicate; where it holds, zeros are written

// What a warp has on its way is given up: at the start of a block, when its memory goes away.
void async_forget(struct warp *w);
void async_free(struct warp *w);

#endif
