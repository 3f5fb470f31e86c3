// team.h: step 10 of chapter 06-iterative-solvers: which process has which slabs of a grid, on which GPUs; their
// memory, streams and communicators. What an exercise calls is in device/slabs.h.
#pragma once

#include "harness.h"
#include "solvers/slabs_calls.h"
#ifdef WITH_MPI
#define OMPI_SKIP_MPICXX 1 // the C interface is enough
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

struct problem {
    slabs_function *solve;
    int device; // the first of this process
    struct grid g;
    float *start;
};

// ---- Processes -------------------------------------------------------------------------------------------
#ifdef WITH_MPI
static int run_succeeded;

static void end_mpi(void)
{
    if (run_succeeded)
        MPI_Finalize();
    else
        MPI_Abort(MPI_COMM_WORLD, WRONG); // the others may wait for this process
}
#endif

// Starts MPI, if available. Fills in the maximum number of slabs for NCCL, and this process's own slabs; these are on
// the devices from *device on.
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

// ---- NCCL ------------------------------------------------------------------------------------------------
#ifdef WITH_NCCL
static inline void check_nccl_at(ncclResult_t result, const char *call, const char *file, int line)
{
    if (result != ncclSuccess)
        fail(BROKEN, "broken run: %s:%d: %s failed: %s", source_name(file), line, call, ncclGetErrorString(result));
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

// ---- A team ----------------------------------------------------------------------------------------------
// Own rows of slab number i of world: the interior, height - 2, cut evenly, or one row for all but one.
static int rows_of(struct grid g, int i, int world, int uneven)
{
    int rows = g.height - 2;
    if (uneven)
        return i == world / 2 ? rows - world + 1 : 1;
    return rows / world + (i < rows % world);
}

// Lets every device write into the memory of every other one that is connected.
static void connect_devices(void)
{
    int devices, can = 0;
    check_cuda(cudaGetDeviceCount(&devices));
    for (int i = 0; i < devices; i++) {
        check_cuda(cudaSetDevice(i));
        for (int k = 0; k < devices; k++) {
            check_cuda(cudaDeviceCanAccessPeer(&can, i, k));
            if (can)
                check_cuda(cudaDeviceEnablePeerAccess(k, 0));
        }
    }
}

static void open_team(const struct problem *p, struct team *t)
{
    int devices, low, high;
    check_cuda(cudaGetDeviceCount(&devices));
    for (int i = 0; i < t->count; i++) {
        struct slab *s = &t->slab[i];
        s->device = (p->device + i) % devices;
        check_cuda(cudaSetDevice(s->device));
        check_cuda(cudaDeviceGetStreamPriorityRange(&low, &high));
        check_cuda(cudaStreamCreateWithPriority(&s->edge, cudaStreamNonBlocking, high));
        check_cuda(cudaStreamCreateWithPriority(&s->inner, cudaStreamNonBlocking, low));
        check_cuda(cudaEventCreateWithFlags(&s->edge_done, cudaEventDisableTiming));
        check_cuda(cudaEventCreateWithFlags(&s->inner_done, cudaEventDisableTiming));
        check_cuda(cudaEventCreateWithFlags(&s->sent, cudaEventDisableTiming));
    }
#ifdef WITH_NCCL
    if (t->nccl)
        open_comms(t);
#endif
}

static void close_team(struct team *t)
{
    for (int i = 0; i < t->count; i++) {
        struct slab *s = &t->slab[i];
        check_cuda(cudaSetDevice(s->device));
        cudaStream_t streams[] = {s->edge, s->inner};
        cudaEvent_t events[] = {s->edge_done, s->inner_done, s->sent};
        for (int k = 0; k < 2; k++)
            check_cuda(cudaStreamDestroy(streams[k]));
        for (int k = 0; k < 3; k++)
            check_cuda(cudaEventDestroy(events[k]));
    }
#ifdef WITH_NCCL
    for (int i = 0; t->nccl && i < t->count; i++)
        check_nccl(ncclCommDestroy(t->comm[i]));
#endif
    check_cuda(cudaSetDevice(0));
}

// Gives every slab its memory. The rows of the grid come from start, or are zeros if that is NULL.
static void distribute_rows(const struct problem *p, struct team *t, int uneven)
{
    size_t row = (size_t)p->g.pitch * sizeof(float);
    int above = 0;
    for (int i = -t->first; i < t->count; i++) { // also over the slabs of processes before this one
        struct slab *s = &t->slab[i < 0 ? 0 : i];
        int rows = rows_of(p->g, t->first + i, t->world, uneven);
        const float *from = p->start + (size_t)above * (size_t)p->g.pitch;
        above += rows;
        if (i < 0)
            continue;
        struct grid g = {p->g.width, rows + 2, 1, p->g.pitch};
        s->g = g;
        size_t bytes = (size_t)g.height * row, last = (size_t)(g.height - 1) * (size_t)g.pitch;
        check_cuda(cudaSetDevice(s->device));
        s->x = (float *)device_alloc(bytes);
        s->next = (float *)device_alloc(bytes);
        if (!p->start) {
            check_cuda(cudaMemset(s->x, 0, bytes));
            check_cuda(cudaMemset(s->next, 0, bytes));
            continue;
        }
        check_cuda(cudaMemcpy(s->x, from, bytes, cudaMemcpyHostToDevice));
        if (g.pitch > g.width) // padding may be read
            check_cuda(cudaMemcpy2D(s->next + g.width, row, from + g.width, row, row - (size_t)g.width * sizeof(float),
                                    (size_t)g.height, cudaMemcpyHostToDevice));
        if (t->first + i == 0)
            check_cuda(cudaMemcpy(s->next, from, row, cudaMemcpyHostToDevice));
        if (t->first + i == t->world - 1)
            check_cuda(cudaMemcpy(s->next + last, from + last, row, cudaMemcpyHostToDevice));
    }
}

static void collect(struct team *t)
{
    for (int i = 0; i < t->count; i++) {
        check_cuda(cudaSetDevice(t->slab[i].device));
        check_cuda(cudaFree(t->slab[i].x));
        check_cuda(cudaFree(t->slab[i].next));
    }
    check_cuda(cudaSetDevice(0));
}

static void wait_for_all(struct team *t)
{
    for (int i = 0; i < t->count; i++) {
        check_cuda(cudaSetDevice(t->slab[i].device));
        check_cuda(cudaGetLastError());
        check_cuda(cudaDeviceSynchronize());
    }
    check_cuda(cudaSetDevice(0));
}
