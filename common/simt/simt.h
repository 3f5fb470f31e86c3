// The public interface of the SIMT machine, for a program linked with libsimt.a.
//
// Every function is declared weak, so the same object also links without libsimt.a; `if (simt_read)` tests whether it
// runs on the SIMT machine. All counts are since the last simt_reset.
#pragma once

#include <stdint.h>

// Name and meaning of every counter. A request is one warp instruction; docs/counters.md defines them all.
#define SIMT_COUNTERS(X) \
    X(launches, "kernel launches") \
    X(blocks, "blocks started") \
    X(warps, "warps started") \
    X(longest_block, "most PTX instructions that the warps of one block issued") \
    X(warp_instructions, "PTX instructions issued, one for all lanes of a warp") \
    X(thread_instructions, "PTX instructions, summed over active lanes") \
    X(branches, "conditional branches, per warp") \
    X(divergent_branches, "branches whose lanes went both ways") \
    X(barriers, "block barriers completed, one for all warps of a block, and phases of mbarriers") \
    X(barrier_waits, "block barriers, per warp: each of them waits for the others") \
    X(waits, "most time slices in which one block only polled, with SIMT_SCHEDULE=stall:BLOCK; else 0") \
    X(warp_barriers, "__syncwarp, per warp") \
    X(shuffles, "__shfl_sync, per warp") \
    X(votes, "votes, matches and warp reductions, per warp") \
    X(tensor_instructions, "matrix products on tensor cores (mma), per warp") \
    X(tensor_flops, "multiplications and additions of these products") \
    X(global_load_requests, "global loads, per warp") \
    X(global_load_sectors, "32-byte sectors they touched") \
    X(global_load_sectors_ideal, "sectors that their bytes would fill") \
    X(global_polls, "volatile, relaxed or acquire loads that repeat an instruction's last one, per warp") \
    X(global_store_requests, "global stores, per warp") \
    X(global_store_sectors, "32-byte sectors they touched") \
    X(global_store_sectors_ideal, "sectors that their bytes would fill") \
    X(async_copies, "asynchronous copies to shared memory, per warp: each is a global load and a shared store") \
    X(bulk_copies, "bulk copies, also of tensors, st.async and red.async, per lane") \
    X(bulk_load_bytes, "bytes that bulk copies load from global memory") \
    X(bulk_store_bytes, "bytes that they store in global memory") \
    X(mixed_warps, "warps that issued bulk copies and also products of matrices on tensor cores") \
    X(cluster_accesses, "accesses to shared memory of other blocks of the cluster, per lane") \
    X(shared_load_requests, "shared loads, per warp") \
    X(shared_load_wavefronts, "passes through the banks they took") \
    X(shared_load_wavefronts_ideal, "passes without bank conflicts") \
    X(shared_store_requests, "shared stores, per warp") \
    X(shared_store_wavefronts, "passes through the banks they took") \
    X(shared_store_wavefronts_ideal, "passes without bank conflicts") \
    X(shared_excess, "shared wavefronts above the ideal: the bank conflicts") \
    X(global_atomic_requests, "global atomics, per warp") \
    X(global_atomics, "global atomics, per lane") \
    X(global_atomic_sectors, "32-byte sectors they visited, a sector once for every lane that met another at a word") \
    X(global_atomic_same, "most lanes of one request on one address") \
    X(global_exchanges, "global atomics that exchange, per warp: stores that return the old value") \
    X(shared_atomic_requests, "shared atomics, per warp") \
    X(shared_atomics, "shared atomics, per lane") \
    X(shared_atomic_wavefronts, "passes through the banks they took, where they are of 32 bits") \
    X(shared_atomic_wavefronts_ideal, "passes without bank conflicts") \
    X(shared_atomic_same, "most lanes of one request on one address") \
    X(shared_atomic_warps, "most warps of a block on one word") \
    X(peer_requests, "loads, stores and atomics in shared memory of another block of the cluster, per warp") \
    X(peer_atomics, "atomics there, per lane") \
    X(cluster_waits, "waits at the barrier of a cluster, per warp") \
    X(host_writes, "copies from the host to a device, and launches that read memory of the host") \
    X(host_reads, "copies from a device to the host, and launches that write memory of the host") \
    X(constant_passes, "passes of loads from constant memory: one for each address that the lanes of a warp read") \
    X(copied_sectors, "32-byte sectors that copies within and between devices read and write") \
    X(graph_launches, "kernel launches that a graph made") \
    X(nested_launches, "kernel launches that a kernel made") \
    X(overlaps, "copies that may overlap kernels, of their memory or page-locked; counted with the race check") \
    X(local_bytes, "bytes loaded from and stored to local memory") \
    X(spilled_bytes, "bytes of a thread's registers that ptxas put into local memory, the most of any kernel") \
    X(flops, "floating-point operations, per lane; a fused multiply-add is two, an atomic addition one") \
    X(integer_adds, "integer additions and subtractions, per lane, those of atomics included")

