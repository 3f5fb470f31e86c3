// slabs.h: slabs of a grid on several GPUs, and how they get their neighbours' rows. For step 10 of chapter
// 06-iterative-solvers.
//
// A grid is cut into slabs of whole rows, from the top down; each is on a GPU of its own, with one more row above and
// one below its own rows, copies of the neighbours' (or the grid's border). After every sweep the copies are renewed:
//
//     peer copies    a slab copies its first and last row into its neighbours' memory. One process. This runs on the
//                    SIMT machine, too; and several slabs may share a GPU.
//     NCCL           compiled with -DWITH_NCCL and linked with -lnccl: ncclSend and ncclRecv, all in one group.
//     NCCL and MPI   compiled with -DWITH_NCCL -DWITH_MPI: mpirun starts processes, on one host or several. A process
//                    alone on its host takes all of its GPUs; several on one host take one each.
#ifndef DEVICE_SLABS_H
#define DEVICE_SLABS_H

#include "device/grid.h"
#include "device/launch.h"
#ifdef WITH_NCCL
#include <nccl.h>
#endif

#define MAX_SLABS 16

struct slab {
    int device;
    struct grid g;                           // of the slab: its own rows are 1, ..., g.height - 2
    float *x, *next;                         // the grid before and after a sweep; solve swaps them
    cudaStream_t edge, inner;                // edge has a higher priority
    cudaEvent_t edge_done, inner_done, sent; // for solve; for solve; for exchange
};

struct team {
    int world, first, count; // slabs in all; this process has numbers first, ..., first + count - 1
    int nccl;                // how rows are exchanged: 1 by NCCL, 0 by peer copies
    struct slab slab[MAX_SLABS];
#ifdef WITH_NCCL
    ncclComm_t comm[MAX_SLABS];
#endif
};

// ---- Peer copies -----------------------------------------------------------------------------------------
static inline void copy_row(struct slab *to, int to_row, struct slab *from, int from_row)
{
    check_cuda(cudaMemcpyPeerAsync(to->next + cell(to->g, to_row, 0), to->device,
                                   from->next + cell(from->g, from_row, 0), from->device,
                                   (size_t)from->g.width * sizeof(float), from->edge));
}

// Each slab sends on its edge stream. The neighbour goes on when it has received: its next sweep of the edges reads the
// row. That it no longer needs what the row held before is certain: it has read it before it sent its own row last
// time, and the sender has waited for that.
static inline void exchange_by_peer_copies(struct team *t)
{
    for (int i = 0; i < t->count; i++) {
        struct slab *s = &t->slab[i];
        check_cuda(cudaSetDevice(s->device));
        if (i > 0)
            copy_row(s - 1, s[-1].g.height - 1, s, 1);
        if (i < t->count - 1)
            copy_row(s + 1, 0, s, s->g.height - 2);
        check_cuda(cudaEventRecord(s->sent, s->edge));
    }
    for (int i = 0; i < t->count; i++) {
        struct slab *s = &t->slab[i];
        check_cuda(cudaSetDevice(s->device));
        if (i > 0)
            check_cuda(cudaStreamWaitEvent(s->edge, s[-1].sent, 0));
        if (i < t->count - 1)
            check_cuda(cudaStreamWaitEvent(s->edge, s[1].sent, 0));
    }
}

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

static inline void exchange_by_nccl(struct team *t)
{
    if (t->world == 1)
        return;
    check_nccl(ncclGroupStart()); // none of them waits for another before all are under way
    for (int i = 0; i < t->count; i++) {
        if (t->first + i > 0)
            trade(t, i, t->first + i - 1, 1, 0);
        if (t->first + i < t->world - 1)
            trade(t, i, t->first + i + 1, t->slab[i].g.height - 2, t->slab[i].g.height - 1);
    }
    check_nccl(ncclGroupEnd());
}

#endif

// Renews the rows around every slab's own, in next. It goes to the edge streams, behind what they have been given; what
// they are given later may rely on these rows.
static inline void exchange(struct team *t)
{
#ifdef WITH_NCCL
    if (t->nccl) {
        exchange_by_nccl(t);
        return;
    }
#endif
    exchange_by_peer_copies(t);
}


#endif
