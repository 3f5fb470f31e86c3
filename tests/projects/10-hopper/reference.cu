// Project 10, a solution that reaches level 3: a cluster holds a plate in the shared memory of its eight blocks, from
// the first sweep to the last. A block has a slab of rows, twice: one copy is read, the other one written. It stores
// its first and its last row into the neighbours' slabs, too, and waits at an mbarrier for theirs.
#include "device/cluster_copy.h"
#include "projects/plates.h"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define BLOCK 512
#define CLUSTER 8

// A block's rows: count of them from row first on. Before and after them there is a row of each neighbour.
struct slab {
    int first, count, rows, columns;
};

// From shared to global memory; it belongs to the thread's open group of stores.
__device__ void bulk_store(void *global, const void *shared, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                 "r"(shared_address(shared)), "r"(bytes)
                 : "memory");
}

// Loads the slab and its neighbours' rows by one copy: they follow each other in the plate.
__device__ void load_slab(int *cells, const int *plate, struct slab s, mbarrier *full)
{
    int top = max(s.first - 1, 0), bottom = min(s.first + s.count + 1, s.rows);
    unsigned bytes = (bottom - top) * s.columns * sizeof *plate;

    arrive_and_expect(full, bytes);
    bulk_load(cells + (top - s.first + 1) * s.columns, plate + top * s.columns, bytes, full);
}

// A sweep over the slab. above and below: the rows of `after` in the neighbours that belong to this block, or NULL.
__device__ void sweep_slab(int *after, const int *before, struct slab s, int *above, int *below)
{
    for (int i = threadIdx.x; i < s.count * s.columns; i += BLOCK) {
        int y = s.first + i / s.columns, x = i % s.columns, at = i + s.columns, word = before[at];
        if (y > 0 && y < s.rows - 1 && x > 0 && x < s.columns - 1)
            word =
                (4 * word + before[at - s.columns] + before[at + s.columns] + before[at - 1] + before[at + 1] + 4) / 8;
        after[at] = word;
        if (above && i < s.columns)
            above[x] = word;
        if (below && i >= (s.count - 1) * s.columns)
            below[x] = word;
    }
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(BLOCK)
    cool(int *out, const int *in, int rows, int columns, int share, int sweeps)
{
    extern __shared__ __align__(128) int room[]; // two slabs of share + 2 rows
    __shared__ mbarrier full;                    // the slab has arrived
    // The neighbours have done sweep k: ready[k % 2]. A neighbour may be done with the next sweep before this block
    // waits for the other neighbour, or even before it waits at all; so the next one is another mbarrier.
    __shared__ mbarrier ready[2];
    cg::cluster_group cluster = cg::this_cluster();
    int rank = cluster.block_rank(), first = min(rank * share, rows), words = (share + 2) * columns;
    struct slab s = {first, min(share, rows - first), rows, columns};
    size_t plate = (size_t)(blockIdx.x / CLUSTER) * rows * columns;
    bool up = rank > 0 && s.count > 0, down = first + s.count < rows;
    int *cells = room, *next = room + words;

    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_init(&ready[0], max(up + down, 1));
        mbarrier_init(&ready[1], max(up + down, 1));
        if (s.count > 0)
            load_slab(cells, in + plate, s, &full);
    }
    cluster.sync(); // every mbarrier is ready for its neighbours
    if (s.count > 0)
        wait_for_phase(&full, 0);
    for (int k = 0; k < sweeps && s.count > 0; k++) {
        int *above = up ? cluster.map_shared_rank(next, rank - 1) + (share + 1) * columns : NULL;
        int *below = down ? cluster.map_shared_rank(next, rank + 1) : NULL;
        int *swap = cells;

        sweep_slab(next, cells, s, above, below);
        __syncthreads(); // the rows are stored, and `cells` is read
        if (threadIdx.x == 0 && up)
            arrive_at(rank - 1, &ready[k % 2]);
        if (threadIdx.x == 0 && down)
            arrive_at(rank + 1, &ready[k % 2]);
        if (up || down)
            wait_for_cluster_phase(&ready[k % 2], k / 2 % 2);
        cells = next;
        next = swap;
    }
    copy_engine_fence();
    __syncthreads();
    if (threadIdx.x == 0 && s.count > 0) {
        bulk_store(out + plate + s.first * columns, cells + columns, s.count * columns * sizeof *out);
        wait_for_stores_to_read();
    }
    // No barrier of the cluster: the last wait was for the neighbours' last accesses to this block.
}

void cool_plates(int *d_out, const int *d_in, int plates, int rows, int columns, int sweeps)
{
    int share = (rows + CLUSTER - 1) / CLUSTER;
    size_t bytes = 2 * (size_t)(share + 2) * columns * sizeof *d_in;

    check_cuda(cudaFuncSetAttribute((const void *)cool, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    if (plates > 0)
        cool<<<plates * CLUSTER, BLOCK, bytes>>>(d_out, d_in, rows, columns, share, sweeps);
    check_cuda(cudaGetLastError());
}