struct simt_counters {
#define SIMT_FIELD(name, meaning) uint64_t name;
    SIMT_COUNTERS(SIMT_FIELD)
#undef SIMT_FIELD
};

// One source line's share of a counter.
struct simt_line {
    const char *file; // relative to the current directory if below it, else as the compiler wrote it; stays valid
    int line;
    uint64_t count;
};

// A kernel, and the largest of its grids.
struct simt_grid {
    const char *kernel; // stays valid while the program is loaded
    uint64_t blocks;
};

// The parts of an estimated time. X(name, what it is)
#define SIMT_PARTS(X) \
    X(memory, "bandwidth of device memory and of the L2 cache") \
    X(shared, "L1, shared and constant memory, load and store units") \
    X(instructions, "issue and arithmetic") \
    X(latency, "latency: waits with no other work to do") \
    X(atomics, "atomics, above all on one address") \
    X(launches, "launches, copies, fills, and the start of blocks")

struct simt_parts {
#define SIMT_PART(name, words) double name;
    SIMT_PARTS(SIMT_PART)
#undef SIMT_PART
};

// The estimated time on a GPU: never a measurement.
struct simt_estimate {
    const char *gpu;     // "H200"; stays valid
    double us;           // all work of the device
    const char *limit;   // what limits the kernel that takes longest, or "launches"; stays valid
    double limit_share;  // a lower bound on the limiter's share of that kernel's time, or of all; 0 to 1
    double memory_share; // of the bandwidth of its memory, 0 to 1
    double instructions; // machine instructions of warps
    double bytes;        // read and written in device memory
    double issue_rate;   // the GPU's peaks: warp instructions per nanosecond,
    double memory_rate;  // bytes of device memory
    struct simt_parts parts; // us of each part; they sum to us
};

