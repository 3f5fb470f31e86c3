// What ptxas makes of several instructions: one, or none, and predicates in place of a branch.
#ifndef SIMT_JOIN_H
#define SIMT_JOIN_H

#include "estimate/cost.h"

// costs: of find_costs.
void join_costs(struct cost *costs, const struct module *m);

#endif
