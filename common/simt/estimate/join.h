// Instructions that ptxas merges or removes, and predicates that it uses instead of branches.
#pragma once

#include "estimate/cost.h"

// costs: the result of find_costs.
void join_costs(struct cost *costs, const struct module *m);
