// Counters: known access patterns and control flow, and the expected counts; all of them again where they pass 2^32.
// self.hardware.patterns tests the bank rule.
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/memory_count.h"
#include "machine.h"
#include "simt.h"

// A kernel: %t holds the thread number t, 32 bits, and %t8 = 8 t; %a and %b are addresses of 64 KB of written memory.
struct test {
    const char *name, *body;
    uint32_t blocks, threads;
    const char *counts; // "counter value, counter value"; other counters of the same kind are not checked
};

#define ADDRESS(bytes) "mul.wide.u32 %x, %t, " #bytes ";\nadd.u64 %x, %x, %a;\n"
#define SHARED(bytes) "mov.u64 %x, s;\nmul.wide.u32 %y, %t, " #bytes ";\nadd.u64 %x, %x, %y;\n"
#define FILL "st.shared.u32 [%x], %t;\n"

// Lanes from 16 on reach A by another path, where all load one word; %p is false for all of them.
#define PARTED "setp.lt.u32 %p, %t, 16;\n@%p bra A;\nsetp.gt.u32 %p, %t, 99;\n"
#define MEET "add.s32 %r, %t, 1;\nA:\nld.global.f32 %f, [%a];\n"

static const struct test tests[] = {
    {"neighbouring words", ADDRESS(4) "ld.global.u32 %r, [%x];", 1, 32,
     "global_load_requests 1, global_load_sectors 4, global_load_sectors_ideal 4"},
    {"words shifted by one", ADDRESS(4) "ld.global.u32 %r, [%x+4];", 1, 32,
     "global_load_requests 1, global_load_sectors 5, global_load_sectors_ideal 4"},
    {"every second word", ADDRESS(8) "ld.global.u32 %r, [%x];", 1, 32,
     "global_load_sectors 8, global_load_sectors_ideal 4"},
    {"a sector each", ADDRESS(32) "ld.global.u32 %r, [%x];", 1, 32,
     "global_load_sectors 32, global_load_sectors_ideal 4"},
    {"one word for all", "ld.global.u32 %r, [%a+64];", 1, 32, "global_load_requests 1, global_load_sectors 1"},
    {"bytes", "cvt.u64.u32 %x, %t;\nadd.u64 %x, %x, %a;\nld.global.u8 %r, [%x];", 1, 32,
     "global_load_sectors 1, global_load_sectors_ideal 1"},
    {"doubles", ADDRESS(8) "ld.global.b64 %y, [%x];", 1, 32, "global_load_sectors 8, global_load_sectors_ideal 8"},
    {"vectors of four", ADDRESS(16) "ld.global.v4.u32 {%r, %r, %r, %r}, [%x];", 1, 32,
     "global_load_requests 1, global_load_sectors 16, global_load_sectors_ideal 16"},
    {"a poll repeats a strong load",
     "mov.u32 %r, 0;\nL:\nld.volatile.global.u32 %t, [%a];\nadd.s32 %r, %r, 1;\nsetp.lt.s32 %p, %r, 5;\n@%p bra L;", 2,
     64, "global_load_requests 20, global_polls 16"},
    {"two words polled in turn",
     "mov.u32 %r, 0;\nL:\nld.volatile.global.u32 %t, [%a];\nld.relaxed.gpu.global.u32 %t, [%a+64];\n"
     "add.s32 %r, %r, 1;\nsetp.lt.s32 %p, %r, 5;\n@%p bra L;",
     1, 32, "global_load_requests 10, global_polls 8"},
    {"no polls: plain loads, and strong ones of other words",
     ADDRESS(4) "ld.global.u32 %r, [%a];\nld.global.u32 %r, [%a];\nmov.u32 %r, 0;\nL:\nld.relaxed.gpu.global.u32 %t, "
                "[%x];\n"
                "add.u64 %x, %x, 4;\nadd.s32 %r, %r, 1;\nsetp.lt.s32 %p, %r, 5;\n@%p bra L;",
     1, 32, "global_load_requests 7, global_polls 0"},
    {"an asynchronous copy is a load and a store",
     ADDRESS(16) "sub.u64 %y, %x, %a;\nmov.u64 %a, s;\nadd.u64 %y, %y, %a;\n"
                 "cp.async.cg.shared.global [%y], [%x], 16;\ncp.async.wait_all;",
     1, 32,
     "async_copies 1, global_load_requests 1, global_load_sectors 16, shared_store_requests 1, shared_load_requests 0"},
    {"a bulk copy counts its bytes, and no load or store",
     "mbarrier.init.shared.b64 [s+1024], 1;\nmov.b64 %x, s;\n"
     "mbarrier.arrive.expect_tx.shared.b64 %y, [s+1024], 256;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%a], 256, [s+1024];\n"
     "L:\nmbarrier.try_wait.shared.b64 %p, [s+1024], %y;\n@!%p bra L;\nfence.proxy.async;\n"
     "cp.async.bulk.global.shared::cta.bulk_group [%a], [s], 128;\ncp.async.bulk.commit_group;\n"
     "cp.async.bulk.prefetch.L2.global [%a], 512;\ncp.async.bulk.wait_group 0;",
     1, 1,
     "bulk_copies 2, bulk_load_bytes 256, bulk_store_bytes 128, global_load_requests 0, global_store_requests 0, "
     "shared_store_requests 0, cluster_accesses 0"},
    {"stores", ADDRESS(64) "st.global.u32 [%x], %t;", 1, 32,
     "global_store_requests 1, global_store_sectors 32, global_store_sectors_ideal 4, global_load_requests 0"},
    {"half a warp", "setp.lt.u32 %p, %t, 16;\n" ADDRESS(4) "@%p ld.global.u32 %r, [%x];", 1, 32,
     "global_load_requests 1, global_load_sectors 2, global_load_sectors_ideal 2"},
    {"a ragged last warp", ADDRESS(4) "ld.global.u32 %r, [%x];", 2, 40,
     "blocks 2, warps 4, global_load_requests 4, global_load_sectors 10"},
    {"no bank conflict", SHARED(4) FILL "ld.shared.u32 %r, [%x];", 1, 32,
     "shared_load_requests 1, shared_load_wavefronts 1, shared_store_requests 1, shared_store_wavefronts 1, "
     "shared_excess 0"},
    {"two-way conflict", SHARED(8) FILL "ld.shared.u32 %r, [%x];", 1, 32,
     "shared_load_wavefronts 2, shared_load_wavefronts_ideal 1, shared_store_wavefronts 2, shared_excess 2"},
    {"32-way conflict", SHARED(128) FILL, 1, 32,
     "shared_store_wavefronts 32, shared_store_wavefronts_ideal 1, shared_excess 31"},
    {"vectors of two lanes in different quarters: two passes, and no conflict",
     "and.b32 %r, %t, 15;\nsetp.eq.u32 %p, %r, 15;\n" SHARED(16) "@%p st.shared.v4.u32 [%x], {%t, %t, %t, %t};\n"
                                                                 "@%p ld.shared.v4.u32 {%r, %r, %r, %r}, [%x];",
     1, 32, "shared_store_wavefronts 2, shared_store_wavefronts_ideal 1, shared_load_wavefronts 2, shared_excess 0"},
    {"vectors two apart: each quarter meets in its banks", SHARED(32) "st.shared.v4.u32 [%x], {%t, %t, %t, %t};", 1, 32,
     "shared_store_wavefronts 8, shared_store_wavefronts_ideal 4, shared_excess 4"},
    {"broadcast", SHARED(4) FILL "bar.warp.sync -1;\nld.shared.u32 %r, [s];", 1, 32,
     "shared_load_wavefronts 1, shared_excess 0"},
    {"padding of one word", SHARED(132) FILL, 1, 32, "shared_store_wavefronts 1, shared_excess 0"},
    {"an exchange, which stores", "atom.global.exch.b32 %r, [%a], 1;", 1, 64,
     "global_exchanges 2, global_atomics 64, global_store_requests 0, spilled_bytes 0, graph_launches 0, "
     "nested_launches 0, overlaps 0, "
     "waits 0"},
    {"atomics that add 0 and give the word are loads, too",
     ADDRESS(4) "atom.global.add.u32 %r, [%x], 0;\nadd.u32 %r, %r, 1;", 1, 32,
     "global_atomics 32, global_load_requests 1, global_load_sectors 4, global_load_sectors_ideal 4"},
    {"and so are compare-and-swaps", ADDRESS(4) "atom.global.cas.b32 %r, [%x], 7, 8;\nadd.u32 %r, %r, 1;", 1, 32,
     "global_atomics 32, global_load_requests 1, global_load_sectors 4"},
    {"an atomic that adds 0 is none if nothing reads what it gives", ADDRESS(4) "atom.global.add.u32 %r, [%x], 0;", 1,
     32, "global_atomics 32, global_load_requests 0, global_load_sectors 0"},
    {"nor is one lane's, which polls", "atom.global.add.u32 %r, [%a], 0;\nadd.u32 %r, %r, 1;", 1, 1,
     "global_atomics 1, global_load_requests 0, global_load_sectors 0"},
    {"nor one that sets bits, whether they were set or not",
     ADDRESS(4) "atom.global.or.b32 %r, [%x], 1;\natom.global.or.b32 %r, [%x], 1;\nadd.u32 %r, %r, 1;", 1, 32,
     "global_atomics 64, global_load_requests 0, global_load_sectors 0"},
    {"shared atomics that add 0 are shared loads",
     SHARED(128) FILL "bar.warp.sync -1;\natom.shared.or.b32 %r, [%x], 0;\nadd.u32 %r, %r, 1;", 1, 32,
     "shared_atomics 32, shared_load_requests 1, shared_load_wavefronts 32, shared_excess 62"},
    {"atomics on one address", "atom.global.add.u32 %r, [%a], 1;", 1, 64,
     "global_atomic_requests 2, global_atomics 64, global_atomic_same 32, global_atomic_sectors 64, "
     "global_load_requests 0, global_store_requests 0"},
    {"atomics on different addresses", ADDRESS(4) "red.global.add.u32 [%x], 1;", 1, 32,
     "global_atomics 32, global_atomic_same 1, global_atomic_sectors 4"},
    {"atomics in pairs", "shr.u32 %t, %t, 1;\n" ADDRESS(4) "red.global.add.u32 [%x], 1;", 1, 32,
     "global_atomic_same 2, global_atomic_sectors 4"},
    {"shared atomics", SHARED(4) FILL "bar.warp.sync -1;\natom.shared.add.u32 %r, [s], 1;\nbar.warp.sync -1;", 1, 32,
     "shared_atomic_requests 1, shared_atomics 32, shared_atomic_same 32, shared_atomic_warps 1, global_atomics 0, "
     "warp_barriers 2"},
    {"generic atomics in shared memory",
     SHARED(4) FILL "bar.warp.sync -1;\nmov.u64 %x, s;\ncvta.shared.u64 %x, %x;\natom.add.u32 %r, [%x], 1;", 1, 32,
     "shared_atomic_requests 1, shared_atomics 32, shared_atomic_same 32, shared_atomic_warps 1, global_atomics 0, "
     "global_atomic_requests 0, global_atomic_same 0"},
    {"generic atomics in global memory", "atom.add.u32 %r, [%a], 1;", 1, 32,
     "global_atomic_requests 1, global_atomics 32, global_atomic_same 32, shared_atomics 0"},
    {"shared atomics that count up", SHARED(4) FILL "bar.warp.sync -1;\nred.shared.add.u32 [s], 1;", 1, 32,
     "shared_atomic_same 32, shared_atomic_wavefronts 1, shared_atomic_wavefronts_ideal 1"},
    {"shared atomics that add more", SHARED(4) FILL "bar.warp.sync -1;\nred.shared.add.u32 [s], %t;", 1, 32,
     "shared_atomic_same 32, shared_atomic_wavefronts 32, shared_atomic_wavefronts_ideal 1"},
    {"shared atomics of two warps at one word", SHARED(4) FILL "bar.sync 0;\natom.shared.add.u32 %r, [s], 1;", 3, 64,
     "shared_atomics 192, shared_atomic_warps 2"},
    {"shared atomics of two warps at words of their own",
     SHARED(4) FILL "bar.sync 0;\natom.shared.add.u32 %r, [%x], 1;", 3, 64,
     "shared_atomics 192, shared_atomic_warps 1"},
    {"the longest block is the one whose warps go around 8 times",
     "mov.u32 %r, %ctaid.x;\nL:\nadd.s32 %r, %r, 1;\nsetp.lt.s32 %p, %r, 8;\n@%p bra L;", 9, 64,
     "longest_block 58, warp_instructions 312"},
    {"barriers", "bar.sync 0;\nbar.sync 0;\nbar.sync 0;", 5, 96,
     "barriers 15, barrier_waits 45, warp_barriers 0, blocks 5, warps 15"},
    {"a barrier of each warp by itself",
     "shr.u32 %r, %t, 5;\nadd.u32 %r, %r, 1;\nbarrier.sync %r, 32;\nbarrier.sync %r, 32;\nbar.sync 0;", 5, 96,
     "barriers 5, barrier_waits 45"},
    {"barriers of two warps each",
     "shr.u32 %r, %t, 6;\nadd.u32 %r, %r, 1;\nbarrier.sync %r, 64;\nbarrier.sync %r, 64;\nbar.sync 0;", 5, 128,
     "barriers 25, barrier_waits 60"},
    {"a barrier of the only warp", "bar.sync 0, 32;\nbar.sync 1, 32;\nbar.sync 0;", 5, 32, "barriers 15"},
    {"arrivals do not wait", "bar.arrive 1, 64;\nbar.arrive 1, 64;\nbar.sync 0;\nbarrier.sync 0;", 1, 32,
     "barrier_waits 2"},
    {"shuffles and votes",
     "shfl.sync.bfly.b32 %r, %t, 1, 31, -1;\nsetp.eq.u32 %p, %r, 0;\nvote.sync.ballot.b32 %r, %p, "
     "-1;\nmatch.any.sync.b32 %r, %r, -1;",
     1, 64, "shuffles 2, votes 4"},
    {"none where no instruction uses what they give",
     "shfl.sync.bfly.b32 %r|%p, %t, 1, 31, -1;\nshfl.sync.bfly.b32 %r, %t, 1, 31, -1;\nmatch.any.sync.b32 %r, %t, -1;",
     1, 64, "shuffles 0, votes 0"},
    {"a shuffle whose predicate is a guard", "shfl.sync.up.b32 %r|%p, %t, 1, 0, -1;\n@%p add.u32 %t, %t, 1;", 1, 64,
     "shuffles 2"},
    {"products of tensor cores",
     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f, %f, %f, %f}, {%t, %t}, {%t}, {%f, %f, %f, %f};\n"
     "movmatrix.sync.aligned.m8n8.trans.b16 %r, %t;",
     1, 64, "tensor_instructions 2, tensor_flops 4096, shuffles 0, flops 0"},
    {"four products side by side",
     "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%t, %t, %t, %t}, {%t, %t}, {%t, %t}, {%t, %t, %t, %t};", 1, 32,
     "tensor_instructions 1, tensor_flops 2048"},
    {"two warps multiply, and one of them copies",
     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f, %f, %f, %f}, {%t, %t}, {%t}, {%f, %f, %f, %f};\n"
     "setp.eq.u32 %p, %t, 3;\n@%p cp.async.bulk.global.shared::cta.bulk_group [%a], [s], 64;\n"
     "@%p cp.async.bulk.commit_group;\n@%p cp.async.bulk.wait_group 0;",
     2, 64, "bulk_copies 2, tensor_instructions 4, mixed_warps 2"},
    {"one warp copies, the other multiplies",
     "setp.eq.u32 %p, %t, 3;\n@%p cp.async.bulk.global.shared::cta.bulk_group [%a], [s], 64;\n"
     "@%p cp.async.bulk.commit_group;\n@%p cp.async.bulk.wait_group 0;\nsetp.lt.u32 %p, %t, 32;\n@%p bra L;\n"
     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f, %f, %f, %f}, {%t, %t}, {%t}, {%f, %f, %f, %f};\nL:",
     1, 64, "bulk_copies 1, tensor_instructions 1, mixed_warps 0"},
    {"products of a warpgroup, whose factors no warp loads",
     "mov.b64 %x, 68720001024;\nwgmma.fence.sync.aligned;\n"
     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f, %f, %f, %f}, %x, %x, 1, 1, 1, 0, 0;\n"
     "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;",
     1, 128, "tensor_instructions 4, tensor_flops 16384, shared_load_requests 0, flops 0"},
    {"bulk copies, which are no loads and no stores",
     SHARED(4) FILL "fence.proxy.async.shared::cta;\nbar.warp.sync -1;\nsetp.eq.u32 %p, %t, 3;\n"
                    "@%p cp.async.bulk.global.shared::cta.bulk_group [%a], [s], 64;\n"
                    "@%p cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%a+64], [s], 32;\n"
                    "@%p cp.async.bulk.commit_group;\n@%p cp.async.bulk.wait_group 0;",
     1, 32,
     "bulk_copies 2, bulk_load_bytes 0, bulk_store_bytes 96, global_store_requests 0, shared_load_requests 0, "
     "async_copies 0"},
    {"words in the other block of a cluster",
     "mov.u64 %x, s;\nmapa.shared::cluster.u64 %x, %x, 1;\nmad.wide.u32 %x, %t, 4, %x;\nbarrier.cluster.arrive;\n"
     "barrier.cluster.wait;\nst.shared::cluster.u32 [%x], %t;\nld.shared::cluster.u32 %r, [%x];\n"
     "red.shared::cluster.add.u32 [%x+4096], 1;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;",
     2, 32, "peer_requests 3, peer_atomics 32, cluster_waits 4, shared_atomics 64, bulk_copies 0, barrier_waits 0"},
    {"matrices whose rows lie one after the other",
     SHARED(16) FILL "bar.warp.sync -1;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r, %r, %r, %r}, [%x];", 1, 32,
     "shared_load_requests 1, shared_load_wavefronts 4, shared_load_wavefronts_ideal 4, tensor_instructions 0"},
    {"matrices whose rows are 128 bytes apart",
     SHARED(128) "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%x], {%t, %t};\nbar.warp.sync -1;\n"
                 "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r, %r}, [%x];",
     1, 32,
     "shared_load_requests 1, shared_load_wavefronts 16, shared_load_wavefronts_ideal 2, shared_store_requests 1, "
     "shared_store_wavefronts 16, shared_store_wavefronts_ideal 2, shared_excess 28"},
    {"a matrix whose rows have 16 bytes more", SHARED(144) "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%x], {%t};", 1,
     32, "shared_store_wavefronts 1, shared_store_wavefronts_ideal 1, shared_excess 0"},
    {"sums",
     "add.f32 %f, %f, %f;\nfma.rn.f32 %f, %f, %f, %f;\nadd.s32 %r, %t, 1;\nsub.s32 %r, %t, 1;\nmul.lo.s32 %r, %t, %t;",
     1, 32, "flops 96, integer_adds 64"},
    {"sums by the memory",
     "red.global.add.f32 [%a], %f;\natom.global.add.f32 %f, [%a], %f;\nred.global.add.u32 [%a+64], 1;\n"
     "red.global.max.u32 [%a+64], 1;",
     1, 32, "flops 64, integer_adds 32"},
    {"constant memory, one word for all lanes",
     "ld.const.u32 %r, [c];\nld.const.v2.u32 {%r, %r}, [c+8];\nld.global.u32 %r, [%a];", 1, 64,
     "constant_passes 4, global_load_requests 2, local_bytes 0"},
    {"constant memory, a word for each pair of lanes",
     "shr.u32 %t, %t, 1;\nmul.wide.u32 %x, %t, 4;\nmov.u64 %y, c;\nadd.s64 %x, %x, %y;\nld.const.u32 %r, [%x];", 1, 64,
     "constant_passes 32, global_load_requests 0"},
    {"arguments are no constant memory", "ld.param.u64 %x, [a];", 1, 64, "constant_passes 0"},
    {"local memory", "st.local.u32 [p], %t;\nld.local.u32 %r, [p];\nld.local.v2.u32 {%r, %r}, [p];", 1, 32,
     "local_bytes 512, global_load_requests 0, shared_load_requests 0"},
    {"a uniform branch", "setp.lt.u32 %p, %t, 64;\n@%p bra A;\nadd.s32 %r, %t, 1;\nA:", 1, 64,
     "branches 2, divergent_branches 0, integer_adds 0"},
    {"a divergent branch", "setp.lt.u32 %p, %t, 16;\n@%p bra A;\nadd.s32 %r, %t, 1;\nA:", 1, 32,
     "branches 1, divergent_branches 1, integer_adds 16"},
    {"one warp of two diverges",
     "setp.lt.u32 %p, %t, 48;\n@%p bra A;\nadd.s32 %r, %t, 1;\nbra B;\nA:\nadd.s32 %r, %t, 2;\nB:", 1, 64,
     "branches 2, divergent_branches 1, integer_adds 64"},
    {"a loop of t % 4 + 1 rounds", "and.b32 %r, %t, 3;\nL:\nadd.s32 %r, %r, -1;\nsetp.ge.s32 %p, %r, 0;\n@%p bra L;", 1,
     32, "branches 4, divergent_branches 3, integer_adds 80"},
    {"lanes meet again however long a kernel runs",
     "mov.u32 %r, 0;\nL:\nsetp.lt.u32 %p, %t, 16;\n@%p bra A;\nadd.f32 %f, %f, %f;\nadd.f32 %f, %f, %f;\n"
     "setp.lt.u32 %p, %t, 8;\n@%p bra A;\nadd.f32 %f, %f, %f;\nadd.f32 %f, %f, %f;\nA:\nld.global.f32 %f, [%a];\n"
     "add.s32 %r, %r, 1;\nsetp.lt.s32 %p, %r, 20000;\n@%p bra L;",
     1, 32, "global_load_requests 20000, branches 60000, divergent_branches 20000"},
    {"a trap that no lane comes to keeps none apart", PARTED "@%p bra T;\n" MEET "bra D;\nT:\ntrap;\nD:", 1, 32,
     "global_load_requests 1"},
    {"nor does a trap under a guard", PARTED "@%p trap;\n" MEET, 1, 32, "global_load_requests 1"},
    {"nor a call of a function that ends in a trap", PARTED "@%p bra T;\n" MEET "bra D;\nT:\ncall.uni fail;\nD:", 1, 32,
     "global_load_requests 1"},
    {"guards are no branches",
     "setp.lt.u32 %p, %t, 10;\n@%p add.s32 %r, %t, 1;\n@!%p sub.s32 %r, %t, 1;\n@!%p sub.s32 %r, %t, 1;", 1, 32,
     "branches 0, divergent_branches 0, integer_adds 54"},
};

