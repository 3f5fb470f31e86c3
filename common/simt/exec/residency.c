// How many blocks and clusters of a kernel a device holds at a time, by their threads, registers and shared memory.
#include "exec/launch.h"
#include "report/errors.h"
#include "report/names.h"
#include "report/report.h"
#include "report/settings.h"

#define MULTIPROCESSOR_GROUP 16 // multiprocessors that one cluster may lie on (a GPC of an H100)

static uint32_t warp_registers(const struct code *c)
{
    return (c->registers * LANES + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
}

uint32_t block_registers(const struct code *c, uint32_t threads)
{
    return (threads + LANES - 1) / LANES * warp_registers(c);
}

// How many warps fit in the register files of a multiprocessor.
static uint32_t warps_by_registers(const struct code *c)
{
    return c->registers ? REGISTERS / REGISTER_FILES / warp_registers(c) * REGISTER_FILES : UINT32_MAX;
}

uint32_t threads_by_registers(const struct code *c)
{
    uint32_t warps = warps_by_registers(c);
    return warps < MAX_THREADS / LANES ? warps * LANES : MAX_THREADS;
}

struct residency residency(const struct code *c, uint32_t threads, uint32_t dynamic_shared)
{
    uint32_t warps = (threads + LANES - 1) / LANES, most = MAX_BLOCKS_PER_MULTIPROCESSOR;
    const struct residency limits[] = {
        {warps ? MAX_THREADS_PER_MULTIPROCESSOR / LANES / warps : most, LIMIT_THREADS},
        {SHARED_PER_MULTIPROCESSOR / (c->shared_bytes + dynamic_shared + RESERVED_SHARED), LIMIT_SHARED},
        {warps ? warps_by_registers(c) / warps : most, LIMIT_REGISTERS},
    };
    struct residency r = {most, LIMIT_BLOCKS};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        r = limits[i].blocks < r.blocks ? limits[i] : r;
    return r;
}

uint32_t resident_blocks(const struct code *c, uint32_t threads, uint32_t dynamic_shared)
{
    return residency(c, threads, dynamic_shared).blocks;
}

uint32_t resident_clusters(const struct code *c, uint32_t size, uint32_t threads, uint32_t dynamic_shared)
{
    uint32_t blocks = resident_blocks(c, threads, dynamic_shared), all = settings()->multiprocessors;
    if (size == 1)
        return all * blocks;
    return all / MULTIPROCESSOR_GROUP * (MULTIPROCESSOR_GROUP * blocks / size) +
           all % MULTIPROCESSOR_GROUP * blocks / size;
}

void cluster_of(const struct launch_request *q, const struct code *c, uint32_t cluster[3])
{
    for (int k = 0; k < 3; k++) {
        uint32_t given = q->cluster[0] ? q->cluster[k] : c->ptx->cluster_blocks[k];
        cluster[k] = given ? given : 1;
    }
}

int check_cluster(const struct launch_request *q, const struct code *c)
{
    uint32_t cluster[3];
    uint64_t size = 1;
    cluster_of(q, c, cluster);
    if (c->ptx->blocks_are_clusters) {
        complain("%s has a __block_size__, which the SIMT machine does not support: use __cluster_dims__, or a GPU",
                 kernel_name(c->name));
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    for (int k = 0; k < 3; k++) {
        uint32_t own = c->ptx->cluster_blocks[k];
        if (q->grid[k] % cluster[k] || (q->cluster[0] && own && cluster[k] != own))
            return CUDA_ERROR_INVALID_VALUE;
        size *= cluster[k];
    }
    if (c->ptx->cluster && !q->cluster[0] && !c->ptx->cluster_blocks[0])
        return CUDA_ERROR_INVALID_VALUE;
    uint32_t most = q->large_clusters ? MAX_CLUSTER : PORTABLE_CLUSTER, threads = q->dim[0] * q->dim[1] * q->dim[2];
    if (size > most || (c->ptx->max_cluster && size > c->ptx->max_cluster) ||
        !resident_clusters(c, (uint32_t)size, threads, q->dynamic_shared))
        return size > 1 ? CUDA_ERROR_INVALID_CLUSTER_SIZE : 0;
    return 0;
}
