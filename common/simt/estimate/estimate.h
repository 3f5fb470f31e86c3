// SIMT_ESTIMATE: how long a program's work would take on a GPU, and what limits each kernel. docs/estimate.md.
#pragma once

#include "exec/machine.h"
#include "simt.h"

// Whether the next launch is estimated: then clock_observer (clock.h) must be among its observers.
bool estimate_wants(void);

// Adds a copy or fill of this size; the host waits for the work that it has submitted.
void estimate_copy(uint64_t bytes, bool from_host, bool to_host);
void estimate_fill(uint64_t bytes);
void estimate_wait(void);

void estimate_switch(bool on);
void estimate_range(bool on); // SIMT_ESTIMATE=...,range
void estimate_forget(const struct module *m);
void estimate_expect(void); // prints the report when the program ends, if requested

// The estimate since the last reset: see simt_estimated (simt.h).
bool estimate_read(struct simt_estimate *out);
void estimate_reset(void);
