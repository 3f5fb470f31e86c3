// Clusters of blocks: ranks, their barrier, shared memory of other blocks by every kind of access and address, launches
// and occupancy. All results are known; the checks must be silent.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstring>

#include "program.h"

namespace cg = cooperative_groups;

template <typename... Params, typename... Args>
static cudaError_t launch(dim3 grid, unsigned block, dim3 cluster, size_t shared, void (*kernel)(Params...),
                          Args... args)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.gridDim = grid;
    config.blockDim = dim3(block);
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

static __device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ uint32_t map(uint32_t address, unsigned rank)
{
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

// ---- places

struct place {
    unsigned id[3], clusters[3], in[3], size[3], rank, blocks;
};

#define SPECIAL(name, to) asm volatile("mov.u32 %0, %" name ";" : "=r"(to))

__global__ void where(place *out)
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    place *p = &out[block];
    SPECIAL("%clusterid.x", p->id[0]);
    SPECIAL("%clusterid.y", p->id[1]);
    SPECIAL("%clusterid.z", p->id[2]);
    SPECIAL("%nclusterid.x", p->clusters[0]);
    SPECIAL("%nclusterid.y", p->clusters[1]);
    SPECIAL("%nclusterid.z", p->clusters[2]);
    SPECIAL("%cluster_ctaid.x", p->in[0]);
    SPECIAL("%cluster_ctaid.y", p->in[1]);
    SPECIAL("%cluster_ctaid.z", p->in[2]);
    SPECIAL("%cluster_nctaid.x", p->size[0]);
    SPECIAL("%cluster_nctaid.y", p->size[1]);
    SPECIAL("%cluster_nctaid.z", p->size[2]);
    SPECIAL("%cluster_ctarank", p->rank);
    SPECIAL("%cluster_nctarank", p->blocks);
}

static void check_places(dim3 grid, dim3 cluster)
{
    place *out = managed<place>(grid.x * grid.y * grid.z);
    CUDA(launch(grid, 1, cluster, 0, where, out));
    CUDA(cudaDeviceSynchronize());
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                const place *p = &out[x + grid.x * (y + grid.y * z)];
                unsigned ix = x % cluster.x, iy = y % cluster.y, iz = z % cluster.z;
                EXPECT(p->id[0] == x / cluster.x && p->id[1] == y / cluster.y && p->id[2] == z / cluster.z);
                EXPECT(p->clusters[0] == grid.x / cluster.x && p->clusters[1] == grid.y / cluster.y);
                EXPECT(p->clusters[2] == grid.z / cluster.z);
                EXPECT(p->in[0] == ix && p->in[1] == iy && p->in[2] == iz);
                EXPECT(p->size[0] == cluster.x && p->size[1] == cluster.y && p->size[2] == cluster.z);
                EXPECT(p->rank == ix + cluster.x * (iy + cluster.y * iz));
                EXPECT(p->blocks == cluster.x * cluster.y * cluster.z);
            }
    CUDA(cudaFree(out));
}

// ---- addresses

__global__ void __cluster_dims__(4) addresses(unsigned *wrong_at)
{
    __shared__ unsigned s[4];
    cg::cluster_group c = cg::this_cluster();
    unsigned rank = c.block_rank(), next = (rank + 1) % 4, wrong = 0, bits, owner;
    unsigned *there = c.map_shared_rank(s, next);
    uint32_t a = map(shared_address(s), next);
    s[threadIdx.x] = rank;
    c.sync();
    wrong |= (c.query_shared_rank(there) != next) << 0 | (c.query_shared_rank(s) != rank) << 1;
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(a));
    wrong |= (owner != next) << 2 | (*there != next) << 3;
    asm volatile("{ .reg .pred p, q; isspacep.shared p, %1; isspacep.shared::cluster q, %1; selp.u32 %0, 1, 0, p;"
                 "@q add.u32 %0, %0, 2; }"
                 : "=r"(bits)
                 : "l"(there));
    wrong |= (bits != 2) << 4;
    asm volatile("{ .reg .pred p, q; isspacep.shared p, %1; isspacep.shared::cluster q, %1; selp.u32 %0, 1, 0, p;"
                 "@q add.u32 %0, %0, 2; }"
                 : "=r"(bits)
                 : "l"(s));
    wrong |= (bits != 3) << 5 | (map(a, rank) != map(shared_address(s), rank)) << 6;
    wrong |= (c.map_shared_rank(s, rank) != s && *c.map_shared_rank(s, rank) != rank) << 7;
    atomicOr(wrong_at, wrong);
    c.sync();
}

