// The machine's settings, read from the environment once, at first use.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/gpu.h"
#include "report/select.h"

enum schedule { SCHEDULE_ORDER, SCHEDULE_REVERSE, SCHEDULE_RANDOM, SCHEDULE_STALL };

// Which blocks of a launch are executed. on: some may be skipped, and large allocations are sparse.
struct sample {
    bool on, all, first, last, powers; // powers: the blocks 2^16, 2^17, ...
    uint32_t random, spread;           // how many more: random, and evenly spread
    uint32_t tickets;                  // the first ticket that a block takes by an atomic; 0: what the word holds
    bool valid;                        // a whole launch gives these tickets, too: no table is too short for them
    uint64_t at;                       // the word that gives these tickets; 0: every word that is counted up by one
};

// What SIMT_CHECK may name, and whether `all`, the default, contains it. CHECK(race, true) is the flag check_race
// below.
#define CHECKS(CHECK) \
    CHECK(memory, true) \
    CHECK(race, true) \
    CHECK(init, true) \
    CHECK(sync, true) \
    CHECK(leaks, false) \
    CHECK(acquire, false) \
    CHECK(origin, false)

struct settings {
#define CHECK_FLAG(name, usual) bool check_##name;
    CHECKS(CHECK_FLAG)
    bool only_copies;         // check_race is on for copies alone: threads that race are not reported
    bool count;               // SIMT_COUNT=0 switches the counters off
    bool count_accesses;      // memory counters on: simt_count
    int exit;                 // SIMT_EXIT: status of a program with findings
    enum schedule schedule;   // SIMT_SCHEDULE=order | reverse | random:SEED | stall:BLOCK
    uint64_t seed;            // or the block
    struct sample sample;     // SIMT_SAMPLE=all | first,last,powers,random:K,spread:K
    uint32_t threads;         // SIMT_THREADS: host threads, 1 to 256
    uint32_t devices;         // SIMT_DEVICES: emulated devices, 1 to 16
    uint32_t memory;          // SIMT_MEMORY: GiB of each device, 1 to 1024
    uint32_t multiprocessors; // SIMT_MULTIPROCESSORS: of each device, 1 to 1024
    double timeout;           // SIMT_TIMEOUT: CPU seconds after which a launch is stopped if none of its blocks ends,
    double patience;          // the same if its blocks pass barriers; equal if SIMT_TIMEOUT is set
    double progress;          // SIMT_PROGRESS: seconds after which a line reports a launch's progress; 0: never
    bool profile, profile_text, profile_launches, profile_range; // SIMT_PROFILE; profile: it has some output
    FILE *profile_json, *profile_callgrind;                      // NULL: not requested, or unavailable
    FILE *report_sarif;                                          // SIMT_REPORT, likewise
    bool estimate, estimate_range, estimate_lines;               // SIMT_ESTIMATE: the GPU whose time is estimated
    struct gpu gpu;
    bool traces; // SIMT_TRACE: what to trace, and the files of its forms or NULL
    struct selection trace;
    FILE *trace_text, *trace_page, *trace_perfetto;
};

// The value of a SIMT_ variable: the environment's, else that of the program's simt_defaults; NULL: neither has one.
// The string stays valid. The machine reads the environment only through this function.
const char *setting(const char *name);

// An invalid value ends the program with one line that says what is accepted.
const struct settings *settings(void);
uint32_t setting_memory(void); // alone: a driver may still set others before the machine reads them

// Opens the files that SIMT_PROFILE, SIMT_REPORT and SIMT_TRACE name. Called with the settings, or earlier, while files
// can still be opened.
void open_outputs(void);

// Changes the settings, between launches; NULL: back to those of the environment. An invalid value ends the program.
void set_schedule(const char *value);
void set_sample(const char *value);
void set_count(bool accesses); // a profile needs counters
