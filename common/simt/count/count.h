// Counters: what launches did, added up per instruction of their modules.
#pragma once

#include "exec/machine.h"
#include "simt.h"

// How often each basic block ran, with how many lanes, and what each access did.
extern const struct observer count_runs, count_accesses;

// Counts a copy between host and device.
void count_copy(bool from_host, bool to_host);

// Counts the sectors that a copy from device memory to device memory touches.
void count_copied(uint64_t sectors);

// Counts a kernel launch by a graph; a copy that may overlap a kernel which touches the same memory.
void count_graph_launch(void);
void count_nested_launch(void);
void count_overlap(void);

// Drops the totals of a module that is unloaded.
void count_forget(const struct module *m);

// The totals since the last reset, and their lines: see simt_read, simt_lines and simt_grids (simt.h).
void count_read(struct simt_counters *out);
int count_lines(const char *name, struct simt_line *out, int max);
int count_grids(struct simt_grid *out, int max);
double count_loads_of_all(void); // simt_sampled_loads
void count_reset(void);