// ---- accesses

// Every thread writes to the next block, adds to the one after that, and reads the previous one.
__global__ void __cluster_dims__(2, 2, 2) accesses(unsigned *out)
{
    __shared__ unsigned word[64];
    __shared__ __align__(16) uint4 quad[64];
    __shared__ unsigned short half[64];
    __shared__ unsigned long long sum;
    unsigned t = threadIdx.x, rank = cg::this_cluster().block_rank(), next = (rank + 1) % 8, v[6];
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (t == 0)
        sum = 0;
    cg::this_cluster().sync();
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(map(shared_address(&word[t]), next)), "r"(rank * 100 + t)
                 : "memory");
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %2, %2};" ::"r"(map(shared_address(&quad[t]), next)), "r"(t),
                 "r"(rank)
                 : "memory");
    *cg::this_cluster().map_shared_rank(&half[t], next) = (unsigned short)(rank + t);
    atomicAdd(cg::this_cluster().map_shared_rank(&sum, (rank + 2) % 8), (unsigned long long)t << 20);
    asm volatile("red.shared::cluster.add.u64 [%0], %1;" ::"r"(map(shared_address(&sum), (rank + 3) % 8)), "l"(1ull)
                 : "memory");
    cg::this_cluster().sync();
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v[0]) : "r"(map(shared_address(&word[t]), next)) : "memory");
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4])
                 : "r"(map(shared_address(&quad[t]), (rank + 7) % 8))
                 : "memory");
    v[5] = half[t];
    unsigned long long total = *cg::this_cluster().map_shared_rank(&sum, next);
    bool right = v[0] == rank * 100 + t && v[1] == t && v[2] == t && v[3] == (rank + 6) % 8 && v[4] == v[3];
    right = right && v[5] == (rank + 7) % 8 + t && total == (2016ull << 20) + 64;
    out[block * 64 + t] = right;
    cg::this_cluster().sync();
}

// Lanes of one warp access different blocks, some of them outside the cluster.
__global__ void __cluster_dims__(4) scattered(unsigned *out)
{
    __shared__ unsigned s[32];
    unsigned rank = cg::this_cluster().block_rank(), sum = 0;
    s[threadIdx.x] = rank * 32 + threadIdx.x;
    cg::this_cluster().sync();
    const unsigned *p =
        threadIdx.x & 1 ? cg::this_cluster().map_shared_rank(s, threadIdx.x % 4) + threadIdx.x : &out[64];
    sum = *p;
    cg::this_cluster().sync();
    if (rank == 1)
        out[threadIdx.x] = sum;
}

// ---- the barrier

// A histogram over the shared memory of a cluster.
#define BINS 256
__global__ void histogram(unsigned *bins, const unsigned *keys, int n)
{
    extern __shared__ unsigned own[];
    cg::cluster_group c = cg::this_cluster();
    unsigned blocks = c.num_blocks(), each = BINS / blocks;
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x)
        own[i] = 0;
    c.sync();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < (unsigned)n; i += gridDim.x * blockDim.x)
        atomicAdd(c.map_shared_rank(own, keys[i] / each) + keys[i] % each, 1);
    c.sync();
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(&bins[c.block_rank() * each + i], own[i]);
}

static void check_histogram(unsigned blocks)
{
    const int n = 20000;
    unsigned *bins = managed<unsigned>(BINS), *keys = managed<unsigned>(n), want[BINS] = {};
    for (int i = 0; i < n; i++) {
        keys[i] = (unsigned)i * 2654435761u >> 24;
        want[keys[i]]++;
    }
    CUDA(launch(dim3(2 * blocks), 128, dim3(blocks), BINS / blocks * 4, histogram, bins, (const unsigned *)keys, n));
    CUDA(cudaDeviceSynchronize());
    EXPECT(!memcmp(bins, want, sizeof want));
    CUDA(cudaFree(bins));
    CUDA(cudaFree(keys));
}

