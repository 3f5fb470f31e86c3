// What the host does with streams, in order: the page's lanes above those of the warps (docs/trace.md), lines of text,
// a track in Perfetto. Nothing is recorded unless SIMT_TRACE is set.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The last operation of each timeline that has ended.
struct traced_order {
    const uint64_t *known;
    uint32_t count;
};

// A kernel, copy or fill is submitted to a stream.
struct traced_operation {
    uint64_t number;
    const char *kind, *name, *where; // "copy", "cudaMemcpyAsync", "stream 1"
    const char *way;                 // for a copy: "to the device", else ""
    uint64_t bytes;                  // bytes of a copy or fill
    struct traced_order after;       // it starts when these have ended
};
void trace_operation(const struct traced_operation *op);

// The host waits ("for stream 1"), and then knows that these have ended.
void trace_host_wait(const char *what, struct traced_order over);

// An event is recorded in a stream, or the stream waits for it.
void trace_event(bool waits, const void *event, const char *where, struct traced_order known);

// Two unordered operations touch one word. places: their source lines, or "".
struct traced_race {
    uint64_t first, second;
    const char *severity, *words, *missing;
    const char *places[2];
};
void trace_race(const struct traced_race *race);

// The host touches memory that an operation uses, without having waited for it. words: the report's line.
void trace_host_touch(uint64_t number, const char *words);

// A call of the host fails with this error.
void trace_failed_call(const char *error);

// The last store to a wrong word of an answer, described by `words`. number 0: no kernel has stored there.
struct traced_store {
    uint64_t number, block, thread, address;
    const char *name, *place, *words;
};
void trace_wrong(const struct traced_store *store);

uint32_t calls_count(void);
void calls_write(FILE *to);     // a list's elements
uint64_t calls_omitted(void);
