// solvers_exchange.h: slabs of a grid on several GPUs, and how they get their neighbours' rows. For step 10 of chapter
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
#ifndef SOLVERS_EXCHANGE_H
#define SOLVERS_EXCHANGE_H

#include "harness.h"
#include "solvers_quads.h"
#ifdef WITH_NCCL
#include <nccl.h>
#endif
#ifdef WITH_MPI
#define OMPI_SKIP_MPICXX 1 // the C interface is enough
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
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
#define check_nccl(call) check_nccl_at((call), #call, __LINE__)

static inline void check_nccl_at(ncclResult_t result, const char *call, int line)
{
    if (result != ncclSuccess)
        fail(BROKEN, "broken run: solvers_exchange.h:%d: %s failed: %s", line, call, ncclGetErrorString(result));
}

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

// One communicator for each slab of this process.
static inline void open_comms(struct team *t)
{
    ncclUniqueId id;
    if (t->first == 0)
        check_nccl(ncclGetUniqueId(&id));
#ifdef WITH_MPI
    if (MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD) != MPI_SUCCESS)
        fail(BROKEN, "broken run: MPI_Bcast failed");
#endif
    check_nccl(ncclGroupStart());
    for (int i = 0; i < t->count; i++) {
        check_cuda(cudaSetDevice(t->slab[i].device));
        check_nccl(ncclCommInitRank(&t->comm[i], t->world, id, t->first + i));
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

// ---- Processes -------------------------------------------------------------------------------------------
#ifdef WITH_MPI
static int all_is_well;

static void end_mpi(void)
{
    if (all_is_well)
        MPI_Finalize();
    else
        MPI_Abort(MPI_COMM_WORLD, WRONG); // the others may wait for this process
}
#endif

// Starts MPI, if it is there: how many slabs there are at most by NCCL, and which of them, on which devices from
// *device on, are this process's.
static inline void join(struct team *t, int *device)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        fail(SKIPPED, "skipped: no GPU here; linked with libsimt.a this runs without one");
    *device = 0;
    t->first = 0;
    t->count = t->world = devices < MAX_SLABS ? devices : MAX_SLABS;
#ifdef WITH_MPI
    MPI_Comm host;
    int here = 1, rank = 0, ok = MPI_Init(NULL, NULL) == MPI_SUCCESS;
    atexit(end_mpi);
    ok = ok && MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) == MPI_SUCCESS;
    ok = ok && MPI_Comm_size(host, &here) == MPI_SUCCESS && MPI_Comm_rank(host, &rank) == MPI_SUCCESS;
    if (!ok || here > devices)
        fail(BROKEN, "broken run: %d processes on this host, %d GPUs", here, devices);
    if (here > 1) {
        t->count = 1;
        *device = rank;
    }
    ok = MPI_Scan(&t->count, &t->first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS; // up to this process's end
    ok = ok && MPI_Allreduce(&t->count, &t->world, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS;
    t->first -= t->count;
    if (!ok)
        fail(BROKEN, "broken run: MPI failed");
#endif
}
#endif
