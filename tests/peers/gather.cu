// Chapter 09-gather on one GPU, in one process. Step 3 is compared with the rate at which the card computes
// reciprocal square roots, the list of tiles of step 6 with cub::DeviceSelect::If, and step 7 with crowded atoms with
// evenly spread ones.
//
// See peer.h. The columns of GB/s hold 10^9 pairs per second and, for the list of tiles, 10^9 tiles. The peer of step 3
// computes one root for each pair and nothing slower: no kernel with a root for each pair can be faster. For the lists
// both results are sorted and compared; the map of each step is checked at some points.
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "device/cells.h"
#include "gather.h"
#define main exercise_main
namespace coarse
{
#include "09-gather/03-coarsening.cu"
}
namespace compact
{
#include "09-gather/06-compaction.cu"
}
#undef BLOCK
namespace regular
{
#include "09-gather/07-regularization.cu"
}
#undef main
#include "peer.h"

struct work {
    struct gather g;
    struct gather even; // of step 7's peer: the same number of atoms
    unsigned *d_tiles;  // CUB's list, with their number in front
    void *d_cub;
    size_t cub_bytes;
};

// ---- One case -----------------------------------------------------------------------------------------------
static void make_case(struct gather *g, const struct input *input, int n, struct plane p)
{
    uint64_t state = case_seed((uint64_t)n);
    name_case(g, input->name, n, p);
    g->atoms = (float4 *)host_alloc((size_t)n * sizeof *g->atoms);
    input->fill(g->atoms, n, p, &state);
    g->d_atoms = (float4 *)device_copy(g->atoms, (size_t)n * sizeof *g->atoms, 0);
    make_device(g);
}

static void end_case(struct gather *g)
{
    free_device(g);
    host_free(g->atoms);
}

static double pairs_in_all(const struct gather *g)
{
    return (double)points_of(g->p) * g->n;
}

// ---- Step 3 and the roots -----------------------------------------------------------------------------------
// Each thread computes 8 * rounds roots, in 8 independent chains.
__global__ void make_roots(float *out, int rounds)
{
    float x[8];
    for (int k = 0; k < 8; k++)
        x[k] = 1 + k + threadIdx.x;
    for (int i = 0; i < rounds; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            x[k] = inverse_root(x[k]);
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += x[k];
    if (sum < 0) // never, but the compiler does not know
        out[0] = sum;
}

static void run_coarse(void *context)
{
    struct gather *g = &((struct work *)context)->g;
    coarse::potential(g->d_map, g->d_atoms, g->n, g->p);
}

// As many roots as pairs; the map has a multiple of 2048 points.
static void run_roots(void *context)
{
    struct gather *g = &((struct work *)context)->g;
    make_roots<<<(int)(points_of(g->p) / 2048), 256>>>(g->d_map, g->n);
    check_cuda(cudaGetLastError());
}

static void compare_pairs(int n)
{
    struct work w = {};
    struct plane p = {1024, 1024};
    make_case(&w.g, &INPUTS[RANDOM], n, p);
    run_coarse(&w);
    check_map(&w.g);
    struct duel roots = {"03-coarsening, roots alone", n, pairs_in_all(&w.g), &w, run_coarse, run_roots, NULL, NULL, 1};
    duel(&roots);
    end_case(&w.g);
}

// ---- Step 6 and cub::DeviceSelect ---------------------------------------------------------------------------
struct has_atoms {
    const unsigned *begin;
    struct plane p;
    __device__ bool operator()(unsigned tile) const
    {
        return compact::atoms_near(begin, (int)tile, p) > 0;
    }
};

static void list_ours(void *context)
{
    struct gather *g = &((struct work *)context)->g;
    compact::list_tiles(g->bins, g->p);
}

static void list_peer(void *context)
{
    struct work *w = (struct work *)context;
    struct has_atoms near = {w->g.bins.begin, w->g.p};
    check_cuda(cub::DeviceSelect::If(w->d_cub, w->cub_bytes, thrust::counting_iterator<unsigned>(0), w->d_tiles + 1,
                                     w->d_tiles, tiles_in(w->g.p), near));
}

static int compare_words(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void expect_same_lists(const struct work *w)
{
    size_t bytes = ((size_t)tiles_in(w->g.p) + 1) * sizeof(unsigned);
    unsigned *ours = (unsigned *)host_alloc(bytes), *peers = (unsigned *)host_alloc(bytes);
    check_cuda(cudaMemcpy(ours, w->g.bins.list, bytes, cudaMemcpyDeviceToHost));
    check_cuda(cudaMemcpy(peers, w->d_tiles, bytes, cudaMemcpyDeviceToHost));
    qsort(ours + 1, ours[0], sizeof *ours, compare_words);
    if (memcmp(ours, peers, (peers[0] + 1) * sizeof *ours))
        fail(WRONG, "the list of step 6 and that of cub::DeviceSelect differ");
    host_free(ours);
    host_free(peers);
}

static void compare_lists(int n)
{
    struct work w = {};
    struct plane p = {16384, 16384};
    w.g.binned = compact::potential;
    make_case(&w.g, &INPUTS[RANDOM], n, p);
    bin_atoms(w.g.bins, w.g.d_atoms, n, p);
    w.d_tiles = words((size_t)tiles_in(p) + 1);
    list_peer(&w); // queries the size of the temporary memory
    w.d_cub = device_alloc(w.cub_bytes);
    list_ours(&w);
    list_peer(&w);
    expect_same_lists(&w);
    struct duel d = {"06 list, cub::DeviceSelect::If", n, (double)tiles_in(p), &w, list_ours, list_peer, NULL, NULL, 1};
    duel(&d);
    check_cuda(cudaFree(w.d_cub));
    check_cuda(cudaFree(w.d_tiles));
    end_case(&w.g);
}

// ---- Step 7, crowded and even -------------------------------------------------------------------------------
static void run_crowded(void *context)
{
    call(&((struct work *)context)->g);
}

static void run_even(void *context)
{
    call(&((struct work *)context)->even);
}

static void compare_crowds(int n)
{
    struct work w = {};
    struct plane p = {1024, 1024};
    w.g.binned = w.even.binned = regular::potential;
    w.g.cut = w.even.cut = 1;
    make_case(&w.even, &INPUTS[RANDOM], n, p);
    run_even(&w);
    check_map(&w.even);
    make_case(&w.g, &INPUTS[CLUSTERS], n, p);
    run_crowded(&w);
    check_map(&w.g);
    printf("pairs that count: crowded %.4g, even %.4g\n", pairs_of(&w.g), pairs_of(&w.even));
    struct duel d = {"07 crowded, 07 even", n, pairs_of(&w.g), &w, run_crowded, run_even, NULL, NULL, 1};
    duel(&d);
    end_case(&w.g);
    end_case(&w.even);
}

int main(int argc, char **argv)
{
    const int direct[] = {1024, 4000, 16384, 65536}, lists[] = {1 << 14, 1 << 17, 1 << 20};
    open_table(argc, argv, __FILE__, "roots, CUB, even atoms; 10^9 a second in place of GB/s", MAX_ATOMS);
    for (int i = 0; i < 4 && (harness.n < 0 || i == 0); i++)
        compare_pairs(harness.n < 0 ? direct[i] : (int)harness.n);
    for (int i = 0; i < 3 && (harness.n < 0 || i == 0); i++)
        compare_lists(harness.n < 0 ? lists[i] : (int)harness.n);
    for (int i = 0; i < 3 && (harness.n < 0 || i == 0); i++)
        compare_crowds(harness.n < 0 ? lists[i] : (int)harness.n);
    close_table();
}