// Many phases, with independent work between arriving and waiting; some warps arrive late.
__global__ void __cluster_dims__(4) phases(unsigned *out, int rounds)
{
    __shared__ unsigned s[2];
    cg::cluster_group c = cg::this_cluster();
    unsigned rank = c.block_rank(), mine = 0;
    if (threadIdx.x < 2)
        s[threadIdx.x] = rank;
    c.sync();
    for (int i = 0; i < rounds; i++) {
        unsigned got = *c.map_shared_rank(&s[i & 1], (rank + 1) % 4);
        if (threadIdx.x == 0)
            s[~i & 1] = got;
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        for (unsigned k = 0; k < threadIdx.x / 32 * 8; k++)
            mine += k;
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[rounds & 1];
    if (mine == 12345)
        out[blockIdx.x] = 0;
    c.sync();
}

// The barrier does not wait for threads that have exited.
__global__ void __cluster_dims__(2) all_but_one_warp(unsigned *out)
{
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    cg::this_cluster().sync();
    unsigned v = cg::this_cluster().map_shared_rank(s, cg::this_cluster().block_rank() ^ 1)[threadIdx.x];
    out[blockIdx.x * 64 + threadIdx.x] = v;
    cg::this_cluster().sync();
}

static void check_values()
{
    unsigned *out = managed<unsigned>(16 * 64);
    addresses<<<8, 4>>>(out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[0] == 0);
    accesses<<<dim3(4, 2, 2), 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 16 * 64; i++)
        EXPECT(out[i] == 1);
    out[64] = 7;
    scattered<<<4, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 32; i++)
        EXPECT(out[i] == (i & 1 ? i % 4 * 32 + i : 7));
    phases<<<8, 96>>>(out, 37);
    CUDA(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 8; i++)
        EXPECT(out[i] == (i % 4 + 37) % 4);
    all_but_one_warp<<<4, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 4 * 64; i++)
        EXPECT(out[i] == i % 64);
    CUDA(cudaFree(out));
}

// ---- launches and what the device holds

__global__ void plain(unsigned *out)
{
    atomicAdd(out, 1);
}

__global__ void __launch_bounds__(64, 1, 4) at_most_four(unsigned *out)
{
    atomicAdd(out, 1);
}

static int clusters_of(dim3 cluster, unsigned threads, size_t shared, cudaError_t *e)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    int n = -1;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.gridDim = cluster;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    *e = cudaOccupancyMaxActiveClusters(&n, plain, &config);
    return n;
}

static void check_launches()
{
    unsigned *out = managed<unsigned>(1);
    cudaFuncAttributes a;
    cudaLaunchConfig_t config = {};
    cudaError_t e;
    int size, launches;
    CUDA(cudaDeviceGetAttribute(&launches, cudaDevAttrClusterLaunch, 0));
    EXPECT(launches == 1);
    CUDA(launch(dim3(8), 32, dim3(8), 0, plain, out));
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[0] == 8 * 32);
    CUDA(launch(dim3(4), 32, dim3(4), 0, at_most_four, out));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFuncGetAttributes(&a, accesses));
    EXPECT(a.requiredClusterWidth == 2 && a.requiredClusterHeight == 2 && a.requiredClusterDepth == 2);
    EXPECT(a.clusterDimMustBeSet == 1 && !a.nonPortableClusterSizeAllowed);
    config.gridDim = dim3(16);
    config.blockDim = dim3(128);
    CUDA(cudaOccupancyMaxPotentialClusterSize(&size, plain, &config));
    EXPECT(size == 8);
    int many = clusters_of(dim3(2), 1024, 0, &e);
    EXPECT(e == cudaSuccess && many >= 1);
    EXPECT(clusters_of(dim3(8), 1024, 0, &e) <= many && e == cudaSuccess);
    CUDA(cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    out[0] = 0;
    CUDA(launch(dim3(32), 32, dim3(16), 0, plain, out));
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[0] == 32 * 32);
    CUDA(cudaOccupancyMaxPotentialClusterSize(&size, plain, &config));
    EXPECT(size == 16);
    CUDA(cudaFree(out));
}

int main()
{
    check_places(dim3(8), dim3(2));
    check_places(dim3(6, 4, 2), dim3(3, 2, 1));
    check_places(dim3(4, 4, 4), dim3(2, 1, 4));
    check_places(dim3(3), dim3(1));
    check_values();
    for (unsigned blocks = 1; blocks <= 8; blocks *= 2)
        check_histogram(blocks);
    check_launches();
    return finish();
}
