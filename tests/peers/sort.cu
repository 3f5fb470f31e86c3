// The last step of chapter 04-sort compared with cub::DeviceRadixSort, on one GPU, in one process: unsigned keys with
// entropies 1.000 and 0.201, floats, and keys with values; these also with larger tiles (pairs.h).
//
// See peer.h. Both sorts leave their input unchanged. Both are checked: ascending, values at their keys and in order
// among equal ones, and the same keys as the input by two sums over them; up to 2^24 also against the host's sort.
#include <cub/device/device_radix_sort.cuh>

#define main exercise_main
#include "04-sort/07-onesweep.cu"
#undef main
#include "pairs.h"
#include "peer.h"

struct contest {
    struct sort s;
    void *d_cub;
    size_t cub_bytes;
};

static void run_ours(void *context)
{
    struct contest *c = (struct contest *)context;
    sort(c->s.out, c->s.in, c->s.d_tmp, c->s.n, c->s.order);
}

static void run_pairs(void *context)
{
    struct contest *c = (struct contest *)context;
    pairs::sort(c->s.out, c->s.in, c->s.d_tmp, c->s.n, c->s.order);
}

// If d_cub is NULL, queries the size of the temporary memory.
static void run_peer(void *context)
{
    struct contest *c = (struct contest *)context;
    struct columns in = c->s.in, out = c->s.out;
    int n = c->s.n;
    if (c->s.order == FLOATS)
        check_cuda(
            cub::DeviceRadixSort::SortKeys(c->d_cub, c->cub_bytes, (const float *)in.keys, (float *)out.keys, n));
    else if (c->s.values)
        check_cuda(cub::DeviceRadixSort::SortPairs(c->d_cub, c->cub_bytes, (const unsigned *)in.keys, out.keys,
                                                   (const unsigned *)in.values, out.values, n));
    else
        check_cuda(cub::DeviceRadixSort::SortKeys(c->d_cub, c->cub_bytes, (const unsigned *)in.keys, out.keys, n));
}

// Two sums over words that do not depend on their order.
static void add_up(const unsigned *x, int n, uint64_t sums[2])
{
    sums[0] = sums[1] = 0;
    for (int i = 0; i < n; i++) {
        uint64_t state = x[i];
        sums[0] += x[i];
        sums[1] += random_bits(&state);
    }
}

// Here values are the indices of their keys in the input.
static void check_order(const struct sort *s, const unsigned *keys, const unsigned *values)
{
    uint64_t is[2], was[2];
    for (int i = 0; i < s->n; i++) {
        unsigned key = keys_before(keys[i], s->order), last = i ? keys_before(keys[i - 1], s->order) : 0;
        if (key < last)
            fail(WRONG, "wrong answer: key %d is below the one before it", i);
        if (s->values && (values[i] >= (unsigned)s->n || s->x.keys[values[i]] != keys[i]))
            fail(WRONG, "wrong answer: value %d is not that of its key", i);
        if (s->values && i > 0 && key == last && values[i] <= values[i - 1])
            fail(WRONG, "wrong answer: values %d and %d of equal keys are not in order", i - 1, i);
    }
    add_up(s->x.keys, s->n, was);
    add_up(keys, s->n, is);
    if (memcmp(is, was, sizeof is))
        fail(WRONG, "wrong answer: the keys are not those of the input");
}

// Runs once on a poisoned output.
static void check(const char *who, void (*run)(void *context), struct contest *c)
{
    struct sort *s = &c->s;
    size_t bytes = (size_t)s->n * sizeof(unsigned);
    unsigned *keys = (unsigned *)host_alloc(2 * bytes), *values = keys + s->n;
    begin_case(who, s->n, "");
    check_cuda(cudaMemset(s->out.keys, POISON, bytes));
    if (s->values)
        check_cuda(cudaMemset(s->out.values, POISON, bytes));
    run(c);
    check_cuda(cudaMemcpy(keys, s->out.keys, bytes, cudaMemcpyDeviceToHost));
    if (s->values)
        check_cuda(cudaMemcpy(values, s->out.values, bytes, cudaMemcpyDeviceToHost));
    check_order(s, keys, values);
    if (s->n <= 1 << 24)
        check_sort(s);
    free(keys);
}

struct kind {
    const char *name;
    enum order order;
    int words, values; // words whose AND is a key
};

// Input and memory for n keys.
static void prepare(struct contest *c, const struct kind *kind, int n)
{
    struct sort *s = &c->s;
    size_t bytes = (size_t)n * sizeof(unsigned);
    uint64_t state = harness.seed;
    s->order = kind->order;
    s->values = kind->values;
    s->n = n;
    s->x.keys = (unsigned *)host_alloc(2 * bytes);
    s->x.values = s->x.keys + n;
    fill_and(s, &state, kind->words);
    for (int i = 0; i < n; i++) {
        s->x.values[i] = (unsigned)i;
        if (kind->order == FLOATS && s->x.keys[i] << 1 == 0) // to CUB -0 equals 0, for us it comes before
            s->x.keys[i] = 1;
    }
    s->in.keys = (unsigned *)device_copy(s->x.keys, bytes, 0);
    s->out.keys = (unsigned *)device_alloc(bytes);
    s->in.values = s->values ? (unsigned *)device_copy(s->x.values, bytes, 0) : NULL;
    s->out.values = s->values ? (unsigned *)device_alloc(bytes) : NULL;
    s->d_tmp = (unsigned *)device_alloc(3 * bytes + 4096 * sizeof(unsigned));
    run_peer(c);
    c->d_cub = device_alloc(c->cub_bytes);
}

// Times both and prints a row.
static void compare(const struct kind *kind, int n)
{
    struct contest c = {};
    prepare(&c, kind, n);
    check("ours", run_ours, &c);
    check("cub::DeviceRadixSort", run_peer, &c);

    double bytes = (kind->values ? 16. : 8.) * n; // every word read and written
    struct duel d = {kind->name, n, bytes, &c, run_ours, run_peer, NULL, NULL, 1};
    duel(&d);
    if (kind->values) {
        check("pairs.h", run_pairs, &c);
        d.label = "the same, larger tiles";
        d.ours = run_pairs;
        duel(&d);
    }
    check_cuda(cudaFree(c.d_cub));
    check_cuda(cudaFree(c.s.d_tmp));
    check_cuda(cudaFree(c.s.out.values));
    check_cuda(cudaFree(c.s.in.values));
    check_cuda(cudaFree(c.s.out.keys));
    check_cuda(cudaFree(c.s.in.keys));
    free(c.s.x.keys);
}

int main(int argc, char **argv)
{
    const int sizes[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28};
    const struct kind kinds[] = {{"uint32", UNSIGNED, 1, 0},
                                 {"uint32, 0.201", UNSIGNED, 5, 0},
                                 {"float", FLOATS, 1, 0},
                                 {"uint32 pairs", UNSIGNED, 1, 1}};
    open_table(argc, argv, __FILE__, "cub::DeviceRadixSort", (1 << 30) - 1);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++)
            if (harness.n < 0 || i == 0)
                compare(&kinds[k], harness.n < 0 ? sizes[i] : (int)harness.n);
    close_table();
}
