// What a worker uses again and again.
#ifndef SIMT_STORE_H
#define SIMT_STORE_H

#include "exec/machine.h"

struct join *store_join(struct worker *k);
void give_back_join(struct worker *k, struct join *j);
struct frame *store_frame(struct worker *k);
void give_back_frame(struct worker *k, struct frame *f);
void store_free(struct worker *k);

#endif
