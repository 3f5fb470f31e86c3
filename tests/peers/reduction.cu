// The last step of chapter 01-reduction compared with cub::DeviceReduce::Sum, on one GPU, in one process.
//
// See peer.h. Both sums are checked.
#include <cub/device/device_reduce.cuh>

#define main exercise_main
#include "01-reduction/09-cascading.cu"
#undef main
#include "peer.h"

struct sums {
    int *d_in, *d_out, *d_tmp, n;
    void *d_cub;
    size_t cub_bytes;
};

static void run_ours(void *context)
{
    struct sums *s = (struct sums *)context;
    reduce(s->d_out, s->d_in, s->d_tmp, s->n);
}

static void run_peer(void *context)
{
    struct sums *s = (struct sums *)context;
    check_cuda(cub::DeviceReduce::Sum(s->d_cub, s->cub_bytes, s->d_in, s->d_out, s->n));
}

// Runs once on a poisoned output and compares with the host's sum.
static void check(const char *who, void (*run)(void *context), struct sums *s, int want)
{
    int got = 0;
    begin_case(who, s->n, "");
    check_cuda(cudaMemset(s->d_out, POISON, sizeof got));
    run(s);
    check_cuda(cudaMemcpy(&got, s->d_out, sizeof got, cudaMemcpyDeviceToHost));
    check_ints(&got, &want, 1, 0);
}

// Times both at n and prints a row.
static void compare(int n)
{
    struct sums s = {NULL, NULL, NULL, n, NULL, 0};
    size_t bytes = (size_t)n * sizeof(int);
    union value *x = (union value *)host_alloc(bytes);
    uint64_t state = harness.seed;
    long long want = 0;
    fill_random(x, n, &state);
    for (int i = 0; i < n; i++)
        want += x[i].i;
    s.d_in = (int *)device_copy(x, bytes, 0);
    s.d_tmp = (int *)device_alloc(bytes + 64 * sizeof(int));
    s.d_out = (int *)device_alloc(sizeof(int));
    check_cuda(cub::DeviceReduce::Sum(NULL, s.cub_bytes, s.d_in, s.d_out, n));
    s.d_cub = device_alloc(s.cub_bytes);
    check("ours", run_ours, &s, (int)want);
    check("cub::DeviceReduce", run_peer, &s, (int)want);

    struct duel d = {"int", n, (double)bytes, &s, run_ours, run_peer, NULL, NULL, 1};
    duel(&d);
    check_cuda(cudaFree(s.d_cub));
    check_cuda(cudaFree(s.d_out));
    check_cuda(cudaFree(s.d_tmp));
    check_cuda(cudaFree(s.d_in));
    free(x);
}

int main(int argc, char **argv)
{
    const int sizes[] = {1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 28};
    open_table(argc, argv, __FILE__, "cub::DeviceReduce::Sum", 1 << 30);
    for (int i = 0; i < 5; i++)
        if (harness.n < 0 || i == 0)
            compare(harness.n < 0 ? sizes[i] : (int)harness.n);
    close_table();
}
