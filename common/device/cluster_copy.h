// cluster_copy.h: copies to several blocks of a cluster, and arrivals at their mbarriers: from step 5 of chapter
// 10-hopper. Compute capability 9.0.
#pragma once

#include "device/tensor_map.h"

// As map_of_floats, of bf16 words.
static inline CUtensorMap map_of_words(const unsigned short *data, int rows, int columns, int pitch, int box_rows)
{
    return map_of_matrix(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, sizeof *data, data, rows, columns, pitch, box_rows);
}

// The block's rank in its cluster.
static inline __device__ unsigned cluster_rank()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// A barrier for all threads of the cluster.
static inline __device__ void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}

// Copies the box whose first element is (row, column) to the same place in the shared memory of each block whose bit of
// ranks is set. In each of these blocks, the bytes count at the mbarrier with the same address as b.
static inline __device__ void box_load_for(unsigned ranks, void *shared, const CUtensorMap *map, int row, int column,
                                           mbarrier *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(shared)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(b)), "h"((unsigned short)ranks)
                 : "memory");
}

// Arrives at the mbarrier with the same address as b in the block with this rank.
static inline __device__ void arrive_at(unsigned rank, mbarrier *b)
{
    asm volatile("{ .reg .b32 there;\n"
                 "  mapa.shared::cluster.u32 there, %0, %1;\n"
                 "  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(b)),
                 "r"(rank)
                 : "memory");
}

// As wait_for_phase, but also makes visible what threads of other blocks did before they arrived.
static inline __device__ void wait_for_cluster_phase(mbarrier *b, unsigned parity)
{
    unsigned complete = 0;
    while (!complete)
        asm volatile("{ .reg .pred p;\n"
                     "  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                     "  selp.u32 %0, 1, 0, p; }"
                     : "=r"(complete)
                     : "r"(shared_address(b)), "r"(parity)
                     : "memory");
}
