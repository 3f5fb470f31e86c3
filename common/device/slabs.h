// slabs.h: slabs of a grid on several GPUs, for step 10 of chapter 06-iterative-solvers. The exercise has the halo
// exchange by peer copies; this file has the one by NCCL.
//
// A grid is cut into slabs of whole rows, from the top down, each on its own GPU. Above and below its own rows a
// slab has a halo row: a copy of the neighbour's nearest row, or the grid's border. After every sweep the halo
// rows are updated:
//
//     peer copies    a slab copies its first and last row into its neighbours' memory. One process. It also runs on the
//                    SIMT machine, and several slabs may share a GPU.
//     NCCL           compiled with -DWITH_NCCL and linked with -lnccl: ncclSend and ncclRecv, all in one group.
//     NCCL and MPI   compiled with -DWITH_NCCL -DWITH_MPI: mpirun starts processes, on one host or several. A process
//                    alone on its host takes all of its GPUs; several on one host take one each.
#pragma once

#include "device/grid.h"
#include "device/launch.h"
#ifdef WITH_NCCL
#include <nccl.h>
#endif

#define MAX_SLABS 16

struct slab {
    int device;
    struct grid g;                           // of the slab; its own rows are 1, ..., g.height - 2
    float *x, *next;                         // the grid before and after a sweep; solve swaps them
    cudaStream_t edge, inner;                // edge has a higher priority
    cudaEvent_t edge_done, inner_done, sent; // for solve; for solve; for the halo exchange
};

struct team {
    int world, first, count; // slabs in all; this process has slabs first, ..., first + count - 1
    int nccl;                // the halo exchange: 1 by NCCL, 0 by peer copies
    struct slab slab[MAX_SLABS];
#ifdef WITH_NCCL
    ncclComm_t comm[MAX_SLABS];
#endif
};

// ---- NCCL ------------------------------------------------------------------------------------------------
#ifdef WITH_NCCL
#define check_nccl(call) check_nccl_at((call), #call, __FILE__, __LINE__)

static inline void check_nccl_at(ncclResult_t result, const char *call, const char *file, int line); // solvers/team.h

// Sends row `send` of next to slab number peer and receives its row into row `receive`.
static inline void trade(struct team *t, int i, int peer, int send, int receive)
{
    struct slab *s = &t->slab[i];
    size_t count = (size_t)s->g.width;
    check_nccl(ncclSend(s->next + cell(s->g, send, 0), count, ncclFloat, peer, t->comm[i], s->edge));
    check_nccl(ncclRecv(s->next + cell(s->g, receive, 0), count, ncclFloat, peer, t->comm[i], s->edge));
}

// Exchanges the halo rows of all slabs by NCCL, on the edge streams. Returns 0 if this run exchanges by peer copies.
static inline int exchange_by_nccl(struct team *t)
{
    if (!t->nccl)
        return 0;
    if (t->world == 1)
        return 1;
    check_nccl(ncclGroupStart()); // none of these waits for another before all have started
    for (int i = 0; i < t->count; i++) {
        if (t->first + i > 0)
            trade(t, i, t->first + i - 1, 1, 0);
        if (t->first + i < t->world - 1)
            trade(t, i, t->first + i + 1, t->slab[i].g.height - 2, t->slab[i].g.height - 1);
    }
    check_nccl(ncclGroupEnd());
    return 1;
}
#else
static inline int exchange_by_nccl(struct team *)
{
    return 0;
}
#endif