#ifdef __cplusplus
extern "C" {
#endif

// Counters of all launches since the last reset.
__attribute__((weak)) void simt_read(struct simt_counters *out);

// The source lines that contribute most to the counter called name, largest first; at most max of them. Returns how
// many were written; 0: the counter has no lines (launches, blocks, warps) or is unknown.
__attribute__((weak)) int simt_lines(const char *name, struct simt_line *out, int max);

// The kernels launched since the last reset, in the order of their first launches; at most max of them. Returns how
// many were written.
__attribute__((weak)) int simt_grids(struct simt_grid *out, int max);

// How many errors and warnings the checks found since the last reset. Each was printed to stderr when found.
__attribute__((weak)) uint64_t simt_findings(void);

// How many launches since the last reset were refused because no device can run them: a dimension is 0 or too large.
__attribute__((weak)) uint64_t simt_refused_launches(void);

// Whether the program has queried the number of multiprocessors, or had a cooperative launch refused as too large. If
// so, its behaviour may depend on their number.
__attribute__((weak)) int simt_asked_size(void);

// How many allocations, streams, events, graphs, textures and surfaces exist now.
__attribute__((weak)) uint64_t simt_objects(void);

// The first allocation after number `since` that the program has not freed: its number, or 0, and its size.
// simt_allocations: how many allocations the program has made.
__attribute__((weak)) uint64_t simt_kept(uint64_t since, uint64_t *size);
__attribute__((weak)) uint64_t simt_allocations(void);

// Fills device memory behind the checkers' back: it still counts as never written.
__attribute__((weak)) void simt_poison(void *p, int byte, uint64_t size);

// Until simt_place(0), cudaMalloc returns the address that it last returned under this place number, from 1 to 31, if
// that is free and has room. On a GPU, too, cudaMalloc often returns an earlier address.
__attribute__((weak)) void simt_place(int place);

// Makes the CUDA call with that number fail, counted from now on, from 1: it does nothing and returns
// cudaErrorDevicesUnavailable. 0: none fails. Returns the number of calls since simt_fail was last called. Calls that
// do not use a device, such as cudaGetLastError, do not count.
__attribute__((weak)) uint64_t simt_fail(uint64_t number);

// The call that simt_fail made fail: its name, or what it does ("a copy", "a launch"). NULL: none has failed since.
__attribute__((weak)) const char *simt_failed(void);

// Sets counters and findings to zero.
__attribute__((weak)) void simt_reset(void);

// Sets SIMT_SCHEDULE and SIMT_SAMPLE from now on; NULL: as in the environment. While some blocks are skipped the
// results are meaningless, and no read counts as a read of unwritten memory.
__attribute__((weak)) void simt_schedule(const char *order);
__attribute__((weak)) void simt_sample(const char *blocks);

// Whether memory accesses are counted from now on (initially they are): requests, sectors, wavefronts, atomics, local
// bytes. Without these counts, and without checks, programs run up to twice as fast. Accesses are still counted in a
// profile, in sampled launches, and once some memory is shared with the host.
__attribute__((weak)) void simt_count(int accesses);

// How many sectors of global memory all blocks of the sampled launches since the last reset load, if skipped blocks are
// like executed ones. Negative: unknown, because a block was stopped early, or nothing is counted.
__attribute__((weak)) double simt_sampled_loads(void);

// How far the sampled launches since the last reset reach in memory. For each kernel: the first and the last byte in
// [p, p + bytes) that it loads, or stores, as shares of bytes (high 0: none); and the share that its blocks touch,
// summed over blocks, if skipped blocks are like executed ones. If a block was stopped early, the part that only its
// end would show counts as reached. block, other: a block that mostly loads what another one, a multiple of 65536
// before it, has loaded; both 0: there is none. back: 1 + the number of a block in which one instruction jumps back by
// 1 GiB or more; 0: none does. idle: only the last block touches nothing. lacks: bytes at the end that no block
// touches, if each block has a part and the last one reaches furthest; else 0. done: a lower bound on the bytes that
// blocks which ran to their end touch. Returns how many kernels there are, at most max.
struct simt_reach {
    char kernel[64];
    double low, high, share;
    uint64_t block, other, back, lacks, done;
    int idle;
};
__attribute__((weak)) int simt_reach(const void *p, uint64_t bytes, int stores, struct simt_reach *out, int max);

// Whether the sampled launches since the last reset have stored a nonzero word in [p, p + bytes). Returns the first
// address, or NULL; floats: a word that is not finite counts as 0. A linear function of zeros is zero, whatever part of
// it is executed. A block counts only if it loads from `known` alone, since a skipped block or another launch should
// have replaced words elsewhere, and if it stores at no loaded address.
struct simt_range {
    const void *p;
    uint64_t bytes;
};
__attribute__((weak)) const void *simt_nonzero(const void *p, uint64_t bytes, int floats,
                                               const struct simt_range *known, int count);

// Where a sampled launch made an integer of a float of 2^24 or more since the last reset, "f.cu:12", or NULL. A float
// has 24 bits: an index computed in one is rounded from there on.
__attribute__((weak)) const char *simt_rounded(void);

// The program's result is wrong, as `words` describe; a trace, if one is written, contains them. If the word at p,
// which a copy has brought to the host, is wrong, the trace names the thread that stored it; otherwise p is NULL.
__attribute__((weak)) void simt_wrong(const void *p, const char *words);

// The estimate of everything run since the last reset. 0: none, because SIMT_ESTIMATE is not set or nothing has run.
__attribute__((weak)) int simt_estimated(struct simt_estimate *out);

// Whether launches are estimated from now on, if SIMT_ESTIMATE is set; initially they are.
__attribute__((weak)) void simt_estimate(int on);

// A program's own settings: lines such as "SIMT_CHECK=race\nSIMT_THREADS=2\n", for variables that the environment does
// not set. The program may define it; `simtcc --check=race` does so.
__attribute__((weak)) extern const char simt_defaults[];

#ifdef __cplusplus
}
#endif
