// What ptxas makes of several instructions: one, or none, and predicates in place of a branch.
#pragma once

#include "estimate/cost.h"

// costs: of find_costs.
void join_costs(struct cost *costs, const struct module *m);
