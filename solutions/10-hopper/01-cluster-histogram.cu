// Hopper, step 1: a table over the shared memory of a cluster.
//
// In chapter 3 each block had a table of its own in shared memory. With 65536 bins a table takes
// 256 KB, more than a block can have, so each sample would be an atomic on global memory. The
// blocks of a cluster run at the same time and access each other's shared memory. Here two blocks
// share one table: bin b is word b / 2 of block b % 2.
//
// Passes when many samples are counted in the memory of another block, and global memory sees one
// addition per bin and cluster, with 4096 bins and clusters of two blocks or more:
// cluster_accesses >= n/4, global_atomics <= 2048*blocks.
//
//     ctest --test-dir build -R 10-hopper.01
#include "hopper.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define CLUSTER 2 // blocks
#define BLOCK 1024 // threads per block
#define SHARE 16384 // samples of a block, at least

// Adds to counts[b] how often b is in in[0], ..., in[n - 1].
__global__ void __cluster_dims__(CLUSTER) count_clusters(unsigned *counts, const unsigned short *in, size_t n, int bins)
{
    extern __shared__ unsigned part[]; // the block's bins
    cg::cluster_group cluster = cg::this_cluster();
    int rank = cluster.block_rank(), tid = threadIdx.x;

    for (int i = tid; i * CLUSTER + rank < bins; i += BLOCK)
        part[i] = 0;

    // TODO: Count the samples in the table of the cluster. Start at sample blockIdx.x * BLOCK + tid
    // and step by the number of threads of the grid. Sample b adds 1 to word b / CLUSTER of part in
    // block b % CLUSTER: map_shared_rank gives its address. Synchronize the cluster before the
    // first sample is counted, and again after the last.
    size_t threads = (size_t)gridDim.x * BLOCK;
    cluster.sync(); // all parts are zero, and all blocks have started
    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += threads)
        atomicAdd(cluster.map_shared_rank(part, in[i] % CLUSTER) + in[i] / CLUSTER, 1);
    cluster.sync(); // all have counted, and no block leaves before
    // END TODO

    for (int i = tid; i * CLUSTER + rank < bins; i += BLOCK)
        if (part[i] > 0)
            atomicAdd(&counts[i * CLUSTER + rank], part[i]);
}

// Counts d_in into d_counts: a block for each multiprocessor, fewer for a small n.
static void histogram(unsigned *d_counts, const unsigned short *d_in, size_t n, int bins)
{
    int multiprocessors, bytes = ceil_div(bins, CLUSTER) * (int)sizeof *d_counts;
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    check_cuda(cudaFuncSetAttribute(count_clusters, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    int clusters = (int)min((size_t)max(1, multiprocessors / CLUSTER), blocks_for(n, (size_t)CLUSTER * SHARE));

    check_cuda(cudaMemset(d_counts, 0, bins * sizeof *d_counts)); // device memory holds garbage
    count_clusters<<<clusters * CLUSTER, BLOCK, bytes>>>(d_counts, d_in, n, bins);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return cluster_main(argc, argv, histogram);
}
