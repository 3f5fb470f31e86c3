// Steps 5 and 6 of chapter 00-basics compared with cublasSgeam and cub::DeviceSelect::If, on one GPU, in one process.
//
// See peer.h; also for large_tiles.h, the same transpose. Checks every element of the transposes, and the count and the
// sorted values of what is kept. The floor of a transpose is a copy. Step 7, a whole program with its own main, is not
// here.
#include <cub/device/device_select.cuh>
#include <cublas_v2.h>

#define main transpose_exercise_main
#include "00-basics/05-corner-turning.cu"
#undef main
#define main keep_exercise_main
#include "00-basics/06-block-aggregate.cu"
#undef main
#include "large_tiles.h"
#include "peer.h"

struct matrices {
    float *d_in, *d_out;
    int side;
    cublasHandle_t cublas;
};

static void turn_ours(void *context)
{
    struct matrices *m = (struct matrices *)context;
    transpose(m->d_out, m->d_in, m->side, m->side);
}

static void turn_large(void *context)
{
    struct matrices *m = (struct matrices *)context;
    large_tiles::transpose(m->d_out, m->d_in, m->side, m->side);
}

static void turn_peer(void *context)
{
    struct matrices *m = (struct matrices *)context;
    const float one = 1, zero = 0;
    if (cublasSgeam(m->cublas, CUBLAS_OP_T, CUBLAS_OP_N, m->side, m->side, &one, m->d_in, m->side, &zero, m->d_in,
                    m->side, m->d_out, m->side) != CUBLAS_STATUS_SUCCESS)
        fail(BROKEN, "cublasSgeam failed");
}

static void turn_floor(void *context)
{
    struct matrices *m = (struct matrices *)context;
    size_t bytes = (size_t)m->side * m->side * sizeof(float);
    check_cuda(cudaMemcpyAsync(m->d_out, m->d_in, bytes, cudaMemcpyDeviceToDevice, 0));
}

static void check_turned(const char *who, void (*run)(void *context), struct matrices *m, const float *want)
{
    size_t n = (size_t)m->side * m->side;
    float *got = (float *)host_alloc(n * sizeof *got);
    begin_case(who, m->side, "");
    check_cuda(cudaMemset(m->d_out, POISON, n * sizeof *got));
    run(m);
    check_cuda(cudaMemcpy(got, m->d_out, n * sizeof *got, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        if (memcmp(&got[i], &want[i], sizeof *got) != 0)
            fail(WRONG, "wrong answer: element %zu", i);
    host_free(got);
}

static void compare_transposes(int side)
{
    struct matrices m = {NULL, NULL, side, NULL};
    size_t n = (size_t)side * side;
    float *in = (float *)host_alloc(n * sizeof *in), *want = (float *)host_alloc(n * sizeof *want);
    uint64_t state = harness.seed;
    for (size_t i = 0; i < n; i++)
        in[i] = small_number(&state, 1 << 22);
    for (size_t i = 0; i < n; i++)
        want[i % side * side + i / side] = in[i];
    m.d_in = (float *)device_copy(in, n * sizeof *in, 0);
    m.d_out = (float *)device_alloc(n * sizeof *in);
    if (cublasCreate(&m.cublas) != CUBLAS_STATUS_SUCCESS)
        fail(BROKEN, "cublasCreate failed");
    check_turned("ours", turn_ours, &m, want);
    check_turned("large_tiles.h", turn_large, &m, want);
    check_turned("cublasSgeam", turn_peer, &m, want);
    struct duel d = {
        "05 transpose, cublasSgeam", side, 2.0 * n * sizeof *in, &m, turn_ours, turn_peer, NULL, turn_floor, 1};
    duel(&d);
    d.label = "large_tiles.h, cublasSgeam";
    d.ours = turn_large;
    duel(&d);
    cublasDestroy(m.cublas);
    check_cuda(cudaFree(m.d_out));
    check_cuda(cudaFree(m.d_in));
    host_free(want);
    host_free(in);
}

struct values {
    int *d_in, *d_out, *d_count, n;
    void *d_cub;
    size_t cub_bytes;
};

struct is_kept {
    __device__ bool operator()(int value) const
    {
        return value > 0;
    }
};

static void keep_ours(void *context)
{
    struct values *v = (struct values *)context;
    keep(v->d_out, v->d_count, v->d_in, v->n);
}

static void keep_peer(void *context)
{
    struct values *v = (struct values *)context;
    check_cuda(cub::DeviceSelect::If(v->d_cub, v->cub_bytes, v->d_in, v->d_out, v->d_count, v->n, is_kept()));
}

// want: the kept values, sorted.
static void check_kept(const char *who, void (*run)(void *context), struct values *v, const int *want, int wanted)
{
    int count = -1, *got = (int *)host_alloc((size_t)v->n * sizeof *got);
    begin_case(who, v->n, "");
    run(v);
    check_cuda(cudaMemcpy(&count, v->d_count, sizeof count, cudaMemcpyDeviceToHost));
    check_ints(&count, &wanted, 1, 0);
    check_cuda(cudaMemcpy(got, v->d_out, (size_t)count * sizeof *got, cudaMemcpyDeviceToHost));
    qsort(got, (size_t)count, sizeof *got, compare_ints);
    check_ints(got, want, count, 0);
    host_free(got);
}

static void compare_keeps(int n)
{
    struct values v = {NULL, NULL, NULL, n, NULL, 0};
    size_t bytes = (size_t)n * sizeof(int);
    int *in = (int *)host_alloc(bytes), *want = (int *)host_alloc(bytes), count = 0;
    uint64_t state = harness.seed;
    for (int i = 0; i < n; i++) {
        in[i] = (int)random_bits(&state);
        if (in[i] > 0)
            want[count++] = in[i];
    }
    qsort(want, (size_t)count, sizeof *want, compare_ints);
    v.d_in = (int *)device_copy(in, bytes, 0);
    v.d_out = (int *)device_alloc(bytes);
    v.d_count = (int *)device_alloc(sizeof(int));
    keep_peer(&v); // queries the size of the temporary memory
    v.d_cub = device_alloc(v.cub_bytes);
    check_kept("ours", keep_ours, &v, want, count);
    check_kept("cub::DeviceSelect", keep_peer, &v, want, count);
    struct duel d = {"06 keep, cub::DeviceSelect::If", n, 1.5 * bytes, &v, keep_ours, keep_peer, NULL, NULL, 1};
    duel(&d);
    check_cuda(cudaFree(v.d_cub));
    check_cuda(cudaFree(v.d_count));
    check_cuda(cudaFree(v.d_out));
    check_cuda(cudaFree(v.d_in));
    host_free(want);
    host_free(in);
}

int main(int argc, char **argv)
{
    const int sides[] = {1 << 10, 1 << 12, 1 << 14}, counts[] = {1 << 20, 1 << 24, 1 << 28};
    open_table(argc, argv, __FILE__, "cublasSgeam, cub::DeviceSelect::If", 1 << 28);
    for (int i = 0; i < 3 && (harness.n < 0 || i == 0); i++)
        compare_transposes(harness.n < 0 ? sides[i] : (int)harness.n);
    for (int i = 0; i < 3 && (harness.n < 0 || i == 0); i++)
        compare_keeps(harness.n < 0 ? counts[i] : (int)harness.n);
    close_table();
}