static const char *const frame = PTX_HEAD ".const .align 16 .b8 c[256];\n.func fail()\n.noreturn\n{\ntrap;\nret;\n}\n"
                                          ".visible .entry k(.param .u64 a)\n{\n.shared .align 16 .b8 "
                                          "s[16384];\n.local .align 8 .b8 p[8];\n.reg .b32 %%t, %%r;\n"
                                          ".reg .f32 %%f;\n.reg .b64 %%a, %%x, %%y;\n.reg .pred %%p;\nld.param.u64 "
                                          "%%a, [a];\nmov.u32 %%t, %%tid.x;\nmov.f32 %%f, 0f00000000;\n"
                                          "%s\nret;\n}\n";

static uint64_t counter(const struct simt_counters *c, const char *name)
{
#define FIND(field, meaning) \
    if (!strcmp(name, #field)) \
        return c->field;
    SIMT_COUNTERS(FIND)
#undef FIND
    printf("no counter %s\n", name);
    exit(1);
}

// The instructions of the frame: they must be counted too, and no others.
static uint64_t instructions_of(const char *body)
{
    uint64_t n = 4;
    for (const char *c = body; *c; c++)
        n += *c == ';';
    return n;
}

// Two blocks of a cluster: in each, lanes 0 to 15 access the memory of rank 0, and all lanes their own.
static void count_peers(void)
{
    struct simt_counters c;
    struct machine_shape shape = machine_line(2, 32);
    struct module *m = machine_load(
        PTX_HEAD ".visible .entry k()\n{\n.shared .align 4 .b8 s[128];\n.reg .b32 %t, %r, %x;\n.reg .pred %p;\n"
                 "mov.u32 %t, %tid.x;\nshl.b32 %x, %t, 2;\nmov.u32 %r, s;\nadd.u32 %r, %r, %x;\n"
                 "st.shared.u32 [%r], %t;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                 "mapa.shared::cluster.u32 %r, %r, 0;\nsetp.lt.u32 %p, %t, 16;\n"
                 "@%p red.shared::cluster.add.u32 [%r], 1;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                 "@%p ld.shared::cluster.u32 %t, [%r];\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}\n");
    shape.cluster = 2;
    simt_reset();
    int error = machine_launch(m, "k", shape, NULL);
    simt_read(&c);
    check(error == 0 && c.cluster_accesses == 32, "a cluster", "error %d, cluster_accesses is %llu, wanted 32", error,
          (unsigned long long)c.cluster_accesses);
    check(c.shared_atomics == 32 && c.global_atomics == 0, "a cluster", "shared_atomics is %llu, wanted 32",
          (unsigned long long)c.shared_atomics);
    machine_unload(m);
}

static struct module *load(const struct test *t)
{
    static char text[4096];
    snprintf(text, sizeof text, frame, t->body);
    return machine_load(text);
}

static int launch(const struct test *t, struct module *m, uint8_t *a, struct simt_counters *c)
{
    simt_reset();
    struct machine_shape shape = machine_line(t->blocks, t->threads);
    shape.cluster = strstr(t->body, "mapa") ? 2 : 0;
    int error = machine_run(m, "k", shape, &a);
    simt_read(c);
    return error;
}

// ---- counts beyond 2^32

#define NEAR_2_32 UINT64_C(0xffffffff)

static uint64_t preset; // what every sum of the launch's first block starts with
static atomic_bool unset;

static void preset_counts(struct block *b)
{
    struct worker *k = b->worker;
    const struct module *m = b->launch->module;
    if (!atomic_exchange(&unset, false))
        return;
    for (uint32_t id = 0; id < m->origin_count; id++) {
        uint64_t *sums = (uint64_t *)&counts_of(k)->memory[id];
        k->runs[m->origins[id].block] = (struct block_count){preset, preset};
        k->diverged[id] = k->guard_lanes[id] = preset;
        for (size_t i = 0; i < offsetof(struct memory_count, same) / sizeof *sums; i++)
            sums[i] = preset;
    }
    k->barriers += preset;
    k->blocks += preset;
    k->warps += preset;
    k->waits += preset;
    k->longest += preset;
    counts_of(k)->mixed += preset;
}

// On one host thread: where no thread counts the lanes of a guard, those of the block count.
static const struct observer preset_observer = {.block_start = preset_counts, .alone = true};

// Each counter grows by the same number if all sums start higher by the same number: a sum of 32 bits would wrap.
static void count_beyond(const struct test *t, uint8_t *a)
{
    struct simt_counters c[3];
    struct module *m = load(t);
    for (uint64_t i = 0; i < 3; i++) {
        preset = (i + 1) * NEAR_2_32;
        unset = true;
        machine_observer = &preset_observer;
        check(launch(t, m, a, &c[i]) == 0, t->name, "the launch fails beyond 2^32");
        machine_observer = NULL;
    }
#define COMPARE(field, meaning) \
    uint64_t first_##field = c[1].field - c[0].field, then_##field = c[2].field - c[1].field; \
    check(first_##field == then_##field && (!then_##field || (then_##field >= NEAR_2_32 && !(then_##field >> 60))), \
          t->name, #field " is %llu, %llu and %llu beyond 2^32", (unsigned long long)c[0].field, \
          (unsigned long long)c[1].field, (unsigned long long)c[2].field);
    SIMT_COUNTERS(COMPARE)
#undef COMPARE
    check(c[0].thread_instructions > NEAR_2_32 && c[0].warps > NEAR_2_32, t->name, "nothing is preset");
    machine_unload(m);
}

static void run(const struct test *t, uint8_t *a)
{
    struct simt_counters c;
    char name[40];
    unsigned long long want;
    int length;
    struct module *m = load(t);
    int error = launch(t, m, a, &c);
    check(error == 0 && c.launches == 1, t->name, "launch error %d, %llu launches", error,
          (unsigned long long)c.launches);
    for (const char *at = t->counts; sscanf(at, " %39s %llu%n", name, &want, &length) == 2;
         at += length + (at[length] == ','))
        check(counter(&c, name) == want, t->name, "%s is %llu, wanted %llu", name,
              (unsigned long long)counter(&c, name), want);
    if (!strchr(t->body, ':') && t->threads % 32 == 0) {
        uint64_t n = instructions_of(t->body) * c.warps;
        check(c.warp_instructions == n, t->name, "warp_instructions is %llu, wanted %llu",
              (unsigned long long)c.warp_instructions, (unsigned long long)n);
        if (!strchr(t->body, '@'))
            check(c.thread_instructions == 32 * n, t->name, "thread_instructions is %llu, wanted %llu",
                  (unsigned long long)c.thread_instructions, (unsigned long long)(32 * n));
    }
    machine_unload(m);
}

int main(void)
{
    uint8_t *a = machine_buffer(1 << 16, 0);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        run(&tests[i], a), count_beyond(&tests[i], a);
    count_peers();
    printf("%zu patterns, %d failures\n", sizeof tests / sizeof *tests, failures);
    return failures != 0;
}
