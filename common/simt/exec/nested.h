// Work that threads launch (dynamic parallelism): kernels, copies and fills. It is queued while the grid runs and
// starts when the grid has ended: a grid may not wait for its children.
//
// Work that the threads of a block put into one stream runs in order; work in cudaStreamTailLaunch runs after all
// other work. Source: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism".
#pragma once

#include "exec/machine.h"

#define STREAM_TAIL 3   // cudaStreamTailLaunch
#define STREAM_FORGET 4 // cudaStreamFireAndForget
#define MAX_NESTING 24  // levels of nested grids

// The time at which a thread launched the work; a checker fills it in. Accesses of the block before `floor`, and of the
// warp before lane_floor, have ended by then; those after `latest` have not. exact: these times alone tell what has
// ended.
struct given {
    uint64_t block;
    uint32_t thread, clock, latest, floor, lane_floor;
    bool exact;
};

struct nested {
    enum nested_kind { NESTED_KERNEL, NESTED_COPY, NESTED_FILL } kind;
    uint64_t block, stream;           // the launching thread, and its stream
    const struct ptx_function *entry; // the kernel
    uint32_t grid[3], dim[3], shared;
    uint64_t buffer;         // the parameters in device memory; 0 once they have been copied
    void **args;             // the copied parameters, as a launch takes them
    uint64_t to, from, size; // of a copy or fill
    uint8_t value;
    uint64_t number, rank; // its position among the launch's work
    struct given given;
    struct nested *next;
};

// Opens the queue of one launch, whose threads may launch `most` kernels.
struct nested_queue *nested_open(uint64_t most);

// The block has ended. Reports launches over the limit whose error the thread has not checked.
void nested_block_end(struct block *b);

// Closes the queue and returns the work in streams, sorted by block in schedule order; nested_free frees it. The
// device's memory must be open.
struct nested *nested_close(struct launch *launch);
void nested_free(struct nested *list);
