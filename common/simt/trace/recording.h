// The recording of a traced launch: its events, in the order in which the machine executed them. tracer.c fills it; the
// forms (text.c, page.c, perfetto.c) write it.
#pragma once

#include "count/tally.h"
#include "exec/machine.h"
#include "report/report.h"
#include "trace/row.h"

#define MAX_FINDINGS 200
#define NO_EVENT UINT32_MAX
#define MAX_ACCESSES 4 // accesses of one event whose addresses are kept until it ends: one for each address space

// Kinds: instructions, a barrier's completion, lanes that reconverge, a block's start and end.
enum event_kind { EVENT_INSTRUCTION, EVENT_RELEASE, EVENT_JOIN, EVENT_START, EVENT_END };

// Fields that do not apply to a kind are 0. Indices refer to the vectors of struct recording.
struct event {
    enum event_kind kind;
    uint32_t block;            // index in blocks
    uint32_t warp;             // number in the block; NO_EVENT: none
    uint32_t time;             // see docs/trace.md
    uint32_t id;               // of the instruction in its module
    uint32_t active, executed; // of a release: the warps
    uint32_t taken;            // of a branch
    int32_t barrier;           // number of the barrier; -1: none
    bool waits;
    uint32_t first_value,
        value_count; // rows: what it wrote to its registers; a predicate: value_count 0, has_bits
    bool has_bits;
    uint32_t bits;
    struct row from; // of a shuffle: the lanes read
    uint32_t first_access, access_count;
    uint32_t cost; // index in costs; NO_EVENT: none
    uint32_t first_arrival, arrival_count;
};

enum traced_access { TRACED_LOAD, TRACED_STORE, TRACED_ATOMIC, TRACED_ISSUED, TRACED_DONE };

struct access_record {
    enum traced_access kind;
    enum ptx_space space;
    uint32_t mask, bytes, element; // bytes of a lane, and of one of its elements
    struct row at, old, new;
    uint32_t first_value, value_count;
    uint32_t allocation; // NO_EVENT: none
};

struct traced_block {
    uint64_t number;
    uint32_t events;
    uint64_t omitted; // events
    bool ended;
};

struct finding_record {
    enum finding_kind kind;
    enum severity severity;
    const struct ptx_instr *at, *other;
    uint32_t detail;
    uint64_t times;
    struct scene scene;
    char *words;
    uint32_t earlier_id, current_id;       // instructions; NONE: unknown
    uint32_t earlier_event, current_access; // NO_EVENT: not traced
};

struct touched {
    uint64_t base, size;
    const char *name;
};

// Asynchronous work: a bulk copy, or a product of a warpgroup as its first warp issues it and waits for it. Events are
// indices; NO_EVENT: it has not happened, or between two instructions.
struct flight_record {
    bool product;
    uint32_t number; // of the cluster's copies, of the warpgroup's products
    uint32_t warp;   // of a product
    uint32_t block;  // in which it was issued: index in blocks
    uint32_t bytes;
    bool to_shared;
    uint32_t issued, arrived, read, waited;
};

struct recording {
    struct launch *launch;
    uint64_t ordinal; // number of this launch among those of its kernel, from 0
    VECTOR(struct event) events;
    VECTOR(struct access_record) accesses;
    VECTOR(struct row) rows;
    VECTOR(struct memory_count) costs;
    VECTOR(uint32_t) arrivals;
    VECTOR(struct traced_block) blocks;
    VECTOR(struct touched) allocations;
    VECTOR(struct finding_record) findings;
    VECTOR(struct flight_record) flights;
    row_values values;
    uint64_t blocks_not_selected, blocks_omitted, events_omitted, findings_omitted;
    struct simt_counters counters, traced; // of the launch, of its traced events
    int failed;
    bool cut;           // the program ended while it ran
    bool only_findings; // the launch is not traced
};

static inline const struct origin *event_origin(const struct recording *r, const struct event *e)
{
    return &r->launch->module->origins[e->id];
}
