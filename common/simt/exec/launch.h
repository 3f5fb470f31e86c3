// A kernel launch: distributes the grid's blocks over host threads.
#pragma once

#include "exec/machine.h"

#define MAX_CALL_DEPTH 256 // nested calls; fewer where functions are large
#define MIN_CALL_DEPTH 16
#define MAX_DEEPER 8              // factor by which a raised cudaLimitStackSize allows more
#define STACK_REGISTERS (4u << 20) // bytes of registers that a warp's calls may take, if MIN_CALL_DEPTH fits
#define STACK_LOCAL (256u << 10)   // bytes of local memory that a thread's calls may take, likewise
#define MAX_BLOCKS_PER_MULTIPROCESSOR 32
#define MAX_THREADS_PER_MULTIPROCESSOR 2048
#define SHARED_PER_MULTIPROCESSOR (228u << 10)
#define SHARED_PER_BLOCK (48u << 10) // unless the kernel opts in to more
#define SHARED_PER_BLOCK_OPTIN (227u << 10)
#define REGISTERS 65536            // of a multiprocessor, and the maximum of a block
#define REGISTER_UNIT 256          // allocation unit of a warp
#define REGISTER_FILES 4           // of a multiprocessor; a warp's registers lie in one
#define MAX_THREADS 1024           // of a block
#define RESERVED_SHARED (1u << 10) // of each block, for CUDA itself

struct launch_request {
    struct module *module;
    const char *kernel; // as in PTX
    uint32_t grid[3], dim[3];
    uint32_t cluster[3]; // blocks of a cluster; 0: the kernel says
    bool large_clusters; // of more blocks than the portable cluster size
    uint32_t dynamic_shared;
    uint32_t shared_limit; // dynamic shared memory that the program requested; 0: never
    void **args;           // one pointer per parameter
    bool cooperative;
    int device;
    uint32_t inaccessible; // a bit for each device to which it has no peer access
    struct device_limits limits;
    uint64_t number;             // of this launch in the program, from 1
    struct operation *operation; // in its stream, passed on to observers; NULL: none
    struct observers observers;
    uint32_t depth;         // 0: the host launches it; 1: a kernel that the host has launched, and so on
    struct nested **nested; // receives the work that its threads launch (nested.h), to be freed; NULL: not wanted
    uint64_t nested_most;   // the maximum number of kernels in it
};

// The size of a cluster of the launch.
void cluster_of(const struct launch_request *q, const struct code *c, uint32_t cluster[3]);

// Whether the device refuses clusters of that size, or the kernel does: 0 or a cudaError_t.
int check_cluster(const struct launch_request *q, const struct code *c);

// Runs the kernel to its end and returns a cudaError_t: 0, or what the runtime must report. Explains a refusal (sizes,
// an instruction that the machine does not execute) in one line on stderr.
int launch_kernel(const struct launch_request *request);

// Registers that a block of `threads` threads of c takes: a device allocates them to whole warps, 256 at a time. 0:
// unknown.
uint32_t block_registers(const struct code *c, uint32_t threads);

// The maximum number of threads per block for which a multiprocessor has registers; 1024 if unknown.
uint32_t threads_by_registers(const struct code *c);

// How many blocks one multiprocessor holds at a time, and what keeps it from holding more.
struct residency {
    uint32_t blocks;
    enum residency_limit { LIMIT_BLOCKS, LIMIT_THREADS, LIMIT_SHARED, LIMIT_REGISTERS } limit;
};
struct residency residency(const struct code *c, uint32_t threads, uint32_t dynamic_shared);

// The maximum number of clusters of `size` blocks that a device holds at a time, each within a group of
// multiprocessors.
#define PORTABLE_CLUSTER 8 // blocks: the maximum on every device without an opt-in
uint32_t resident_clusters(const struct code *c, uint32_t size, uint32_t threads, uint32_t dynamic_shared);

// How many blocks of c, with `threads` threads and this much dynamic shared memory, one multiprocessor holds at a time.
uint32_t resident_blocks(const struct code *c, uint32_t threads, uint32_t dynamic_shared);
