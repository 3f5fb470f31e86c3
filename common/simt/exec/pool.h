// Free lists of a worker's joins and frames.
#pragma once

#include "exec/machine.h"

struct join *pool_join(struct worker *k);
void pool_return_join(struct worker *k, struct join *j);
struct frame *pool_frame(struct worker *k);
void pool_return_frame(struct worker *k, struct frame *f);
void pool_free(struct worker *k);
