// Operations: kernels, copies and fills that the program gives to streams; which of them have ended when another one
// starts, and whether two that may run at the same time touch the same words.
//
// Every operation has a number, in the order in which the program submits them, and belongs to a timeline: a stream, or
// a branch of a graph. The operations of a timeline run one after another. So a row of numbers, one for each timeline,
// says what has ended at some point: struct order. Streams, events and the host each have one (runtime/order/order.c);
// an event wait or a synchronisation joins two of them.
//
// The race checker's records (race_global.c) hold a kernel's accesses, with its operation's number; a region holds
// those of a copy or fill.
#pragma once

#include "exec/machine.h"
#include "exec/nested.h"
#include "memory/memory.h"
#include "report/host_line.h"

#define TIMELINES 128 // with more at a time, some share a timeline and count as ordered

struct order {
    uint64_t known[TIMELINES]; // the last operation of each timeline that has ended
};

// depth slices of height rows of width bytes. Rows lie pitch bytes apart, slices pitch * rows. width 0: nothing.
struct region {
    uint64_t base, pitch, rows, width, height, depth;
};

// What a kernel has read of one __constant__ variable, and an instruction that read it. end 0: nothing.
struct constant_reads {
    uint64_t from, end;
    uint32_t id;
};

#define CONSTANTS 4 // variables of which a kernel's reads are remembered

struct operation {
    uint64_t number;
    uint32_t timeline;
    struct order before;                        // what has ended when it starts
    struct region reads, writes;                // of a copy or fill
    const struct module *module;                // of a kernel, else NULL
    uint64_t memory[8];                         // of a kernel: allocations that its parameters point to; 0 ends them
    bool between_devices;                       // a kernel whose arguments point to its own device and to another one
    uint64_t moved[8];                          // allocations of the device that it copies from; 0 ends them
    bool page_locked;                           // a copy from or to page-locked memory of the host
    bool overlaps;                              // it is a copy, and a kernel submitted earlier may overlap it
    struct constant_reads constants[CONSTANTS]; // of a kernel
    char name[64];                              // "reduce", "cudaMemcpyAsync"
    char where[64];                             // "stream 1 of device 0"
    struct host_frames caller;                  // of the host
    bool printed;                               // a kernel whose threads have printed
    bool by_host;                               // a host function: only copies and fills may race with it
    bool nested;                                // a kernel launched it
    uint64_t parent;                     // number of that kernel, which may overlap it; 0: none, or it has ended
    struct given given;                  // when the kernel launched it
    bool crowded;                        // some operation may overlap it
    const struct operation *reported[8]; // already reported against this one
    uint32_t reported_count;
};

// Begins the operation, whose timeline, before, name and where are filled in, and numbers it. Only one at a time until
// operation_end, which makes it known to later ones.
void operation_begin(struct operation *op);
void operation_end(const struct operation *op);

// The operation whose stamp a record carries; NULL: none, or it was too long ago.
const struct operation *operation_stamped(uint32_t stamp);

// Between begin and end: how many operations, this one or earlier ones, turn out to copy concurrently with a kernel.
// The kernel may come before or after the copy. If the memory is page-locked, any kernel counts; otherwise only one
// that was passed the copied memory.
uint32_t operation_overlaps(struct operation *op);

// Checks what a copy or fill touches (its regions are filled in) against everything that may overlap it.
void operation_check(struct operation *op);

// Notes what the host has waited for, and decides whether it may touch a word that kernels have touched
// (memory/memory.h).
void operation_host_knows(const struct order *over);
judge_touch operation_judge;

// When the program ends: reports a kernel that has printed, if the host has not waited for it.
void report_unflushed(void);

// The number of a launch that belongs to no operation (in unit tests).
uint64_t operation_number(void);

// Notes that the kernel touches the page of the address. Whether no operation that may overlap the kernel may touch the
// same pages as the access.
void operation_visits(const struct operation *op, uint64_t address);
bool operation_is_alone(const struct operation *op, const struct access *a);

// Checks the lanes' words, whose records are locked, before race_global.c records the access.
void contended_access(struct warp *w, const struct access *a, uint32_t lanes);
