// harness.h: what all exercise programs share: options, device memory, verdict, counters, report.
//
// A chapter's header (reduction.h, ...) includes this file and holds the driver, which makes these calls in this order:
//
//     read_options(own, ...)                  'harness' holds them from then on
//     begin_case("random", n, "")             names the input for later messages
//     device_copy, device_alloc               inputs; outputs and temporaries, which hold poison
//     before_run(), the student's function, after_run()       CUDA errors and findings end the program
//     check_ints | check_floats, check_untouched              so does a wrong answer
//     report_counters | median_ms + report_time               the cost of one run
//     check_expectations(), finish(RIGHT)
//
// Every program ends in finish(), which handles an open TODO and writes the --json record. The weak function simt_read
// (simt/simt.h) exists on the SIMT machine only.
#pragma once

#include "device/launch.h"   // check_cuda, ceil_div: for exercises, too
#include "harness/options.h" // read_options
#include "harness/plan.h"    // planned
#include "harness/memory.h"  // host_alloc, device_alloc, device_copy
#include "harness/random.h"  // random_bits, small_number
#include "harness/draw.h"    // draw_size, draw_ragged
#include "harness/run.h"     // begin_case, case_seed, before_run, after_run
#include "harness/machine.h" // begin_large, stall_block, find_tiles
#include "harness/growth.h"  // count_growth
#include "harness/tickets.h" // check_tickets
#include "harness/answers.h" // check_ints, check_floats, check_untouched
#include "harness/lesson.h"  // report_counters, check_expectations
#include "harness/timing.h"  // median_ms, report_time
#include "harness/verdict.h" // fail, finish
